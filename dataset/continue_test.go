package dataset

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// Coordinates must continue in even steps on both sides, decimal ones in decimal steps; otherwise
// the error must say why.
func TestContinueCoordinate(t *testing.T) {
	for name, c := range map[string]struct {
		dtype dtype.DType
		fill  any
		have  []string
		low   bool
		want  []string // three new values, or an error
		is    error
	}{
		"up":        {dtype.Int32, nil, []string{"0", "6", "12"}, false, []string{"18", "24", "30"}, nil},
		"down":      {dtype.Int16, nil, []string{"7", "5"}, true, []string{"13", "11", "9"}, nil},
		"unsigned":  {dtype.Uint64, nil, []string{"18446744073709551615", "18446744073709551610"}, false, []string{"18446744073709551605", "18446744073709551600", "18446744073709551595"}, nil},
		"large":     {dtype.Int64, nil, []string{"9007199254740993", "9007199254740995"}, true, []string{"9007199254740987", "9007199254740989", "9007199254740991"}, nil},
		"decimal":   {dtype.Float64, nil, []string{"50.2", "50.1", "50"}, false, []string{"49.9", "49.8", "49.7"}, nil},
		"decimal 4": {dtype.Float32, "NaN", []string{"0.1", "0.2", "0.3"}, true, []string{"-0.2", "-0.1", "0"}, nil},
		"thirds":    {dtype.Float32, nil, []string{"0.33333334", "0.6666667", "1"}, false, []string{"1.3333334", "1.6666666", "2"}, nil},
		"rounded":   {dtype.Float64, nil, []string{"0", "0.3333", "0.6667", "1"}, false, []string{"1.3333333333333333", "1.6666666666666667", "2"}, nil},
		"one":       {dtype.Float64, nil, []string{"1"}, false, []string{"it has 1 values: two are needed"}, ErrValue},
		"uneven":    {dtype.Int32, nil, []string{"0", "31", "59"}, false, []string{"not evenly spaced, see index 2, which has 59"}, ErrValue},
		"uneven 8":  {dtype.Float64, nil, []string{"0", "1", "2.01"}, false, []string{"not evenly spaced, see index 1, which has 1"}, ErrValue},
		"equal":     {dtype.Float64, nil, []string{"3", "3"}, false, []string{"no step"}, ErrValue},
		"equal int": {dtype.Int8, nil, []string{"3", "3", "3"}, false, []string{"no step"}, ErrValue},
		"missing":   {dtype.Float32, nil, []string{"0", "NaN", "2"}, false, []string{"index 1 has no value: it is NaN"}, ErrValue},
		"fill":      {dtype.Int32, -1, []string{"0", "1", "-1"}, false, []string{"index 2 has no value: it is -1"}, ErrValue},
		"overflow":  {dtype.Int8, nil, []string{"0", "60"}, false, []string{`index 3: "180" is no int8`}, drx.ErrDType},
		"negative":  {dtype.Uint8, nil, []string{"1", "2"}, true, []string{`index -3: "-2" is no uint8`}, drx.ErrDType},
		"bool":      {dtype.Bool, nil, []string{"false", "true"}, false, []string{"bool are no real numbers"}, drx.ErrDType},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			d, err := Create("ds", drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			v, err := d.CreateVariable("x", drx.Spec{DType: c.dtype, FillValue: c.fill, Shape: []int{len(c.have)}, Dims: []string{"x"}})
			if err != nil {
				t.Fatal(err)
			}
			var buf []byte
			for _, text := range c.have {
				b, err := c.dtype.Encode(text)
				if err != nil {
					t.Fatal(err)
				}
				buf = append(buf, b...)
			}
			if err := v.Array().WriteBytes(nil, buf, nil); err != nil {
				t.Fatal(err)
			}
			grow := d.Extend
			if c.low {
				grow = d.ExtendLow
			}
			added, err := grow("x", 3)
			if err != nil {
				t.Fatal(err)
			}
			if got := texts(t, v.Array(), added); c.dtype.IsFloat() && !slices.Equal(got, []string{"NaN", "NaN", "NaN"}) {
				t.Errorf("before: %q", got)
			}
			err = d.ContinueCoordinate("x", added)
			if c.is != nil {
				if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want[0]) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v, want %s", err, c.want[0])
				}
			} else if got := texts(t, v.Array(), added); !slices.Equal(got, c.want) || err != nil {
				t.Errorf("got %q, want %q, %v", got, c.want, err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// texts returns elements of an array of rank 1 as texts.
func texts(t *testing.T, a *drx.Array, r nd.Range) (found []string) {
	t.Helper()
	size := a.DType().Size()
	buf := make([]byte, r.Len()*size)
	if err := a.ReadBytes(nd.Section{r}, buf, nil); err != nil {
		t.Fatal(err)
	}
	for ; len(buf) > 0; buf = buf[size:] {
		found = append(found, a.DType().Format(buf[:size]))
	}
	return found
}

// A thousand steps of 0.1 on both sides must give the numbers of decimal notation, and other
// variables must have their fill values.
func TestContinueCoordinateFar(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := Create("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	spec := drx.Spec{DType: dtype.Float64, Shape: []int{3}, Dims: []string{"x"}}
	v, err := d.CreateVariable("x", spec)
	if err != nil {
		t.Fatal(err)
	}
	other, err := d.CreateVariable("other", spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := drx.Write(v.Array(), nil, []float64{0, 0.1, 0.2}); err != nil {
		t.Fatal(err)
	}
	for _, grow := range []func(string, int) (nd.Range, error){d.Extend, d.ExtendLow} {
		added, err := grow("x", 5000)
		if err = errors.Join(err, d.ContinueCoordinate("x", added)); err != nil {
			t.Fatal(err)
		}
		got, err := drx.Read[float64](v.Array(), nd.Sec(added))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range got {
			if want := float64(added.Lo+i) / 10; x != want {
				t.Fatalf("index %d has %v, want %v", added.Lo+i, x, want)
			}
		}
		if x, err := drx.Read[float64](other.Array(), nd.Sec(added)); err != nil || slices.ContainsFunc(x, func(f float64) bool { return f != 0 || math.IsNaN(f) }) {
			t.Errorf("the other variable: %v", err)
		}
	}
	for _, c := range []struct {
		dim   string
		added nd.Range
		is    error
	}{{"x", nd.Span(0, 2), drx.ErrBounds}, {"x", nd.Span(-5000, 5003), drx.ErrBounds}, {"y", nd.Span(0, 1), ErrDim}} {
		if err := d.ContinueCoordinate(c.dim, c.added); !errors.Is(err, c.is) {
			t.Errorf("%v: %v, want %v", c, err, c.is)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
