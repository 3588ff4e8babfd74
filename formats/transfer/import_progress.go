package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// An importProgress is the progress of an import, the value of the attribute import.progress. The
// files are stored apart, in the attribute import.sources: there may be very many, and the progress
// is stored with every commit.
type importProgress struct {
	Sources  []fileStamp    `json:"-"`
	Options  *ImportOptions `json:"options,omitempty"`
	Dim      string         `json:"dim,omitempty"`
	Files    int            `json:"files"`            // number of complete ones
	Bounds   []int          `json:"bounds,omitempty"` // of Dim after the last complete file
	Vars     int            `json:"variables"`        // complete ones of DST's first file
	Boxes    int            `json:"boxes"`            // of the next variable
	BoxBytes int            `json:"box_bytes"`        // size of a box
	Box      []int          `json:"box,omitempty"`    // extents of the first box of the next variable
}

// cut records the shape of the boxes of the next variable. If an interrupted import had other
// boxes, its number of complete ones is meaningless, and the variable begins again. Readers choose
// boxes by the memory, and another version may choose differently.
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

// setSources stores the files of an import. The next sync makes them durable.
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
		return optionerr.Wrong("resume", nil, "%s: another import was interrupted: of %s", dst, p.describe())
	}
	for i, s := range stamps {
		if was := p.Sources[i]; !reflect.DeepEqual(was, s) {
			if was.Name == s.Name {
				return errorf("%v: %s has changed since the import into %s was interrupted: remove %s and import again", option("resume"), s.Name, dst, dst)
			}
			return optionerr.Wrong("resume", nil, "%s: another import was interrupted: of %s", dst, p.describe())
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

// next returns the progress to be stored after the last variable of the first file: nil if there
// are no further files, so that the import is complete.
func (p *importProgress) next(t *target) *importProgress {
	if len(p.Sources) > 1 {
		return &importProgress{Sources: p.Sources, Options: p.Options, Dim: p.Dim, Files: 1, Bounds: t.boundsOf(p.Dim)}
	}
	return nil
}
