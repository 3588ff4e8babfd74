package foreign

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/dataset"
	"drx/formats/transfer"
)

// A selector implements transfer.Selector with the flags --section, --at and --sel.
type selector struct {
	*selection.Flags
	cmd *cobra.Command
}

// conditions returns the conditions of --sel, for a dataset.
func (s selector) conditions() (transfer.Conditions, error) {
	method, err := dataset.ParseMethod(s.Method)
	if err != nil {
		err = cli.Usagef("--method %q: want usual, nearest or exact", s.Method)
	}
	return transfer.Conditions{Method: method, Sel: s.Sel}, err
}

// Array implements transfer.Selector.
func (s selector) Array(a *drx.Array, _ *dataset.Axes) (cube.Selection, error) {
	_, sel, err := s.CubeOf(s.cmd, a)
	return sel, err
}

// ByIndices implements transfer.Selector.
func (s selector) ByIndices() bool { return s.Section != "" }

// Variable implements transfer.Selector.
func (s selector) Variable(v *dataset.Variable) (cube.Selection, error) {
	c, err := s.conditions()
	if err != nil {
		return nil, err
	}
	sel, err := c.Variable(v)
	if err != nil {
		return nil, err
	}
	fields := []string(nil)
	if selection.ByPosition(s.At) {
		fields = []string{s.At}
	}
	for _, field := range selection.FieldsOf(s.At) {
		if dim, _, _ := strings.Cut(field, "="); transfer.HasDim(v, dim) {
			fields = append(fields, field)
		}
	}
	if fields == nil {
		return sel, nil
	}
	bounds := v.Axes().Bounds()
	sec, err := selection.ApplyAt(v.Array(), bounds, bounds, strings.Join(fields, ","), selection.LabelHint)
	if err != nil {
		return nil, err
	}
	for d, x := range cube.Box(sec) {
		if !slices.Equal(x, cube.Box(bounds)[d]) {
			sel[d] = x
		}
	}
	return sel, nil
}

// Check implements transfer.Selector.
func (s selector) Check(vars []*dataset.Variable) error {
	c, err := s.conditions()
	if err != nil {
		return err
	}
	if err := c.Check(vars); err != nil {
		return err
	}
	if selection.ByPosition(s.At) {
		return nil // of every variable, see Variable
	}
	for _, field := range selection.FieldsOf(s.At) {
		dim, _, _ := strings.Cut(field, "=")
		if !slices.ContainsFunc(vars, func(v *dataset.Variable) bool { return transfer.HasDim(v, dim) }) {
			return cli.Usagef("--at %s: no variable that is exported has a dimension %q", s.At, dim)
		}
	}
	return nil
}
