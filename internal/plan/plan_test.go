package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"drx/axial"
	"drx/internal/cputest"
	"drx/internal/state"
	"drx/nd"
)

// create returns the state of a new array of int16.
func create(t testing.TB, chunk, lo, hi []int, order state.ElementOrder) *state.State {
	t.Helper()
	var s *state.State
	return apply(t, s, state.Record{Header: &state.Header{
		Version: state.Version, DType: "int16", Chunk: chunk, Order: string(order), Lo: lo, Hi: hi, Fill: json.RawMessage("0"),
	}})
}

func apply(t testing.TB, s *state.State, records ...state.Record) *state.State {
	t.Helper()
	for _, r := range records {
		next, err := s.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	return s
}

// history returns a random array of a few hundred elements with extensions of every kind.
func history(t testing.TB, rng *rand.Rand) *state.State {
	k := 1 + rng.IntN(3)
	chunk, lo, hi := make([]int, k), make([]int, k), make([]int, k)
	for d := range k {
		chunk[d], lo[d] = 1+rng.IntN(4), rng.IntN(9)-4
		hi[d] = lo[d] + rng.IntN(6)
	}
	s := create(t, chunk, lo, hi, state.ElementOrders()[rng.IntN(4)])
	for range rng.IntN(10) {
		r := state.Record{Extend: &state.Extend{Dim: rng.IntN(len(s.Lo)), By: 1 + rng.IntN(5), Low: rng.IntN(2) == 0}}
		if len(s.Lo) < 4 && rng.IntN(6) == 0 {
			r = state.Record{AddDim: &state.AddDim{}}
		}
		next := apply(t, s, r)
		if n, err := nd.Product(nd.Shape(next.Lo, next.Hi)...); err != nil || n > 2000 {
			break
		}
		s = next
	}
	return s
}

// section returns a random resolved section of an array.
func section(t testing.TB, rng *rand.Rand, s *state.State) nd.Section {
	sec := make(nd.Section, len(s.Lo))
	for d := range sec {
		if rng.IntN(4) == 0 {
			sec[d] = nd.All
			continue
		}
		n := s.Hi[d] - s.Lo[d]
		a, b := s.Lo[d]+rng.IntN(n+1), s.Lo[d]+rng.IntN(n+1)
		sec[d] = nd.Span(min(a, b), max(a, b)).By(rng.IntN(7))
	}
	sec, err := sec.Resolve(s.Lo, s.Hi)
	if err != nil {
		t.Fatal(err)
	}
	return sec
}

// checker records which elements the pieces of one section have covered.
type checker struct {
	state *state.State
	sec   nd.Section
	last  axial.Number
	seen  map[string]axial.Number // position in the section -> chunk
}

// check compares a piece with the definition, element by element.
func (c *checker) check(p *Piece) error {
	if p.Number <= c.last {
		return fmt.Errorf("number %d after %d", p.Number, c.last)
	}
	c.last = p.Number
	if q, ok := c.state.Grid.Number(p.Chunk); !ok || q != p.Number {
		return fmt.Errorf("chunk %v has the number %d, not %d", p.Chunk, q, p.Number)
	}
	pos, index, chunk := make([]int, len(p.Shape)), make([]int, len(p.Shape)), make([]int, len(p.Shape))
	n := 0
	for at, more := make([]int, len(p.Shape)), true; more; more = nd.Next(at, make([]int, len(at)), p.Shape) {
		position := 0
		for d, i := range at {
			pos[d] = p.Pos[d] + i
			index[d] = c.sec[d].Lo + pos[d]*c.sec[d].Step
			first := p.First[d] + i*c.sec[d].Step
			if first < 0 || first >= c.state.Chunk[d] || index[d] != p.Chunk[d]*c.state.Chunk[d]+first {
				return fmt.Errorf("element %v is not element %d of chunk %v in dimension %d", index, first, p.Chunk, d)
			}
			position += first * c.state.Strides[d]
		}
		within := c.state.Offset(position)
		if q, w, ok := Locate(c.state, index, chunk); !ok || q != p.Number || w != within || !slices.Equal(chunk, p.Chunk) {
			return fmt.Errorf("element %v: Locate says chunk %v, %d, byte %d, want %v, %d, %d", index, chunk, q, w, p.Chunk, p.Number, within)
		}
		if other, twice := c.seen[fmt.Sprint(pos)]; twice {
			return fmt.Errorf("element %v in chunk %d and in %d", index, other, p.Number)
		}
		c.seen[fmt.Sprint(pos)] = p.Number
		n++
	}
	all, err := nd.Product(c.state.Chunk...)
	if whole := n == all; err != nil || whole != p.Whole {
		return fmt.Errorf("chunk %v, %d of %d elements: whole is %v, %w", p.Chunk, n, all, p.Whole, err)
	}
	return nil
}

func TestPiecesOfRandomSections(t *testing.T) {
	pieces, whole, strided := 0, 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := history(t, rng)
		for range 3 {
			sec := section(t, rng, s)
			c := &checker{state: s, sec: sec, last: -1, seen: map[string]axial.Number{}}
			err := Each(s, sec, func(p *Piece) error {
				pieces++
				if p.Whole {
					whole++
				}
				return c.check(p)
			})
			if err != nil {
				t.Fatalf("seed %d, section %v of [%v, %v) in chunks %v: %v", seed, sec, s.Lo, s.Hi, s.Chunk, err)
			}
			// All positions are inside and distinct, and there are sec.Len() of them: so none is
			// missing.
			if want, err := sec.Len(); err != nil || len(c.seen) != want {
				t.Fatalf("seed %d, section %v: %d elements covered, want %d, %v", seed, sec, len(c.seen), want, err)
			}
			for _, r := range sec {
				if r.Step > 1 && r.Len() > 1 {
					strided++
				}
			}
		}
	}
	if pieces < 10_000 || whole < pieces/10 || strided < 500 {
		t.Errorf("%d pieces, %d whole, %d strided ranges: too few to mean anything", pieces, whole, strided)
	}
}

