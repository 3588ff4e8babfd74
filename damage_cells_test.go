package drx_test

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// A damageForm is a form of arrays in files.
type damageForm struct {
	name   string
	folder string   // of the arrays: "." or a file with several arrays or a dataset
	arrays []string // their names in it
}

var damageForms = []damageForm{
	{"four files", ".", []string{"a"}},
	{"one file", ".", []string{"a.drx"}},
	{"container", "w.drx", []string{"a.drx", "g/b.drx"}},
	{"dataset", "ds", []string{"a", "b.drx"}},
}

// names returns the names of the arrays with that of the folder.
func (f damageForm) names() (all []string) {
	for _, name := range f.arrays {
		all = append(all, path.Join(f.folder, name))
	}
	return all
}

// A damageSize is the size of chunks and of arrays: chunks that are blocks of their own, or many
// small ones, few of which are written, so that table and presence map have several blocks.
type damageSize struct {
	name         string
	chunk, shape []int
	bands        int // every bands-th row of chunks is written
}

var damageSizes = []damageSize{
	{"large chunks", []int{4, 128}, []int{8, 256}, 1},
	{"small chunks", []int{2, 4}, []int{32, 96}, 3},
}

// A snapshot is the contents of an array at a commit.
type snapshot struct {
	bounds  nd.Section
	data    []int32
	note    string
	written int64 // chunks
}

// A damageSpecimen has the files of arrays after their last commit, or as a writer left them that
// was killed in it, and the files before it. It also has the possible contents of the arrays: their
// last commit and, if that was not acknowledged, the one before.
type damageSpecimen struct {
	form          damageForm
	size          damageSize
	files, before map[string][]byte
	used          map[string][]int // the pages of files that are not zeros
	want          [][]snapshot     // per array
}

// damageFill is the fill value.
const damageFill = 5

// fillSection sets the elements of a section to numbers that depend on seed, so that no other call
// writes them.
func fillSection(a *drx.Array, sec nd.Section, seed int) error {
	n, err := sec.Len()
	if err != nil {
		return err
	}
	data := make([]int32, n)
	for i := range data {
		data[i] = int32(seed*100_000 + i)
	}
	return drx.Write(a, sec, data)
}

// fillRows sets elements of some rows of chunks between low and high.
func fillRows(a *drx.Array, z damageSize, low, high, seed int) error {
	for row := low; row < high; row += z.chunk[0] * z.bands {
		sec := a.Bounds()
		sec[0] = nd.Span(row, min(row+z.chunk[0], sec[0].Hi))
		if err := fillSection(a, sec, seed+row); err != nil {
			return err
		}
	}
	return nil
}

// damageSteps are the last commits of the specimens. i is the number of the array.
var damageSteps = []struct {
	name string
	do   func(a *drx.Array, z damageSize, i int) error
}{
	{"grown", func(a *drx.Array, z damageSize, i int) error {
		added, err := a.Extend(0, z.chunk[0])
		if err != nil {
			return err
		}
		_, err = a.ExtendLow(1, 3)
		return errors.Join(err, fillRows(a, z, added[0].Lo, added[0].Hi, 700+i), fillRows(a, z, 0, z.chunk[0], 500+i), a.SetAttr("note", "grown"))
	}},
	{"overwritten", func(a *drx.Array, z damageSize, i int) error {
		part := nd.Sec(nd.Span(1, z.chunk[0]), nd.Span(1, z.chunk[1]+1))
		return errors.Join(fillRows(a, z, z.shape[0]/2, z.shape[0], 300+i), fillSection(a, part, 400+i))
	}},
	{"shrunk", func(a *drx.Array, z damageSize, i int) error {
		return errors.Join(a.Shrink(1, z.chunk[1]+1), fillSection(a, nd.Sec(nd.Span(0, 1), nd.Span(0, 2)), 600+i))
	}},
	{"shrunk and grown", func(a *drx.Array, z damageSize, i int) error {
		err := a.Shrink(1, z.chunk[1]+1)
		_, growErr := a.Extend(1, z.chunk[1])
		return errors.Join(err, growErr, a.SetAttr("note", "smaller"))
	}},
}

// useDisk makes arrays use the given file system until the next call.
func useDisk(fsys vfs.FS) { vfs.OS = fsys }

// keepDisk makes arrays use the file system of the machine again when the test ends.
func keepDisk(t *testing.T) {
	t.Helper()
	before := vfs.OS
	t.Cleanup(func() { vfs.OS = before })
}

// prepareDamage creates the arrays of a form, in two commits, and returns their files.
func prepareDamage(f damageForm, z damageSize) (map[string][]byte, error) {
	disk := vfs.NewMem()
	useDisk(disk)
	if f.name == "dataset" {
		d, err := dataset.Create(f.folder, drx.Options{})
		if err != nil {
			return nil, err
		}
		if err := errors.Join(d.SetAttr("", "title", "made"), d.Close()); err != nil {
			return nil, err
		}
	}
	for i, name := range f.names() {
		a, err := drx.Create(name, drx.Spec{
			DType: dtype.Int32, Shape: z.shape, ChunkShape: z.chunk, FillValue: damageFill, Dims: []string{"y", "x"},
			Attrs: map[string]any{"note": "made"},
		})
		if err != nil {
			return nil, err
		}
		err = errors.Join(fillRows(a, z, 0, z.shape[0]/2, 100+i), a.Sync(), a.SetAttr("more", i), a.Close())
		if err != nil {
			return nil, err
		}
	}
	return filesOf(disk, ".")
}

