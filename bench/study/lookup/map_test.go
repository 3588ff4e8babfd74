package lookup

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"drx/axial"
	"drx/nd"
)

// grow is one extension of a history.
type grow struct {
	dim, by int
	side    axial.Side
}

func high(dim, by int) grow { return grow{dim, by, axial.High} }
func low(dim, by int) grow  { return grow{dim, by, axial.Low} }

// history builds the map and the grid with the given initial extents and extensions.
func history(t testing.TB, k Kind, extents []int, steps ...grow) (*Map, *axial.Grid) {
	t.Helper()
	lo := make([]int, len(extents))
	m, err := NewMap(k.New, lo, extents)
	if err != nil {
		t.Fatal(err)
	}
	g, err := axial.New(lo, extents)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if err := m.Extend(s.dim, s.by, s.side); err != nil {
			t.Fatal(err)
		}
		if g, err = g.Extend(s.dim, s.by, s.side); err != nil {
			t.Fatal(err)
		}
	}
	return m, g
}

// equal compares a map with a grid: bounds, F* of every chunk and its inverse, and indices outside.
func equal(t testing.TB, m *Map, g *axial.Grid) {
	t.Helper()
	if m.Chunks() != g.Chunks() || !slices.Equal(m.Lo(), g.Lo()) || !slices.Equal(m.Hi(), g.Hi()) {
		t.Fatalf("map [%v, %v) of %d chunks, grid [%v, %v) of %d", m.Lo(), m.Hi(), m.Chunks(), g.Lo(), g.Hi(), g.Chunks())
	}
	index, back := make([]int, g.Rank()), make([]int, g.Rank())
	for q := range g.Chunks() {
		g.Index(q, index)
		if got, ok := m.Number(index); !ok || got != q {
			t.Fatalf("F*(%v) = %d, %v, want %d", index, got, ok, q)
		}
		if !m.Index(q, back) || !slices.Equal(back, index) {
			t.Fatalf("inverse(%d) = %v, want %v", q, back, index)
		}
	}
	if _, ok := m.Number(m.Hi()); ok {
		t.Fatalf("F*(%v), the high bounds, exists", m.Hi())
	}
	if m.Index(g.Chunks(), back) || m.Index(-1, back) || m.Index(0, nil) {
		t.Fatal("inverse of what is outside of the map exists")
	}
	for d := range index {
		copy(index, m.Lo())
		index[d]--
		if _, ok := m.Number(index); ok {
			t.Fatalf("F*(%v), below the low bound, exists", index)
		}
	}
	if _, ok := m.Number(nil); ok {
		t.Fatal("F* of no index exists")
	}
}

