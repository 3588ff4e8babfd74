package drx

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/growtest"
	"drx/internal/state"
	"drx/nd"
)

// Removed elements are gone, their space is freed, and new elements have the fill value.
func TestShrinkGivesSpaceBack(t *testing.T) { inBothForms(t, testShrinkGivesSpaceBack) }

func testShrinkGivesSpaceBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{64, 1 << 16}, ChunkShape: []int{1, 1 << 16}, FillValue: 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := Fill(a, nil, uint8(1)); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := a.Shrink(0, 48); err != nil {
		t.Fatal(err)
	}
	if err := a.ShrinkLow(0, 8); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	u, err := a.Usage()
	if err != nil || u.Written != 8 || u.Chunks != 64 || u.DataBytes > 9<<16 {
		t.Errorf("usage %+v, %v, want 8 chunks of 64 KiB", u, err)
	}
	if _, err := a.Extend(0, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ExtendLow(0, 8); err != nil {
		t.Fatal(err)
	}
	got, err := Read[uint8](a, nd.Sec(nd.All, nd.At(9)))
	want := slices.Concat(slices.Repeat([]uint8{7}, 8), slices.Repeat([]uint8{1}, 8), []uint8{7, 7})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v, want %v", got, err, want)
	}
	if n := a.Grid().Chunks(); n != 64 {
		t.Errorf("%d chunks: growing again uses the grid again", n)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name + ".xjl"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("journal after Close: %v", err)
	}
}

// Shrinking an enormous sparse array, of 2^42 chunks, examines only written chunks: neither all
// chunks, nor all removed ones, which are 2^36 in the first step.
func TestShrinkSparse(t *testing.T) { inBothForms(t, testShrinkSparse) }

func testShrinkSparse(t *testing.T) {
	const rows, part = 1 << 30, 1 << 24
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{rows, 1 << 20}, ChunkShape: []int{16, 16}})
	for _, i := range []int{0, 1 << 15, rows - part - 1, rows - part, rows - 1} {
		if err := Set(a, uint8(1), i, 3); err != nil {
			t.Fatal(err)
		}
	}
	left := rows
	for _, step := range []struct {
		by   int
		want int64
	}{{part, 3}, {16, 2}, {1 << 15, 2}, {rows - part - 16 - 1<<15 - 1<<10, 1}} {
		if err := a.Shrink(0, step.by); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
		left -= step.by
		if u, err := a.Usage(); err != nil || u.Written != step.want || a.Shape()[0] != left {
			t.Errorf("shrunk by %d: %d chunks left, %v, want %d", step.by, u.Written, err, step.want)
		}
	}
}

// The two methods of finding existing chunks outside of the bounds agree, for arrays with random
// histories, with chunks in memory, in the journal and in their slots.
func TestExistingOutside(t *testing.T) { inBothForms(t, testExistingOutside) }

func testExistingOutside(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 40))
	found := 0
	for range 60 {
		o := inMemory()
		o.Cache = int64(rng.IntN(4)) * 600 // from one chunk to all of them
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{3, 4}, ChunkShape: []int{2, 3}, Options: o})
		for range 30 {
			randomStep(t, rng, a)
		}
		before := a.state.Load()
		for d, n := range a.Shape() {
			if n == 0 {
				continue
			}
			h := state.Shrink{Dim: d, By: 1 + rng.IntN(n), Low: rng.IntN(2) == 0}
			after, err := before.Apply(state.Record{Shrink: &h})
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := chunksOutside(before, after, h)
			var one, other []axial.Number
			errOne := a.eachExistingInGrid(before.Grid, lo, hi, func(q axial.Number) error { one = append(one, q); return nil })
			errOther := a.eachExistingInTable(before.Grid, lo, hi, func(q axial.Number) error { other = append(other, q); return nil })
			slices.Sort(one)
			slices.Sort(other)
			other = slices.Compact(other) // a chunk in memory and in the table is found twice
			if errOne != nil || errOther != nil || !slices.Equal(one, other) {
				t.Errorf("%+v of %v: held are %v, %v or %v, %v", h, a.Bounds(), one, errOne, other, errOther)
			}
			found += len(one)
		}
	}
	if found == 0 {
		t.Error("nothing was held outside in any array")
	}
}

