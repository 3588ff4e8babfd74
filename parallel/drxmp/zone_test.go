package drxmp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
	"drx/nd"
)

// figure1 returns the grid of figure 1 of Otoo and Rotem 2007.
func figure1(t testing.TB) *axial.Grid {
	t.Helper()
	g, err := axial.New([]int{0, 0}, []int{1, 1})
	for _, dim := range []int{1, 0, 0, 1, 0, 1, 0} {
		if err == nil {
			g, err = g.Extend(dim, 1, axial.High)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestFigure1 compares with the listing in Otoo and Rotem 2007, section IV: globalMap and
// inMemoryMap of 4 procs that read the 20 chunks of figure 1.
func TestFigure1(t *testing.T) {
	m, err := NewDecomposition(Distribution{Grid: []int{2, 2}}, 4, figure1(t), []int{2, 3}, []int{0, 0}, []int{10, 12})
	if err != nil {
		t.Fatal(err)
	}
	globalMap := [][]axial.Number{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 12, 13, 14}, {9, 10, 16, 17}, {11, 15, 18, 19}}
	inMemoryMap := [][]int{{0, 1, 2, 3, 4, 5}, {0, 2, 4, 1, 3, 5}, {0, 1, 2, 3}, {0, 1, 2, 3}}
	for p := range 4 {
		file, memory := m.Zone(p).Chunks()
		if diff := cmp.Diff(globalMap[p], file); diff != "" {
			t.Errorf("proc %d, globalMap (-want +got):\n%s", p, diff)
		}
		if diff := cmp.Diff(inMemoryMap[p], memory); diff != "" {
			t.Errorf("proc %d, inMemoryMap (-want +got):\n%s", p, diff)
		}
	}
	want := []string{"0:6,0:6", "0:6,6:12", "6:10,0:6", "6:10,6:12"}
	for p, w := range want {
		if got := m.Zone(p).Sections(); len(got) != 1 || got[0].String() != w {
			t.Errorf("proc %d has %v, want %s", p, got, w)
		}
	}
}

func TestBalancedGrid(t *testing.T) {
	for _, c := range []struct {
		procs  int
		chunks []int
		want   []int
	}{
		{1, []int{5, 5}, []int{1, 1}},
		{4, []int{8, 8}, []int{2, 2}},
		{4, []int{5, 4}, []int{1, 4}}, // 5 chunks each; with 2 x 2 a proc would have 6
		{4, []int{1, 100}, []int{1, 4}},
		{4, []int{0, 1}, []int{4, 1}}, // a dimension without chunks counts
		{6, []int{6, 4}, []int{3, 2}},
		{7, []int{3, 3}, []int{1, 7}},
		{12, []int{4, 4, 4}, []int{2, 2, 3}},
		{8, []int{16, 16, 16}, []int{2, 2, 2}},
	} {
		if got := BalancedGrid(c.procs, c.chunks); !slices.Equal(got, c.want) {
			t.Errorf("%d procs over %v: %v, want %v", c.procs, c.chunks, got, c.want)
		}
	}
}

// randomDimDistribution returns a distribution for n procs over about the chunk indices [lo, hi).
func randomDimDistribution(rng *rand.Rand, n, lo, hi int) DimDistribution {
	switch rng.IntN(4) {
	case 0:
		return Cyclic()
	case 1:
		return BlockCyclic(1 + rng.IntN(4))
	case 2:
		cuts := make([]int, n-1)
		for i := range cuts {
			cuts[i] = lo - 1 + rng.IntN(hi-lo+3)
		}
		slices.Sort(cuts)
		return GenBlock(cuts...)
	}
	return Block()
}

// randomDecomposition returns the decomposition of a random array, which may be empty, by a random
// distribution.
func randomDecomposition(t testing.TB, rng *rand.Rand) *Decomposition {
	t.Helper()
	k := 1 + rng.IntN(3)
	procs := 1 + rng.IntN(8)
	lo, hi, chunk, clo, chi := make([]int, k), make([]int, k), make([]int, k), make([]int, k), make([]int, k)
	for d := range k {
		chunk[d], lo[d] = 1+rng.IntN(4), rng.IntN(20)-12
		hi[d] = lo[d] + rng.IntN(14)
		clo[d], chi[d] = nd.FloorDiv(lo[d], chunk[d]), nd.CeilDiv(hi[d], chunk[d])
	}
	g, err := axial.New(clo, chi)
	if err != nil {
		t.Fatal(err)
	}
	d := Distribution{Dims: make([]DimDistribution, k)}
	if rng.IntN(2) == 0 {
		d.Grid = slices.Repeat([]int{1}, k)
		d.Grid[rng.IntN(k)] = 1 + rng.IntN(procs)
	} else {
		d.Grid = BalancedGrid(procs, g.Shape())
	}
	for i, n := range d.Grid {
		d.Dims[i] = randomDimDistribution(rng, n, clo[i], chi[i])
	}
	m, err := NewDecomposition(d, procs, g, chunk, lo, hi)
	if err != nil {
		t.Fatalf("%v of [%v, %v): %v", d, clo, chi, err)
	}
	return m
}

// each calls f with all indices of a box.
func each(lo, hi []int, f func(index []int)) {
	for d := range lo {
		if lo[d] >= hi[d] {
			return
		}
	}
	for at, more := slices.Clone(lo), true; more; more = nd.Next(at, lo, hi) {
		f(at)
	}
}

// TestZones compares zones with the owner of each element, and chunk numbers with F*.
func TestZones(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := randomDecomposition(t, rng)
		owned := make([]int, m.Procs())
		seen := map[string]int{}
		for p := range m.Procs() {
			for _, sec := range m.Zone(p).Sections() {
				lo, hi := bounds(sec)
				each(lo, hi, func(index []int) {
					owned[p]++
					if q, dup := seen[fmt.Sprint(index)]; dup {
						t.Fatalf("seed %d: %v is of procs %d and %d", seed, index, q, p)
					}
					seen[fmt.Sprint(index)] = p
				})
			}
			if got := m.Zone(p).Len(); got != owned[p] {
				t.Fatalf("seed %d: proc %d has %d elements, of shape %v", seed, p, owned[p], m.Zone(p).Shape())
			}
		}
		each(m.lo, m.hi, func(index []int) {
			p, err := m.Owner(index...)
			if q, ok := seen[fmt.Sprint(index)]; err != nil || !ok || p != q {
				t.Fatalf("seed %d, %v: %v is of proc %d, %v; in the zone of %d, %v", seed, m.dist, index, p, err, q, ok)
			}
		})
		checkChunks(t, seed, m)
	}
}

func bounds(sec nd.Section) (lo, hi []int) {
	for _, r := range sec {
		lo, hi = append(lo, r.Lo), append(hi, r.Hi)
	}
	return lo, hi
}

// checkChunks checks that every chunk is in one zone, and that each list ascends.
func checkChunks(t *testing.T, seed uint64, m *Decomposition) {
	t.Helper()
	owner := map[axial.Number]int{}
	for p := range m.Procs() {
		file, memory := m.Zone(p).Chunks()
		if !slices.IsSorted(file) {
			t.Fatalf("seed %d: chunks of proc %d: %v", seed, p, file)
		}
		places := slices.Sorted(slices.Values(memory))
		for i, q := range file {
			if _, dup := owner[q]; dup || places[i] != i {
				t.Fatalf("seed %d: proc %d, chunks %v at %v", seed, p, file, memory)
			}
			owner[q] = p
		}
	}
	each(m.chunks.Lo(), m.chunks.Hi(), func(chunk []int) {
		q, _ := m.chunks.Number(chunk)
		if p, ok := owner[q]; !ok || p != m.OwnerOfChunk(chunk) {
			t.Fatalf("seed %d: chunk %v is of proc %d, in the list of %d, %v", seed, chunk, m.OwnerOfChunk(chunk), p, ok)
		}
	})
	if len(owner) != int(m.chunks.Chunks()) {
		t.Fatalf("seed %d: %d chunks in lists, of %d", seed, len(owner), m.chunks.Chunks())
	}
}

// randomSection returns a random resolved section of [lo, hi).
func randomSection(t testing.TB, rng *rand.Rand, lo, hi []int) nd.Section {
	t.Helper()
	sec := make(nd.Section, len(lo))
	for d := range sec {
		a, b := lo[d]+rng.IntN(hi[d]-lo[d]+1), lo[d]+rng.IntN(hi[d]-lo[d]+1)
		sec[d] = nd.Span(min(a, b), max(a, b)).By(rng.IntN(6))
		if rng.IntN(3) == 0 {
			sec[d] = nd.All.By(rng.IntN(3))
		}
	}
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return sec
}

// TestParts: the parts of a section have each of its elements once, in the zone of its owner, where
// the zone holds it.
func TestParts(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := randomDecomposition(t, rng)
		sec := randomSection(t, rng, m.lo, m.hi)
		seen := map[string]bool{}
		for p := range m.Procs() {
			z := m.Zone(p)
			where := localIndices(z)
			for _, part := range z.parts(sec) {
				each(make([]int, len(sec)), part.sec.Shape(), func(at []int) {
					pos, index, local := make([]int, len(at)), make([]int, len(at)), make([]int, len(at))
					for d, i := range at {
						pos[d] = part.pos[d] + i
						index[d] = part.sec[d].Lo + i*part.sec[d].Step
						local[d] = part.local[d] + i*part.step[d]
						if index[d] != sec[d].Lo+pos[d]*sec[d].Step {
							t.Fatalf("seed %d: %+v of %v: position %v is not %v", seed, part, sec, pos, index)
						}
					}
					if owner, err := m.Owner(index...); err != nil || owner != p || where[fmt.Sprint(index)] != fmt.Sprint(local) {
						t.Fatalf("seed %d: %v of proc %d (%d, %v) at %v, want %v", seed, index, p, owner, err, local, where[fmt.Sprint(index)])
					}
					seen[fmt.Sprint(pos)] = true
				})
			}
		}
		if n, err := sec.Len(); err != nil || n != len(seen) {
			t.Fatalf("seed %d: %d of %d elements of %v", seed, len(seen), n, sec)
		}
	}
}

