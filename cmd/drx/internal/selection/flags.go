// Package selection has the flags that select elements of an array, and reads what they select in
// parts of bounded size.
package selection

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dataset"
	"drx/nd"
)

// A Flags holds the flags that select elements of an array.
type Flags struct {
	Section, At, Method string
	Sel                 []string
}

// AddTo adds the flags to a verb. --where is an earlier name of --sel.
func (s *Flags) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Section, "section", "", "`ranges` of indices, one per dimension: 2:6,3:9:2 (default: the whole array)")
	AddAtTo(cmd, &s.At, "`indices` of some dimensions: time=3,y=0:100; or of all in their order: 3,0:100,7")
	s.AddSelTo(cmd)
}

// AddSelTo adds the flags that select by coordinates and labels.
func (s *Flags) AddSelTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.Sel, "sel", nil, "`conditions` on coordinates and labels: time=2013-01..2013-03,lat=50.2,store=3|4; may be repeated")
	f.StringVar(&s.Method, "method", dataset.Usual.String(),
		"`how` --sel takes single values of coordinates: nearest, exact, or usual: numbers nearest, dates exact")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "where" {
			name = "sel"
		}
		return pflag.NormalizedName(name)
	})
	cli.CompleteFlag(cmd, "sel", arrays.CompleteConditions)
	cli.CompleteFlag(cmd, "method", cobra.FixedCompletions([]string{"usual", "nearest", "exact"}, cobra.ShellCompDirectiveNoFileComp))
}

// A Selection is the part of an array that the flags select.
type Selection struct {
	Axes *dataset.Axes
	Sel  cube.Selection
	Note string // if the array goes beyond its dataset
}

// Of returns the selection of an array. Every flag narrows it; two flags that choose different
// indices of a dimension are an error.
func (s *Flags) Of(a *drx.Array) (Selection, error) {
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return Selection{}, err
	}
	found := Selection{Axes: axes}
	bounds := axes.Bounds()
	if !slices.Equal(bounds, a.Bounds()) {
		found.Note = fmt.Sprintf("the dataset has %v of the array, whose bounds are %v; see 'drx help datasets'", bounds, a.Bounds())
	}
	sec, err := parseSection(a, bounds, s.Section)
	if err != nil {
		return Selection{}, err
	}
	if sec, err = ApplyAt(a, sec, bounds, s.At, LabelHint); err != nil {
		return Selection{}, err
	}
	found.Sel, err = s.applySel(a, axes, sec)
	return found, err
}

// Dims returns the dimensions that the flags name. It skips conditions with a wrong syntax, which
// Of refuses.
func (s *Flags) Dims() (names []string) {
	for _, field := range FieldsOf(s.At) {
		if name, _, named := strings.Cut(field, "="); named {
			names = append(names, strings.TrimSpace(name))
		}
	}
	for _, text := range s.Sel {
		conditions, err := cube.ParseConditions(text)
		if err != nil {
			continue
		}
		for _, c := range conditions {
			names = append(names, c.Dim)
		}
	}
	return names
}

// ForVariable returns the flags for the array of a variable: a dimension that they call by its name
// in the dataset, as group/lat, has there its own name. Text that Of refuses stays as it is.
func (s *Flags) ForVariable(v *dataset.Variable) Flags {
	own := func(dim string) string { return OwnDim(v, dim) }
	of := *s
	fields := FieldsOf(s.At)
	for i, field := range fields {
		if name, text, found := strings.Cut(field, "="); found {
			fields[i] = own(strings.TrimSpace(name)) + "=" + text
		}
	}
	of.At, of.Sel = strings.Join(fields, ","), slices.Clone(s.Sel)
	for i, text := range s.Sel {
		if renamed, err := cube.RenameDims(text, own); err == nil {
			of.Sel[i] = renamed
		}
	}
	return of
}

// OwnDim returns the name by which the array of a variable calls the dimension of a dataset; other
// names as they are.
func OwnDim(v *dataset.Variable, dim string) string {
	if k := slices.Index(v.Dims(), dim); k >= 0 && dim != "" {
		return v.Array().Dims()[k]
	}
	return dim
}

// CubeOf is Of, but also returns the array with its labels and coordinates, and prints the note.
func (s *Flags) CubeOf(cmd *cobra.Command, a *drx.Array) (*cube.Cube, cube.Selection, error) {
	found, err := s.Of(a)
	if err != nil {
		return nil, nil, err
	}
	cli.Note(cmd, a, found.Note)
	c, err := found.Axes.Cube()
	return c, found.Sel, err
}

// applySel applies the conditions of --sel to a resolved section.
func (s *Flags) applySel(a *drx.Array, axes *dataset.Axes, sec nd.Section) (cube.Selection, error) {
	// verbs without the flag have no text
	method, err := dataset.ParseMethod(cmp.Or(s.Method, dataset.Usual.String()))
	if err != nil {
		return nil, cli.Usagef("--method %q: want usual, nearest or exact", s.Method)
	}
	if s.Sel == nil { // without conditions damaged labels do not matter
		return cube.Box(sec), nil
	}
	if err := checkDimsOf(a, s.Sel); err != nil {
		return nil, err
	}
	sel, err := axes.Select(method, s.Sel...)
	if err != nil {
		return nil, cli.AsSelectUsageError(err)
	}
	bounds := cube.Box(axes.Bounds())
	for d, x := range cube.Box(sec) {
		switch {
		case slices.Equal(sel[d], bounds[d]): // no condition, or one that selects all
			sel[d] = x
		case !slices.Equal(x, bounds[d]) && !slices.Equal(x, sel[d]):
			return nil, cli.Usagef("--sel has the indices %s of dimension %s, --section or --at has %s: give one of them",
				FormatIndices(sel[d]), cli.DimNames(a)[d], FormatIndices(x))
		}
	}
	return sel, nil
}

// checkDimsOf returns an error if a condition is on a dimension that the array does not have.
// Errors of the syntax are left to Axes.Select.
func checkDimsOf(a *drx.Array, conditions []string) error {
	for _, text := range conditions {
		parsed, err := cube.ParseConditions(text)
		if err != nil {
			return nil
		}
		for _, condition := range parsed {
			if _, err := cli.ParseDim(a, condition.Dim); err != nil {
				return err
			}
		}
	}
	return nil
}

// SelectionBytes returns the bytes of a selection, which must be one of the array's.
func SelectionBytes(a *drx.Array, sel cube.Selection) int64 {
	n, _ := nd.Product(sel.Shape()...)
	return int64(n) * int64(a.DType().Size())
}

// EachPart reads a selection in parts of bounded size and calls f with each part and its bytes.
// Unlike EachSlab it also accepts selections that are not sections.
func EachPart(ctx context.Context, c *cube.Cube, sel cube.Selection, order nd.Order, f func(part cube.Selection, b []byte) error) error {
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
		return EachSlab(ctx, a, sec, order, func(slab nd.Section, n int) error { return read(cube.Box(slab), n) })
	}
	return sel.Parts(order, a.DType().Size(), slabTarget, func(part cube.Selection) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := read(part, int(SelectionBytes(a, part)))
		// After an interruption the error of f is only a consequence.
		return cmp.Or(ctx.Err(), err)
	})
}
