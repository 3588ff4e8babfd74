package drx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// Thin rows in more chunks than fit into the cache are written without the rest of their chunks, when they are
// appended and later, unless a hole of the file does not read as the fill value.
func TestThinRowsAreWrittenAlone(t *testing.T) { inBothForms(t, testThinRowsAreWrittenAlone) }

func testThinRowsAreWrittenAlone(t *testing.T) {
	const chunks, cols = 64, 64 * 32
	for _, fill := range []any{0, 1} {
		for _, d := range []Durability{DurabilityFull, DurabilityNone} {
			fsys := &counting{FS: vfs.NewMem()}
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

// A crash does not damage uncommitted chunks: neither a crash of the machine without a journal, nor one of the
// program without any durability.
func TestUncommittedThinRows(t *testing.T) { inBothForms(t, testUncommittedThinRows) }

func testUncommittedThinRows(t *testing.T) {
	for _, d := range []Durability{DurabilityNoJournal, DurabilityNone} {
		states := 0
		for k := 0; ; k++ {
			fsys := vfs.NewCrash()
			fsys.CrashAfter(k)
			created, err := writeThinRows(fsys, named(t, "a"), d)
			if err != nil && !errors.Is(err, vfs.ErrCrashed) {
				t.Fatal(err)
			}
			policies := vfs.Policies(20, uint64(k))
			if d == DurabilityNone {
				policies = map[string]vfs.Keep{"all": policies["all"]} // the program is killed
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
