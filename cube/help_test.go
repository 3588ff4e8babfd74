package cube_test

import (
	"context"
	"path/filepath"
	"testing"

	"drx"
	"drx/cube"
	"drx/nd"
)

// create makes an array in a folder of the test and returns its cube.
func create(t *testing.T, spec drx.Spec) *cube.Cube {
	t.Helper()
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Discard() })
	return of(t, a)
}

// scratch returns a spec for an array that need not survive a crash.
func scratch(spec drx.Spec) drx.Spec {
	spec.Durability = drx.DurabilityNone
	return spec
}

// of returns the cube of an array.
func of(t *testing.T, a *drx.Array) *cube.Cube {
	t.Helper()
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reduce reduces a whole cube.
func reduce(t *testing.T, c *cube.Cube, op cube.Op, over ...int) *cube.Result {
	t.Helper()
	r, err := c.Reduce(context.Background(), cube.Box(c.Array().Bounds()), op, cube.Over{Dims: over})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// eachGroup calls f for every value of a result, with the index of its cell.
func eachGroup(r *cube.Result, f func(i int, index []int)) {
	shape := r.Shape()
	position, lo := make([]int, len(shape)), make([]int, len(shape))
	for i := range r.Count {
		index := make([]int, len(shape))
		for k, x := range r.Cells {
			index[k] = x.At(position[k])
		}
		f(i, index)
		if len(shape) > 0 {
			nd.Next(position, lo, shape)
		}
	}
}
