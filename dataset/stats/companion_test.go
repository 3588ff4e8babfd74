package stats

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
)

// TestWeightsAndMask compares weighted statistics of the elements that a mask selects with plain
// loops, for weights and masks with some of the dimensions, in any order.
func TestWeightsAndMask(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	names, shape := []string{"time", "y", "x"}, []int{9, 7, 11}
	for round := range 15 {
		data := randomArray(t, rng, names, shape, true)
		req := Request{Over: []int{rng.IntN(3)}, Funcs: []Func{{Op: Count}, {Op: Missing}, {Op: Sum}, {Op: Mean}, {Op: Std}, {Op: Var}, {Op: Min}}}
		at := func(c *companionArray, index []int) float64 { return c.at(names, index) }
		var weights, mask *companionArray
		if round%3 != 0 {
			weights = randomCompanion(t, rng, names, shape, false)
			req.Weights = &Weights{Array: weights.a}
		}
		if round%3 != 1 {
			mask = randomCompanion(t, rng, names, shape, true)
			req.Where = &Mask{Array: mask.a, Op: ">=", Value: 3}
		}
		r, err := Compute(context.Background(), data.a, req)
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]struct{ n, missing, w, sum, least float64 }, len(r.Count))
		elements := make([][][2]float64, len(cells))
		index := make([]int, 3)
		for i, v := range data.values {
			index[0], index[1], index[2] = i/77, i/11%7, i%11
			cell := 0
			for d, k := range index {
				if d != req.Over[0] {
					cell = cell*shape[d] + k
				}
			}
			c, w := &cells[cell], 1.0
			if mask != nil && !(at(mask, index) >= 3) {
				continue
			}
			if weights != nil {
				w = at(weights, index)
			}
			if math.IsNaN(v) {
				c.missing++
				continue
			}
			if c.n == 0 || v < c.least {
				c.least = v
			}
			c.n, c.w, c.sum = c.n+1, c.w+w, c.sum+w*v
			elements[cell] = append(elements[cell], [2]float64{v, w})
		}
		for i, c := range cells {
			mean, squares := c.sum/c.w, 0.0
			for _, e := range elements[i] {
				squares += e[1] * (e[0] - mean) * (e[0] - mean)
			}
			want := []float64{c.n, c.missing, c.sum, mean, math.Sqrt(squares / c.w), squares / c.w, c.least}
			if c.n == 0 {
				want = []float64{0, c.missing, math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
			}
			for k := range r.Columns {
				if got := r.Float64s(&r.Columns[k])[i]; math.Abs(got-want[k]) > 1e-7 || math.IsNaN(got) != math.IsNaN(want[k]) {
					t.Fatalf("round %d: %v of cell %d is %v, want %v", round, r.Columns[k].Func, i, got, want[k])
				}
			}
		}
	}
}

// A companionArray is an array with its elements.
type companionArray struct {
	a      *drx.Array
	dims   []string
	values []float64
}

// at returns the value that belongs to an element of an array with other dimensions.
func (c *companionArray) at(names []string, index []int) float64 {
	from := 0
	for d, n := range c.a.Shape() {
		from = from*n + index[slices.Index(names, c.dims[d])]
	}
	return c.values[from]
}

// randomArray makes an array of integers from 0 to 8.
func randomArray(t *testing.T, rng *rand.Rand, dims []string, shape []int, missing bool) *companionArray {
	t.Helper()
	c := &companionArray{dims: dims}
	n := 1
	chunk := make([]int, len(shape))
	for d, k := range shape {
		n *= k
		chunk[d] = 1 + rng.IntN(k)
	}
	c.a = newArray(t, drx.Spec{DType: dtype.Float32, Shape: shape, ChunkShape: chunk, Dims: dims, FillValue: "NaN"})
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(rng.IntN(9))
		if !missing {
			data[i] += 0.5
		} else if rng.IntN(6) == 0 {
			data[i] = float32(math.NaN())
		}
		c.values = append(c.values, float64(data[i]))
	}
	if err := drx.Write(c.a, nil, data); err != nil {
		t.Fatal(err)
	}
	return c
}

// randomCompanion makes an array with some of the dimensions, in any order.
func randomCompanion(t *testing.T, rng *rand.Rand, names []string, shape []int, missing bool) *companionArray {
	t.Helper()
	var dims []string
	var extents []int
	for _, d := range rng.Perm(len(names))[:1+rng.IntN(len(names))] {
		dims, extents = append(dims, names[d]), append(extents, shape[d])
	}
	return randomArray(t, rng, dims, extents, missing)
}

