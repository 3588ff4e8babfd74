package drx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
	"drx/dtype"
	"drx/internal/cputest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// walkHistory returns an array of int64 after a random history, with its model; one in eight is on
// disk.
func walkHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 7)), codecs: historyCodecs, name: named(t, "a"), opts: inMemory()}
	h.opts.Cache = int64(1 + h.rng.IntN(3000))
	h.opts.Goroutines = 1 + h.rng.IntN(4)
	spec := Spec{DType: dtype.Int64, FillValue: 7, Options: h.opts, Order: []ElementOrder{RowOrder, ColOrder, MortonOrder, HilbertOrder}[h.rng.IntN(4)]}
	for range 1 + h.rng.IntN(3) {
		spec.Shape = append(spec.Shape, 1+h.rng.IntN(8))
		spec.Lo = append(spec.Lo, h.rng.IntN(9)-4)
		spec.ChunkShape = append(spec.ChunkShape, 1+h.rng.IntN(4))
	}
	if seed%8 == 0 {
		h.name, spec.fs = filepath.Join(t.TempDir(), named(t, "a")), vfs.OS
		h.opts = spec.Options
	}
	h.note("seed %d", seed)
	a, err := Create(h.name, spec)
	h.must(err)
	h.a, h.m = a, newModel(spec.Lo, spec.Shape, a.FillValue())
	for range 4 + h.rng.IntN(16) {
		h.step()
	}
	return h
}

// walk returns a random walk over the array.
func (h *history) walk() Walk {
	w := Walk{Section: h.section(), Order: h.order(), Written: h.rng.IntN(2) == 0}
	if h.rng.IntN(2) == 0 {
		w.Section = nil
	}
	switch h.rng.IntN(4) {
	case 0:
		w.Tile = h.a.ChunkShape()
	case 1, 2:
		for range h.m.lo {
			w.Tile = append(w.Tile, h.rng.IntN(7))
		}
	}
	return w
}

// A wantPart is a part by its definition: the indices in it, row-major.
type wantPart struct {
	Index   []int
	Number  axial.Number
	Indices [][]int
}

// wantParts assigns every index of the section to its tile.
func (h *history) wantParts(w Walk) []wantPart {
	sec, err := w.Section.Resolve(h.m.lo, h.m.hi)
	h.must(err)
	tile := w.Tile
	if tile == nil {
		tile = h.a.ChunkShape()
	}
	parts := map[string]*wantPart{}
	written := map[string]bool{}
	var order []string
	// The elements of a part are compared in row-major order; the first element determines the
	// order of the parts.
	each(sec, w.Order, func(index []int) {
		p := wantPart{Index: make([]int, len(index)), Number: -1}
		for d, n := range tile {
			if n > 0 {
				p.Index[d] = nd.FloorDiv(index[d], n)
			}
		}
		key := fmt.Sprint(p.Index)
		_, q, _, err := h.a.Layout().Locate(index...)
		h.must(err)
		if parts[key] == nil {
			if slices.Equal(tile, h.a.ChunkShape()) {
				p.Number = q
			}
			parts[key] = &p
			order = append(order, key)
		}
		parts[key].Indices = append(parts[key].Indices, slices.Clone(index))
		if !written[key] {
			written[key], err = h.a.Written(q)
			h.must(err)
		}
	})
	var want []wantPart
	for _, key := range order {
		if written[key] || !w.Written {
			slices.SortFunc(parts[key].Indices, slices.Compare)
			want = append(want, *parts[key])
		}
	}
	if w.Tile == nil {
		slices.SortFunc(want, func(x, y wantPart) int { return int(x.Number - y.Number) })
	}
	return want
}

// gotParts lists the indices of parts.
func (h *history) gotParts(parts iter.Seq2[Part, error]) (got []wantPart) {
	h.t.Helper()
	for p, err := range parts {
		h.must(err)
		g := wantPart{Index: p.Index, Number: p.Number}
		if _, err := p.Section.Resolve(h.m.lo, h.m.hi); err != nil {
			h.t.Fatalf("part %v: %v\n%v", p, err, h.log)
		}
		each(p.Section, nil, func(index []int) { g.Indices = append(g.Indices, slices.Clone(index)) })
		got = append(got, g)
	}
	return got
}

// The parts of random walks over random arrays agree with the definition, and their number with the
// count.
func TestParts(t *testing.T) { inBothForms(t, testParts) }

