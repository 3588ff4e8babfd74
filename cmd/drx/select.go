package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/formats/transfer"
	"drx/nd"
)

// A selecting holds the flags that select elements of an array.
type selecting struct {
	section, at, method string
	sel                 []string
}

// flags adds the flags to a verb. --where is an earlier name of --sel.
func (s *selecting) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.section, "section", "", "`ranges` of indices, one per dimension: 2:6,3:9:2 (default: the whole array)")
	f.StringVar(&s.at, "at", "", "`indices` of some dimensions: time=3,y=0:100")
	completeFlag(cmd, "at", completeDims)
	s.selFlags(cmd)
}

// selFlags adds the flags that select by coordinates and labels.
func (s *selecting) selFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.sel, "sel", nil, "`conditions` on coordinates and labels: time=2013-01..2013-03,lat=50.2,store=3|4; may be repeated")
	f.StringVar(&s.method, "method", dataset.Usual.String(),
		"`how` --sel takes single values of coordinates: nearest, exact, or usual: numbers nearest, dates exact")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "where" {
			name = "sel"
		}
		return pflag.NormalizedName(name)
	})
	completeFlag(cmd, "sel", completeDims)
	completeFlag(cmd, "method", cobra.FixedCompletions([]string{"usual", "nearest", "exact"}, cobra.ShellCompDirectiveNoFileComp))
}

// A selected is the part of an array that the flags select.
type selected struct {
	axes *dataset.Axes
	sel  cube.Selection
	note string // if the array goes beyond its dataset
}

// of returns the selection of an array. Every flag narrows it; it is an error if two of them choose other indices of
// a dimension.
func (s *selecting) of(a *drx.Array) (selected, error) {
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return selected{}, err
	}
	found := selected{axes: axes}
	bounds := axes.Bounds()
	if !slices.Equal(bounds, a.Bounds()) {
		found.note = fmt.Sprintf("the dataset has %v of the array, whose bounds are %v; see 'drx help datasets'", bounds, a.Bounds())
	}
	sec, err := parseSection(a, bounds, s.section)
	if err != nil {
		return selected{}, err
	}
	if sec, err = applyAt(a, sec, bounds, s.at, labelHint); err != nil {
		return selected{}, err
	}
	found.sel, err = s.applySel(a, axes, sec)
	return found, err
}

// cubeOf is of, and returns the array with its labels and coordinates. It prints the note.
func (s *selecting) cubeOf(cmd *cobra.Command, a *drx.Array) (*cube.Cube, cube.Selection, error) {
	found, err := s.of(a)
	if err != nil {
		return nil, nil, err
	}
	note(cmd, a, found.note)
	c, err := found.axes.Cube()
	return c, found.sel, err
}

// applySel applies the conditions of --sel to a resolved section.
func (s *selecting) applySel(a *drx.Array, axes *dataset.Axes, sec nd.Section) (cube.Selection, error) {
	method, err := dataset.ParseMethod(cmp.Or(s.method, dataset.Usual.String())) // verbs without the flag have no text
	if err != nil {
		return nil, usagef("--method %q: want usual, nearest or exact", s.method)
	}
	if s.sel == nil { // labels that are damaged do not matter then
		return cube.Box(sec), nil
	}
	if err := checkDimsOf(a, s.sel); err != nil {
		return nil, err
	}
	sel, err := axes.Select(method, s.sel...)
	if err != nil {
		return nil, asSelectUsageError(err)
	}
	bounds := cube.Box(axes.Bounds())
	for d, x := range cube.Box(sec) {
		switch {
		case slices.Equal(sel[d], bounds[d]): // no condition, or one for everything
			sel[d] = x
		case !slices.Equal(x, bounds[d]) && !slices.Equal(x, sel[d]):
			return nil, usagef("--sel has the indices %s of dimension %s, --section or --at has %s: give one of them",
				formatIndices(sel[d]), dimNames(a)[d], formatIndices(x))
		}
	}
	return sel, nil
}

// checkDimsOf returns an error if a condition is on a dimension that the array does not have. Errors of the syntax are left to
// Axes.Select.
func checkDimsOf(a *drx.Array, conditions []string) error {
	for _, text := range conditions {
		parsed, err := cube.ParseConditions(text)
		if err != nil {
			return nil
		}
		for _, condition := range parsed {
			if _, err := parseDim(a, condition.Dim); err != nil {
				return err
			}
		}
	}
	return nil
}

// asSelectUsageError is asUsageError for errors of packages cube and dataset.
func asSelectUsageError(err error) error { return asOptionUsageError(transfer.ExplainSelection(err)) }

// selectionBytes returns the bytes of a selection, which must be one of the array's.
func selectionBytes(a *drx.Array, sel cube.Selection) int64 {
	n, _ := nd.Product(sel.Shape()...)
	return int64(n) * int64(a.DType().Size())
}

// eachPart reads a selection in parts of bounded size and calls f with each part and its bytes. Unlike
// eachSlab it also takes selections that are not sections.
func eachPart(ctx context.Context, c *cube.Cube, sel cube.Selection, order nd.Order, f func(part cube.Selection, b []byte) error) error {
	var buf []byte
	read := func(part cube.Selection, n int) error {
		buf = slices.Grow(buf[:0], n)[:n]
		if err := c.Read(part, buf, order); err != nil {
			return err
		}
		return f(part, buf)
	}
	a := c.Array()
	if sec, ok := sel.Section(); ok {
		return eachSlab(ctx, a, sec, order, func(slab nd.Section, n int) error { return read(cube.Box(slab), n) })
	}
	return sel.Parts(order, a.DType().Size(), slabTarget, func(part cube.Selection) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := read(part, int(selectionBytes(a, part)))
		// After an interruption the error of f is only a consequence.
		return cmp.Or(ctx.Err(), err)
	})
}