// The areas of cells are those of zones of a sphere.
func TestAreaWeights(t *testing.T) {
	folder := t.TempDir()
	a, err := drx.Create(filepath.Join(folder, "v"), drx.Spec{DType: dtype.Float64, Shape: []int{4, 2}, Dims: []string{"lat", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	if err := drx.Write(a, nil, []float64{1, 1, 2, 2, 3, 3, 4, 4}); err != nil {
		t.Fatal(err)
	}
	c, err := drx.Create(filepath.Join(folder, "lat"), drx.Spec{DType: dtype.Float64, Shape: []int{4}, Dims: []string{"lat"}, Attrs: map[string]any{"units": "degrees_north"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		latitudes []float64
		want      float64 // the mean; NaN for an error
	}{
		{[]float64{75, 25, -25, -75}, 2.5}, // edges at 100, so 90, 50, 0, -50, -90
		{[]float64{60, 0, -60, -85}, 0},
		{[]float64{75, 25, -25, -95}, math.NaN()},
	} {
		if err := drx.Write(c, nil, test.latitudes); err != nil {
			t.Fatal(err)
		}
		if err := c.Sync(); err != nil {
			t.Fatal(err)
		}
		axes, err := dataset.AxesOf(a)
		if err != nil {
			t.Fatal(err)
		}
		w, err := AreaWeights(a, axes)
		if math.IsNaN(test.want) {
			if !errors.Is(err, drx.ErrBounds) {
				t.Errorf("weights of %v: %v", test.latitudes, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if test.want == 0 { // computed by hand: edges at 90, 30, -30, -72.5, -90
			area := func(a, b float64) float64 { return math.Sin(a*math.Pi/180) - math.Sin(b*math.Pi/180) }
			areas := []float64{area(90, 30), area(30, -30), area(-30, -72.5), area(-72.5, -90)}
			for i, x := range areas {
				test.want += x * float64(i+1) / 2
			}
		}
		r, err := Compute(context.Background(), a, Request{Funcs: []Func{{Op: Mean}}, Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Float64s(&r.Columns[0])[0]; !isClose(got, test.want) {
			t.Errorf("the mean with latitudes %v is %v, want %v", test.latitudes, got, test.want)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// Weights and masks that do not fit must be refused.
func TestCompanionErrors(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{3, 2}, Dims: []string{"y", "x"}})
	mean := []Func{{Op: Mean}}
	other := func(shape []int, dims ...string) *drx.Array {
		return newArray(t, drx.Spec{DType: dtype.Float64, Shape: shape, Dims: dims, FillValue: "NaN"})
	}
	for _, test := range []struct {
		req  Request
		want error
	}{
		{Request{Funcs: mean, Weights: &Weights{Array: other([]int{3}, "z")}}, drx.ErrRank},
		{Request{Funcs: mean, Weights: &Weights{Array: other([]int{3}, "")}}, drx.ErrRank},
		{Request{Funcs: mean, Weights: &Weights{Array: other([]int{4}, "y")}}, drx.ErrBounds},
		{Request{Funcs: mean, Weights: &Weights{Array: other([]int{3}, "y")}}, drx.ErrBounds}, // missing weights
		{Request{Funcs: mean, Where: &Mask{Array: other([]int{3}, "y"), Op: "="}}, drx.ErrBounds},
		{Request{Funcs: []Func{Median}, Weights: &Weights{Array: other([]int{3}, "y")}}, drx.ErrDType},
		{Request{Funcs: []Func{{Op: Std}}, DDOF: 1, Weights: &Weights{Array: other([]int{3}, "y")}}, drx.ErrBounds},
	} {
		if _, err := Compute(context.Background(), a, test.req); !errors.Is(err, test.want) {
			t.Errorf("%+v: %v, want %v", test.req, err, test.want)
		}
	}
}

// A negative weight is refused with its index and its value. Where all weights are zero there is no
// mean, and the sum is 0, as in xarray, also if the elements are divided into groups.
func TestSignsOfWeights(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{4, 3}, Lo: []int{-1, 0}, ChunkShape: []int{2, 2}, Dims: []string{"y", "x"}})
	if err := drx.Write(a, nil, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}); err != nil {
		t.Fatal(err)
	}
	weights := func(shape []int, lo []int, values []float64, dims ...string) *Weights {
		w := newArray(t, drx.Spec{DType: dtype.Float64, Shape: shape, Lo: lo, Dims: dims, FillValue: "NaN"})
		if err := drx.Write(w, nil, values); err != nil {
			t.Fatal(err)
		}
		return &Weights{Array: w}
	}
	mean := []Func{{Op: Mean}}
	for index, w := range map[string]*Weights{
		"index 1 has the weight -2":   weights([]int{4}, []int{-1}, []float64{1, 0, -2, 3}, "y"),
		"index 2,1 has the weight -2": weights([]int{3, 4}, []int{0, -1}, []float64{1, 0, 1, 3, 1, 1, 1, 1, 1, 1, -2, 1}, "x", "y"),
	} {
		for _, sel := range []cube.Selection{nil, {{nd.Span(-1, 3).By(2)}, {nd.Span(0, 3).By(2)}}} {
			_, err := Compute(context.Background(), a, Request{Funcs: mean, Weights: w, Select: sel})
			if !errors.Is(err, drx.ErrBounds) || !strings.Contains(err.Error(), index) {
				t.Errorf("%v, want %s", err, index)
			}
		}
	}
	w := weights([]int{4}, []int{-1}, []float64{0, 1, 0, 3}, "y")
	funcs := []Func{{Op: Sum}, {Op: Mean}, {Op: Var}, {Op: Std}}
	r, err := Compute(context.Background(), a, Request{Over: []int{1}, Funcs: funcs, Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	none := math.NaN()
	for k, want := range [][]float64{{0, 15, 0, 99}, {none, 5, none, 11}} {
		for i, v := range r.Float64s(&r.Columns[k]) {
			if v != want[i] && !(math.IsNaN(v) && math.IsNaN(want[i])) {
				t.Errorf("%v of cell %d is %v, want %v", funcs[k], i, v, want[i])
			}
		}
	}
	for k := 2; k < 4; k++ {
		if got := r.Float64s(&r.Columns[k]); !math.IsNaN(got[0]) || !math.IsNaN(got[2]) || math.IsNaN(got[1]+got[3]) {
			t.Errorf("%v: %v", funcs[k], got)
		}
	}
}
