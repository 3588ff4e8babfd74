package stats

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
	"drx/optionerr"
)

func newArray(t *testing.T, spec drx.Spec) *drx.Array {
	t.Helper()
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Discard() })
	return a
}

// Requests that cannot be computed must be refused.
func TestErrors(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Int8, Shape: []int{1 << 20, 1 << 20}})
	complexes := newArray(t, drx.Spec{DType: dtype.Complex64, Shape: []int{3}})
	odd := newArray(t, drx.Spec{DType: dtype.Int8, Shape: []int{3}, Attrs: map[string]any{"scale_factor": []float64{1, 2}}})
	text := newArray(t, drx.Spec{DType: dtype.Int8, Shape: []int{3}, Attrs: map[string]any{"scale_factor": "two"}})
	names := newArray(t, drx.Spec{DType: dtype.Int32, Shape: []int{3}, Attrs: map[string]any{"import.strings": []string{"x"}}})
	all := cube.Box(a.Bounds())
	sum := []Func{{Op: Sum}}
	for _, test := range []struct {
		a    *drx.Array
		req  Request
		want error
	}{
		{a, Request{Select: all[:1], Funcs: sum}, drx.ErrRank},
		{a, Request{Over: []int{2}, Funcs: sum}, drx.ErrRank},
		{a, Request{Over: []int{-1}, Funcs: sum}, drx.ErrRank},
		{a, Request{Over: []int{0, 0}, Funcs: sum}, drx.ErrRank},
		{a, Request{Funcs: []Func{{Op: ArgMax + 1}}}, drx.ErrBounds},
		{a, Request{Funcs: []Func{{Quantile, 101}}}, drx.ErrBounds},
		{a, Request{Funcs: []Func{{Quantile, math.NaN()}}}, drx.ErrBounds},
		{a, Request{}, drx.ErrBounds},
		{a, Request{Funcs: []Func{{Op: ArgMax}}}, drx.ErrRank},
		{a, Request{Over: []int{}, Funcs: sum}, drx.ErrOverflow},
		{a, Request{Select: cube.Selection{{nd.At(-1)}, {nd.At(0)}}, Funcs: sum}, drx.ErrBounds},
		{complexes, Request{Funcs: sum}, drx.ErrDType},
		{odd, Request{Funcs: sum}, drx.ErrDType},
		{text, Request{Funcs: sum}, drx.ErrDType},
		{names, Request{Funcs: sum}, drx.ErrDType},
		{names, Request{Funcs: []Func{{Op: Count}, {Op: Missing}}}, nil},
	} {
		if _, err := Compute(context.Background(), test.a, test.req); !errors.Is(err, test.want) {
			t.Errorf("%+v: %v, want %v", test.req, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compute(ctx, complexes, Request{Funcs: sum}); !errors.Is(err, drx.ErrDType) {
		t.Error(err)
	}
	small := newArray(t, drx.Spec{DType: dtype.Int8, Shape: []int{9}})
	if err := drx.Write(small, nil, make([]int8, 9)); err != nil {
		t.Fatal(err)
	}
	if _, err := Compute(ctx, small, Request{Funcs: sum}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
}

// Sums of integers must be exact, or refused.
func TestIntegerSums(t *testing.T) {
	signed := newArray(t, drx.Spec{DType: dtype.Int64, Shape: []int{3}})
	for _, test := range []struct {
		data []int64
		want string // empty for a sum that does not fit
	}{
		{[]int64{-5, 3, 0}, "-2"},
		{[]int64{math.MinInt64, math.MaxInt64, 0}, "-1"},
		{[]int64{math.MaxInt64, 1, -1}, "9223372036854775807"},
		{[]int64{math.MinInt64, -1, 0}, ""},
		{[]int64{math.MaxInt64, 1, 0}, ""},
		{[]int64{1<<53 + 1, 0, 0}, "9007199254740993"},
	} {
		if err := drx.Write(signed, nil, test.data); err != nil {
			t.Fatal(err)
		}
		checkSum(t, signed, test.want)
	}
	unsigned := newArray(t, drx.Spec{DType: dtype.Uint64, Shape: []int{2}})
	for want, data := range map[string][]uint64{"18446744073709551615": {math.MaxUint64, 0}, "": {math.MaxUint64, 1}} {
		if err := drx.Write(unsigned, nil, data); err != nil {
			t.Fatal(err)
		}
		checkSum(t, unsigned, want)
	}
}

func checkSum(t *testing.T, a *drx.Array, want string) {
	t.Helper()
	r, err := Compute(context.Background(), a, Request{Funcs: []Func{{Op: Sum}}})
	if want == "" {
		if !errors.Is(err, drx.ErrOverflow) || r != nil {
			t.Errorf("the sum does not fit: %v", err)
		}
		return
	}
	if err != nil || r.Text(&r.Columns[0], 0) != want {
		t.Errorf("%v, %v, want %s", r, err, want)
	}
}

// The test computes variances of numbers that are close together and far from zero, and sums of
// infinities.
func TestHardNumbers(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{4}})
	inf := math.Inf(1)
	for _, test := range []struct {
		data           []float64
		sum, mean, std float64
	}{
		{[]float64{1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}, 4e9 + 10, 1e9 + 2.5, math.Sqrt(1.25)},
		{[]float64{1e100, 1, -1e100, 1}, 2, 0.5, math.Sqrt(1e200 / 2)},
		{[]float64{inf, 1, 2, 3}, inf, inf, math.NaN()},
		{[]float64{inf, 1, -inf, 3}, math.NaN(), math.NaN(), math.NaN()},
	} {
		if err := drx.Write(a, nil, test.data); err != nil {
			t.Fatal(err)
		}
		r, err := Compute(context.Background(), a, Request{Funcs: []Func{{Op: Sum}, {Op: Mean}, {Op: Std}}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{test.sum, test.mean, test.std} {
			got := r.Float64s(&r.Columns[i])[0]
			if !isClose(got, want) && math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("%v of %v is %v, want %v", r.Columns[i].Func, test.data, got, want)
			}
		}
	}
}

// The names of statistics must be read as they are written.
func TestNames(t *testing.T) {
	for _, f := range append(append([]Func{}, everything...), ofOne...) {
		if got, err := ParseFunc(f.String()); err != nil || got != f {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	for _, name := range []string{"", "p", "p101", "p-1", "pNaN", "avg"} {
		if _, err := ParseFunc(name); !errors.Is(err, optionerr.ErrOption) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