// A damageHistory is the last commit of arrays, with their contents before and after it.
type damageHistory struct {
	form     damageForm
	size     damageSize
	step     int
	before   map[string][]byte
	old, now []snapshot
}

// newDamageHistory makes the last commits once.
func newDamageHistory(f damageForm, z damageSize, before map[string][]byte, step int) (*damageHistory, error) {
	h := &damageHistory{form: f, size: z, step: step, before: before}
	disk := vfs.NewMem()
	err := writeFiles(disk, before)
	if err != nil {
		return nil, err
	}
	useDisk(disk)
	if h.old, err = newSnapshots(f); err != nil {
		return nil, err
	}
	if err := h.lastCommits(func(int, bool) {}); err != nil {
		return nil, err
	}
	h.now, err = newSnapshots(f)
	return h, err
}

// specimen makes the last commits again, until the writer is killed after the given number of half
// changes; negative means never. It reports whether the writer was killed.
func (h *damageHistory) specimen(halves int) (*damageSpecimen, bool, error) {
	s := &damageSpecimen{form: h.form, size: h.size, before: h.before}
	for _, old := range h.old {
		s.want = append(s.want, []snapshot{old})
	}
	disk := vfs.NewMem()
	if err := writeFiles(disk, h.before); err != nil {
		return nil, false, err
	}
	useDisk(killedAfter(disk, halves))
	err := h.lastCommits(func(i int, acknowledged bool) {
		if s.want[i] = []snapshot{h.now[i]}; !acknowledged {
			s.want[i] = append(s.want[i], h.old[i])
		}
	})
	killed := errors.Is(err, errKilled)
	if err != nil && !killed {
		return nil, false, err
	}
	if s.files, err = filesOf(disk, "."); err != nil {
		return nil, false, err
	}
	s.used = map[string][]int{}
	for name, content := range s.files {
		s.used[name] = usedPages(content)
	}
	return s, killed, nil
}

// lastCommits makes the last commits of all arrays. It calls commit with the number of each array
// before its commit, and again when that is acknowledged.
func (h *damageHistory) lastCommits(commit func(i int, acknowledged bool)) error {
	var open []*drx.Array
	for _, name := range h.form.names() {
		a, err := drx.Open(name, drx.Options{Write: true, Cache: 1 << 20, Goroutines: 1})
		if err != nil {
			return err
		}
		open = append(open, a)
	}
	for i, a := range open {
		if err := damageSteps[h.step].do(a, h.size, i); err != nil {
			return err
		}
	}
	for i, a := range open {
		commit(i, false)
		if err := a.Sync(); err != nil {
			return err
		}
		commit(i, true)
	}
	for _, a := range open {
		if err := a.Close(); err != nil {
			return err
		}
	}
	return nil
}

// newSnapshots returns the contents of the arrays of a form.
func newSnapshots(f damageForm) (all []snapshot, err error) {
	for _, name := range f.names() {
		a, err := drx.Open(name, drx.Options{})
		if err != nil {
			return nil, err
		}
		now, err := newSnapshot(a)
		if err := errors.Join(err, a.Close()); err != nil {
			return nil, err
		}
		all = append(all, now)
	}
	return all, nil
}

// newSnapshot returns the contents of an array.
func newSnapshot(a *drx.Array) (snapshot, error) {
	data, err := drx.Read[int32](a, nil)
	if err != nil {
		return snapshot{}, err
	}
	usage, err := a.Usage()
	return snapshot{a.Bounds(), data, string(a.Attrs()["note"]), usage.Written}, err
}

// filesOf returns the files of a file system below a folder.
func filesOf(fsys vfs.FS, folder string) (map[string][]byte, error) {
	files, folders, err := fsys.List(folder)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, name := range files {
		name = path.Join(folder, name)
		f, err := fsys.Open(name, false)
		if err != nil {
			return nil, err
		}
		size, err := f.Size()
		all[name] = make([]byte, size)
		if size > 0 {
			_, readErr := f.ReadAt(all[name], 0)
			err = errors.Join(err, readErr)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	for _, name := range folders {
		below, err := filesOf(fsys, path.Join(folder, name))
		if err != nil {
			return nil, err
		}
		maps.Copy(all, below)
	}
	return all, nil
}

// writeFiles makes files in a file system. Pages of zeros become holes.
func writeFiles(fsys vfs.FS, files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeFile(fsys, name, files[name], usedPages(files[name])); err != nil {
			return err
		}
	}
	return nil
}

// damagePage is the size of a page of a file in memory.
const damagePage = 4096

// usedPages returns the offsets of the pages of a file that are not zeros.
func usedPages(content []byte) (all []int) {
	var zeros [damagePage]byte
	for at := 0; at < len(content); at += damagePage {
		if page := content[at:min(at+damagePage, len(content))]; !bytes.Equal(page, zeros[:len(page)]) {
			all = append(all, at)
		}
	}
	return all
}

// writeFile makes a file with the given pages; the others are zero.
func writeFile(fsys vfs.FS, name string, content []byte, pages []int) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	err = f.Truncate(int64(len(content)))
	for _, at := range pages {
		_, writeErr := f.WriteAt(content[at:min(at+damagePage, len(content))], int64(at))
		err = errors.Join(err, writeErr)
	}
	return errors.Join(err, f.Close())
}