// LocateMany returns the same as Locate for each element, up to the first one outside of the
// bounds.
func TestLocateMany(t *testing.T) {
	cut := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := history(t, rng)
		k, n := len(s.Lo), rng.IntN(3000)
		indices, chunk := make([]int, 0, n*k), make([]int, k)
		for range n {
			for d, lo := range s.Lo {
				indices = append(indices, lo+rng.IntN(max(1, s.Hi[d]-lo)))
			}
		}
		if n > 0 && rng.IntN(2) == 0 {
			d := rng.IntN(k)
			indices[rng.IntN(n)*k+d] = []int{s.Lo[d] - 1, s.Hi[d]}[rng.IntN(2)]
		}
		numbers, within := make([]axial.Number, n), make([]int, n)
		located := LocateMany(s, indices, numbers, within)
		for e := range min(n, located+1) {
			q, w, ok := Locate(s, indices[e*k:(e+1)*k], chunk)
			if ok != (e < located) || ok && (q != numbers[e] || w != within[e]) {
				t.Fatalf("seed %d, element %d of %d, %d located: %d, %d, Locate says %d, %d, %v", seed, e, n, located, numbers[e], within[e], q, w, ok)
			}
		}
		if located < n {
			cut++
		}
	}
	if cut < 50 {
		t.Errorf("%d of 200 lists cut short", cut)
	}
}

