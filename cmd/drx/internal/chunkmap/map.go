// Package chunkmap has the verb map, which draws the chunks of an array and orders of elements.
package chunkmap

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/axial"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/internal/picture"
	"drx/nd"
)

// mapOptions are the flags of map.
type mapOptions struct {
	dims, at, out string
	noColor       bool
	orderOptions
}

// New returns the verb map.
func New() *cobra.Command {
	var o mapOptions
	cmd := &cobra.Command{
		Use:     "map ARRAY | map --order NAME --shape EXTENTS",
		Short:   "Draw the chunk grid: numbers, segments, written chunks",
		GroupID: cli.GroupStorage,
		Long: `Draw the chunk grid of an array: every chunk with its number, which is its position in the
file, and the colour of its segment, the extension that added it. The legend lists the
history. Chunks that were never written are in parentheses or hatched.

Rows and columns are the last two dimensions with more than one chunk; --dims chooses others.
The first remaining dimension with more than one chunk gets one panel per chunk index, whose
title has the indices of its elements, or their labels. Of all others only the first chunk
index is shown, and a note says so. --at chooses one chunk index or a range, for any dimension:
with chunks of 3 times, --at time=1 is the times 3 to 5. In other verbs --at has element indices.

With --order, orders of elements or chunks are drawn instead of an array: the position of every
element, the path from one to the next, and the average distance of neighbours. Lines separate
the shells or segments in which an order grows. In three dimensions there is one panel per
index of the first. Without --grow the axial order extends each dimension in turn, by 1, 2, 3,
... elements.`,
		Example: `  drx map radar
  drx map radar -o radar.svg
  drx map radar --at time=0:4 --dims y,x -o radar.png
  drx map --order all --shape 8,8 -o orders.svg
  drx map --order hilbert --shape 16,16
  drx map --order axial --shape 4,6 --grow 1+2,0+3,1+3`,
		Args:              o.args,
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckExtension(o.out, ".png", ".svg"); err != nil {
				return err
			}
			if err := cli.CheckNotJSON(cmd, o.out == "-", "-o -"); err != nil {
				return err
			}
			if o.order != "" {
				return o.drawOrders(cmd)
			}
			return arrays.With(args[0], false, func(a *drx.Array) error { return o.draw(cmd, a) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dims, "dims", "", "`dimensions` drawn as rows and columns: y,x")
	selection.AddAtTo(cmd, &o.at, "`indices` of chunks to show: time=3,y=0:4")
	f.StringVarP(&o.out, "output", "o", "", "PNG or SVG `file` to write, - for PNG on stdout (default: text)")
	f.BoolVar(&o.noColor, "no-color", false, "no colours in the text, even in a terminal")
	o.orderOptions.flags(cmd)
	return cmd
}

// args checks the arguments: either an array or --order, each with its own flags.
func (o *mapOptions) args(cmd *cobra.Command, args []string) error {
	foreign, of, want := []string{"shape", "grow", "no-numbers", "no-path"}, "--order", []string{"ARRAY"}
	if o.order != "" {
		foreign, of, want = []string{"dims", "at"}, "an array", nil
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("map: --%s goes with %s; see 'drx map --help'", name, of)
		}
	}
	if o.order != "" && len(args) > 0 {
		return cli.Usagef("map: --order draws the orders of a --shape, not an array: want none, got %d arguments; leave out %s", len(args), args[0])
	}
	return cli.Exactly(want...)(cmd, args)
}

func (o mapOptions) draw(cmd *cobra.Command, a *drx.Array) error {
	fig, aside, err := Figure(a, o.dims, o.at)
	if err != nil {
		return err
	}
	cli.Note(cmd, a, aside)
	if err := o.show(cmd, fig); err != nil || !cli.WantsJSON(cmd) {
		return err
	}
	return printMapJSON(cmd, a, o.at)
}

// drawOrders draws the orders that --order names.
func (o mapOptions) drawOrders(cmd *cobra.Command) error {
	s, err := display.NewScreen(cmd.OutOrStdout(), 0)
	if err != nil {
		return err
	}
	fig, err := o.figure(s.Cols)
	if err != nil {
		return err
	}
	if err := o.show(cmd, fig); err != nil || !cli.WantsJSON(cmd) {
		return err
	}
	return o.printJSON(cmd)
}

// show writes the figure to the file of -o, or as text unless --json was given.
func (o mapOptions) show(cmd *cobra.Command, fig picture.Figure) error {
	stdout := cmd.OutOrStdout()
	switch {
	case o.out == "" && cli.WantsJSON(cmd):
		return nil
	case o.out == "":
		color := picture.DetectMode(os.Getenv, cli.IsTerminal(stdout)) != picture.ASCII
		return fig.Text(stdout, color && !o.noColor)
	case o.out == "-":
		return fig.PNG(stdout)
	case strings.EqualFold(filepath.Ext(o.out), ".svg"):
		return outfile.Replace(o.out, fig.SVG)
	}
	return outfile.Replace(o.out, func(w io.Writer) error { return fig.PNG(w) })
}

// chosenChunks returns the chunk grid of an array, and the section of the grid that --at selects.
func chosenChunks(a *drx.Array, at string) (*axial.Grid, nd.Section, error) {
	grid := a.Grid()
	bounds := nd.Box(grid.Lo(), grid.Hi())
	sec, err := selection.ApplyAt(a, bounds, bounds, at, selection.ChunkHint)
	if err == nil {
		err = display.CheckDrawable(a, cube.Box(sec))
	}
	return grid, sec, err
}

// Figure returns the chunk map of an array. If not all chunks are shown, note says which are.
// dims and at are the values of the flags.
func Figure(a *drx.Array, dims, at string) (fig picture.Figure, note string, err error) {
	grid, sec, err := chosenChunks(a, at)
	if err != nil {
		return fig, "", err
	}
	p, err := display.ChoosePlane(a, dims, sec.Shape())
	if err != nil {
		return fig, "", err
	}
	panels := panelDim(sec, p)
	sel := cube.Box(sec)
	note = display.ShownNote("chunk ", display.FixOthers(a, sel, p, panels))
	sec, _ = sel.Section() // a box is one range per dimension
	if n, err := sec.Len(); err != nil || n > maxMapChunks {
		return fig, "", fmt.Errorf("%s: chunk map %v: more than %d chunks; choose with --at", a.Name(), sec, maxMapChunks)
	}
	names := cli.DimNames(a)
	fig = picture.Figure{
		Title:  fmt.Sprintf("%s: %s elements in chunks of %s", cli.Printable(filepath.Base(a.Name())), cli.FormatShape(a.Shape()), cli.FormatShape(a.ChunkShape())),
		ColDim: names[p.Cols],
		Legend: segmentLegend(grid, names),
	}
	if p.Rows >= 0 {
		fig.RowDim = names[p.Rows]
	}
	fig.Panels, err = chunkPanels(a, grid, sec, p, panels)
	return fig, note, err
}

// maxMapChunks is the largest number of chunks in a map, since an SVG has one rectangle per chunk.
const maxMapChunks = 300_000

// panelDim returns the dimension that gets a panel per index, or -1.
func panelDim(sec nd.Section, p display.Plane) int {
	for d, r := range sec {
		if !p.Has(d) && r.Len() > 1 {
			return d
		}
	}
	return -1
}

// chunkPanels returns one panel per index of dimension dim, or a single panel if dim is negative.
func chunkPanels(a *drx.Array, grid *axial.Grid, sec nd.Section, p display.Plane, dim int) ([]picture.Panel, error) {
	if dim < 0 {
		panel, err := chunkPanel(grid, sec, p, a.Written)
		return []picture.Panel{panel}, err
	}
	c, err := cube.Of(a)
	if err != nil {
		return nil, err
	}
	var panels []picture.Panel
	sec = slices.Clone(sec)
	for _, index := range indices(sec[dim]) {
		sec[dim] = nd.At(index).By(1)
		panel, err := chunkPanel(grid, sec, p, a.Written)
		if err != nil {
			return nil, err
		}
		panel.Title = panelTitle(c, dim, index)
		panels = append(panels, panel)
	}
	return panels, nil
}

// panelTitle returns the title of the panel of a chunk index: the elements of its chunks in the
// dimension, by their labels or else their indices.
func panelTitle(c *cube.Cube, dim, chunk int) string {
	a := c.Array()
	r, extent := a.Bounds()[dim], a.ChunkShape()[dim]
	first, last := max(r.Lo, chunk*extent), min(r.Hi-1, chunk*extent+extent-1)
	elements := cli.Escaped(c.Label(dim, first))
	if last > first {
		elements += " to " + cli.Escaped(c.Label(dim, last))
	}
	title := fmt.Sprintf("%s = %s", cli.DimNames(a)[dim], elements)
	if elements == strconv.Itoa(chunk) { // chunks of one element: both indices are the same
		return title
	}
	return fmt.Sprintf("%s (chunk %d)", title, chunk)
}

// chunkPanel returns the chunks of a section of the grid as a panel. Outside of the dimensions of p
// the section has extent 1. written reports whether a chunk was ever written.
func chunkPanel(grid *axial.Grid, sec nd.Section, p display.Plane, written func(axial.Number) (bool, error)) (picture.Panel, error) {
	panel := picture.Panel{ColLabels: indices(sec[p.Cols])}
	rows := []int{0}
	if p.Rows >= 0 {
		rows = indices(sec[p.Rows])
		panel.RowLabels = rows
	}
	index := make([]int, len(sec))
	for d, r := range sec {
		index[d] = r.Lo
	}
	for _, row := range rows {
		cells := make([]picture.Cell, len(panel.ColLabels))
		for j, col := range panel.ColLabels {
			if p.Rows >= 0 {
				index[p.Rows] = row
			}
			index[p.Cols] = col
			q, _ := grid.Number(index)
			segment, _ := grid.SegmentOf(index)
			w, err := written(q)
			if err != nil {
				return panel, err
			}
			cells[j] = picture.Cell{Number: int64(q), Segment: segment, Written: w}
		}
		panel.Cells = append(panel.Cells, cells)
	}
	return panel, nil
}

// indices lists the indices that a resolved range selects.
func indices(r nd.Range) []int {
	list := make([]int, r.Len())
	for i := range list {
		list[i] = r.Lo + i*r.Stride()
	}
	return list
}

// segmentLegend describes each segment: which dimension was extended by how many chunk indices,
// whether on the low side, and the numbers of the chunks.
func segmentLegend(grid *axial.Grid, names []string) []string {
	records := grid.Records()
	legend := make([]string, len(records))
	first, last := make([]int, grid.Rank()), make([]int, grid.Rank())
	for i, r := range records {
		end := grid.Chunks() - 1
		if i+1 < len(records) {
			end = records[i+1].Number - 1
		}
		// The first and the last chunk of a segment are opposite corners of its box.
		grid.Index(r.Number, first)
		grid.Index(end, last)
		extents := make([]int, len(first))
		for d := range first {
			extents[d] = max(last[d]-first[d], first[d]-last[d]) + 1
		}
		what := fmt.Sprintf("%s +%d", names[r.Dim], extents[r.Dim])
		if r.Side == axial.Low {
			what += " low"
		}
		if i == 0 {
			what = "first " + cli.FormatShape(extents)
		}
		chunks := fmt.Sprintf("chunks %d to %d", r.Number, end)
		if r.Number == end {
			chunks = fmt.Sprintf("chunk %d", end)
		}
		legend[i] = fmt.Sprintf("%d: %s, %s", i, what, chunks)
	}
	return legend
}
