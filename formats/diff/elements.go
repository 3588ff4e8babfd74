package diff

import (
	"context"
	"math"
	"path"
	"slices"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

const float64Type = dtype.Float64

// compareElements compares the elements of a variable box by box, and reads the next boxes while it
// compares the last ones.
func (d *differ) compareElements(ctx context.Context, v *Variable, p pair) error {
	c, ok, err := d.comparison(p)
	if err != nil {
		return err
	}
	if !ok {
		v.Properties = addOnce(v.Properties, Property{"units", c.ma.Units, c.mb.Units})
		v.Same = false
		return nil
	}
	total, err := d.stream(ctx, p, c)
	if err != nil {
		return err
	}
	v.Compared, v.Different, v.Missing = total.compared, total.different, total.missing
	if total.different > 0 {
		v.Largest = d.locate(p, total)
	}
	return nil
}

// A comparison says how elements of A and of B are compared.
type comparison struct {
	a, b       formats.Info
	ma, mb     *meaning.Meaning
	namesA     []string // the strings of variables of strings
	namesB     []string
	scale      scale
	atol, rtol float64
	identical  bool // equal bytes are equal values
	wide       bool // integers that float64 would round
	splitA     int  // the dimension with its own scale or mark at each index; -1 for none
	splitB     int
}

// comparison returns the comparison of a pair. ok is false if the units cannot be compared.
func (d *differ) comparison(p pair) (c *comparison, ok bool, err error) {
	c = &comparison{a: p.a, b: p.b, atol: d.ATol, rtol: d.RTol, splitA: -1, splitB: -1}
	if c.ma, err = d.a.Meaning(p.a); err != nil {
		return c, false, err
	}
	if c.mb, err = d.b.Meaning(p.b); err != nil {
		return c, false, err
	}
	if p.a.Labels != nil {
		return c, true, nil
	}
	if c.scale, ok = scaleOf(c.ma, c.mb); !ok {
		return c, false, nil
	}
	c.splitA, c.splitB = c.ma.Dim(p.a.Shape, p.a.Dims), c.mb.Dim(p.b.Shape, p.b.Dims)
	same := func(x, y [][]byte) bool { return slices.EqualFunc(x, y, slices.Equal[[]byte]) }
	c.identical = c.scale.exact && p.a.DType == p.b.DType && c.ma.Number() == c.mb.Number() && same(c.ma.Missing, c.mb.Missing) && c.splitA < 0 && c.splitB < 0
	c.wide = c.scale.exact && !c.ma.IsPacked() && (isWide(c.ma.Number()) || isWide(c.mb.Number())) && !p.a.DType.IsComplex()
	return c, true, nil
}

func isWide(t dtype.DType) bool { return t == dtype.Int64 || t == dtype.Uint64 }

// at returns the comparison for the elements of a section. The section has a single index along
// each dimension whose indices differ in meaning.
func (c *comparison) at(sec nd.Section) *comparison {
	one := *c
	if c.splitA >= 0 {
		one.ma = c.ma.At(sec[c.splitA].Lo)
	}
	if c.splitB >= 0 {
		one.mb = c.mb.At(sec[c.splitB].Lo)
	}
	return &one
}

// locate describes the element with the largest difference.
func (d *differ) locate(p pair, t tally) *Location {
	at := &Location{
		Index: []int{}, Coordinates: map[string]string{}, A: t.a, B: t.b,
		Difference: Number(t.largest), Relative: Number(t.relative), MaxRelative: Number(t.maxRelative),
	}
	lo := d.a.Begin(p.a)
	for dim, i := range t.index {
		at.Index = append(at.Index, lo[dim]+i)
		if text := d.a.Coordinate(p.a, dim, i); text != "" {
			at.Coordinates[path.Base(p.a.Dims[dim])] = text
		}
	}
	return at
}

// A tally counts the differences between some elements.
type tally struct {
	compared, different, missing int64
	largest                      float64 // difference; NaN if no difference has a size
	relative, maxRelative        float64
	index                        []int // of that element; nil if no element differs
	a, b                         string
}

// add adds the tally of other elements. If the largest differences are equal, it keeps the one at
// the lower index, so that the result does not depend on the division of elements among goroutines.
func (t *tally) add(u tally) {
	t.compared, t.different, t.missing = t.compared+u.compared, t.different+u.different, t.missing+u.missing
	t.maxRelative = max(t.maxRelative, u.maxRelative)
	if u.index == nil {
		return
	}
	if t.index == nil || isBefore(u.largest, u.index, t.largest, t.index) {
		t.largest, t.relative, t.index, t.a, t.b = u.largest, u.relative, u.index, u.a, u.b
	}
}

// isBefore reports whether the difference x at index at takes precedence over y at index than.
func isBefore(x float64, at []int, y float64, than []int) bool {
	if math.IsNaN(x) != math.IsNaN(y) {
		return math.IsNaN(y)
	}
	if x != y && !math.IsNaN(x) {
		return x > y
	}
	return slices.Compare(at, than) < 0
}
