package view

import (
	"fmt"
	"slices"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/scaled"
	"drx/cube"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats/transfer"
)

// withDiff calls f with options that draw the difference from the array in --diff, or with o itself
// without the flag.
func (o Options) withDiff(a *drx.Array, f func(o Options) error) error {
	if o.diff == "" {
		return f(o)
	}
	if o.rgb != "" {
		return cli.Usagef("--rgb and --diff exclude each other: a difference has one colour for each value")
	}
	b, err := drx.Open(o.diff, drx.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	if o.minus, err = minusOf(a, b); err != nil {
		return err
	}
	o.ownColors = true // a difference is no index of a palette
	if !o.colorsGiven {
		o.Colors = "diverging"
	}
	return f(o)
}

// minusOf prepares to subtract the values of b, in the units of a, from those of a.
func minusOf(a, b *drx.Array) (*scaled.Minus, error) {
	if !slices.Equal(a.Bounds(), b.Bounds()) {
		return nil, cli.Usagef("--diff: %s has the bounds %v, %s has %v: copy the same part of both with drx copy --section", a.Name(), a.Bounds(), b.Name(), b.Bounds())
	}
	for _, x := range []*drx.Array{a, b} {
		if x.DType().IsComplex() {
			return nil, cli.Usagef("--diff: %s has complex numbers, and a picture shows their modulus; drx diff compares them", x.Name())
		}
		if scaled.MeaningOf(x, true).PerIndex() {
			return nil, cli.Usagef("--diff: %s has a scale or a missing value for each index: choose one index with drx copy --at, or unpack it", x.Name())
		}
	}
	factor, shift, err := unitsOf(a, b)
	if err != nil {
		return nil, err
	}
	c, err := cube.Of(b)
	if err != nil {
		return nil, err
	}
	decode := scaled.MeaningOf(b, true).Decode
	return &scaled.Minus{Cube: c, Decode: func(element []byte) float64 { return decode(element)*factor + shift }}, nil
}

// unitsOf returns the factor and the shift that convert values of b to the units of a.
func unitsOf(a, b *drx.Array) (factor, shift float64, err error) {
	inUnits := func(x *drx.Array) (*meaning.Meaning, error) {
		m, err := transfer.Meaning(x)
		if err != nil {
			return nil, err
		}
		return &meaning.Meaning{Type: dtype.Float64, Units: m.Units, Calendar: m.Calendar, Times: m.Times}, nil
	}
	to, err := inUnits(a)
	if err != nil {
		return 0, 0, err
	}
	from, err := inUnits(b)
	if err != nil {
		return 0, 0, err
	}
	c, err := meaning.Compare(from, to, meaning.Nearest)
	if err != nil {
		return 0, 0, fmt.Errorf("--diff: %s: %w", b.Name(), err)
	}
	factor, shift, ok := c.Units()
	if !ok {
		return 0, 0, cli.Usagef("--diff: %s and %s have times in different units; drx diff compares them", a.Name(), b.Name())
	}
	return factor, shift, nil
}
