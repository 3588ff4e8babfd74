package axial_test

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/nd"
)

// A model numbers chunks by walking each segment in the order that the definition gives. It does
// not use coefficients.
type model struct {
	lo, hi []int
	number map[string]axial.Number
	order  [][]int
}

func key(index []int) string {
	b := make([]byte, 0, 2*len(index))
	for _, i := range index {
		b = append(b, byte(i), byte(i>>8))
	}
	return string(b)
}

func newModel(lo, hi []int) *model {
	m := &model{lo: slices.Clone(lo), hi: slices.Clone(hi), number: map[string]axial.Number{}}
	m.walk(slices.Clone(lo), slices.Clone(hi), nd.RowMajor.Dims(len(lo)), false)
	return m
}

// walk numbers the box [lo, hi), dims from the slowest to the fastest.
func (m *model) walk(lo, hi, dims []int, down bool) {
	k := len(lo)
	l, h := make([]int, k), make([]int, k)
	for i, d := range dims {
		l[i], h[i] = lo[d], hi[d]
	}
	for d := range l {
		if l[d] >= h[d] {
			return
		}
	}
	for at, more := slices.Clone(l), true; more; more = nd.Next(at, l, h) {
		index := make([]int, k)
		for i, d := range dims {
			index[d] = at[i]
		}
		if down {
			d := dims[0]
			index[d] = lo[d] + hi[d] - 1 - index[d]
		}
		m.number[key(index)] = axial.Number(len(m.order))
		m.order = append(m.order, index)
	}
}

func (m *model) extend(dim, by int, side axial.Side) {
	lo, hi := slices.Clone(m.lo), slices.Clone(m.hi)
	if side == axial.Low {
		hi[dim] = m.lo[dim]
		lo[dim] = hi[dim] - by
		m.lo[dim] = lo[dim]
	} else {
		lo[dim] = m.hi[dim]
		hi[dim] = lo[dim] + by
		m.hi[dim] = hi[dim]
	}
	dims := []int{dim}
	for d := range lo {
		if d != dim {
			dims = append(dims, d)
		}
	}
	m.walk(lo, hi, dims, side == axial.Low)
}

func (m *model) clone() *model {
	return &model{slices.Clone(m.lo), slices.Clone(m.hi), maps.Clone(m.number), slices.Clone(m.order)}
}

func (m *model) addDim() {
	m.lo, m.hi = append(m.lo, 0), append(m.hi, 1)
	m.number = map[string]axial.Number{}
	for q := range m.order {
		m.order[q] = append(m.order[q], 0)
		m.number[key(m.order[q])] = axial.Number(q)
	}
}

func (m *model) check(t *testing.T, g *axial.Grid) {
	t.Helper()
	if int(g.Chunks()) != len(m.order) || !slices.Equal(g.Lo(), m.lo) || !slices.Equal(g.Hi(), m.hi) {
		t.Fatalf("grid [%v, %v) of %d chunks, want [%v, %v) of %d", g.Lo(), g.Hi(), g.Chunks(), m.lo, m.hi, len(m.order))
	}
	index := make([]int, len(m.lo))
	for q, want := range m.order {
		if got, ok := g.Number(want); !ok || got != axial.Number(q) {
			t.Fatalf("F*(%v) = %d, %v, want %d", want, got, ok, q)
		}
		if !g.Index(axial.Number(q), index) || !slices.Equal(index, want) {
			t.Fatalf("inverse(%d) = %v, want %v", q, index, want)
		}
	}
	if _, ok := g.Number(m.hi); ok {
		t.Fatalf("F*(%v), the high bounds, exists", m.hi)
	}
	m.checkMany(t, g)
	if g.Index(g.Chunks(), index) || g.Index(-1, index) {
		t.Fatal("inverse of a number outside the grid exists")
	}
}

// checkMany compares the numbers of all chunks, computed in one call. After them comes an index
// outside the bounds, and one more.
func (m *model) checkMany(t *testing.T, g *axial.Grid) {
	t.Helper()
	all, numbers := slices.Concat(m.order...), make([]axial.Number, len(m.order)+2)
	all = slices.Concat(all, m.hi, m.lo)
	if n := g.Numbers(all, numbers); n != len(m.order) {
		t.Fatalf("%d numbers of %d", n, len(m.order))
	}
	for q, got := range numbers[:len(m.order)] {
		if got != axial.Number(q) {
			t.Fatalf("number %d of many is %d", q, got)
		}
	}
}

