package chunkmap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/curve"
	"drx/internal/picture"
	"drx/nd"
)

// orderOptions are the flags of map for drawing orders instead of an array.
type orderOptions struct {
	order, shape, grow string
	noNumbers, noPath  bool
}

// axialOrder is the name of the order of an array's chunks.
const axialOrder = "axial"

// orderNames returns the names that --order accepts.
func orderNames() []string { return append(curve.Names(), axialOrder) }

// orderNotes says how each order can grow, the comparison of section III.A of the 2007 paper.
var orderNotes = map[string]string{
	"row":      "row by row; grows in the first dimension only",
	"col":      "column by column; grows in the last dimension only",
	"morton":   "interleaves the bits of the indices; grows by doubling one dimension after the other",
	"hilbert":  "from neighbour to neighbour; does not grow",
	"shell":    "symmetric shells; grows by one in one dimension after the other",
	axialOrder: "the order of an array's chunks; grows in any dimension by any number",
}

func (o *orderOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.order, "order", "", "draw `orders` instead of an array: "+strings.Join(orderNames(), ", ")+", a list of them, or all")
	f.StringVar(&o.shape, "shape", "", "with --order: `extents` of the box, 1 to 3 dimensions: 8,8")
	f.StringVar(&o.grow, "grow", "", "with --order axial: `how` the box grew from one element, DIM+BY each: 1+3,0+2")
	f.BoolVar(&o.noNumbers, "no-numbers", false, "with --order: draw only the path")
	f.BoolVar(&o.noPath, "no-path", false, "with --order: draw only the numbers")
	cli.CompleteFlag(cmd, "order", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return append(orderNames(), "all"), cobra.ShellCompDirectiveNoFileComp
	})
}

// figure returns the figure of the orders, for a terminal with cols columns.
func (o orderOptions) figure(cols int) (picture.Figure, error) {
	names, shape, err := o.check()
	if err != nil {
		return picture.Figure{}, err
	}
	fig := picture.Figure{
		Title:    "Order of " + cli.FormatShape(shape) + " elements",
		ColDim:   fmt.Sprintf("dim %d", len(shape)-1),
		Gradient: true, Path: !o.noPath, NoNumbers: o.noNumbers, TextWidth: cols,
	}
	if len(shape) > 1 {
		fig.RowDim = fmt.Sprintf("dim %d", len(shape)-2)
	}
	for _, name := range names {
		b, err := o.box(name, shape)
		if err != nil {
			return fig, cli.Usagef("--shape %s: %w", o.shape, err)
		}
		measure, err := b.measure(name)
		if err != nil {
			return fig, err
		}
		fig.Legend = append(fig.Legend, name+": "+orderNotes[name], measure)
		fig.Panels = append(fig.Panels, b.panels(name)...)
	}
	return fig, nil
}

// check checks the flags and returns the names of the orders and the extents.
func (o orderOptions) check() (names []string, shape []int, err error) {
	if names = strings.Split(o.order, ","); o.order == "all" {
		names = orderNames()
	}
	for _, name := range names {
		if orderNotes[name] == "" {
			return nil, nil, cli.Usagef("--order %s: %q is none of %s, all", o.order, name, strings.Join(orderNames(), ", "))
		}
	}
	switch {
	case o.shape == "":
		return nil, nil, cli.Usagef("--order needs --shape; see 'drx map --help'")
	case o.noNumbers && o.noPath:
		return nil, nil, cli.Usagef("--no-numbers --no-path: nothing to draw")
	case o.grow != "" && !slices.Contains(names, axialOrder):
		return nil, nil, cli.Usagef("--grow %s: only order axial has a history", o.grow)
	}
	if shape, err = cli.ParseInts("--shape", o.shape); err != nil {
		return nil, nil, err
	}
	if len(shape) > 3 {
		return nil, nil, cli.Usagef("--shape %s: %d dimensions, at most 3 can be drawn", o.shape, len(shape))
	}
	for d, n := range shape {
		if n < 1 {
			return nil, nil, cli.Usagef("--shape %s: dimension %d: extent %d below 1", o.shape, d, n)
		}
	}
	if n, err := nd.Product(append(slices.Clone(shape), len(names))...); err != nil || n > maxMapChunks {
		return nil, nil, cli.Usagef("--shape %s: more than %d elements in all orders", o.shape, maxMapChunks)
	}
	return names, shape, nil
}

// An orderedBox is an order with its segments, which are drawn separated by lines.
type orderedBox struct {
	curve.Order
	segment func(index []int) int
	history string
}

// box returns the order of a name.
func (o orderOptions) box(name string, shape []int) (orderedBox, error) {
	if name == axialOrder {
		return o.grownBox(shape)
	}
	order, err := curve.New(name, shape)
	b := orderedBox{Order: order, segment: func([]int) int { return 0 }}
	if name == "shell" {
		b.segment = func(index []int) int { return slices.Max(index) }
	}
	return b, err
}

// measure returns a line about the average distance of neighbours in the order.
func (b orderedBox) measure(name string) (string, error) {
	stretch, err := curve.Stretch(b)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: neighbours %.2f places apart on average, %s%s", name, stretch, b.jumps(), b.history), nil
}

// jumps returns a phrase with the number of jumps.
func (b orderedBox) jumps() string {
	switch jumps := b.countJumps(); jumps {
	case 0:
		return "no jumps"
	case 1:
		return "1 jump"
	default:
		return strconv.Itoa(jumps) + " jumps"
	}
}

// countJumps returns the number of times that the next element is not adjacent.
func (b orderedBox) countJumps() int {
	jumps := 0
	last, next := make([]int, b.Rank()), make([]int, b.Rank())
	for q := 1; q < b.Len(); q++ {
		b.Index(q-1, last)
		b.Index(q, next)
		away := 0
		for d := range next {
			away = max(away, next[d]-last[d], last[d]-next[d])
		}
		if away > 1 {
			jumps++
		}
	}
	return jumps
}

// panels returns the box as panels, for three dimensions one per index of the first.
func (b orderedBox) panels(name string) []picture.Panel {
	shape, count := b.Shape(), 1
	if len(shape) == 3 {
		count = shape[0]
	}
	panels := make([]picture.Panel, count)
	index := make([]int, len(shape))
	for i := range panels {
		title := name
		if len(shape) == 3 {
			title = fmt.Sprintf("%s, dim 0 = %d", name, i)
			index[0] = i
		}
		panels[i] = b.panel(index)
		panels[i].Title, panels[i].Break = title, i == 0 && count > 1
	}
	return panels
}

// panel returns one panel. index holds the index in the first of three dimensions; panel overwrites
// the other two.
func (b orderedBox) panel(index []int) picture.Panel {
	shape := b.Shape()
	col := len(shape) - 1
	p := picture.Panel{ColLabels: indices(nd.Span(0, shape[col]).By(1))}
	rows := 1
	if col > 0 {
		rows = shape[col-1]
		p.RowLabels = indices(nd.Span(0, rows).By(1))
	}
	for i := range rows {
		if col > 0 {
			index[col-1] = i
		}
		cells := make([]picture.Cell, shape[col])
		for j := range cells {
			index[col] = j
			q, _ := b.Position(index)
			cells[j] = picture.Cell{Number: int64(q), Segment: b.segment(index), Written: true}
		}
		p.Cells = append(p.Cells, cells)
	}
	return p
}
