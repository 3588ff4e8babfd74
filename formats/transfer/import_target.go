package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"drx"
	"drx/dataset"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// A target is an array or a dataset that is open for writing.
type target struct {
	a *drx.Array // nil for a dataset
	d *dataset.Dataset
}

// openTarget opens DST. cache is the memory for the elements of one array, in bytes.
func (o *importer) openTarget(cache int64) (*target, error) {
	opts := drx.Options{Write: true, Cache: cache}
	isArray, err := drx.Exists(o.dst)
	if err != nil {
		return nil, err
	}
	if isArray {
		a, err := drx.Open(o.dst, opts)
		return &target{a: a}, err
	}
	if declared, err := drx.Exists(filepath.Join(o.dst, dataset.Marker)); err != nil {
		return nil, err
	} else if !declared {
		return nil, errkind.Errorf(fs.ErrNotExist, "%s is no dataset; create a dataset of this name first", wording.Printable(o.dst))
	}
	d, err := dataset.Open(o.dst, opts)
	return &target{d: d}, err
}

// array returns the array of a variable.
func (t *target) array(name string) (*drx.Array, error) {
	if t.a != nil {
		return t.a, nil
	}
	v, err := t.d.Variable(name)
	if err != nil {
		return nil, err
	}
	return v.Array(), nil
}

// dim returns the bounds of a dimension, by its name or, of an array, by its number.
func (t *target) dim(name string) (nd.Range, error) {
	if t.d != nil {
		dim, err := t.d.Dim(name)
		return dim.Bounds, err
	}
	d, err := headerOf(t.a).dim(name)
	if err != nil {
		return nd.Range{}, err
	}
	return t.a.Bounds()[d], nil
}

// existing returns what there is, without its elements.
func (t *target) existing(dst string) (*existing, error) {
	if t.a != nil {
		v := existingVar{arrayHeader: headerOf(t.a)}
		for d := range t.a.Rank() {
			v.along = append(v.along, strconv.Itoa(d))
		}
		return &existing{dst: dst, isArray: true, vars: []existingVar{v}}, nil
	}
	e := &existing{dst: dst, dims: t.d.Dims()}
	for _, name := range t.d.Variables() {
		v, err := t.d.Variable(name)
		if err != nil {
			return nil, err
		}
		e.vars = append(e.vars, existingVar{headerOf(v.Array()), name, v.Dims(), v.IsCoordinate()})
	}
	return e, nil
}

// setStrings gives arrays of strings those that a plan adds to them. The next sync makes them
// durable.
func (t *target) setStrings(p *appendPlan) error {
	for _, v := range p.vars {
		if v.conv.strings == nil {
			continue
		}
		a, err := t.array(v.name)
		if err != nil {
			return err
		}
		if err := a.SetAttr(stringsAttr, v.conv.strings); err != nil {
			return err
		}
	}
	return nil
}

// extend grows a dimension and returns the new indices.
func (t *target) extend(dim string, by int, low bool) (nd.Range, error) {
	switch {
	case t.d != nil && low:
		return t.d.ExtendLow(dim, by)
	case t.d != nil:
		return t.d.Extend(dim, by)
	}
	d, err := headerOf(t.a).dim(dim)
	if err != nil {
		return nd.Range{}, err
	}
	grow := t.a.Extend
	if low {
		grow = t.a.ExtendLow
	}
	sec, err := grow(d, by)
	if err == nil {
		sec, err = sec.Resolve(t.a.Bounds().Bounds())
	}
	if err != nil {
		return nd.Range{}, err
	}
	return sec[d], nil
}

func (t *target) sync() error {
	if t.a != nil {
		return t.a.Sync()
	}
	return t.d.Sync()
}

// release commits, and closes the variables of a dataset. Their arrays must not be used any more.
func (t *target) release() error {
	if t.a != nil {
		return t.a.Sync()
	}
	return t.d.Release()
}

func (t *target) close() error {
	if t.a != nil {
		return t.a.Close()
	}
	return t.d.Close()
}

func (t *target) discard() {
	if t.a != nil {
		_ = t.a.Discard() // an error before this one is what the caller needs
		return
	}
	_ = t.d.Discard()
}

// describe describes the arrays of DST.
func (t *target) describe(dst string) (Imported, error) {
	if t.a != nil {
		return Imported{Name: t.a.Name(), Vars: []Array{newArray(t.a)}}, nil
	}
	made := Imported{Name: dst}
	for _, name := range t.d.Variables() {
		a, err := t.array(name)
		if err != nil {
			return made, err
		}
		made.Vars = append(made.Vars, newArray(a))
	}
	return made, nil
}

