package drx

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// Several goroutines change elements of committed chunks, each in its own rows, while another
// goroutine commits. Each reads back what it has written last, and so does a program that opens the
// files later.
func TestConcurrentPatches(t *testing.T) { inBothForms(t, testConcurrentPatches) }

func testConcurrentPatches(t *testing.T) {
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		a := mustCreateAt(t, filepath.Join(t.TempDir(), named(t, "a")), Spec{
			DType: dtype.Int64, Shape: []int{16, 16}, ChunkShape: []int{8, 8},
			Options: Options{Durability: d, patchCost: 8},
		})
		if err := errors.Join(Write(a, nil, make([]int64, 256)), a.Sync()); err != nil {
			t.Fatal(err)
		}
		want := make([]int64, 256)
		var all sync.WaitGroup
		for w := range 4 {
			all.Go(func() { setAndCheck(t, a, want, w*4, rand.New(rand.NewPCG(uint64(w), 4))) })
		}
		all.Go(func() {
			for range 20 {
				if err := a.Sync(); err != nil {
					t.Error(err)
				}
			}
		})
		all.Wait()
		wantSection(t, a, nil, want)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := Open(a.Name(), Options{Checking: CheckAlways})
		if err != nil {
			t.Fatal(err)
		}
		wantSection(t, r, nil, want)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// setAndCheck changes elements of four rows of a and of want.
func setAndCheck(t *testing.T, a *Array, want []int64, row int, rng *rand.Rand) {
	for v := range int64(500) {
		i, j := row+rng.IntN(4), rng.IntN(16)
		if err := Set(a, v+1, i, j); err != nil {
			t.Error(err)
		}
		want[i*16+j] = v + 1
		i, j = row+rng.IntN(4), rng.IntN(16)
		if got, err := At[int64](a, i, j); err != nil || got != want[i*16+j] {
			t.Errorf("At(%d, %d) = %d, %v, want %d", i, j, got, err, want[i*16+j])
		}
	}
}

// A few bytes of a large chunk are changed, durably, without moving the rest of the chunk.
func TestPatchMovesFewBytes(t *testing.T) { inBothForms(t, testPatchMovesFewBytes) }

func testPatchMovesFewBytes(t *testing.T) {
	const chunk = 1 << 20
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		disk := &countingFS{FS: vfs.NewMem()}
		o := Options{fs: disk, Durability: d, Write: true}
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4 * chunk}, ChunkShape: []int{chunk}, Options: o})
		if err := errors.Join(a.FillBytes(nil, []byte{1}), a.Close()); err != nil {
			t.Fatal(err)
		}
		a, err := Open("a", o)
		if err != nil {
			t.Fatal(err)
		}
		disk.written.Store(0)
		err = errors.Join(
			Set(a, uint8(2), 17),
			Scatter(a, []int{chunk - 1, 3 * chunk, 17}, []uint8{3, 4, 5}),
			Write(a, nd.Sec(nd.Span(2*chunk-10, 2*chunk+20)), make([]uint8, 30)),
			a.Sync(),
		)
		if n := disk.written.Load(); err != nil || n == 0 || n > 20_000 {
			t.Errorf("durability %d: %d bytes written, %v", d, n, err)
		}
		if report, err := a.Verify(t.Context(), nil); err != nil || !report.Good() {
			t.Errorf("%v, %v", report, err)
		}
		if got, err := Read[uint8](a, nd.Sec(nd.Span(15, 19))); err != nil || got[2] != 5 || got[1] != 1 {
			t.Errorf("got %v, %v", got, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A program that commits each small change writes little, however many there are. A chunk that was
// once written as a whole, and is in memory, is again changed in pieces.
func TestPatchesGoOnMovingFewBytes(t *testing.T) { inBothForms(t, testPatchesGoOnMovingFewBytes) }

func testPatchesGoOnMovingFewBytes(t *testing.T) {
	const chunk, changes = 64 << 10, 200
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		disk := &countingFS{FS: vfs.NewMem()}
		a := mustCreate(t, Spec{
			DType: dtype.Uint8, Shape: []int{chunk}, ChunkShape: []int{chunk},
			Options: Options{fs: disk, Durability: d, patchCost: chunk / 32},
		})
		if err := errors.Join(a.FillBytes(nil, []byte{1}), a.Sync()); err != nil {
			t.Fatal(err)
		}
		disk.written.Store(0)
		for i := range changes {
			if err := errors.Join(Set(a, uint8(i), 7*i), a.Sync()); err != nil {
				t.Fatal(err)
			}
			if got, err := At[uint8](a, 7*i); err != nil || got != uint8(i) {
				t.Fatal(got, err)
			}
		}
		if n := disk.written.Load(); n > (changes/32+1)*2*chunk+changes*2*8192 { // includes pages of the table
			t.Errorf("durability %d: %d bytes written", d, n)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Only changes that need little memory are patched, whatever the size of the chunk.
func TestPatchesAreSmall(t *testing.T) { inBothForms(t, testPatchesAreSmall) }

func testPatchesAreSmall(t *testing.T) {
	const chunk = 4 * runBytes
	for _, d := range []Durability{DurabilityFull, DurabilityNone} {
		a := mustCreate(t, Spec{
			DType: dtype.Uint8, Shape: []int{chunk}, ChunkShape: []int{chunk}, Options: Options{fs: vfs.NewMem(), Durability: d},
		})
		if err := errors.Join(a.FillBytes(nil, []byte{1}), a.Sync()); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, runBytes, runBytes + 1} {
			if err := Write(a, nd.Sec(nd.Span(10, 10+n)), make([]byte, n)); err != nil {
				t.Fatal(err)
			}
			if got, want := a.pool.Dirty(0), n > runBytes; got != want {
				t.Errorf("durability %d: %d bytes are in the pool: %v", d, n, got)
			}
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// If a part of a chunk is written and the file is too short for the chunk, the damage is reported.
func TestPatchOfACutFile(t *testing.T) {
	disk := vfs.NewMem()
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{20}, ChunkShape: []int{10}, Options: Options{fs: disk, patchCost: 1}})
	if err := errors.Join(a.FillBytes(nil, []byte{1}), a.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := disk.Open("a.xta", true)
	if err := errors.Join(err, f.Truncate(15), f.Close()); err != nil {
		t.Fatal(err)
	}
	a, err = Open("a", Options{fs: disk, Write: true, patchCost: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"set":     Set(a, uint8(2), 18),
		"scatter": Scatter(a, []int{14, 15}, []uint8{3, 4}),
		"write":   Write(a, nd.Sec(nd.Span(12, 19)), make([]uint8, 7)),
	} {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(Set(a, uint8(2), 5), a.Close()); err != nil {
		t.Error(err)
	}
}

// If a writer could not write the pieces of a commit to their slots, every program that opens the
// array next, in any mode, finds the commit.
func TestPiecesOfAnUnfinishedCommit(t *testing.T) { // in several files: one of them fails
	want := []uint8{1, 1, 7, 1, 1, 1, 1, 8, 9, 1}
	readers := map[string]func(disk vfs.FS) (*Array, error){
		"read":    func(disk vfs.FS) (*Array, error) { return Open("a", Options{fs: disk}) },
		"write":   func(disk vfs.FS) (*Array, error) { return Open("a", Options{fs: disk, Write: true}) },
		"shared":  func(disk vfs.FS) (*Array, error) { return Open("a", Options{fs: disk, Shared: true}) },
		"version": func(disk vfs.FS) (*Array, error) { return OpenSnapshot("a", Snapshot{}, Options{fs: disk}) },
		"recover": func(disk vfs.FS) (*Array, error) {
			r, err := Recover(t.Context(), "a", "b", RecoverOptions{fs: disk})
			if err == nil && !r.Complete() {
				t.Errorf("recovered %+v", r)
			}
			b, openErr := Open("b", Options{fs: disk})
			return b, errors.Join(err, openErr)
		},
		"compact": func(disk vfs.FS) (*Array, error) {
			a, err := Open("a", Options{fs: disk, Write: true})
			return a, errors.Join(err, a.Compact(t.Context(), nil))
		},
	}
	for name, open := range readers {
		for _, noLine := range []bool{true, false} {
			disk := leftUnfinished(t, noLine)
			a, err := open(disk)
			if err != nil {
				t.Fatal(name, err)
			}
			if got, err := Read[uint8](a, nd.Sec(nd.Span(0, 10))); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
			if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			if err := a.Discard(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// leftUnfinished returns a disk with an array of two chunks and a commit that changes pieces of
// both. The pieces are in the journal; only the table entries were written. noLine means that the
// commit changes only chunks, so it has no line in the log.
func leftUnfinished(t *testing.T, noLine bool) vfs.FS {
	t.Helper()
	disk, full := vfs.NewMem(), false
	faulty := vfstest.Faulty{FS: disk, Fail: func(op vfstest.Op, name string) error {
		if full && op == vfstest.OpWrite && name == "a.xta" {
			return syscall.EIO
		}
		return nil
	}}
	a := mustCreate(t, Spec{
		DType: dtype.Uint8, Shape: []int{10}, ChunkShape: []int{5}, Options: Options{fs: faulty, patchCost: 1},
	})
	err := errors.Join(a.FillBytes(nil, []byte{1}), a.Sync(), Set(a, uint8(7), 2), Scatter(a, []int{8, 7}, []uint8{9, 8}))
	if err != nil {
		t.Fatal(err)
	}
	if !noLine {
		if _, err := a.Extend(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	full = true
	if err := a.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	if err := a.Discard(); err != nil {
		t.Fatal(err)
	}
	return disk
}

// countingFS is a file system that counts the bytes written to its files.
type countingFS struct {
	vfs.FS
	written atomic.Int64
}

type countedFile struct {
	vfs.File
	disk *countingFS
}

func (c *countingFS) Create(name string) (vfs.File, error) { return c.count(c.FS.Create(name)) }

func (c *countingFS) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	return c.count(c.FS.CreateAs(name, a))
}

func (c *countingFS) OpenNoFollow(name string, write bool) (vfs.File, error) {
	return c.count(c.FS.OpenNoFollow(name, write))
}

func (c *countingFS) Open(name string, write bool) (vfs.File, error) {
	return c.count(c.FS.Open(name, write))
}

func (c *countingFS) count(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return countedFile{f, c}, nil
}

func (f countedFile) WriteAt(b []byte, off int64) (int, error) {
	f.disk.written.Add(int64(len(b)))
	return f.File.WriteAt(b, off)
}

// BenchmarkSetDurable changes a random element of 128 chunks of 512 KiB and commits it: as a piece
// and, for comparison, as a whole chunk.
func BenchmarkSetDurable(b *testing.B) {
	arrays := map[string]*Array{}
	for name, cost := range map[string]int{"piece": 0, "chunk": 1 << 30} {
		a, err := Create(filepath.Join(b.TempDir(), name), Spec{
			DType: dtype.Float64, Shape: []int{128 << 16}, ChunkShape: []int{1 << 16}, Options: Options{patchCost: cost, Cache: 1 << 20},
		})
		if err := errors.Join(err, Fill(a, nil, 1.5), a.Sync()); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = a.Close() })
		arrays[name] = a
	}
	rng := rand.New(rand.NewPCG(1, 1))
	spent := map[string]time.Duration{}
	for b.Loop() {
		for name, a := range arrays {
			at := rng.IntN(128 << 16)
			start := time.Now()
			if err := errors.Join(Set(a, 2.5, at), a.Sync()); err != nil {
				b.Fatal(err)
			}
			spent[name] += time.Since(start)
		}
	}
	for name, d := range spent {
		b.ReportMetric(float64(d.Microseconds())/float64(b.N), "us-"+name+"/op")
	}
}

// BenchmarkAtHeld reads elements of a chunk that is in memory.
func BenchmarkAtHeld(b *testing.B) {
	a, err := Create(filepath.Join(b.TempDir(), "a"), Spec{DType: dtype.Float64, Shape: []int{1 << 16}, ChunkShape: []int{1 << 16}})
	if err := errors.Join(err, Set(a, 1.5, 3)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := At[float64](a, i&0xffff); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Error(err)
	}
}

// BenchmarkSetHeld changes elements of a chunk that is in memory.
func BenchmarkSetHeld(b *testing.B) {
	a, err := Create(filepath.Join(b.TempDir(), "a"), Spec{DType: dtype.Float64, Shape: []int{1 << 16}, ChunkShape: []int{1 << 16}})
	if err := errors.Join(err, Fill(a, nil, 1.5)); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if err := Set(a, 2.5, i&0xffff); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Error(err)
	}
}