// localIndices returns the positions of a zone's elements in its memory, by index: in each
// dimension, the indices in ascending order.
func localIndices(z *Zone) map[string]string {
	lists := make([][]int, len(z.spans))
	for d, spans := range z.spans {
		for _, s := range spans {
			for i := s.lo; i < s.hi; i++ {
				lists[d] = append(lists[d], i)
			}
		}
	}
	where := map[string]string{}
	each(make([]int, len(lists)), z.Shape(), func(local []int) {
		index := make([]int, len(local))
		for d, i := range local {
			index[d] = lists[d][i]
		}
		where[fmt.Sprint(index)] = fmt.Sprint(local)
	})
	return where
}

func TestDistributionErrors(t *testing.T) {
	g := figure1(t)
	for _, c := range []struct {
		d    Distribution
		want error
	}{
		{Distribution{Grid: []int{2}}, nd.ErrRank},
		{Distribution{Dims: []DimDistribution{Block()}}, nd.ErrRank},
		{Distribution{Grid: []int{2, 3}}, nd.ErrBounds},
		{Distribution{Grid: []int{0, 3}}, nd.ErrBounds},
		{Distribution{Dims: []DimDistribution{BlockCyclic(-1), Block()}}, nd.ErrBounds},
		{Distribution{Grid: []int{1, 4}, Dims: []DimDistribution{Block(), GenBlock(1, 2)}}, nd.ErrBounds},
		{Distribution{Grid: []int{1, 3}, Dims: []DimDistribution{Block(), GenBlock(2, 1)}}, nd.ErrBounds},
	} {
		_, err := NewDecomposition(c.d, 4, g, []int{2, 3}, []int{0, 0}, []int{10, 12})
		if !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.d, err, c.want)
		}
	}
	m, err := NewDecomposition(Distribution{}, 4, g, []int{2, 3}, []int{0, 0}, []int{10, 12})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Owner(10, 0); !errors.Is(err, nd.ErrBounds) {
		t.Error(err)
	}
	if _, err := m.Owner(1); !errors.Is(err, nd.ErrRank) {
		t.Error(err)
	}
}

func TestParseDimDistribution(t *testing.T) {
	for _, text := range []string{"block", "cyclic", "cyclic(3)", "genblock(2 5)", "genblock(-1)", "genblock()"} {
		d, err := ParseDimDistribution(text)
		if err != nil || d.String() != text {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "blocks", "block()", "cyclic()", "cyclic(0)", "cyclic(1 2)", "genblock", "genblock(a)", "cyclic(2", "cyclic 2)"} {
		if d, err := ParseDimDistribution(text); err == nil {
			t.Errorf("%q reads as %v", text, d)
		}
	}
	if d, err := ParseDimDistribution("cyclic(1)"); err != nil || d.String() != "cyclic" {
		t.Error(d, err)
	}
}
