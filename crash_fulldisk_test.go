package drx

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// A fullDisk is an array with rows of one page each, on a disk that can be full.
type fullDisk struct {
	t          *testing.T
	a          *Array
	o          Options
	name       string
	fill, free func()
	want       []uint8 // the first element of each row, in the last commit
}

const fullDiskRow = 4096

// check opens the array anew, verifies it and compares it with the last commit.
func (d *fullDisk) check() {
	d.t.Helper()
	r, err := Open(d.name, Options{fs: d.o.fs})
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Close()
	if report, err := r.Verify(context.Background(), nil); err != nil || !report.Good() {
		d.t.Fatalf("verify: %+v, %v", report, err)
	}
	if got, err := Read[uint8](r, nd.Sec(nd.All, nd.At(0))); err != nil || !slices.Equal(got, d.want) {
		d.t.Fatalf("rows %v, %v, want %v", got, err, d.want)
	}
}

// commitInVain attempts a change of the array on a full disk, and repeats it when the disk has
// space again. want is the contents of the array afterwards.
func (d *fullDisk) commitInVain(change func() error, want []uint8) {
	d.t.Helper()
	d.fill()
	changeErr := change()
	err := changeErr
	if err == nil {
		err = d.a.Sync()
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), d.name+": ") || strings.Contains(err.Error(), "\n") {
		d.t.Errorf("on a full disk: %v", err)
	}
	d.check()
	if err := d.a.Sync(); changeErr == nil && !errors.Is(err, syscall.ENOSPC) {
		d.t.Errorf("again on a full disk: %v", err)
	}
	d.check()
	d.free()
	if changeErr != nil {
		if err := change(); err != nil {
			d.t.Fatalf("with room again: %v", err)
		}
	}
	if err := d.a.Sync(); err != nil {
		d.t.Fatalf("with room again: %v", err)
	}
	d.want = want
	d.check()
}

// run appends, overwrites and shrinks, each first on a full disk.
func (d *fullDisk) run() {
	d.t.Helper()
	a, err := Create(d.name, Spec{DType: dtype.Uint8, Shape: []int{4, fullDiskRow}, ChunkShape: []int{1, fullDiskRow}, Options: d.o})
	if err != nil {
		d.t.Fatal(err)
	}
	d.a = a
	d.want = []uint8{1, 1, 1, 1}
	if err := errors.Join(Fill(a, nil, uint8(1)), a.Sync()); err != nil {
		d.t.Fatal(err)
	}
	rows := func(lo, hi int) nd.Section { return nd.Sec(nd.Span(lo, hi), nd.All) }
	d.commitInVain(func() error {
		if a.Shape()[0] == 4 {
			if _, err := a.Extend(0, 2); err != nil {
				return err
			}
		}
		return Fill(a, rows(4, 6), uint8(2))
	}, []uint8{1, 1, 1, 1, 2, 2})
	d.commitInVain(func() error { return Fill(a, rows(1, 4), uint8(3)) }, []uint8{1, 3, 3, 3, 2, 2})
	d.commitInVain(func() error { return a.ShrinkLow(0, 2) }, []uint8{3, 3, 2, 2})
	if err := a.Close(); err != nil {
		d.t.Fatal(err)
	}
	d.check()
}

// A full disk is reported in one line. Nothing is lost, and everything continues when there is
// space again: with a cache for all chunks, and for one.
func TestFullDisk(t *testing.T) { inBothForms(t, testFullDisk) }

func testFullDisk(t *testing.T) {
	for _, cache := range []int64{1 << 20, 1} {
		full := false
		fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, _ string) error {
			if full && op == vfstest.OpWrite {
				return syscall.ENOSPC
			}
			return nil
		}}
		d := &fullDisk{t: t, name: named(t, "a"), o: Options{fs: fsys, Cache: cache}}
		d.fill, d.free = func() { full = true }, func() { full = false }
		d.run()
	}
}

// TestFullTmpfs does the same on a small file system that is really full.
func TestFullTmpfs(t *testing.T) { inBothForms(t, testFullTmpfs) }

func testFullTmpfs(t *testing.T) {
	dir := smallTmpfs(t, "256k")
	filler := filepath.Join(dir, "filler")
	for i, cache := range []int64{1 << 20, 1} {
		d := &fullDisk{t: t, name: filepath.Join(dir, named(t, string(rune('a'+i)))), o: Options{Cache: cache}}
		d.fill = func() {
			if err := os.WriteFile(filler, make([]byte, 1<<20), 0o666); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("filling the disk: %v", err)
			}
		}
		d.free = func() {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		}
		d.run()
	}
}

