// Package cavity evaluates the flow in a box whose lid moves: it makes snapshots (snapshot.go) and
// reads them (field.go), compares their velocities with published ones (ghia.go), and draws them
// (draw.go).
package cavity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"drx"
	"drx/nd"
)

// Components of a node in a snapshot: the velocity to the east and to the north, in speeds of the
// lid, and the density.
const Components = 3

// A Flow holds the constants of a computation, as an attribute of the snapshots.
type Flow struct {
	Lid       float64 // speed of the lid, in nodes per step
	Viscosity float64 // in nodes^2 per step
	Collision string  // bgk or mrt
	Every     int     // steps from one snapshot to the next
	Size      int     // nodes along x and y of the first plate
	From      string  // an array of snapshots; the flow begins with the last one
}

// FlowAttr is the name of the attribute.
const FlowAttr = "flow"

// FlowOf returns the flow that an array of that name has as an attribute.
func FlowOf(name string, attrs map[string]json.RawMessage) (f Flow, err error) {
	if err := json.Unmarshal(attrs[FlowAttr], &f); err != nil {
		return f, fmt.Errorf("%s: attribute %s, which plates and snapshots have: %w", name, FlowAttr, err)
	}
	return f, nil
}

// reynolds returns the Reynolds number of the plate at the beginning.
func (f Flow) reynolds() float64 { return f.Lid * float64(f.Size) / f.Viscosity }

// CheckGiven returns an error if a flag of new plates was given with another value than the flow of
// the plate has.
func (f Flow) CheckGiven(plate string, asked Flow, given []string) error {
	for _, c := range []struct {
		flag       string
		given, has any
	}{
		{"size", asked.Size, f.Size},
		{"lid", asked.Lid, f.Lid},
		// rounded, because the flags and the plate may differ by rounding errors
		{"re", math.Round(1e6 * asked.reynolds()), math.Round(1e6 * f.reynolds())},
		{"collide", asked.Collision, f.Collision},
		{"every", asked.Every, f.Every},
	} {
		if c.given != c.has && slices.Contains(given, c.flag) {
			return fmt.Errorf("%s: -%s is for a new plate, and this one has another: leave -size, -re, -lid, -collide and -every out, or choose another -plate",
				plate, c.flag)
		}
	}
	return nil
}