func testParts(t *testing.T) {
	empty, many, found := 0, 0, 0
	for seed := range uint64(50) {
		h := walkHistory(t, seed)
		for range 6 {
			w := h.walk()
			want := h.wantParts(w)
			k, err := h.a.startWalk(w)
			h.must(err)
			k.maxSpans = 1 + h.rng.IntN(4) // reads the chunk table in pieces, as for large arrays
			if w.Written {
				scan, err := k.scansTable()
				h.must(err)
				if scan {
					found++
				}
			}
			for _, parts := range []iter.Seq2[Part, error]{k.parts, h.a.Parts(w)} {
				if got := h.gotParts(parts); !reflect.DeepEqual(want, got) {
					t.Fatalf("%+v: -want +got\n%s\n%v", w, cmp.Diff(want, got), h.log)
				}
			}
			n, err := k.countWritten()
			h.must(err)
			if n != int64(len(want)) {
				t.Fatalf("%+v: counted %d parts, want %d\n%v", w, n, len(want), h.log)
			}
			if len(want) == 0 {
				empty++
			} else if len(want) > 3 {
				many++
			}
		}
		h.must(h.a.Close())
	}
	if empty == 0 || many < 60 || found < 20 {
		t.Errorf("the walks say little: %d without parts, %d with more than 3, %d by the chunk table", empty, many, found)
	}
}

// Tiles keep their positions when the array grows, and the largest extents and steps do not
// overflow.
func TestPartsOfTiles(t *testing.T) { inBothForms(t, testPartsOfTiles) }

func testPartsOfTiles(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{5, 7}, ChunkShape: []int{2, 2}})
	sections := func(w Walk) (all []string) {
		for p, err := range a.Parts(w) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p.Section.String())
		}
		return all
	}
	for _, c := range []struct {
		walk Walk
		want string
	}{
		{Walk{Tile: []int{4, 5}}, "0:4,0:5 0:4,5:7 4:5,0:5 4:5,5:7"},
		{Walk{Tile: []int{4, 5}, Order: nd.ColMajor(2)}, "0:4,0:5 4:5,0:5 0:4,5:7 4:5,5:7"},
		{Walk{Tile: []int{0, 4}}, "0:5,0:4 0:5,4:7"},
		{Walk{Tile: []int{math.MaxInt, 4}, Section: nd.Sec(nd.Span(1, 5).By(3), nd.At(3))}, "1:5:3,3:4"},
		{Walk{Tile: []int{2, 0}, Section: nd.Sec(nd.Span(1, 5).By(math.MaxInt), nd.All.By(3))}, "1:2,0:7:3"},
		{Walk{Section: nd.Sec(nd.From(2), nd.At(6))}, "2:4,6:7 4:5,6:7"},
	} {
		if got := strings.Join(sections(c.walk), " "); got != c.want {
			t.Errorf("%+v: parts %s, want %s", c.walk, got, c.want)
		}
	}
	before := sections(Walk{Tile: []int{5, 7}})
	if _, err := a.ExtendLow(0, 3); err != nil {
		t.Fatal(err)
	}
	if got := sections(Walk{Tile: []int{5, 7}}); !slices.Equal(got, append([]string{"-3:0,0:7"}, before...)) {
		t.Errorf("after growth on the low side the tiles are %v", got)
	}
}

func TestPartsErrors(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{5, 7}, ChunkShape: []int{2, 2}})
	fail := func(w Walk, want error) {
		t.Helper()
		n := 0
		for p, err := range a.Parts(w) {
			if n++; !errors.Is(err, want) || p.Section != nil {
				t.Errorf("%+v: part %v, error %v, want %v", w, p, err, want)
			}
		}
		if n != 1 {
			t.Errorf("%+v: %d parts and errors, want 1", w, n)
		}
	}
	fail(Walk{Section: nd.Sec(nd.All)}, ErrRank)
	fail(Walk{Section: nd.Sec(nd.All, nd.Span(0, 8))}, ErrBounds)
	fail(Walk{Tile: []int{1}}, ErrRank)
	fail(Walk{Tile: []int{1, -1}}, ErrBounds)
	fail(Walk{Order: nd.Order{0, 0}}, ErrRank)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	fail(Walk{}, ErrClosed)
}

// A loop over parts may end early, and may change the array, replace its files or close it.
func TestPartsWhileChanging(t *testing.T) { inBothForms(t, testPartsWhileChanging) }

