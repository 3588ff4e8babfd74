package drx_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"drx"
	"drx/dataset"
	"drx/internal/vfs"
	"drx/nd"
)

// A verdict is an acceptable result: an error, or the commit before.
type verdict struct{ refused, older bool }

// A damageWay is a way to read or change arrays. It returns an error if the result is wrong.
type damageWay struct {
	name    string
	try     func(s *damageSpecimen, v *verdict) error
	changes bool // the files
}

var damageWays = []damageWay{
	{"list", (*damageSpecimen).list, false},
	{"read", (*damageSpecimen).read, false},
	{"recover", (*damageSpecimen).recover, false},
	{"copy", (*damageSpecimen).copy, true},
	{"write", (*damageSpecimen).write, true},
	{"grow", (*damageSpecimen).grow, true},
}

// judge damages the files and uses them in the given ways, also with readers that were open before
// the damage.
func (s *damageSpecimen) judge(d damage, ways []damageWay) (v verdict, err error) {
	for i, way := range ways {
		if i == 0 || way.changes { // a separate file system
			disk, err := s.disk()
			if err == nil {
				err = d.apply(disk)
			}
			if err != nil {
				return v, err
			}
		}
		if err := way.try(s, &v); err != nil {
			return v, fmt.Errorf("%s: %w", way.name, err)
		}
	}
	if d.file == "" && v.refused {
		return v, errors.New("refused")
	}
	if err := s.refresh(d, &v); err != nil {
		return v, fmt.Errorf("refresh: %w", err)
	}
	return v, nil
}

// disk makes arrays use a file system with the files.
func (s *damageSpecimen) disk() (vfs.FS, error) {
	disk := vfs.NewMem()
	useDisk(disk)
	for name, content := range s.files {
		if err := writeFile(disk, name, content, s.used[name]); err != nil {
			return nil, err
		}
	}
	return disk, nil
}

// apply damages a file. Pages of zeros become holes.
func (d damage) apply(disk vfs.FS) error {
	if d.file == "" {
		return nil
	}
	f, err := disk.Open(d.file, true)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(d.now, int64(d.at))
	for at := nd.CeilDiv(d.at, damagePage) * damagePage; at+damagePage <= d.at+len(d.now); at += damagePage {
		if len(usedPages(d.now[at-d.at:at-d.at+damagePage])) == 0 {
			err = errors.Join(err, f.Punch(int64(at), damagePage))
		}
	}
	return errors.Join(err, f.Close())
}

// refusal returns nil for an error that reports damage, and records it.
func (v *verdict) refusal(err error) error {
	if errors.Is(err, drx.ErrCorrupt) || errors.Is(err, drx.ErrVersion) {
		v.refused = true
		return nil
	}
	return err
}

// damageOptions keep arrays small.
var damageOptions = drx.Options{Cache: 1 << 16, Goroutines: 1}

