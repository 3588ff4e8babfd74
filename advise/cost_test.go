package advise

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"drx/nd"
)

// chunksTouched returns the number of chunks of extent c that the a indices from lo on touch.
func chunksTouched(lo, a, c int) int { return (lo+a-1)/c - lo/c + 1 }

// The factor is the mean over all positions: within the bounds of the array, or of one chunk if
// there are none.
func TestFactorIsTheMean(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for a := 1; a <= n; a++ {
			last := int64(0)
			for c := n + 2; c >= 1; c-- {
				total := 0
				for lo := 0; lo+a <= n; lo++ {
					total += chunksTouched(lo, a, c)
				}
				f := factor(a, c, n)
				if f.num != int64(total) || f.den != int64(n-a+1) {
					t.Fatalf("%d of %d, chunks of %d: %v, want %d / %d", a, n, c, f, total, n-a+1)
				}
				if f.num < last {
					t.Fatalf("%d of %d: fewer chunks of %d than of %d", a, n, c, c+1)
				}
				last = f.num
				free := 0
				for lo := range c {
					free += chunksTouched(lo, a, c)
				}
				if g := factor(a, c, 0); g.num != int64(free) || g.den != int64(c) {
					t.Fatalf("%d, chunks of %d: %v, want %d / %d", a, c, g, free, c)
				}
			}
		}
	}
}

// Nothing overflows at the limits, and long arrays count as unbounded.
func TestFactorOfLongArrays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, MaxExtent).Draw(t, "n")
		a := rapid.IntRange(1, n).Draw(t, "a")
		c := rapid.IntRange(1, MaxExtent).Draw(t, "c")
		f := factor(a, c, n)
		if f.num < f.den || f.float() > float64(nd.CeilDiv(a-1, c)+1) {
			t.Fatalf("%v = %g", f, f.float())
		}
		if a <= 1000 && c <= 1000 && n >= MaxExtent/2 {
			if free := factor(a, c, 0).float(); math.Abs(f.float()-free) > 1e-4*free {
				t.Fatalf("%g, without bounds %g", f.float(), free)
			}
		}
	})
	if f := factor(MaxExtent/2, 1, MaxExtent).float(); f != MaxExtent/2 {
		t.Errorf("%g chunks of one element", f)
	}
}

// Thesis, sections 5.1 and 5.2: a query <1, 5, 4> of an array <2, 10, 12> moves 60 elements of a
// row-major or column-major array (whole rows or columns), and 20 (one block) of an array with
// chunks of the query's shape; for <2, 5, 2> that would be the optimal shape.
func TestThesis(t *testing.T) {
	shape := []int{2, 10, 12}
	for _, box := range [][]int{{1, 5, 4}, {2, 5, 2}} {
		for _, bounds := range [][]int{nil, shape} {
			got, err := Best(Problem{Accesses: []Access{{box, 1}}, ElemSize: 8, Block: 160, Shape: bounds})
			if err != nil || got.Bytes > 160 {
				t.Fatal(got, err)
			}
			if bounds == nil && !slices.Equal(got.Chunk, box) {
				t.Errorf("%v: chunk %v, %g", box, got.Chunk, got.Chunks)
			}
		}
		if n := Estimate(box, box); n != 1 {
			t.Errorf("%v: %g aligned blocks", box, n)
		}
	}
	rows := Problem{Accesses: []Access{{[]int{1, 5, 4}, 1}}, ElemSize: 1, Block: 20, Shape: shape}
	if c, err := Of(rows, []int{1, 1, 12}); err != nil || c.Moved != 60 || c.Asked != 20 {
		t.Errorf("rows: %+v, %v", c, err)
	}
}

// Equations 5.2.1 to 5.2.3 by hand: two classes, chunks of 1 x 5 x 4.
func TestEquations(t *testing.T) {
	p := Problem{Accesses: []Access{{[]int{1, 5, 4}, 7}, {[]int{2, 5, 2}, 3}}, ElemSize: 4, Block: 80}
	c, err := Of(p, []int{1, 5, 4})
	if err != nil {
		t.Fatal(err)
	}
	exact := 0.7*(1*1.8*1.75) + 0.3*(2*1.8*1.25)
	estimate := 0.7*1 + 0.3*2
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"chunks", c.Chunks, exact},
		{"estimate", c.Estimate, estimate},
		{"moved", c.Moved, exact * 80},
		{"asked", c.Asked, 80},
		{"class 0", c.Classes[0].Chunks, Expected([]int{1, 5, 4}, []int{1, 5, 4})},
		{"class 1", c.Classes[1].Moved, 4.5 * 80},
		{"weight", c.Classes[1].Weight, 0.3},
	} {
		if math.Abs(v.got-v.want) > 1e-12*v.want {
			t.Errorf("%s: %g, want %g", v.name, v.got, v.want)
		}
	}
}