func testPartsWhileChanging(t *testing.T) {
	for _, w := range []Walk{{}, {Tile: []int{1}}, {Written: true}, {Tile: []int{1}, Written: true}} {
		a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{100}, ChunkShape: []int{1}})
		if err := Fill(a, nil, int64(1)); err != nil {
			t.Fatal(err)
		}
		n := 0
		for p, err := range a.Parts(w) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 50 {
				break
			}
			if _, err := a.Extend(0, 1); err != nil {
				t.Fatal(err)
			}
			if err := Fill(a, p.Section, int64(2)); err != nil {
				t.Fatal(err)
			}
			if err := a.Compact(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if sum, err := Reduce(context.Background(), a, Walk{}, 0, sum, add); n != 50 || err != nil || sum != 149 {
			t.Errorf("%+v: %d parts, sum %v, %v", w, n, sum, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func sum(_ Part, data []int64) (s float64) {
	for _, x := range data {
		s += float64(x)
	}
	return s
}

func add(x, y float64) float64 { return x + y }

// If Compact changes the numbers of the chunks, or Close closes the array, between two pieces of
// the chunk table, the walk ends with an error.
func TestPartsOfReplacedTable(t *testing.T) {
	for what, change := range map[string]func(a *Array) error{
		"compacted": func(a *Array) error { return a.Compact(context.Background(), nil) },
		"closed":    func(a *Array) error { return a.Close() },
	} {
		o := inMemory()
		a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{100}, ChunkShape: []int{1}, Options: o})
		if err := Fill(a, nd.Sec(nd.All.By(2)), int64(1)); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		o.Write = true
		a, err := Open("a", o)
		if err != nil {
			t.Fatal(err)
		}
		k, err := a.startWalk(Walk{Written: true})
		if err != nil {
			t.Fatal(err)
		}
		k.maxSpans = 10
		n := 0
		var last error
		for _, err := range k.parts {
			if last = err; err == nil {
				n++
			}
			if n == 5 {
				if err := change(a); err != nil {
					t.Fatal(err)
				}
				change = func(*Array) error { return nil }
			}
		}
		if n != 10 || last == nil || !strings.Contains(last.Error(), what) {
			t.Errorf("%s: %d parts, then %v", what, n, last)
		}
	}
}

// The chunk table is scanned if that is less work than looking up the section's chunks. A table
// that cannot be read is an error in both cases.
func TestPartsScanOrLookup(t *testing.T) {
	var failing atomic.Bool
	broken := errors.New("broken")
	o := Options{fs: vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		if op == vfstest.OpRead && failing.Load() && strings.HasSuffix(name, tableExt) {
			return broken
		}
		return nil
	}}}
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{1000}, ChunkShape: []int{1}, Options: o})
	for _, c := range []struct {
		written, chunks int
		tile            []int
		want            bool
	}{
		{0, 1000, nil, true},
		{0, 20, nil, true},
		{0, 4, nil, false},
		{0, 1000, []int{1}, false},
		{160, 20, nil, true},
		{161, 20, nil, false},
		{161, 21, nil, true},
		{1000, 124, nil, false},
		{1000, 125, nil, true},
	} {
		if err := Fill(a, nd.Sec(nd.To(c.written)), int64(1)); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil { // chunks that are only in the pool are not in the table
			t.Fatal(err)
		}
		k, err := a.startWalk(Walk{Written: true, Section: nd.Sec(nd.To(c.chunks)), Tile: c.tile})
		if err != nil {
			t.Fatal(err)
		}
		k.maxSpans = 4
		if got, err := k.scansTable(); got != c.want || err != nil {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, w := range []Walk{{}, {Section: nd.Sec(nd.To(4))}, {Tile: []int{1}}} {
		a, err := Open("a", o)
		if err != nil {
			t.Fatal(err)
		}
		failing.Store(true)
		w.Written = true
		for p, err := range a.Parts(w) {
			if !errors.Is(err, broken) {
				t.Errorf("%+v: part %v, error %v", w, p, err)
			}
		}
		failing.Store(false)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Walk.Written finds two chunks among 2^37 in a short time, in memory and in the file.
func TestPartsOfPetabyte(t *testing.T) { inBothForms(t, testPartsOfPetabyte) }

func testPartsOfPetabyte(t *testing.T) {
	o := Options{Write: true, fs: vfs.NewMem()}
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{1 << 24, 1 << 23}, ChunkShape: []int{32, 32}, Options: o})
	for i, index := range [][]int{{1 << 20, 77}, {1 << 14, 1 << 15}} {
		if err := Set(a, int64(i+1), index...); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	cputest.Most(t, 5*time.Second, func() {
		total, err := Reduce(context.Background(), a, Walk{Written: true}, 0, sum, add)
		if err != nil || total != 3 {
			t.Errorf("sum %v, %v", total, err)
		}
	})
	part, err := Reduce(context.Background(), a, Walk{Written: true, Section: nd.Sec(nd.Span(1<<20-999, 1<<20+999), nd.Span(64, 96))}, 0, sum, add)
	if err != nil || part != 1 {
		t.Errorf("sum of a part %v, %v", part, err)
	}
	cputest.Most(t, 5*time.Second, func() {
		strip, err := Reduce(context.Background(), a, Walk{Written: true, Section: nd.Sec(nd.Span(1<<14, 1<<14+32*1000), nd.All)}, 0, sum, add)
		if err != nil || strip != 2 {
			t.Errorf("sum of a strip of 2^28 chunks %v, %v", strip, err)
		}
	})
}