// list expects all arrays, or an error.
func (s *damageSpecimen) list(v *verdict) error {
	found := map[string]bool{}
	for _, folder := range []string{".", "g"} {
		arrays, _, err := drx.List(path.Join(s.form.folder, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return v.refusal(err)
		}
		for _, name := range arrays {
			found[path.Join(folder, name)] = true
		}
	}
	for _, name := range s.form.arrays {
		if !found[name] && !found[drx.BaseName(name)] && !found[name[:max(0, len(name)-len(drx.OneFileExt))]] {
			return fmt.Errorf("%s is not listed: %v", name, found)
		}
	}
	if s.form.folder == "." {
		return nil
	}
	d, err := dataset.Open(s.form.folder, damageOptions)
	if err != nil {
		return v.refusal(err)
	}
	defer d.Close()
	if n := len(d.Variables()); n != len(s.form.arrays) {
		return fmt.Errorf("the dataset has %v", d.Variables())
	}
	attrs, err := d.Attrs("")
	if err != nil {
		return v.refusal(err)
	}
	if s.form.name == "dataset" && string(attrs["title"]) != `"made"` {
		return fmt.Errorf("the dataset has attributes %v", attrs)
	}
	return nil
}

// each calls f with the arrays.
func (s *damageSpecimen) each(f func(name string, want []snapshot) error) error {
	for i, name := range s.form.names() {
		if err := f(name, s.want[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// read opens, verifies and reads.
func (s *damageSpecimen) read(v *verdict) error {
	return s.each(func(name string, want []snapshot) error { return s.examine(name, want, v) })
}

// examine opens an array, which must equal one of the wanted snapshots, except where damage is
// reported.
func (s *damageSpecimen) examine(name string, want []snapshot, v *verdict) error {
	a, err := drx.Open(name, damageOptions)
	if err != nil {
		if err = v.refusal(err); err == nil {
			err = s.verifyRefused(name)
		}
		return err
	}
	return errors.Join(s.examineOpen(a, want, v), a.Close())
}

// verifyRefused checks that Verify reports the damage of an array that cannot be opened.
func (s *damageSpecimen) verifyRefused(name string) error {
	o := damageOptions
	o.Examine = true
	a, err := drx.Open(name, o)
	if err != nil {
		return nil
	}
	defer a.Close()
	if report, err := a.Verify(context.Background(), nil); err == nil && report.Good() {
		return errors.New("cannot be opened, but verify says that all is good")
	}
	return nil
}

// examineOpen is examine for an array that is open.
func (s *damageSpecimen) examineOpen(a *drx.Array, want []snapshot, v *verdict) error {
	report, err := a.Verify(context.Background(), nil)
	if err != nil {
		return v.refusal(err)
	}
	usage, err := a.Usage()
	if err != nil {
		return v.refusal(err)
	}
	left := slices.DeleteFunc(slices.Clone(want), func(w snapshot) bool {
		return !slices.Equal(w.bounds, a.Bounds()) || w.note != string(a.Attrs()["note"])
	})
	if len(left) == 0 {
		return fmt.Errorf("bounds %v, note %s: no commit that it may be", a.Bounds(), a.Attrs()["note"])
	}
	left, whole, err := s.compare(a, left)
	if err != nil {
		return err
	}
	if report.Good() && whole {
		left = slices.DeleteFunc(left, func(w snapshot) bool { return w.written >= 0 && w.written != usage.Written })
		if len(left) == 0 {
			return fmt.Errorf("%d chunks are written", usage.Written)
		}
	}
	if report.Good() && !whole {
		return errors.New("verify says that all is good, but not all can be read")
	}
	v.refused = v.refused || !whole || !report.Good()
	v.older = v.older || whole && len(want) > 1 && !slices.ContainsFunc(left, func(w snapshot) bool { return slices.Equal(w.data, want[0].data) })
	return nil
}

// compare reads an array, chunk by chunk if reading it at once fails. It returns the snapshots that
// agree with all readable elements, and whether all elements were readable.
func (s *damageSpecimen) compare(a *drx.Array, want []snapshot) (left []snapshot, whole bool, err error) {
	if data, err := drx.Read[int32](a, nil); err == nil {
		left = slices.DeleteFunc(slices.Clone(want), func(w snapshot) bool { return !slices.Equal(data, w.data) })
		if len(left) == 0 {
			return nil, false, fmt.Errorf("reads as no commit: %s", difference(a.Bounds(), data, want[0]))
		}
		return left, true, nil
	}
	for box := range a.Bounds().Tiles(s.size.chunk, s.size.chunk[0]*s.size.chunk[1]) {
		data, err := drx.Read[int32](a, box)
		if errors.Is(err, drx.ErrCorrupt) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		was := want
		want = slices.DeleteFunc(slices.Clone(want), func(w snapshot) bool { return difference(box, data, w) != "" })
		if len(want) == 0 {
			return nil, false, fmt.Errorf("reads in part as no commit: %s", difference(box, data, was[0]))
		}
	}
	return want, false, nil
}

// at returns the element of a snapshot at an index.
func (w snapshot) at(y, x int) (int32, bool) {
	b := w.bounds
	if y < b[0].Lo || y >= b[0].Hi || x < b[1].Lo || x >= b[1].Hi {
		return 0, false
	}
	return w.data[(y-b[0].Lo)*b[1].Len()+x-b[1].Lo], true
}

// difference describes where the elements of a section differ from a snapshot; "" means nowhere.
func difference(sec nd.Section, data []int32, w snapshot) string {
	i := 0
	for y := sec[0].Lo; y < sec[0].Hi; y++ {
		for x := sec[1].Lo; x < sec[1].Hi; x++ {
			if want, ok := w.at(y, x); !ok || data[i] != want {
				return fmt.Sprintf("element %d,%d is %d, want %d", y, x, data[i], want)
			}
			i++
		}
	}
	return ""
}
