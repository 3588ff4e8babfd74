package drx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// Thin rows in more chunks than fit into the cache are written without the rest of their chunks,
// when they are appended and later, unless a hole of the file does not read as the fill value.
func TestThinRowsAreWrittenAlone(t *testing.T) { inBothForms(t, testThinRowsAreWrittenAlone) }

func testThinRowsAreWrittenAlone(t *testing.T) {
	const chunks, cols = 64, 64 * 32
	for _, fill := range []any{0, 1} {
		for _, d := range []Durability{DurabilityFull, DurabilityNone} {
			fsys := &countingFS{FS: vfs.NewMem()}
			a := mustCreateAt(t, named(t, "a"), Spec{
				DType: dtype.Float64, Shape: []int{0, cols}, ChunkShape: []int{256, 32}, FillValue: fill,
				Options: Options{fs: fsys, Durability: d, Cache: 4 * (64<<10 + 256)},
			})
			row := func(i int) []float64 { return sequence[float64](nd.Sec(nd.Span(i*cols, (i+1)*cols))) }
			for i := range 3 {
				added, err := a.Extend(0, 1)
				if err == nil {
					err = Write(a, added, row(i))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			whole := fill == 1
			if most := int64(3*cols*8 + 20*64<<10); fsys.written.Load() > most != whole {
				t.Errorf("fill %v, durability %v: %d bytes written, limit %d", fill, d, fsys.written.Load(), most)
			}
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
			u, err := a.Usage()
			if err != nil || u.Written != chunks || u.DataBytes > 64<<10*chunks/2 != whole {
				t.Errorf("fill %v, durability %v: %+v, %v", fill, d, u, err)
			}
			for i := range 3 {
				wantSection(t, a, nd.Sec(nd.At(i), nd.All), row(i))
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A crash does not damage uncommitted chunks: neither a crash of the machine without a journal, nor
// a crash of the program without any durability.
func TestUncommittedThinRows(t *testing.T) { inBothForms(t, testUncommittedThinRows) }

func testUncommittedThinRows(t *testing.T) {
	for _, d := range []Durability{DurabilityNoJournal, DurabilityNone} {
		states := 0
		for k := 0; ; k++ {
			fsys := vfstest.NewCrash()
			fsys.CrashAfter(k)
			created, err := writeThinRows(fsys, named(t, "a"), d)
			if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
				t.Fatal(err)
			}
			policies := vfstest.Policies(20, uint64(k))
			if d == DurabilityNone {
				policies = map[string]vfstest.Keep{"all": policies["all"]} // the program is killed
			}
			for name, keep := range policies {
				if states++; created {
					wantUndamaged(t, fsys.After(keep), fmt.Sprintf("durability %d, operation %d, policy %s", d, k, name))
				}
			}
			if err == nil {
				break
			}
		}
		if states < 10 {
			t.Errorf("only %d states tried", states)
		}
	}
}

// writeThinRows makes an array with a cache of two chunks, writes three of its rows, and closes it.
func writeThinRows(fsys vfs.FS, name string, d Durability) (created bool, err error) {
	a, err := Create(name, Spec{
		DType: dtype.Uint16, Shape: []int{16, 512}, ChunkShape: []int{16, 128},
		Options: Options{fs: fsys, Cache: 2 * (4096 + 256), Durability: d, patchCost: 1024},
	})
	if err != nil {
		return false, err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, i := range []int{3, 7, 9} {
		if err := a.WriteBytes(nd.Sec(nd.At(i), nd.All), randomBytes(rng, 1024), nil); err != nil {
			return true, err
		}
	}
	return true, a.Close()
}

func wantUndamaged(t *testing.T, fsys vfs.FS, when string) {
	t.Helper()
	a, err := Open("a", Options{fs: fsys})
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
		t.Errorf("%s: %+v, %v", when, r, err)
	}
}

// The version of a chunk changes with each commit that has written it, for the writer and for
// readers, and at no other time.
func TestChunkVersions(t *testing.T) { inBothForms(t, testChunkVersions) }

func testChunkVersions(t *testing.T) {
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		o := inMemory()
		o.Durability = d
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4, 4}, ChunkShape: []int{2, 2}, Options: o})
		r, err := Open("a", Options{fs: o.fs})
		if err != nil {
			t.Fatal(err)
		}
		versions := func() []uint64 {
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Refresh(); err != nil {
				t.Fatal(err)
			}
			mine, his := make([]uint64, a.Grid().Chunks()), make([]uint64, a.Grid().Chunks())
			if err := errors.Join(a.ChunkVersions(0, mine), r.ChunkVersions(0, his)); err != nil || !slices.Equal(mine, his) {
				t.Fatalf("versions %x, for a reader %x, error %v", mine, his, err)
			}
			return mine
		}
		before := versions()
		if !slices.Equal(before, make([]uint64, 4)) {
			t.Errorf("versions %x of chunks that were never written", before)
		}
		for step, sec := range []nd.Section{nil, nd.Sec(nd.At(0), nd.At(3)), nd.Sec(nd.At(0), nd.At(3)), nd.Sec(nd.Span(1, 3), nd.At(0))} {
			if err := Fill(a, sec, uint8(7)); err != nil {
				t.Fatal(err)
			}
			changed := 0
			after := versions()
			for q := range before {
				if after[q] != before[q] {
					changed++
				}
			}
			if want := []int{4, 1, 1, 2}[step]; changed != want {
				t.Errorf("step %d: %x, then %x: %d have changed, want %d", step, before, after, changed, want)
			}
			before = after
		}
		if _, err := a.Extend(0, 2); err != nil {
			t.Fatal(err)
		}
		if after := versions(); !slices.Equal(after, append(before, 0, 0)) {
			t.Errorf("after growth %x, before %x", after, before)
		}
		if err := a.ChunkVersions(5, make([]uint64, 2)); !errors.Is(err, ErrBounds) {
			t.Errorf("error %v", err)
		}
		if err := errors.Join(a.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
		if err := a.ChunkVersions(0, before); !errors.Is(err, ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
}
