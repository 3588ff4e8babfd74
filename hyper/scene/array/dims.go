// Package array makes scenes of DRX arrays, and keeps results in them.
//
// A scene is an array of three dimensions, lines, samples and bands, in any order. A result, such
// as abundances, has the same lines and samples, and a third dimension for its values, which may be
// missing if there is one value per pixel. Lines and samples have the indices of the array, which
// may be negative, so a pixel keeps its indices while the array grows.
package array

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx"
)

// Dims are the numbers of the dimensions of a scene.
type Dims struct {
	Line   int // the dimension of the lines
	Sample int // the dimension of the samples
	Band   int // the dimension of the bands
}

// names are the known names of dimensions, in lower case, for lines, samples and bands. In every
// convention x is the sample and y the line.
var names = [3][]string{
	{"line", "lines", "row", "rows", "y", "lat", "latitude", "northing"},
	{"sample", "samples", "column", "columns", "col", "cols", "pixel", "x", "lon", "longitude", "easting"},
	{"band", "bands", "wavelength", "wavelengths", "channel", "channels", "z", "b", "spectral"},
}

// what has the words for these dimensions in errors.
var what = [3]string{"lines", "samples", "bands"}

// FindDims finds the dimensions of an array with three dimensions by their names, such as line,
// sample, band or y, x, wavelength. If no dimension has a name, they are lines, samples and bands
// in this order. The error says which one is missing.
func FindDims(a *drx.Array) (Dims, error) {
	return FindNames(a.Name(), a.Dims(), a.Rank(), nil)
}

// FindNames is FindDims for anything with rank dimensions of the given names; nil means that none
// has a name. want, if not nil, has the names of the dimensions of lines, samples and bands, or
// their numbers. Errors begin with name.
func FindNames(name string, have []string, rank int, want []string) (Dims, error) {
	if rank != 3 {
		return Dims{}, fmt.Errorf("%s: a scene has 3 dimensions, lines, samples and bands; this array has %d", name, rank)
	}
	if want == nil && strings.Join(have, "") == "" {
		return Dims{0, 1, 2}, nil
	}
	var found [3]int
	for i := range found {
		known := names[i]
		if want != nil {
			known = []string{want[i]}
		}
		found[i] = slices.IndexFunc(have, func(n string) bool {
			return n != "" && (slices.Contains(known, strings.ToLower(n)) || want != nil && n == want[i])
		})
		if number, err := strconv.Atoi(known[0]); err == nil && number >= 0 && number < rank && found[i] < 0 {
			found[i] = number
		}
		if found[i] < 0 {
			return Dims{}, fmt.Errorf("%s: none of the dimensions %s is known as that of the %s: say which it is, or name it %s",
				name, strings.Join(have, ", "), what[i], names[i][0])
		}
	}
	d := Dims{found[0], found[1], found[2]}
	if d.Line == d.Sample || d.Sample == d.Band || d.Line == d.Band {
		return Dims{}, fmt.Errorf("%s: lines, samples and bands cannot be dimensions %d, %d and %d", name, d.Line, d.Sample, d.Band)
	}
	return d, nil
}

// check returns an error unless the dimensions are exactly those of a three-dimensional array.
func (d Dims) check(a *drx.Array) error {
	order := []int{d.Line, d.Sample, d.Band}
	slices.Sort(order)
	if a.Rank() != 3 || !slices.Equal(order, []int{0, 1, 2}) {
		return fmt.Errorf("%s: lines, samples and bands cannot be dimensions %d, %d and %d of an array with %d", a.Name(), d.Line, d.Sample, d.Band, a.Rank())
	}
	return nil
}