// TestFullTmpfsGivesSpaceBack appends and overwrites until a small file system is full, and gives
// up: by Discard, and by Close, which cannot commit. Afterwards the same space is free as before.
func TestFullTmpfsGivesSpaceBack(t *testing.T) { inBothForms(t, testFullTmpfsGivesSpaceBack) }

func testFullTmpfsGivesSpaceBack(t *testing.T) {
	dir := smallTmpfs(t, "2m")
	free := func() int64 {
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err != nil {
			t.Fatal(err)
		}
		return int64(s.Bfree) * s.Bsize
	}
	const row = 64 << 10
	rows := func(from, to int) nd.Section { return nd.Sec(nd.Span(from, to), nd.All) }
	for name, change := range map[string]func(a *Array) error{
		"append": func(a *Array) error {
			if _, err := a.Extend(0, 64); err != nil {
				return err
			}
			return Fill(a, rows(20, 84), uint8(2))
		},
		"overwrite": func(a *Array) error { return Fill(a, rows(0, 20), uint8(2)) },
	} {
		for _, end := range []func(a *Array) error{(*Array).Discard, (*Array).Close} {
			file := filepath.Join(dir, named(t, name))
			a, err := Create(file, Spec{DType: dtype.Uint8, Shape: []int{20, row}, ChunkShape: []int{1, row}})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(Fill(a, nil, uint8(1)), a.Close()); err != nil {
				t.Fatal(err)
			}
			before := free()
			if a, err = Open(file, Options{Write: true, Cache: 1}); err != nil {
				t.Fatal(err)
			}
			if err := change(a); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: %v, the disk is not full", name, err)
			}
			if err := end(a); err != nil && !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: %v", name, err)
			}
			if after := free(); after != before {
				t.Errorf("%s: %d bytes are free, before %d", name, after, before)
			}
			d := &fullDisk{t: t, name: file, want: slices.Repeat([]uint8{1}, 20)}
			d.check()
			if err := Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFailedWriteGivesSpaceBack writes chunks that are holes in the last commit until a small file
// system is full. The chunk whose write fails in the middle has no entry, but its space is freed,
// too.
func TestFailedWriteGivesSpaceBack(t *testing.T) { inBothForms(t, testFailedWriteGivesSpaceBack) }

func testFailedWriteGivesSpaceBack(t *testing.T) {
	dir := smallTmpfs(t, "2m")
	free := func() int64 {
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err != nil {
			t.Fatal(err)
		}
		return int64(s.Bfree) * s.Bsize
	}
	shape := []int{1000, 1000}
	values := make([]float64, 1000*1000)
	for rng, i := rand.New(rand.NewPCG(2, 1000)), 0; i < len(values); i++ {
		values[i] = float64(rng.Uint32()) // codecs shorten it, but not enough for the disk
	}
	write := func(a *Array) error {
		if err := Write(a, nil, values, nd.RowMajor); err != nil {
			return err
		}
		return a.Sync()
	}
	for name, change := range map[string]func(a *Array) error{
		"fill": func(a *Array) error {
			if compresses() { // equal elements would need hardly any space
				return write(a)
			}
			return errors.Join(Fill(a, nil, 3.0), a.Sync())
		},
		"write": write,
		"start": func(a *Array) error { // parts of chunks, each too large for the free space
			for row := range 1000 {
				if err := Write(a, nd.Sec(nd.At(row), nd.All), values[row*1000:(row+1)*1000], nd.RowMajor); err != nil {
					return err
				}
			}
			return a.Sync()
		},
	} {
		for _, chunk := range [][]int{{256, 512}, {64, 1000}, {1000, 100}, {1, 1000}} {
			for _, cache := range []int64{1, 64 << 20} {
				if name == "start" && cache == 1 && compresses() {
					continue // each row would compress all its chunks again
				}
				file := filepath.Join(dir, named(t, name))
				a, err := Create(file, Spec{DType: dtype.Float64, Shape: shape, ChunkShape: chunk})
				if err != nil {
					t.Fatal(err)
				}
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
				before := free()
				if a, err = Open(file, Options{Write: true, Cache: cache}); err != nil {
					t.Fatal(err)
				}
				if err := change(a); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("%s: %v, the disk is not full", name, err)
				}
				if err := a.Discard(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if after := free(); after != before {
					t.Errorf("%s, chunks of %v, cache of %d bytes: %d bytes are free, before %d", name, chunk, cache, after, before)
				}
				if err := Remove(file); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// smallTmpfs returns the folder of a file system of the given size.
func smallTmpfs(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("mounting a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}