// checkSpans checks that the spans of a run contain the numbers of its chunks, each once and
// ascending, and that consecutive numbers are in one span.
func checkSpans(t *testing.T, r axial.Run) {
	t.Helper()
	var want, got []axial.Number
	index := slices.Clone(r.Lo)
	for more := true; more; more = nd.Next(index, r.Lo, r.Hi) {
		want = append(want, r.Number(index))
	}
	slices.Sort(want)
	spans := r.AppendSpans(nil, math.MaxInt)
	for i, s := range spans {
		if i > 0 && spans[i-1].From+axial.Number(spans[i-1].N) == s.From {
			t.Fatalf("run %+v: the spans %v are not the longest", r, spans)
		}
		for q := range axial.Number(s.N) {
			got = append(got, s.From+q)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("run %+v: the spans %v have the chunks %d, want %d", r, spans, got, want)
	}
	if n := len(spans) / 2; n > 0 && len(r.AppendSpans(nil, n)) != n {
		t.Fatalf("run %+v: more than %d spans", r, n)
	}
}

// checkRuns compares the runs of a random box with the model, chunk by chunk.
func (m *model) checkRuns(t *testing.T, g *axial.Grid, rng *rand.Rand) {
	t.Helper()
	k := len(m.lo)
	lo, hi := make([]int, k), make([]int, k)
	want := 1
	for d := range k {
		n := m.hi[d] - m.lo[d]
		lo[d] = m.lo[d] + rng.IntN(n+1)
		hi[d] = lo[d] + rng.IntN(m.hi[d]-lo[d]+1)
		want *= hi[d] - lo[d]
	}
	last, touched := axial.Number(-1), 0
	for _, r := range g.Runs(lo, hi) {
		l, h := make([]int, k), make([]int, k)
		for i, d := range r.Order {
			l[i], h[i] = r.Lo[d], r.Hi[d]
		}
		for at, more := slices.Clone(l), true; more; more = nd.Next(at, l, h) {
			index := make([]int, k)
			for i, d := range r.Order {
				index[d] = at[i]
			}
			if d := r.Order[0]; r.Down {
				index[d] = r.Lo[d] + r.Hi[d] - 1 - index[d]
			}
			q := r.Number(index)
			if q != m.number[key(index)] || q <= last {
				t.Fatalf("run %+v: chunk %v is %d after %d, want %d", r, index, q, last, m.number[key(index)])
			}
			if s, _ := g.SegmentOf(index); s != r.Segment {
				t.Fatalf("chunk %v in segment %d, run says %d", index, s, r.Segment)
			}
			last = q
			touched++
		}
		checkSpans(t, r)
	}
	if touched != want {
		t.Fatalf("runs of [%v, %v) touch %d chunks, want %d", lo, hi, touched, want)
	}
}

func TestRandomHistories(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		k := 1 + rng.IntN(5)
		lo, hi := make([]int, k), make([]int, k)
		for d := range k {
			lo[d] = rng.IntN(7) - 3
			hi[d] = lo[d] + rng.IntN(4)
		}
		g, err := axial.New(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(lo, hi)
		m.check(t, g)
		for range 12 {
			g, m = randomStep(t, g, m, rng)
			if len(m.order) > 5000 {
				break
			}
			m.check(t, g)
			m.checkRuns(t, g, rng)
			again, err := axial.FromHistory(g.History())
			if err != nil {
				t.Fatal(err)
			}
			m.check(t, again)
			m.checkRuns(t, again, rng)
			if got, most := len(again.History().Steps), len(g.History().Steps); got != most {
				t.Fatalf("a history of %d numbers made a grid with one of %d", most, got)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomStep(t *testing.T, g *axial.Grid, m *model, rng *rand.Rand) (*axial.Grid, *model) {
	t.Helper()
	var next *axial.Grid
	var err error
	if rng.IntN(10) == 0 {
		next, err = g.AddDim()
		m.addDim()
	} else {
		dim, by, side := rng.IntN(g.Rank()), 1+rng.IntN(3), axial.Side(rng.IntN(2))
		if rng.IntN(4) == 0 { // a discarded branch must not change the others
			if _, err := g.Extend(rng.IntN(g.Rank()), 1+rng.IntN(3), axial.Side(rng.IntN(2))); err != nil {
				t.Fatal(err)
			}
		}
		next, err = g.Extend(dim, by, side)
		m.extend(dim, by, side)
	}
	if err != nil {
		t.Fatal(err)
	}
	return next, m
}

// A grid that grows in place equals the one that Extend returns, and grids that were extended from
// it before do not change.
func TestGrow(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 9))
		lo, hi := []int{0, 0, -1}, []int{rng.IntN(2), 1, 1}
		g, err := axial.New(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(lo, hi)
		var branch *axial.Grid
		var branchModel *model
		for range 12 {
			if rng.IntN(3) == 0 {
				dim, by, side := rng.IntN(3), 1+rng.IntN(2), axial.Side(rng.IntN(2))
				if branch, err = g.Extend(dim, by, side); err != nil {
					t.Fatal(err)
				}
				branchModel = m.clone()
				branchModel.extend(dim, by, side)
			}
			dim, by, side := rng.IntN(3), rng.IntN(3), axial.Side(rng.IntN(2))
			if err := g.Grow(dim, by, side); err != nil {
				t.Fatal(err)
			}
			m.extend(dim, by, side)
			m.check(t, g)
			if branch != nil {
				branchModel.check(t, branch)
			}
		}
	}
	g, err := axial.New([]int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Grow(1, 0, axial.High); !errors.Is(err, nd.ErrRank) {
		t.Errorf("dimension 1 of 1: %v", err)
	}
	if err := g.Grow(0, -1, axial.High); !errors.Is(err, nd.ErrBounds) {
		t.Errorf("by -1: %v", err)
	}
}

// No grid of a history changes when later ones grow, even if two grow from the same grid.
func TestOldGridsStay(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	type version struct {
		g *axial.Grid
		m *model
	}
	g, _ := axial.New([]int{0, 0}, []int{1, 1})
	versions := []version{{g, newModel([]int{0, 0}, []int{1, 1})}}
	for range 300 {
		v := versions[rng.IntN(len(versions))]
		dim, by, side := rng.IntN(2), 1+rng.IntN(2), axial.Side(rng.IntN(2))
		next, err := v.g.Extend(dim, by, side)
		if err != nil {
			t.Fatal(err)
		}
		m := v.m.clone()
		m.extend(dim, by, side)
		versions = append(versions, version{next, m})
	}
	for _, v := range versions {
		v.m.check(t, v.g)
	}
}

// The search by axial vectors and the auxiliary table agree. A dimension far larger
// than its history uses the search; the same steps scaled down use the table.
func TestSearchEqualsTable(t *testing.T) {
	const scale = 100_000
	rng := rand.New(rand.NewPCG(3, 3))
	small, _ := axial.New([]int{0, 0}, []int{1, 1})
	large, _ := axial.New([]int{0, 0}, []int{scale, scale})
	for range 200 {
		dim, by, side := rng.IntN(2), 1+rng.IntN(2), axial.Side(rng.IntN(2))
		var err error
		if small, err = small.Extend(dim, by, side); err != nil {
			t.Fatal(err)
		}
		if large, err = large.Extend(dim, by*scale, side); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			index, at := make([]int, 2), make([]int, 2)
			for d := range index {
				index[d] = small.Lo()[d] + rng.IntN(small.Hi()[d]-small.Lo()[d])
				at[d] = index[d]*scale + rng.IntN(scale)
			}
			want, _ := small.SegmentOf(index)
			got, ok := large.SegmentOf(at)
			if !ok || got != want {
				t.Fatalf("segment of %v is %d, %v; of %v it is %d", at, got, ok, index, want)
			}
			back := make([]int, 2)
			q, _ := large.Number(at)
			var many [2]axial.Number
			if n := large.Numbers(append(at, large.Hi()...), many[:]); n != 1 || many[0] != q {
				t.Fatalf("%d numbers, the first %d, F*(%v) = %d", n, many[0], at, q)
			}
			if !large.Index(q, back) || !slices.Equal(back, at) {
				t.Fatalf("inverse(F*(%v)) = %v", at, back)
			}
		}
	}
}

func TestHighRank(t *testing.T) {
	for _, k := range []int{32, nd.MaxRank} {
		lo, hi := make([]int, k), make([]int, k)
		for d := range hi {
			hi[d] = 1
		}
		g, err := axial.New(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		for d := range 10 {
			if g, err = g.Extend(d*3, 1, axial.Side(d%2)); err != nil {
				t.Fatal(err)
			}
		}
		index := make([]int, k)
		for q := range g.Chunks() {
			if !g.Index(q, index) {
				t.Fatalf("no index for %d", q)
			}
			if back, ok := g.Number(index); !ok || back != q {
				t.Fatalf("F*(inverse(%d)) = %d", q, back)
			}
		}
	}
	if _, err := axial.New(make([]int, nd.MaxRank+1), make([]int, nd.MaxRank+1)); !errors.Is(err, nd.ErrRank) {
		t.Errorf("rank %d: %v", nd.MaxRank+1, err)
	}
	g, _ := axial.New(make([]int, nd.MaxRank), make([]int, nd.MaxRank))
	if _, err := g.AddDim(); !errors.Is(err, nd.ErrRank) {
		t.Errorf("a dimension more than %d: %v", nd.MaxRank, err)
	}
}

func TestErrors(t *testing.T) {
	g, _ := axial.New([]int{0, 0}, []int{1 << 31, 1 << 31})
	huge, _ := axial.New([]int{math.MinInt}, []int{math.MinInt + 5})
	top, _ := axial.New([]int{math.MaxInt - 5}, []int{math.MaxInt})
	for _, c := range []struct {
		name string
		do   func() (*axial.Grid, error)
		want error
	}{
		{"too many chunks", func() (*axial.Grid, error) { return g.Extend(0, 1<<40, axial.High) }, nd.ErrOverflow},
		{"high bound", func() (*axial.Grid, error) { return top.Extend(0, 1, axial.High) }, nd.ErrOverflow},
		{"low bound", func() (*axial.Grid, error) { return huge.Extend(0, 1, axial.Low) }, nd.ErrOverflow},
		{"extent", func() (*axial.Grid, error) { return axial.New([]int{math.MinInt}, []int{math.MaxInt}) }, nd.ErrOverflow},
		{"product", func() (*axial.Grid, error) { return axial.New([]int{0, 0, 0}, []int{1 << 30, 1 << 30, 8}) }, nd.ErrOverflow},
		{"dimension", func() (*axial.Grid, error) { return g.Extend(2, 1, axial.High) }, nd.ErrRank},
		{"negative", func() (*axial.Grid, error) { return g.Extend(0, -1, axial.High) }, nd.ErrBounds},
		{"reversed", func() (*axial.Grid, error) { return axial.New([]int{1}, []int{0}) }, nd.ErrBounds},
		{"ranks", func() (*axial.Grid, error) { return axial.New([]int{1}, []int{2, 3}) }, nd.ErrRank},
		{"rank zero", func() (*axial.Grid, error) { return axial.New(nil, nil) }, nd.ErrRank},
	} {
		if _, err := c.do(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	// Sums that wrap around in between give the right result, wherever the indices are.
	for _, e := range []*axial.Grid{huge, top} {
		grown, err := e.AddDim()
		if err != nil {
			t.Fatal(err)
		}
		if grown, err = grown.Extend(1, 3, axial.Low); err != nil {
			t.Fatal(err)
		}
		index := make([]int, 2)
		for q := range grown.Chunks() {
			grown.Index(q, index)
			if back, ok := grown.Number(index); !ok || back != q {
				t.Fatalf("F*(%v) = %d, want %d", index, back, q)
			}
		}
	}
}

func TestNumberAllocatesNothing(t *testing.T) {
	g := history(t, []int{2, 2, 2}, high(0, 3), low(1, 2), high(2, 4))
	index, back := []int{1, -1, 3}, make([]int, 3)
	if n := testing.AllocsPerRun(100, func() {
		q, _ := g.Number(index)
		g.Index(q, back)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
