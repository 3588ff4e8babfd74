package drx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// grownArray returns an array with a history of many segments, 13 x 13 stamped elements and
// uncommitted changes.
func grownArray(t *testing.T, o Options) *Array {
	t.Helper()
	a := mustCreate(t, Spec{
		DType: dtype.Int64, Shape: []int{1, 1}, ChunkShape: []int{2, 3}, Dims: []string{"y", "x"}, Align: 64, Order: ColOrder, FillValue: 5, Options: o,
	})
	for i := range 14 {
		if _, err := growtest.Extend(a, i%2, 2, axial.Side(i/2%2)); err != nil {
			t.Fatal(err)
		}
		if err := a.SetAttr("step", i); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Shrink(1, 2); err != nil {
		t.Fatal(err)
	}
	if err := a.ShrinkLow(0, 2); err != nil {
		t.Fatal(err)
	}
	if err := writeStamps(a, a.Bounds()); err != nil {
		t.Fatal(err)
	}
	return a
}

// wantStamps checks that every element is the stamp of its index.
func wantStamps(t *testing.T, a *Array) {
	t.Helper()
	got, err := Read[int64](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	each(a.Bounds(), nil, func(index []int) {
		if got[0] != stamp(index[0], index[1]) {
			t.Fatalf("element %v is %d", index, got[0])
		}
		got = got[1:]
	})
}

func fileNames(t *testing.T, fsys vfs.FS) (there []string) {
	t.Helper()
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt, journalExt, markExt, logExt + newExt, dataExt + newExt, tableExt + newExt, presenceExt + newExt} {
		if id, err := identityOf(fsys, "a"+ext); err != nil {
			t.Fatal(err)
		} else if id != nil {
			there = append(there, ext)
		}
	}
	for _, ext := range []string{OneFileExt, OneFileExt + journalExt, OneFileExt + newExt} {
		if id, err := identityOf(fsys, "a"+ext); err != nil {
			t.Fatal(err)
		} else if id != nil {
			there = append(there, ext)
		}
	}
	return there
}

// wholeFiles returns the result of fileNames for an array that no process has open.
func wholeFiles(t *testing.T) []string {
	if fileset.OneFile(named(t, "a")) {
		return []string{OneFileExt}
	}
	return []string{logExt, dataExt, tableExt, presenceExt}
}

// A compacted array has the same contents, also for programs that have it open.
func TestCompact(t *testing.T) { inBothForms(t, testCompact) }

func testCompact(t *testing.T) {
	o := inMemory()
	a := grownArray(t, o)
	before := a.Grid()
	r, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	bounds, slot, chunk := a.Bounds(), a.Layout().SlotBytes, a.ChunkShape()
	if err := a.Compact(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if n := a.Grid().Segments(); before.Segments() < 4 || n != 1 {
		t.Errorf("%d segments, were %d", n, before.Segments())
	}
	if !slices.Equal(a.Bounds(), bounds) || !slices.Equal(a.Dims(), []string{"y", "x"}) || a.Layout().SlotBytes != slot ||
		!slices.Equal(a.ChunkShape(), chunk) || a.Layout().ElementOrder != ColOrder || string(a.Attrs()["step"]) != "13" || !bytes.Equal(a.FillValue(), []byte{5, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("another array: %+v", a.state.Load())
	}
	wantStamps(t, a)
	if _, err := Open("a", Options{fs: o.fs, Write: true}); !errors.Is(err, ErrLocked) {
		t.Errorf("second writer: %v", err)
	}
	// The old reader has the old files, with what Compact has committed.
	if got, err := At[int64](r, 0, 0); err != nil || got != stamp(0, 0) {
		t.Errorf("old reader: %d, %v", got, err)
	}
	if n := r.Grid().Segments(); n != before.Segments() {
		t.Errorf("old reader: %d segments", n)
	}
	if _, err := a.Extend(0, 3); err != nil {
		t.Fatal(err)
	}
	if err := writeStamps(a, a.Bounds()); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	if changed, err := r.Refresh(); err != nil || !changed || !slices.Equal(r.Bounds(), a.Bounds()) || r.Grid().Segments() != 2 {
		t.Errorf("refreshed: %v, %v, bounds %v", changed, err, r.Bounds())
	}
	wantStamps(t, r)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := fileNames(t, o.fs); !slices.Equal(got, wholeFiles(t)) {
		t.Errorf("files %v", got)
	}
}

// Whichever operation fails, once or permanently, the array remains usable, and is intact when it
// is opened again.
func TestCompactFaults(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCompactFaults)
}

func testCompactFaults(t *testing.T) {
	errFault := errors.New("injected")
	for k, stuck := 0, true; ; k++ {
		for _, stuck = range []bool{false, true} {
			mem := vfs.NewMem()
			ops, failing := 0, false
			fsys := vfstest.Faulty{FS: mem, Fail: func(op vfstest.Op, name string) error {
				if !failing {
					return nil
				}
				if ops++; ops-1 == k || stuck && ops > k {
					return fmt.Errorf("%s %s: %w", op, name, errFault)
				}
				return nil
			}}
			a := grownArray(t, Options{fs: fsys})
			failing = true
			err := a.Compact(context.Background(), nil)
			failing = false
			if err == nil {
				t.Logf("%d operations", ops)
				return
			}
			if !errors.Is(err, errFault) {
				t.Fatalf("operation %d: %v", k, err)
			}
			wantStamps(t, a)
			if ok, err := fileset.Exists(mem, named(t, "a")); !ok || err != nil {
				t.Fatalf("operation %d: the files are gone, %v", k, err)
			}
			if err := Set(a, stamp(1, 1), 1, 1); err != nil {
				t.Fatalf("operation %d: %v", k, err)
			}
			if err := a.Sync(); err != nil {
				t.Fatalf("operation %d: sync: %v", k, err)
			}
			if err := a.Compact(context.Background(), nil); err != nil {
				t.Fatalf("operation %d: again: %v", k, err)
			}
			if err := a.Close(); err != nil {
				t.Fatalf("operation %d: close: %v", k, err)
			}
			if got := fileNames(t, mem); !slices.Equal(got, wholeFiles(t)) {
				t.Errorf("operation %d: files %v", k, got)
			}
			if a, err = Open("a", Options{fs: mem, Write: true}); err != nil {
				t.Fatal(err)
			}
			wantStamps(t, a)
		}
	}
}

// An interrupted Compact leaves the array unchanged, and no files.
func TestCompactCancelled(t *testing.T) { inBothForms(t, testCompactCancelled) }

func testCompactCancelled(t *testing.T) {
	o := inMemory()
	a := grownArray(t, o)
	segments := a.Grid().Segments()
	ctx, cancel := context.WithCancel(context.Background())
	err := a.Compact(ctx, func(done, total int64) {
		if done == total/2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || a.Grid().Segments() != segments {
		t.Errorf("%v, %d segments, were %d", err, a.Grid().Segments(), segments)
	}
	if got := fileNames(t, o.fs); !slices.Equal(got, append(wholeFiles(t), strings.TrimPrefix(fileset.Journal(named(t, "a")), "a"))) && !slices.Equal(got, wholeFiles(t)) {
		t.Errorf("files %v", got)
	}
	wantStamps(t, a)
}

func TestCompactErrors(t *testing.T) {
	o := inMemory()
	a := grownArray(t, o)
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	_, q, at, err := a.Layout().Locate(3, 3)
	if err != nil {
		t.Fatal(err)
	}
	f, err := o.fs.Open("a.xta", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0xff}, at); err != nil {
		t.Fatal(err)
	}
	if err := a.Compact(context.Background(), nil); !errors.Is(err, ErrCorrupt) || !bytes.Contains([]byte(err.Error()), fmt.Appendf(nil, "chunk %d ", q)) {
		t.Errorf("damaged: %v", err)
	}
	r, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Compact(context.Background(), nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("reader: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Compact(context.Background(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	mustMakeFile(t, o.fs, "b"+markExt, nil)
	if _, err := Create("b", Spec{DType: dtype.Int8, Shape: []int{1}, Options: o}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create beside a mark: %v", err)
	}
}

// Readers in this process and in others continue while the array is written and compacted. A reader
// that opens the array meanwhile never sees a mixture of old and new files.
func TestCompactConcurrent(t *testing.T) { inBothForms(t, testCompactConcurrent) }

func testCompactConcurrent(t *testing.T) {
	o := inMemory()
	a := grownArray(t, o)
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	reader := func(f func(rng *rand.Rand) error) {
		rng := rand.New(rand.NewPCG(3, 3))
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := f(rng); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	reader(func(rng *rand.Rand) error { return readSome(a, rng) })
	reader(func(rng *rand.Rand) error {
		r, err := Open("a", o)
		if err != nil {
			return err
		}
		defer r.Close()
		for range 3 {
			if err := readSome(r, rng); err != nil {
				return err
			}
			if _, err := r.Refresh(); err != nil {
				return err
			}
		}
		return nil
	})
	reader(func(*rand.Rand) error {
		r, err := a.Verify(ctx, nil)
		if err == nil && !r.Good() {
			err = fmt.Errorf("damaged: %+v", r)
		}
		if errors.Is(err, context.Canceled) {
			err = nil
		}
		return err
	})
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 40 {
		added, err := growtest.Extend(a, i%2, 1+rng.IntN(2), axial.Side(rng.IntN(2)))
		if err == nil {
			err = writeStamps(a, added)
		}
		if err == nil {
			err = a.Compact(context.Background(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()
	readers.Wait()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// The time to compact a sparse array depends on its written chunks, not on its size.
func TestCompactSparse(t *testing.T) { inBothForms(t, testCompactSparse) }

func testCompactSparse(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{1 << 30, 1 << 20}, ChunkShape: []int{16, 16}})
	for i := range 3 {
		if _, err := a.ExtendLow(i%2, 100); err != nil {
			t.Fatal(err)
		}
		if err := Set(a, uint8(i+1), 1<<(10*i), -3); err != nil && i > 0 {
			t.Fatal(err)
		}
	}
	if err := a.Compact(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	u, err := a.Usage()
	if err != nil || u.Written != 2 || a.Grid().Segments() != 1 {
		t.Errorf("usage %+v, %v", u, err)
	}
	if got, err := Read[uint8](a, nd.Sec(nd.At(1<<20), nd.Span(-4, -2))); err != nil || !slices.Equal(got, []uint8{0, 3}) {
		t.Errorf("read %v, %v", got, err)
	}
}