// Slots are the smallest ones that divide stripes, or are divided by them, and fit the block.
func TestStripes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		p := Problem{Stripe: 1 + r.IntN(500), Block: 1 + r.IntN(1500)}
		fits := func(n int) bool { return p.Stripe%n == 0 || n%p.Stripe == 0 }
		block := p.Block
		for !fits(block) {
			block--
		}
		if got := p.block(); got != block {
			t.Fatalf("%+v: block %d, want %d", p, got, block)
		}
		bytes := 1 + r.IntN(block)
		want := bytes
		for !fits(want) {
			want++
		}
		slot, align := p.slot(bytes)
		if slot != want || (bytes+align-1)/align*align != slot || slot > block {
			t.Fatalf("%+v: %d bytes: slot %d, align %d, want %d", p, bytes, slot, align, want)
		}
	}
	if slot, align := (Problem{}).slot(77); slot != 77 || align != 0 {
		t.Errorf("without stripes: %d, %d", slot, align)
	}
}

func TestErrors(t *testing.T) {
	good := func() Problem {
		return Problem{Accesses: []Access{{[]int{2, 3}, 1}}, ElemSize: 8, Block: 64, Shape: []int{5, 0}}
	}
	if _, err := Best(good()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(p *Problem)
		want   error
	}{
		"no classes":       {func(p *Problem) { p.Accesses = nil }, ErrPattern},
		"too many classes": {func(p *Problem) { p.Accesses = slices.Repeat(p.Accesses, MaxClasses+1) }, ErrPattern},
		"weight":           {func(p *Problem) { p.Accesses[0].Weight = 0 }, ErrPattern},
		"not a number":     {func(p *Problem) { p.Accesses[0].Weight = math.NaN() }, ErrPattern},
		"infinite":         {func(p *Problem) { p.Accesses[0].Weight = math.Inf(1) }, ErrPattern},
		"infinite sum": {func(p *Problem) {
			p.Accesses[0].Weight = math.MaxFloat64
			p.Accesses = slices.Repeat(p.Accesses, 2)
		}, ErrPattern},
		"no dimensions": {func(p *Problem) { p.Accesses[0].Box = nil }, nd.ErrRank},
		"ranks":         {func(p *Problem) { p.Accesses = append(p.Accesses, Access{[]int{1}, 1}) }, nd.ErrRank},
		"shape":         {func(p *Problem) { p.Shape = []int{1} }, nd.ErrRank},
		"empty box":     {func(p *Problem) { p.Accesses[0].Box = []int{2, 0} }, nd.ErrBounds},
		"long box":      {func(p *Problem) { p.Accesses[0].Box = []int{6, 1} }, nd.ErrBounds},
		"huge box":      {func(p *Problem) { p.Accesses[0].Box = []int{1, MaxExtent + 1} }, nd.ErrOverflow},
		"extent":        {func(p *Problem) { p.Shape[1] = -1 }, nd.ErrBounds},
		"element":       {func(p *Problem) { p.ElemSize = 0 }, nd.ErrBounds},
		"small block":   {func(p *Problem) { p.Block = 7 }, nd.ErrBounds},
		"no block":      {func(p *Problem) { p.Block = 0 }, nd.ErrBounds},
		"large block":   {func(p *Problem) { p.Block = 8 * (MaxElements + 1) }, nd.ErrOverflow},
		"stripe":        {func(p *Problem) { p.Stripe = -1 }, nd.ErrBounds},
		"prime stripe":  {func(p *Problem) { p.Stripe = 101 }, nd.ErrBounds},
	} {
		p := good()
		c.change(&p)
		if got, err := Best(p); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, chunk := range [][]int{{1}, {0, 1}, {1, MaxExtent + 1}} {
		if c, err := Of(good(), chunk); err == nil {
			t.Errorf("%v: %v", chunk, c)
		}
	}
	wide := Problem{Accesses: []Access{{[]int{1, 1, 1}, 1}}, ElemSize: 1, Block: 1}
	if c, err := Of(wide, []int{MaxExtent, MaxExtent, MaxExtent}); !errors.Is(err, nd.ErrOverflow) {
		t.Error(c, err)
	}
}

func TestMerge(t *testing.T) {
	all := []Access{{[]int{1, 100}, 1}, {[]int{7, 7}, 5}, {[]int{1, 100}, 2}, {[]int{1, 101}, 1}}
	merged, covered := Merge(all, nil, 3)
	if len(merged) != 3 || covered != 1 || !slices.Equal(merged[0].Box, []int{7, 7}) || merged[1].Weight != 3 {
		t.Errorf("%v, %g", merged, covered)
	}
	// 100 and 101 are rounded to one to four binary digits: 104.
	if merged, covered = Merge(all, nil, 2); len(merged) != 2 || covered != 1 || !slices.Equal(merged[1].Box, []int{1, 104}) || merged[1].Weight != 4 {
		t.Errorf("%v, %g", merged, covered)
	}
	// An extent equal to the array's is not rounded, and no extent exceeds the array's.
	merged, _ = Merge([]Access{{[]int{99, 99}, 1}, {[]int{101, 99}, 1}, {[]int{99, 100}, 1}, {[]int{101, 98}, 1}}, []int{101, 103}, 2)
	for _, a := range merged {
		if a.Box[0] > 101 || a.Box[1] > 103 {
			t.Errorf("%v", merged)
		}
	}
	if merged, covered = Merge(all, nil, 1); len(merged) != 1 || covered != 5.0/9 {
		t.Errorf("%v, %g", merged, covered)
	}
	for n, want := range map[int]int{1: 1, 7: 8, 6: 6, 5: 6, 100: 96, 101: 96, 15: 16, 1000: 1024} {
		if got := roundTo(n, 2); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