// CheckSnapshots returns an error if an array has snapshots of another flow, or if their number is
// wrong. The flow has made the given number of snapshots, and a program that was killed may have
// written one more. An array without snapshots, or none, is no error.
func CheckSnapshots(name string, flow Flow, made int) error {
	err := withSnapshots(name, func(a *drx.Array) error {
		other, err := FlowOf(name, a.Attrs())
		have := a.Shape()[0]
		switch advice := "choose another -snapshots, or remove it"; {
		case err != nil:
			return err
		case other != flow:
			return fmt.Errorf("%s has snapshots of another plate, with %+v: %s", name, other, advice)
		case have != 0 && have != made && have != made+1:
			return fmt.Errorf("%s has %d snapshots, and this plate has made %d: they are of another plate, or another program computes this one; %s", name, have, made, advice)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// A Field is one snapshot of all nodes of its time: row-major from the lowest row on, at the wall
// across from the lid.
type Field struct {
	Flow
	Rows, Cols int // nodes along y and x
	y, x       int // the first node, counted from that of the whole array
	values     []float32
}

// Read reads a snapshot of an array; -1 is the last one.
func Read(name string, index int) (f Field, err error) {
	err = withSnapshots(name, func(a *drx.Array) error {
		if index < 0 {
			index += a.Shape()[0]
		}
		f, err = readOf(a, index)
		return err
	})
	return f, err
}

// withSnapshots opens an array for f.
func withSnapshots(name string, f func(*drx.Array) error) error {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return err
	}
	defer a.Close() // of an array that is only read
	return f(a)
}

func readOf(a *drx.Array, index int) (Field, error) {
	var f Field
	shape := a.Shape()
	if len(shape) != 4 || shape[3] != Components {
		return f, fmt.Errorf("%s has the shape %v, not time, y, x and %d components, as snapshots have", a.Name(), shape, Components)
	}
	var err error
	if f.Flow, err = FlowOf(a.Name(), a.Attrs()); err != nil {
		return f, err
	}
	values, err := drx.Read[float32](a, nd.Sec(nd.At(index), nd.All, nd.All, nd.All))
	if err != nil {
		return f, err
	}
	f.Rows, f.Cols, f.values = shape[1], shape[2], values
	f.crop()
	if f.Rows == 0 {
		return f, fmt.Errorf("%s: snapshot %d of %d has no values", a.Name(), index, shape[0])
	}
	return f, nil
}

// crop removes the nodes around the box that have no values, because an extension has added them
// later.
func (f *Field) crop() {
	lowY, highY, lowX, highX := f.Rows, 0, f.Cols, 0
	for i := range f.Rows * f.Cols {
		if x := f.values[i*Components]; x == x {
			lowY, highY = min(lowY, i/f.Cols), i/f.Cols+1
			lowX, highX = min(lowX, i%f.Cols), max(highX, i%f.Cols+1)
		}
	}
	var inside []float32
	for y := lowY; y < highY; y++ {
		inside = append(inside, f.values[(y*f.Cols+lowX)*Components:(y*f.Cols+highX)*Components]...)
	}
	f.Rows, f.Cols, f.y, f.x, f.values = max(0, highY-lowY), max(0, highX-lowX), lowY, lowX, inside
}

// value returns a component of a node; nodes outside have the value of the nearest one.
func (f *Field) value(y, x, component int) float64 {
	y, x = min(max(y, 0), f.Rows-1), min(max(x, 0), f.Cols-1)
	return float64(f.values[(y*f.Cols+x)*Components+component])
}

// At returns the components at a position between nodes, in heights and widths of the box, by
// linear interpolation.
// interpolation.
func (f *Field) At(y, x float64) (v [Components]float64) {
	y, x = y*float64(f.Rows)-0.5, x*float64(f.Cols)-0.5
	row, col := math.Floor(y), math.Floor(x)
	y, x = y-row, x-col
	for c := range v {
		lower := (1-x)*f.value(int(row), int(col), c) + x*f.value(int(row), int(col)+1, c)
		upper := (1-x)*f.value(int(row)+1, int(col), c) + x*f.value(int(row)+1, int(col)+1, c)
		v[c] = (1-y)*lower + y*upper
	}
	return v
}

// vorticity returns dv/dx - du/dy at all nodes, in speeds of the lid by widths of the box. At a
// wall it uses the velocity of the wall, which is half a node away.
func (f *Field) vorticity() []float64 {
	w := make([]float64, 0, f.Rows*f.Cols)
	for i := range f.Rows * f.Cols {
		y, x := i/f.Cols, i%f.Cols
		dvdx := slope(f.Cols, x, 0, 0, func(x int) float64 { return f.value(y, x, 1) })
		dudy := slope(f.Rows, y, 0, 1, func(y int) float64 { return f.value(y, x, 0) })
		w = append(w, float64(f.Cols)*(dvdx-dudy))
	}
	return w
}

// slope returns the derivative at one of n nodes, of second order, with the values at the walls
// before and behind.
func slope(n, i int, before, behind float64, at func(int) float64) float64 {
	switch {
	case n == 1:
		return behind - before
	case i == 0: // positions -1/2, 0, 1
		return -4./3*before + at(0) + at(1)/3
	case i == n-1:
		return 4./3*behind - at(n-1) - at(n-2)/3
	}
	return (at(i+1) - at(i-1)) / 2
}

// streamFunction returns the flux between the lower wall and each node, in speeds of the lid times
// widths of the box: it is constant along streamlines.
func (f *Field) streamFunction() []float64 {
	psi := make([]float64, f.Rows*f.Cols)
	for x := range f.Cols {
		sum, last := 0.0, 0.0
		for y := range f.Rows {
			u, step := f.value(y, x, 0), 1.0
			if y == 0 {
				step = 0.5
			}
			sum, last = sum+step*(u+last)/2, u
			psi[y*f.Cols+x] = sum / float64(f.Cols)
		}
	}
	return psi
}
