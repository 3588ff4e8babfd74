package query

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/dataset/stats"
	"drx/nd"
)

// A readResult is the beginning of the JSON that read prints; the elements follow.
type readResult struct {
	Name    string   `json:"name"`
	DType   string   `json:"dtype"`
	Dims    []string `json:"dims"`
	Section string   `json:"section"`
	Shape   []int    `json:"shape"`
}

// printReadJSON prints a selection as an object whose last field has the elements. It writes the
// elements part by part, so that memory does not grow with the selection.
func printReadJSON(ctx context.Context, to io.Writer, c *cube.Cube, sel cube.Selection, order nd.Order) error {
	a := c.Array()
	permuted := make(cube.Selection, len(sel))
	r := readResult{Name: a.Name(), DType: a.DType().String(), Shape: order.Apply(sel.Shape())}
	for i, d := range order.Dims(len(sel)) {
		permuted[i] = sel[d]
		r.Dims = append(r.Dims, a.Dims()[d])
	}
	r.Section = selection.FormatSelection(permuted)
	var head bytes.Buffer
	if err := cli.PrintJSON(&head, r); err != nil {
		return err
	}
	w := bufio.NewWriter(to) // keeps the first error until Flush
	w.Write(bytes.TrimSuffix(head.Bytes(), []byte("}\n")))
	w.WriteString(`,"values":[`)
	if err := writeElements(ctx, w, c, sel, order); err != nil {
		return err
	}
	w.WriteString("]}\n")
	return w.Flush()
}

// writeElements writes the elements of a selection as JSON, separated by commas.
func writeElements(ctx context.Context, w *bufio.Writer, c *cube.Cube, sel cube.Selection, order nd.Order) error {
	t, n := c.Array().DType(), 0
	return selection.EachPart(ctx, c, sel, order, func(_ cube.Selection, b []byte) error {
		for ; len(b) > 0; b = b[t.Size():] {
			if n++; n%cancelInterval == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if n > 1 {
				w.WriteByte(',')
			}
			w.Write(t.ToJSON(b[:t.Size()]))
		}
		return nil
	})
}

// A statsResult is the output of stats as JSON: for each combination of indices in the dimensions
// that remain, row-major, the number of elements and the values of the statistics.
type statsResult struct {
	Name       string      `json:"name"`
	DType      string      `json:"dtype"`
	Section    string      `json:"section"`
	Over       []int       `json:"over"` // the dimensions that were reduced
	Dims       []string    `json:"dims"` // the names of the others
	Shape      []int       `json:"shape"`
	Groups     []string    `json:"groups,omitempty"`    // the names of the groups
	Grouped    *int        `json:"group_of,omitempty"`  // the dimension that is divided into groups
	Groupings  []grouped   `json:"groupings,omitempty"` // in place of these two, if several are
	Counts     []int64     `json:"counts"`
	Statistics []statistic `json:"statistics"`
}

// A grouped dimension has groups with names.
type grouped struct {
	Of     int      `json:"group_of"`
	Name   string   `json:"name"`
	Groups []string `json:"groups"`
}

// A statistic has the values of one statistic.
type statistic struct {
	Name   string            `json:"name"`
	DType  string            `json:"dtype"`
	Values []json.RawMessage `json:"values"` // null if computed from no element
}

func newStatsResult(a *drx.Array, sel cube.Selection, r *stats.Result) statsResult {
	s := statsResult{
		Name: a.Name(), DType: a.DType().String(), Section: selection.FormatSelection(sel),
		Over: []int{}, Dims: []string{}, Shape: r.Shape(), Counts: r.Count,
	}
	for d, name := range a.Dims() {
		if slices.ContainsFunc(r.Axes, func(x stats.Axis) bool { return x.Dim == d }) {
			s.Dims = append(s.Dims, name)
		} else {
			s.Over = append(s.Over, d)
		}
	}
	for _, x := range r.Axes {
		if x.Group != nil {
			s.Groups, s.Grouped = x.Group.Names, &x.Dim
			s.Groupings = append(s.Groupings, grouped{x.Dim, x.Group.Label, x.Group.Names})
		}
	}
	if len(s.Groupings) > 1 {
		s.Groups, s.Grouped = nil, nil
	} else {
		s.Groupings = nil
	}
	for k := range r.Columns {
		column := &r.Columns[k]
		one := statistic{Name: column.Func.String(), DType: column.DType.String(), Values: []json.RawMessage{}}
		for i := range r.Count {
			one.Values = append(one.Values, r.JSON(column, i))
		}
		s.Statistics = append(s.Statistics, one)
	}
	return s
}