// table prints the numbers of a 2-D map as the papers' figures do.
func table(m *Map) string {
	var b strings.Builder
	for i := m.Lo()[0]; i < m.Hi()[0]; i++ {
		for j := m.Lo()[1]; j < m.Hi()[1]; j++ {
			q, _ := m.Number([]int{i, j})
			fmt.Fprintf(&b, "%3d", q)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// The maps must give the numbers of the worked examples of the papers.
func TestGolden(t *testing.T) {
	cases := []struct {
		name    string
		extents []int
		steps   []grow
		table   string
		numbers map[axial.Number][]int
		records []axial.Record // the records after the initial allocation
	}{
		{
			name: "2007, figure 1", extents: []int{1, 1},
			steps: []grow{high(1, 1), high(0, 1), high(0, 1), high(1, 1), high(0, 1), high(1, 1), high(0, 1)},
			table: "  0  1  6 12\n  2  3  7 13\n  4  5  8 14\n  9 10 11 15\n 16 17 18 19\n",
		},
		{
			name: "2007, figure 3", extents: []int{4, 3, 1},
			steps:   []grow{high(2, 1), high(2, 1), high(1, 1), high(0, 2), high(2, 1)},
			numbers: map[axial.Number][]int{7: {2, 1, 0}, 34: {3, 1, 2}, 56: {4, 2, 2}},
			records: []axial.Record{
				{Dim: 2, Start: 1, Number: 12, Coef: []int{3, 1, 12}},
				{Dim: 1, Start: 3, Number: 36, Coef: []int{3, 12, 1}},
				{Dim: 0, Start: 4, Number: 48, Coef: []int{12, 3, 1}},
				{Dim: 2, Start: 3, Number: 72, Coef: []int{4, 1, 24}},
			},
		},
		{
			name: "thesis, figure 3.3.1", extents: []int{3, 3, 2},
			steps:   []grow{high(1, 2), high(0, 2), high(2, 1)},
			numbers: map[axial.Number][]int{26: {1, 4, 0}, 27: {1, 4, 1}, 29: {2, 4, 1}, 37: {3, 3, 1}},
			records: []axial.Record{
				{Dim: 1, Start: 3, Number: 18, Coef: []int{2, 6, 1}},
				{Dim: 0, Start: 3, Number: 30, Coef: []int{10, 2, 1}},
				{Dim: 2, Start: 2, Number: 50, Coef: []int{5, 1, 25}},
			},
		},
		{
			name: "2006, figure 3", extents: []int{4, 3},
			steps: []grow{high(1, 2), high(0, 3), high(1, 3), high(0, 2), high(1, 2)},
			table: "  0  1  2 12 16 35 42 49 72 81\n  3  4  5 13 17 36 43 50 73 82\n" +
				"  6  7  8 14 18 37 44 51 74 83\n  9 10 11 15 19 38 45 52 75 84\n" +
				" 20 21 22 23 24 39 46 53 76 85\n 25 26 27 28 29 40 47 54 77 86\n" +
				" 30 31 32 33 34 41 48 55 78 87\n 56 57 58 59 60 61 62 63 79 88\n" +
				" 64 65 66 67 68 69 70 71 80 89\n",
			records: []axial.Record{ // the last is that of the text, <1, 9, 72, 8>
				{Dim: 1, Start: 3, Number: 12, Coef: []int{1, 4}},
				{Dim: 0, Start: 4, Number: 20, Coef: []int{5, 1}},
				{Dim: 1, Start: 5, Number: 35, Coef: []int{1, 7}},
				{Dim: 0, Start: 7, Number: 56, Coef: []int{8, 1}},
				{Dim: 1, Start: 8, Number: 72, Coef: []int{1, 9}},
			},
		},
		{
			name: "thesis, section 4.1", extents: []int{2, 2}, steps: []grow{high(1, 1)},
			records: []axial.Record{{Dim: 1, Start: 2, Number: 4, Coef: []int{1, 2}}},
		},
		{
			name: "low side", extents: []int{2, 2}, steps: []grow{low(1, 1), low(0, 2), high(1, 1)},
			table: "  9 10 11 12\n  6  7  8 13\n  4  0  1 14\n  5  2  3 15\n",
		},
		{
			name: "from zero", extents: []int{0, 2}, steps: []grow{high(1, 1), high(0, 1), high(0, 1), high(1, 1)},
			table: "  0  1  2  6\n  3  4  5  7\n",
		},
		{
			name: "from zero, low", extents: []int{2, 0}, steps: []grow{low(1, 2), low(1, 1)},
			table: "  4  2  0\n  5  3  1\n",
		},
		{
			name: "from nothing", extents: []int{0, 0}, steps: []grow{high(1, 2), high(0, 1), low(1, 1), high(0, 1)},
			table: "  2  0  1\n  3  4  5\n",
		},
	}
	eachKind(t, func(t *testing.T, k Kind) {
		for _, c := range cases {
			m, g := history(t, k, c.extents, c.steps...)
			equal(t, m, g)
			if c.table != "" && table(m) != c.table {
				t.Errorf("%s:\n%swant\n%s", c.name, table(m), c.table)
			}
			for q, index := range c.numbers {
				if got, _ := m.Number(index); got != q {
					t.Errorf("%s: F*(%v) = %d, want %d", c.name, index, got, q)
				}
			}
			if c.records == nil {
				continue
			}
			var got []axial.Record
			for _, r := range m.Log()[1:] {
				got = append(got, axial.Record{Dim: r.Dim, Side: r.Side, Start: r.Start, Number: r.Number, Coef: r.Coef()})
			}
			if diff := cmp.Diff(c.records, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	})
}

// Random histories on both sides, with new dimensions and extents of zero, are compared with
// axial.Grid, also after the map is rebuilt from its log and grown further.
func TestRandomHistories(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		for seed := range uint64(14) {
			rng := rand.New(rand.NewPCG(seed, 5))
			lo, hi := make([]int, 1+rng.IntN(4)), []int(nil)
			for d := range lo {
				lo[d] = rng.IntN(7) - 3
				hi = append(hi, lo[d]+rng.IntN(3))
			}
			m, err := NewMap(k.New, lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			g, err := axial.New(lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			for range 15 {
				if m.Chunks() > 500 {
					break
				}
				g = randomStep(t, m, g, rng)
				again, err := Rebuild(k.New, m.Lo(), m.Hi(), m.Log())
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if diff := cmp.Diff(m.Log(), again.Log(), cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("seed %d: log of the rebuilt map (-want +got):\n%s", seed, diff)
				}
				m = again
				equal(t, m, g)
			}
		}
	})
}

func randomStep(t *testing.T, m *Map, g *axial.Grid, rng *rand.Rand) *axial.Grid {
	t.Helper()
	if rng.IntN(9) == 0 {
		g, err := g.AddDim()
		if err := errors.Join(err, m.AddDim()); err != nil {
			t.Fatal(err)
		}
		return g
	}
	dim, by, side := rng.IntN(g.Rank()), rng.IntN(4), axial.Side(rng.IntN(2))
	g, err := g.Extend(dim, by, side)
	if err := errors.Join(err, m.Extend(dim, by, side)); err != nil {
		t.Fatal(err)
	}
	return g
}

// Long histories, in which trees have many levels, are compared at random indices.
func TestLongHistories(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		rng := rand.New(rand.NewPCG(8, 8))
		steps := make([]grow, 1500)
		for i := range steps {
			steps[i] = grow{rng.IntN(3), 1 + rng.IntN(3), axial.Side(rng.IntN(2))}
		}
		m, g := history(t, k, []int{1, 2, 3}, steps...)
		index, back := make([]int, 3), make([]int, 3)
		for range 5000 {
			q := axial.Number(rng.Int64N(int64(g.Chunks())))
			g.Index(q, index)
			if !m.Index(q, back) || !slices.Equal(back, index) {
				t.Fatalf("inverse(%d) = %v, want %v", q, back, index)
			}
			if got, ok := m.Number(index); !ok || got != q {
				t.Fatalf("F*(%v) = %d, want %d", index, got, q)
			}
		}
	})
}

// A step that fails must leave the map unchanged.
func TestRefusals(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		m, g := history(t, k, []int{2, 3}, low(0, 1), high(1, 2))
		top, err := NewMap(k.New, []int{math.MaxInt - 5}, []int{math.MaxInt})
		if err != nil {
			t.Fatal(err)
		}
		log := m.Log()
		swapped := []Record{log[0], log[2], log[1]}
		narrow := slices.Clone(log)
		narrow[1].Lo = nil
		beyond := slices.Clone(log)
		beyond[2].Number = 99
		flat := slices.Clone(log)
		flat[1].Factor = []int64{-3, 0}
		twice := slices.Clone(log)
		twice[2].Seq = 1
		rebuild := func(lo, hi []int, log []Record) error {
			_, err := Rebuild(k.New, lo, hi, log)
			return err
		}
		created := func(lo, hi []int) error {
			_, err := NewMap(k.New, lo, hi)
			return err
		}
		wide, err := NewMap(k.New, make([]int, nd.MaxRank), make([]int, nd.MaxRank))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			err  error
			want error
		}{
			{"dimension", m.Extend(2, 1, axial.High), nd.ErrRank},
			{"negative", m.Extend(0, -1, axial.High), nd.ErrBounds},
			{"chunks", m.Extend(0, 1<<61, axial.Low), nd.ErrOverflow},
			{"bound", top.Extend(0, 1, axial.High), nd.ErrOverflow},
			{"rank", wide.AddDim(), nd.ErrRank},
			{"reversed", created([]int{1}, []int{0}), nd.ErrBounds},
			{"no log", rebuild(m.Lo(), m.Hi(), nil), ErrLog},
			{"bounds of a log", rebuild(m.Hi(), m.Lo(), log), nd.ErrBounds},
			{"rank of a log", rebuild(m.Lo()[:1], m.Hi()[:1], log), ErrLog},
			{"order of a log", rebuild(m.Lo(), m.Hi(), swapped), ErrLog},
			{"record of a log", rebuild(m.Lo(), m.Hi(), narrow), ErrLog},
			{"numbers of a log", rebuild(m.Lo(), m.Hi(), beyond), ErrLog},
			{"coefficients of a log", rebuild(m.Lo(), m.Hi(), flat), ErrLog},
			{"places of a log", rebuild(m.Lo(), m.Hi(), twice), ErrLog},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
			}
		}
		equal(t, m, g)
	})
}