// An importProgress is how far an import has come: the attribute import.progress. The files, of
// which there may be very many, are stored once, in the attribute import.sources.
type importProgress struct {
	Sources  []fileStamp    `json:"-"`
	Options  *ImportOptions `json:"options,omitempty"`
	Dim      string         `json:"dim,omitempty"`
	Files    int            `json:"files"`            // that are complete
	Bounds   []int          `json:"bounds,omitempty"` // of the dimension after the last of these
	Vars     int            `json:"variables"`        // complete ones of the file that makes DST
	Boxes    int            `json:"boxes"`            // of the next variable
	BoxBytes int            `json:"box_bytes"`        // size of a box
	Box      []int          `json:"box,omitempty"`    // extents of the first box of the next variable
}

// cut notes the boxes into which the next variable is cut. If those that are complete were others,
// as a reader may choose them by the memory, or differently in another version, it begins the
// variable again.
func (p *importProgress) cut(boxes iter.Seq[nd.Section]) {
	for first := range boxes {
		if box := first.Shape(); !slices.Equal(p.Box, box) {
			p.Box, p.Boxes = box, 0
		}
		return
	}
}

// progress returns the progress of an import that was interrupted, or nil.
func (t *target) progress() (p *importProgress, err error) {
	var attrs map[string]json.RawMessage
	if t.a != nil {
		attrs = t.a.Attrs()
	} else if attrs, err = t.d.Attrs(""); err != nil {
		return nil, err
	}
	progress, sources := attrs[progressAttr], attrs[sourcesAttr]
	if progress == nil || sources == nil {
		return nil, nil
	}
	p = &importProgress{}
	return p, errors.Join(json.Unmarshal(progress, p), json.Unmarshal(sources, &p.Sources))
}

// setSources stores the files of an import. The next sync makes it durable.
func (t *target) setSources(s []fileStamp) error { return t.setAttr(sourcesAttr, s) }

// setProgress stores the progress, or removes it and the files if p is nil. The next sync makes it
// durable, together with the growth.
func (t *target) setProgress(p *importProgress) error {
	if p == nil {
		return errors.Join(t.deleteAttr(progressAttr), t.deleteAttr(sourcesAttr))
	}
	return t.setAttr(progressAttr, p)
}

func (t *target) setAttr(name string, value any) error {
	if t.a != nil {
		return t.a.SetAttr(name, value)
	}
	return t.d.SetAttr("", name, value)
}

func (t *target) deleteAttr(name string) error {
	if t.a != nil {
		return t.a.DeleteAttr(name)
	}
	return t.d.DeleteAttr("", name)
}

// checkSame returns an error if an import of other files was interrupted.
func (p *importProgress) checkSame(dst string, stamps []fileStamp, dim string) error {
	if p.Dim != dim || len(p.Sources) != len(stamps) {
		return option("resume").wrong("%s: another import was interrupted: of %s", dst, p.describe())
	}
	for i, s := range stamps {
		if was := p.Sources[i]; !reflect.DeepEqual(was, s) {
			if was.Name == s.Name {
				return errorf("%v: %s has changed since the import into %s was interrupted: remove %s and import again", option("resume"), s.Name, dst, dst)
			}
			return option("resume").wrong("%s: another import was interrupted: of %s", dst, p.describe())
		}
	}
	return nil
}

// unlessComplete returns the progress, or nil if all files are there.
func (p *importProgress) unlessComplete() *importProgress {
	if p.Files >= len(p.Sources) {
		return nil
	}
	return p
}

// describe names the files of an import.
func (p *importProgress) describe() string {
	if len(p.Sources) == 0 {
		return "no files"
	}
	text := wording.Printable(p.Sources[0].Name)
	if n := len(p.Sources) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	if p.Dim != "" {
		text += " along " + wording.Printable(p.Dim)
	}
	return text
}

// removeNew removes an array or a dataset that this process has made, with the folders of its
// groups.
func removeNew(name string) error {
	isArray, err := drx.Exists(name)
	if err != nil {
		return err
	}
	if isArray {
		return drx.Remove(name)
	}
	arrays, folders, err := drx.List(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, folder := range folders {
		err = errors.Join(err, removeNew(filepath.Join(name, folder)))
	}
	for _, array := range arrays {
		err = errors.Join(err, drx.Remove(filepath.Join(name, array)))
	}
	return errors.Join(err, os.Remove(name))
}
