package stats

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
)

// inParallel returns what proc 0 of several computes.
func inParallel(t *testing.T, procs int, a *drx.Array, req Request) (result *Result) {
	t.Helper()
	err := par.Run(procs, func(c par.Comm) error {
		r, err := ComputeParallel(context.Background(), c, a, req)
		if c.Proc() == 0 {
			result = r
		} else if r != nil {
			return errors.New("another proc than the first has a result")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Several procs return the bits of one, for random requests, and proc 0 reports all elements.
func TestComputeParallel(t *testing.T) {
	for seed := range seeds() {
		rng := rand.New(rand.NewPCG(seed, 8))
		s := newSample(t, rng)
		req, _ := s.request(rng)
		want, err := Compute(context.Background(), s.a, req)
		if err != nil {
			t.Fatal(err)
		}
		elements := 0
		req.Progress = func(n int) { elements += n }
		got := inParallel(t, 1+rng.IntN(4), s.a, req)
		if fmt.Sprint(got.Count, got.Columns, got.Shape()) != fmt.Sprint(want.Count, want.Columns, want.Shape()) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
		if n, _ := nd.Product(req.Select.Shape()...); req.Memory == 0 && elements != n {
			t.Fatalf("seed %d: %d elements were reduced, want %d", seed, elements, n)
		}
	}
}

// Weights and masks are divided, too.
func TestCompanionsInParallel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	names, shape := []string{"time", "y", "x"}, []int{9, 7, 11}
	data := randomArray(t, rng, names, shape, true)
	weights := randomCompanion(t, rng, names, shape, false)
	mask := randomCompanion(t, rng, names, shape, true)
	for _, over := range [][]int{nil, {0}, {2, 1}} {
		req := Request{
			Over: over, Funcs: []Func{{Op: Count}, {Op: Missing}, {Op: Sum}, {Op: Mean}, {Op: Std}},
			Weights: &Weights{Array: weights.a}, Where: &Mask{Array: mask.a, Op: ">=", Value: 3},
		}
		want, err := Compute(context.Background(), data.a, req)
		if err != nil {
			t.Fatal(err)
		}
		if got := inParallel(t, 3, data.a, req); fmt.Sprint(got.Columns) != fmt.Sprint(want.Columns) {
			t.Errorf("over %v: got %v, want %v", over, got.Columns, want.Columns)
		}
	}
}

// Only written chunks are read, and the others are counted.
func TestFewWrittenInParallel(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Int32, Shape: []int{1 << 25, 1 << 25}, ChunkShape: []int{512, 512}, FillValue: 0})
	for i := range 5 {
		if err := drx.Write(a, nd.Sec(nd.At(i*5000), nd.Span(700, 702)), []int32{2, int32(i)}); err != nil {
			t.Fatal(err)
		}
	}
	r := inParallel(t, 2, a, Request{Funcs: []Func{{Op: Sum}, {Op: Count}}})
	if sum, n := r.Text(&r.Columns[0], 0), r.Text(&r.Columns[1], 0); sum != "20" || n != "1125899906842624" {
		t.Error(sum, n)
	}
}

// An error of one proc is that of all, and different requests are refused.
func TestParallelErrors(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Int64, Shape: []int{4, 4}, ChunkShape: []int{1, 4}, FillValue: 0})
	if err := drx.Write(a, nil, []int64{3: math.MaxInt64, 15: 1}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		over [][]int // of each proc
		want error
	}{
		{[][]int{nil, nil, nil}, drx.ErrOverflow},
		{[][]int{{0}, {0}, {0}}, drx.ErrOverflow},
		{[][]int{{2}, {2}, {2}}, drx.ErrRank},
		{[][]int{{1}, {0}, {1}}, par.ErrDisagree},
	} {
		var failed atomic.Int32
		err := par.Run(3, func(p par.Comm) error {
			r, err := ComputeParallel(context.Background(), p, a, Request{Over: c.over[p.Proc()], Funcs: []Func{{Op: Sum}}})
			if r == nil && errors.Is(err, c.want) {
				failed.Add(1)
			}
			return err
		})
		if failed.Load() != 3 {
			t.Errorf("%v: %v on %d procs, want %v", c.over, err, failed.Load(), c.want)
		}
	}
}
