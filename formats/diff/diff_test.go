package diff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats"
	"drx/nd"
	"drx/optionerr"
)

// makeArray makes an array with elements.
func makeArray[T dtype.Element](t *testing.T, name string, spec drx.Spec, elements ...T) string {
	t.Helper()
	spec.DType = dtype.Of[T]()
	if spec.Shape == nil {
		spec.Shape = []int{len(elements)}
	}
	a, err := drx.Create(name, spec)
	if err == nil {
		err = errors.Join(drx.Write(a, nil, elements), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// diffOf compares two arrays or files.
func diffOf(t *testing.T, a, b string, o Options) Result {
	t.Helper()
	r, err := Diff(context.Background(), a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// describe returns a short description of the differences between variables.
func describe(r Result) string {
	var words []string
	for _, v := range r.Variables {
		for _, p := range v.Properties {
			words = append(words, fmt.Sprintf("%s %s|%s", p.What, p.A, p.B))
		}
		if v.Different > 0 {
			words = append(words, fmt.Sprintf("%d of %d, %d missing, %.5g at %v: %s, %s", v.Different, v.Compared, v.Missing, float64(v.Largest.Difference), v.Largest.Index, v.Largest.A, v.Largest.B))
		}
	}
	if r.Same != (len(words)+len(r.OnlyA)+len(r.OnlyB)+len(r.Attrs) == 0) {
		words = append(words, fmt.Sprintf("but same is %v", r.Same))
	}
	return strings.Join(words, "; ")
}

// Values must be compared by their meaning.
func TestMeaning(t *testing.T) {
	nan := math.NaN()
	attrs := func(pairs ...any) drx.Spec {
		s := drx.Spec{Attrs: map[string]any{}}
		for i := 0; i < len(pairs); i += 2 {
			s.Attrs[pairs[i].(string)] = pairs[i+1]
		}
		return s
	}
	for name, c := range map[string]struct {
		a, b func(t *testing.T, name string) string
		o    Options
		want string
	}{
		"equal": {of(drx.Spec{}, 1., 2), of(drx.Spec{}, 1., 2), Options{}, ""},
		"one":   {of(drx.Spec{}, 1., 2, 3), of(drx.Spec{}, 1., 2.5, 3.25), Options{}, "2 of 3, 0 missing, 0.5 at [1]: 2, 2.5"},
		"atol":  {of(drx.Spec{}, 1., 2, 3), of(drx.Spec{}, 1., 2.5, 3.25), Options{ATol: 0.25}, "1 of 3, 0 missing, 0.5 at [1]: 2, 2.5"},
		"rtol":  {of(drx.Spec{}, 100., 0), of(drx.Spec{}, 101., 0.1), Options{RTol: 0.01}, "1 of 2, 0 missing, 0.1 at [1]: 0, 0.1"},
		"NaN":   {of(drx.Spec{}, nan, 1, nan), of(drx.Spec{}, nan, nan, 1), Options{}, "2 of 3, 2 missing, NaN at [1]: 1, NaN"},
		"infinite": {
			of(drx.Spec{}, math.Inf(1), math.Inf(1)), of(drx.Spec{}, math.Inf(1), math.Inf(-1)),
			Options{RTol: 1},
			"1 of 2, 0 missing, +Inf at [1]: +Inf, -Inf",
		},
		"missing is missing, whatever marks it": {
			of[int16](attrs("missing_value", -1), 5, -1), of(drx.Spec{}, 5, nan), Options{Data: true}, "",
		},
		"packed": {
			of[int16](attrs("scale_factor", 0.1, "add_offset", 5), 10, 20, 7), of(drx.Spec{}, 6, 7, 5.75),
			Options{Data: true},
			"1 of 3, 0 missing, 0.05 at [2]: 5.7, 5.75",
		},
		"units of a kind": {of(attrs("units", "degC"), 0., 20), of(attrs("units", "K"), 273.15, 293.65), Options{Data: true}, "1 of 2, 0 missing, 0.5 at [1]: 20, 293.65"},
		"units are said":  {of(attrs("units", "m"), 1000.), of(attrs("units", "km"), 1.), Options{}, `attribute units "m"|"km"`},
		"other units":     {of(attrs("units", "m"), 1.), of(attrs("units", "s"), 1.), Options{Data: true}, "units m|s"},
		"times": {
			of(attrs("units", "days since 2024-01-01"), 0., 1.5), of[int32](attrs("units", "hours since 2024-01-01"), 0, 37),
			Options{Data: true},
			"1 of 2, 0 missing, 0.041667 at [1]: 2024-01-02T12:00, 2024-01-02T13:00",
		},
		"64 bits": {of[int64](drx.Spec{}, 1<<53+1, -5), of[int64](drx.Spec{}, 1<<53, 5), Options{}, "2 of 2, 0 missing, 10 at [1]: -5, 5"},
		"64 bits with and without a sign": {
			of[int64](drx.Spec{}, -1, 1<<62), of[uint64](drx.Spec{}, 1<<64-1, 1<<62),
			Options{Data: true},
			"1 of 2, 0 missing, 1.8447e+19 at [0]: -1, 18446744073709551615",
		},
		"64 bits and a float": {of[int64](drx.Spec{}, 1<<53+1, 7), of(drx.Spec{}, 1<<53, 7.), Options{Data: true}, "1 of 2, 0 missing, 1 at [0]: 9007199254740993, 9.007199254740992e+15"},
		"types are said":      {of[int8](drx.Spec{}, 1), of[int16](drx.Spec{}, 1), Options{}, "dtype int8|int16"},
		"complex":             {of(drx.Spec{}, 3+4i, complex(nan, 0)), of(drx.Spec{}, 0i, complex(0, nan)), Options{}, "1 of 2, 0 missing, 5 at [0]: (3+4i), (0+0i)"},
		"shape":               {of(drx.Spec{}, 1., 2), of(drx.Spec{}, 1.), Options{}, "shape 2|1"},
		"bounds":              {of(drx.Spec{Lo: []int{-3}}, 1., 2), of(drx.Spec{}, 1., 5), Options{}, "bounds from [-3] on|from [0] on; 1 of 2, 0 missing, 3 at [-2]: 2, 5"},
		"a scale for each band": {
			of[int16](drx.Spec{Shape: []int{2, 2}, Attrs: map[string]any{"scale_factor": []float64{1, 10}}}, 1, 2, 3, 4),
			of(drx.Spec{Shape: []int{2, 2}}, 1., 2, 30, 41),
			Options{Data: true},
			"1 of 4, 0 missing, 1 at [1 1]: 40, 41",
		},
		"order of dimensions": {
			of(drx.Spec{Shape: []int{2, 2}, Dims: []string{"y", "x"}}, 1., 2, 3, 4),
			of(drx.Spec{Shape: []int{2, 2}, Dims: []string{"x", "y"}}, 1., 2, 3, 4),
			Options{Data: true},
			"dims y,x|x,y",
		},
		"no elements": {of[float64](drx.Spec{Shape: []int{0}}), of[float64](drx.Spec{Shape: []int{0}}), Options{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := diffOf(t, c.a(t, filepath.Join(dir, "a")), c.b(t, filepath.Join(dir, "b")), c.o)
			if got := describe(r); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// of returns a function that makes an array with a given name.
func of[T dtype.Element](spec drx.Spec, elements ...T) func(t *testing.T, name string) string {
	return func(t *testing.T, name string) string {
		t.Helper()
		return makeArray(t, name, spec, elements...)
	}
}

// makeNPY writes elements to a file in the given order; the elements are given in row-major order.
func makeNPY(t *testing.T, name string, shape []int, order nd.Order, elements []float64) string {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	info := formats.Info{DType: dtype.Float64, Shape: shape, Order: order}
	w, err := formats.Create(f, "npy", info)
	if err == nil {
		buf := reorder(dtype.Bytes(slices.Clone(elements)), shape, nil, order, 8)
		err = errors.Join(w.WriteSection(nil, buf), w.Close(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRandom compares the result for random arrays, cut into many boxes, with a plain comparison of
// their elements: in either order of elements, and with so little memory that a box has few
// elements.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		dir := t.TempDir()
		shape := []int{1 + r.IntN(40), 1 + r.IntN(60), 1 + r.IntN(50)}
		n, _ := nd.Product(shape...)
		a, b := make([]float64, n), make([]float64, n)
		want := Variable{Compared: int64(n)}
		largest, at := -1., 0
		for k := range a {
			a[k] = r.Float64()
			if b[k] = a[k]; r.IntN(1000) == 0 {
				b[k] = float64(r.IntN(8)) / 8
				want.Different++
				if by := math.Abs(a[k] - b[k]); by > largest {
					largest, at = by, k
				}
			}
		}
		index := []int{at / (shape[1] * shape[2]), at / shape[2] % shape[1], at % shape[2]}
		left := makeArray(t, filepath.Join(dir, "a"), drx.Spec{Shape: shape, ChunkShape: []int{7, 11, 13}}, a...)
		right := makeNPY(t, filepath.Join(dir, "b.npy"), shape, map[bool]nd.Order{true: nd.ColMajor(3)}[i%2 == 0], b)
		got := diffOf(t, left, right, Options{Memory: 1 << 20}).Variables[0]
		if got.Compared != want.Compared || got.Different != want.Different {
			t.Fatalf("shape %v: %d of %d elements differ, want %d of %d", shape, got.Different, got.Compared, want.Different, want.Compared)
		}
		if want.Different > 0 && (float64(got.Largest.Difference) != largest || !slices.Equal(got.Largest.Index, index)) {
			t.Fatalf("shape %v: the largest is %v at %v, want %v at %v", shape, got.Largest.Difference, got.Largest.Index, largest, index)
		}
	}
}

// An interrupted comparison must return the error of its context, and options must be checked.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	a := makeArray(t, filepath.Join(dir, "a"), drx.Spec{}, 1., 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Diff(ctx, a, a, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for _, o := range []Options{{ATol: -1}, {RTol: math.NaN()}, {Memory: -1}, {Vars: []string{"none"}}} {
		if _, err := Diff(context.Background(), a, a, o); !errors.Is(err, optionerr.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := Diff(context.Background(), a, filepath.Join(dir, "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing array: %v", err)
	}
}