// Indices near the ends of the range of an int must give the right numbers.
func TestFarIndices(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		for _, from := range []int{math.MinInt + 9, math.MaxInt - 9} {
			m, err := NewMap(k.New, []int{from, 0}, []int{from + 2, 2})
			if err != nil {
				t.Fatal(err)
			}
			g, err := axial.New([]int{from, 0}, []int{from + 2, 2})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(4, 4))
			for range 5 {
				dim, side := rng.IntN(2), axial.Side(rng.IntN(2))
				if g, err = g.Extend(dim, 1, side); err != nil {
					t.Fatal(err)
				}
				if err := m.Extend(dim, 1, side); err != nil {
					t.Fatal(err)
				}
				index := make([]int, 2)
				for q := range g.Chunks() {
					g.Index(q, index)
					if got, ok := m.Number(index); !ok || got != q {
						t.Fatalf("F*(%v) = %d, want %d", index, got, q)
					}
				}
			}
		}
	})
}

// Many goroutines read while nobody extends; the race detector must find nothing.
func TestConcurrentReaders(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		m, g := history(t, k, []int{2, 2}, high(0, 3), low(1, 2), high(1, 4), low(0, 1))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { equal(t, m, g) })
		}
		wg.Wait()
	})
}

func TestNumberAllocatesNothing(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		m, _ := history(t, k, []int{2, 2, 2}, high(0, 3), low(1, 2), high(2, 4))
		index, back := []int{1, -1, 3}, make([]int, 3)
		if n := testing.AllocsPerRun(100, func() {
			q, _ := m.Number(index)
			m.Index(q, back)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// A map over tables must refuse what its tables cannot hold, and stay unchanged.
func TestSparseMap(t *testing.T) {
	m, err := NewMap(func() Index { return new(Table) }, []int{0, 0}, []int{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	steps := []grow{high(1, maxEntries), high(0, 1)}
	for _, s := range steps {
		if err := m.Extend(s.dim, s.by, s.side); err != nil {
			t.Fatal(err)
		}
	}
	log := m.Log()
	if err := m.Extend(1, 1, axial.High); !errors.Is(err, ErrSparse) {
		t.Errorf("record at index %d of a table: %v", maxEntries+1, err)
	}
	if diff := cmp.Diff(log, m.Log()); diff != "" || m.Chunks() != 2*(maxEntries+1) {
		t.Errorf("%d chunks, log (-want +got):\n%s", m.Chunks(), diff)
	}
	vectors, err := Rebuild(func() Index { return new(Vector) }, m.Lo(), m.Hi(), log)
	if err != nil {
		t.Fatal(err)
	}
	if err := vectors.Extend(1, 1, axial.High); err != nil {
		t.Fatal(err)
	}
	if _, err := Rebuild(func() Index { return new(Table) }, vectors.Lo(), vectors.Hi(), vectors.Log()); !errors.Is(err, ErrSparse) {
		t.Errorf("rebuilt over tables: %v", err)
	}
}
