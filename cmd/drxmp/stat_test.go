package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/internal/cputest"
	"drx/nd"
)

// TestStatAgreesWithSum compares stat with the sums of package cube, which drx sum prints: both
// leave out elements that were never written, and others that hold the fill value, unless that is
// zero.
func TestStatAgreesWithSum(t *testing.T) {
	for _, test := range []struct {
		dtype dtype.DType
		fill  string
		value string
		want  string // the beginning of the line of stat, after the name
	}{
		{dtype.Uint16, "65535", "4", "400 elements, 391 empty, 0 NaN, min 4, max 4, mean 4,"},
		{dtype.Uint16, "0", "4", "400 elements, 0 NaN, min 0, max 4, mean 0.09,"},
		{dtype.Int32, "-1", "-1", "400 elements, 400 empty, none a number"},
		{dtype.Float64, "NaN", "2.5", "400 elements, 391 empty, 0 NaN, min 2.5, max 2.5, mean 2.5,"},
		{dtype.Float64, "NaN", "NaN", "400 elements, 400 empty, none a number"},
		{dtype.Float32, "-9999", "NaN", "400 elements, 391 empty, none a number"},
		{dtype.Complex64, "NaN", "3+4i", "400 elements, 391 empty, 0 NaN, min 5, max 5, mean 5,"},
	} {
		name := filepath.Join(t.TempDir(), "a")
		a, err := drx.Create(name, drx.Spec{DType: test.dtype, Shape: []int{20, 20}, ChunkShape: []int{4, 4}, FillValue: test.fill})
		if err != nil {
			t.Fatal(err)
		}
		value, err := test.dtype.Encode(test.value)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.FillBytes(nd.Sec(nd.Span(3, 6).By(1), nd.Span(3, 6).By(1)), value); err != nil {
			t.Fatal(err)
		}
		want := name + ": " + test.want
		if strings.Contains(test.want, "mean") && test.dtype != dtype.Complex64 {
			want = fmt.Sprintf("%s mean %s,", strings.Split(want, " mean ")[0], sumOf(t, a, cube.Mean))
		}
		cells := 400
		if test.fill != "0" && test.dtype != dtype.Complex64 {
			if _, err := fmt.Sscan(sumOf(t, a, cube.Count), &cells); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(want, fmt.Sprintf(" %d empty, ", 400-cells)) {
				t.Errorf("%v with fill %s: %d cells in sums, want %q", test.dtype, test.fill, cells, want)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		for _, procs := range []string{"1", "3"} {
			var out strings.Builder
			cmd := (&command{}).root()
			cmd.SetOut(&out)
			cmd.SetArgs([]string{"stat", name, "--procs", procs})
			if err := cmd.Execute(); err != nil || !strings.HasPrefix(out.String(), want) || !strings.HasPrefix(out.String(), name+": "+test.want) {
				t.Errorf("%v with fill %s, %s procs: %s, %v, want %s and %s", test.dtype, test.fill, procs, out.String(), err, want, test.want)
			}
		}
	}
}

// TestStatOfHoles runs stat on an array of 2^50 elements, of which three chunks are written: it
// counts the others without reading them.
func TestStatOfHoles(t *testing.T) {
	const side = 1 << 25
	for fill, want := range map[int]string{
		0:  "1125899906842624 elements, 0 NaN, min -2, max 9, mean 1.59872e-14, deviation 3.29177e-07",
		-7: "1125899906842624 elements, 1125899906842618 empty, 0 NaN, min -2, max 9, mean 3, deviation 3.3665",
	} {
		name := filepath.Join(t.TempDir(), "a")
		a, err := drx.Create(name, drx.Spec{DType: dtype.Int32, Shape: []int{side, side}, ChunkShape: []int{512, 512}, FillValue: fill})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []struct {
			at   nd.Section
			data []int32
		}{
			{nd.Sec(nd.At(0), nd.Span(0, 2)), []int32{9, -2}},
			{nd.Sec(nd.At(517), nd.Span(700, 702)), []int32{2, 4}},
			{nd.Sec(nd.At(5000), nd.Span(side-2, side)), []int32{1, 4}},
		} {
			if err := drx.Write(a, w.at, w.data); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		for _, procs := range []string{"1", "3"} {
			var out strings.Builder
			cmd := (&command{}).root()
			cmd.SetOut(&out)
			cmd.SetArgs([]string{"stat", name, "--procs", procs})
			cputest.Most(t, 5*time.Second, func() {
				if err := cmd.Execute(); err != nil || !strings.HasPrefix(out.String(), name+": "+want) {
					t.Errorf("fill %d, %s procs: %s, %v, want %s", fill, procs, out.String(), err, want)
				}
			})
		}
	}
}

// sumOf returns an operation over all elements as drx sum prints it.
func sumOf(t *testing.T, a *drx.Array, op cube.Op) string {
	t.Helper()
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Reduce(t.Context(), cube.Box(a.Bounds()), op, cube.Over{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text(0)
}