// Growing arrays with the largest rank, and with bounds near the limits of int.
func TestLocateManyFarOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	const far = math.MaxInt
	ones := slices.Repeat([]int{1}, nd.MaxRank)
	states := []*state.State{
		create(t, ones, make([]int, nd.MaxRank), ones, state.Row),
		create(t, []int{7}, []int{far - 50}, []int{far - 20}, state.Row),
		create(t, []int{7}, []int{-far + 20}, []int{-far + 50}, state.Row),
		create(t, []int{7, 2}, []int{far - 50, -far + 20}, []int{far - 20, -far + 50}, state.Row),
	}
	for i, s := range states {
		k := len(s.Lo)
		for range 12 {
			s = apply(t, s, state.Record{Extend: &state.Extend{Dim: rng.IntN(k), By: 1, Low: rng.IntN(2) == 0}})
		}
		const n = 500
		indices := make([]int, 0, n*k)
		for range n {
			for d, lo := range s.Lo {
				indices = append(indices, lo+rng.IntN(s.Hi[d]-lo))
			}
		}
		numbers, within, chunk := make([]axial.Number, n), make([]int, n), make([]int, k)
		if located := LocateMany(s, indices, numbers, within); located != n {
			t.Errorf("array %d: %d of %d located", i, located, n)
		}
		for e := range n {
			if q, w, ok := Locate(s, indices[e*k:(e+1)*k], chunk); !ok || q != numbers[e] || w != within[e] {
				t.Fatalf("array %d, element %d: %d, %d, Locate says %d, %d, %v", i, e, numbers[e], within[e], q, w, ok)
			}
		}
	}
}

func TestEachStopsAtAnError(t *testing.T) {
	s := create(t, []int{2}, []int{0}, []int{20}, state.Row)
	sec, err := nd.Sec(nd.All).Resolve(s.Lo, s.Hi)
	if err != nil {
		t.Fatal(err)
	}
	stop, calls := errors.New("stop"), 0
	err = Each(s, sec, func(*Piece) error {
		if calls++; calls == 3 {
			return stop
		}
		return nil
	})
	if err != stop || calls != 3 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// The number of steps depends on the chunks that a section touches, not on those that it skips.
func TestLongSteps(t *testing.T) {
	s := create(t, []int{4, 4}, []int{-1 << 29, 0}, []int{1 << 29, 1 << 30}, state.Row)
	s = apply(t, s, state.Record{Extend: &state.Extend{Dim: 0, By: 1 << 28, Low: true}})
	sec, err := nd.Sec(nd.All.By(1<<25), nd.All.By(1<<26)).Resolve(s.Lo, s.Hi)
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{state: s, sec: sec, last: -1, seen: map[string]axial.Number{}}
	cputest.Most(t, time.Second, func() {
		if err := Each(s, sec, c.check); err != nil {
			t.Fatal(err)
		}
	})
	if want := 40 * 16; len(c.seen) != want {
		t.Errorf("%d elements, want %d", len(c.seen), want)
	}
}

// Bounds near the limits of int.
func TestExtremeBounds(t *testing.T) {
	const maxInt = int(^uint(0) >> 1)
	for _, lo := range []int{-maxInt + 2, maxInt - 12} {
		s := create(t, []int{3}, []int{lo}, []int{lo + 9}, state.Row)
		for step := range 12 {
			if step == 11 {
				step = maxInt
			}
			sec, err := nd.Sec(nd.All.By(step)).Resolve(s.Lo, s.Hi)
			if err != nil {
				t.Fatal(err)
			}
			c := &checker{state: s, sec: sec, last: -1, seen: map[string]axial.Number{}}
			if err := Each(s, sec, c.check); err != nil {
				t.Errorf("section %v: %v", sec, err)
			}
			if want, err := sec.Len(); err != nil || len(c.seen) != want {
				t.Errorf("section %v: %d elements, want %d, %v", sec, len(c.seen), want, err)
			}
		}
	}
}

// BenchmarkLocate locates elements one by one, and several together.
func BenchmarkLocate(b *testing.B) {
	s := create(b, []int{256, 256}, []int{0, 0}, []int{16384, 16384}, state.Row)
	const n = 2048
	indices, numbers, within := make([]int, 2*n), make([]axial.Number, n), make([]int, n)
	for i := range indices {
		indices[i] = rand.IntN(16384)
	}
	b.Run("single", func(b *testing.B) {
		var chunk [2]int
		for i := range b.N {
			e := i % n
			numbers[e], within[e], _ = Locate(s, indices[2*e:2*e+2], chunk[:])
		}
	})
	b.Run("many", func(b *testing.B) {
		for i := 0; i < b.N; i += n {
			LocateMany(s, indices, numbers, within)
		}
	})
}