// randomStep writes an element, or changes the bounds, or commits.
func randomStep(t *testing.T, rng *rand.Rand, a *Array) {
	t.Helper()
	var err error
	d, side := rng.IntN(2), []axial.Side{axial.High, axial.Low}[rng.IntN(2)]
	switch n := a.Shape()[d]; rng.IntN(6) {
	case 0:
		_, err = growtest.Extend(a, d, 1+rng.IntN(4), side)
	case 1:
		if n > 3 {
			err = growtest.Shrink(a, d, 1+rng.IntN(2), side)
		}
	case 2:
		err = a.Sync()
	default:
		index := make([]int, 2)
		for d, r := range a.Bounds() {
			index[d] = r.Lo + rng.IntN(r.Len())
		}
		err = Set(a, uint8(1), index...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A damaged table entry is an error for a Shrink that removes its chunk, but not for others.
func TestShrinkBesideDamage(t *testing.T) { inBothForms(t, testShrinkBesideDamage) }

func testShrinkBesideDamage(t *testing.T) {
	for _, rows := range []int{8, 1 << 20} { // one for each method of finding chunks
		o := inMemory()
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{rows, 4}, ChunkShape: []int{1, 4}, Options: o})
		if err := Fill(a, nd.Sec(nd.Span(0, 3), nd.All), uint8(1)); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := member(t, o.fs, tableExt).WriteAt([]byte{0xff}, 1*entryBytes)
		if err != nil {
			t.Fatal(err)
		}
		o.Write = true
		if a, err = Open("a", o); err != nil {
			t.Fatal(err)
		}
		if err := a.Shrink(0, rows-1); !errors.Is(err, ErrCorrupt) || a.Shape()[0] != rows {
			t.Errorf("of %d rows, the damaged chunk among those taken: %v, want %v", rows, err, ErrCorrupt)
		}
		if err := a.Shrink(0, rows-2); err != nil {
			t.Errorf("of %d rows: %v", rows, err)
		}
	}
}

func TestShrinkErrors(t *testing.T) { inBothForms(t, testShrinkErrors) }

func testShrinkErrors(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4, 4}})
	for _, c := range []struct {
		dim, by int
		want    error
	}{{2, 1, ErrRank}, {-1, 1, ErrRank}, {0, 0, ErrBounds}, {0, -1, ErrBounds}, {0, 5, ErrBounds}} {
		if err := a.Shrink(c.dim, c.by); !errors.Is(err, c.want) {
			t.Errorf("shrink %d by %d: %v, want %v", c.dim, c.by, err, c.want)
		}
	}
	for _, side := range []axial.Side{axial.Low + 1, 255} {
		if sec, err := a.ExtendCubical(0, 1, side); !errors.Is(err, ErrBounds) || sec != nil || a.Shape()[0] != 4 {
			t.Errorf("extend on side %d: %v, %v, want %v", side, sec, err, ErrBounds)
		}
	}
	if err := a.Shrink(0, 4); err != nil || a.Shape()[0] != 0 {
		t.Errorf("shrink to nothing: %v, %v", err, a.Shape())
	}
	if _, err := a.ExtendLow(0, 2); err != nil || !slices.Equal(a.Bounds(), nd.Sec(nd.Span(-2, 0), nd.Span(0, 4))) {
		t.Errorf("grown from nothing: %v, %v", err, a.Bounds())
	}
}

// Removed elements remain removed, even if reads evict chunks with uncommitted changes.
func TestShrinkBesideReads(t *testing.T) { inBothForms(t, testShrinkBesideReads) }

func testShrinkBesideReads(t *testing.T) {
	const side, kept, rounds = 8, 300, 300
	o := inMemory()
	o.Cache = 40 * (8*side + 256)
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{(kept + 100) * side}, ChunkShape: []int{side}, Options: o})
	if err := errors.Join(Fill(a, nil, int64(7)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for i := 0; !done.Load() && !t.Failed(); i += 101 {
				if v, err := At[int64](a, i%(kept*side)); v != 7 || err != nil {
					t.Errorf("element %d: %d, %v", i%(kept*side), v, err)
				}
			}
		})
	}
	for range rounds {
		for i := kept; i < kept+100; i++ {
			if err := Set(a, int64(9), i*side); err != nil {
				t.Fatal(err)
			}
		}
		err := a.Shrink(0, 100*side)
		if err == nil {
			_, err = a.Extend(0, 100*side)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read[int64](a, nd.Section{nd.From(kept * side)})
		if err != nil || slices.Max(got) != 0 {
			t.Fatalf("%d is there again, %v", slices.Max(got), err)
		}
	}
	done.Store(true)
	readers.Wait()
}

// BenchmarkExtend times extensions without data or commit, of all dimensions in turns: a thousand
// extensions of a new array each, because the first ones should cost no more than the later ones.
func BenchmarkExtend(b *testing.B) {
	const extensions, chunk = 1000, 16
	for _, c := range []struct {
		name string
		edge int
	}{{"chunks=1e2", 10}, {"chunks=1e7", 3162}} {
		b.Run(c.name, func(b *testing.B) {
			shape := []int{c.edge * chunk, c.edge * chunk}
			b.ReportAllocs()
			for done := 0; done < b.N; done += extensions {
				b.StopTimer()
				a, err := Create(filepath.Join(b.TempDir(), "a"), Spec{DType: dtype.Float64, Shape: shape, ChunkShape: []int{chunk, chunk}})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				for i := range min(extensions, b.N-done) {
					if _, err := a.Extend(i%2, chunk); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				if err := a.Discard(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Allocations are most of the cost of an extension.
func TestExtendAllocatesLittle(t *testing.T) {
	if enumtest.Race {
		t.Skip("the race detector allocates too")
	}
	a := mustCreate(t, Spec{DType: dtype.Float64, Shape: []int{64, 64}, ChunkShape: []int{16, 16}})
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		i++
		if _, err := a.Extend(i%2, 16); err != nil {
			t.Fatal(err)
		}
	}); n > 8 {
		t.Errorf("%v allocations", n)
	}
}
