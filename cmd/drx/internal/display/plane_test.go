package display

import (
	"errors"
	"testing"

	"drx"
	"drx/cmd/drx/internal/clitest"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/nd"
)

func TestChoosePlane(t *testing.T) {
	for _, c := range []struct {
		lens []int
		dims string
		want Plane
	}{
		{[]int{5}, "", Plane{-1, 0}},
		{[]int{5, 6}, "", Plane{0, 1}},
		{[]int{5, 6, 7}, "", Plane{1, 2}},
		{[]int{5, 6, 1}, "", Plane{0, 1}},
		{[]int{1, 6, 1}, "", Plane{1, 2}},
		{[]int{5, 1, 1}, "", Plane{0, 2}},
		{[]int{1, 1, 1}, "", Plane{1, 2}},
		{[]int{5, 6, 7}, "2,0", Plane{2, 0}},
		{[]int{5}, "0", Plane{-1, 0}},
	} {
		a := clitest.NewArray(t, drx.Spec{Shape: c.lens})
		if got, err := ChoosePlane(a, c.dims, c.lens); got != c.want || err != nil {
			t.Errorf("%v, dims %q: %v, %v, want %v", c.lens, c.dims, got, err, c.want)
		}
	}
	a := clitest.NewArray(t, drx.Spec{Shape: []int{2, 2}})
	for _, dims := range []string{"0", "0,0", "0,1,0", "0,2", "0,"} {
		if p, err := ChoosePlane(a, dims, []int{2, 2}); err == nil {
			t.Errorf("dims %q: %v", dims, p)
		}
	}
}

func TestNarrow(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{Shape: []int{4, 5}, Lo: []int{-2, 0}, Dims: []string{"y", "x"}})
	sec, err := selection.ApplyAt(a, a.Bounds(), a.Bounds(), "y=-1,x=1:5:2", selection.LabelHint)
	if err != nil || sec.String() != nd.Sec(nd.At(-1).By(1), nd.Span(1, 5).By(2)).String() {
		t.Errorf("section %v, error %v", sec, err)
	}
	again, err := selection.ApplyAt(a, a.Bounds(), a.Bounds(), "-1,1:5:2", selection.LabelHint)
	if err != nil || again.String() != sec.String() {
		t.Errorf("section %v by position, error %v", again, err)
	}
	for _, at := range []string{"y", "y=", "z=0", "y=a", "1", "0,1,2", "0,x=1"} {
		if _, err := selection.ApplyAt(a, a.Bounds(), a.Bounds(), at, selection.LabelHint); err == nil {
			t.Errorf("--at %q was taken", at)
		}
	}
	if _, err := selection.ApplyAt(a, a.Bounds(), a.Bounds(), "y=2", selection.LabelHint); !errors.Is(err, drx.ErrBounds) {
		t.Errorf("index beyond the bounds: %v", err)
	}
	empty, err := selection.ApplyAt(a, a.Bounds(), a.Bounds(), "y=1:1", selection.LabelHint)
	if err != nil || CheckDrawable(a, cube.Box(empty)) == nil || CheckDrawable(a, cube.Box(sec)) != nil {
		t.Errorf("an empty range is %v, %v, and can be drawn", empty, err)
	}
}
