package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/axial"
	"drx/internal/picture"
	"drx/nd"
)

// mapOptions are the flags of map.
type mapOptions struct {
	dims, at, out string
	noColor       bool
	orderOptions
}

func newMap() *cobra.Command {
	var o mapOptions
	cmd := &cobra.Command{
		Use:     "map ARRAY | map --order NAME --shape EXTENTS",
		Short:   "Draw the chunk grid: numbers, segments, what is written",
		GroupID: groupLook,
		Long: `Draw the chunk grid of an array: every chunk with its number, which is its place in the
file, and the colour of its segment, the extension that it came with. The legend tells the
history. Chunks never written stand in parentheses, or are hatched.

Rows and columns are the last two dimensions with more than one chunk; --dims chooses
others. The first further dimension with more than one chunk has a panel per chunk index;
of all others the first index is shown, and a note says so. --at chooses chunk indices, one
or a range, of any dimension.

With --order no array is drawn but the orders in which elements or chunks can be numbered:
the place of every element, the path from one to the next, and how far neighbours are apart.
Lines separate the shells and segments in which an order grows. Three dimensions have a
panel per index of the first. Without --grow the axial order grows in turn by 1, 2, 3 ...`,
		Example: `  drx map radar
  drx map radar -o radar.svg
  drx map radar --at time=0:4 --dims y,x -o radar.png
  drx map --order all --shape 8,8 -o orders.svg
  drx map --order hilbert --shape 16,16
  drx map --order axial --shape 4,6 --grow 1+2,0+3,1+3`,
		Args:              o.args,
		ValidArgsFunction: completeArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkExtension(o.out, ".png", ".svg"); err != nil {
				return err
			}
			if o.order != "" {
				return o.drawOrders(cmd)
			}
			return withArray(args[0], false, func(a *drx.Array) error { return o.draw(cmd, a) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dims, "dims", "", "dimensions drawn as rows and columns: y,x")
	f.StringVar(&o.at, "at", "", "chunk indices to show: time=3,y=0:4")
	f.StringVarP(&o.out, "output", "o", "", "PNG or SVG file to write, - for PNG on stdout (default: text)")
	f.BoolVar(&o.noColor, "no-color", false, "no colours in the text, even in a terminal")
	o.orderOptions.flags(cmd)
	return cmd
}

// args wants an array or orders, each with its own flags.
func (o *mapOptions) args(cmd *cobra.Command, args []string) error {
	foreign, of, want := []string{"shape", "grow", "no-numbers", "no-path"}, "--order", []string{"ARRAY"}
	if o.order != "" {
		foreign, of, want = []string{"dims", "at"}, "an array", nil
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return usagef("map: --%s goes with %s; see 'drx map --help'", name, of)
		}
	}
	return exactly(want...)(cmd, args)
}

func (o mapOptions) draw(cmd *cobra.Command, a *drx.Array) error {
	fig, note, err := mapFigure(a, o.dims, o.at)
	if err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: %s\n", shown(a.Name()), note)
	}
	return o.show(cmd, fig)
}

// drawOrders draws orders.
func (o mapOptions) drawOrders(cmd *cobra.Command) error {
	s, err := newScreen(cmd.OutOrStdout(), 0)
	if err != nil {
		return err
	}
	fig, err := o.figure(s.cols)
	if err != nil {
		return err
	}
	return o.show(cmd, fig)
}

// show writes the figure as -o says.
func (o mapOptions) show(cmd *cobra.Command, fig picture.Figure) error {
	stdout := cmd.OutOrStdout()
	switch {
	case o.out == "":
		color := picture.DetectMode(os.Getenv, isTerminal(stdout)) != picture.ASCII
		return fig.Text(stdout, color && !o.noColor)
	case o.out == "-":
		return fig.PNG(stdout)
	case strings.EqualFold(filepath.Ext(o.out), ".svg"):
		return replaceFile(o.out, fig.SVG)
	}
	return replaceFile(o.out, func(w io.Writer) error { return fig.PNG(w) })
}

// mapFigure returns the chunk map of an array and a note about what was chosen to be
// shown, empty if nothing was. dims and at are the flags.
func mapFigure(a *drx.Array, dims, at string) (fig picture.Figure, note string, err error) {
	grid := a.Grid()
	bounds := nd.Box(grid.Lo(), grid.Hi())
	sec, err := narrow(a, bounds, bounds, at)
	if err != nil {
		return fig, "", err
	}
	p, err := choosePlane(a, dims, sec.Shape())
	if err != nil {
		return fig, "", err
	}
	panels := panelDim(sec, p)
	note = fixOthers(a, sec, p, panels)
	if n, err := sec.Len(); err != nil || n > mostOfMap {
		return fig, "", fmt.Errorf("%s: chunk map %v: more than %d chunks; choose with --at", a.Name(), sec, mostOfMap)
	}
	names := dimNames(a)
	fig = picture.Figure{
		Title:  fmt.Sprintf("%s: %s elements in chunks of %s", shown(filepath.Base(a.Name())), times(a.Shape()), times(a.ChunkShape())),
		ColDim: names[p.cols],
		Legend: segmentLegend(grid, names),
	}
	if p.rows >= 0 {
		fig.RowDim = names[p.rows]
	}
	fig.Panels, err = chunkPanels(a, grid, sec, p, panels)
	return fig, note, err
}

// mostOfMap is the most chunks a map shows; the largest SVG has as many rectangles.
const mostOfMap = 300_000

// panelDim returns the dimension that has a panel per index, -1 for none.
func panelDim(sec nd.Section, p plane) int {
	for d, r := range sec {
		if !p.has(d) && r.Len() > 1 {
			return d
		}
	}
	return -1
}

// chunkPanels returns a panel per index of dimension dim, one in all if dim is below zero.
func chunkPanels(a *drx.Array, grid *axial.Grid, sec nd.Section, p plane, dim int) ([]picture.Panel, error) {
	if dim < 0 {
		panel, err := chunkPanel(grid, sec, p, a.Written)
		return []picture.Panel{panel}, err
	}
	var panels []picture.Panel
	sec = slices.Clone(sec)
	for _, index := range indices(sec[dim]) {
		sec[dim] = nd.At(index).By(1)
		panel, err := chunkPanel(grid, sec, p, a.Written)
		if err != nil {
			return nil, err
		}
		panel.Title = fmt.Sprintf("%s = %d", dimNames(a)[dim], index)
		panels = append(panels, panel)
	}
	return panels, nil
}

// chunkPanel returns the chunks of a section of the grid, of which only the dimensions of
// p are longer than one. written says whether a chunk was ever written.
func chunkPanel(grid *axial.Grid, sec nd.Section, p plane, written func(axial.Number) (bool, error)) (picture.Panel, error) {
	panel := picture.Panel{ColLabels: indices(sec[p.cols])}
	rows := []int{0}
	if p.rows >= 0 {
		rows = indices(sec[p.rows])
		panel.RowLabels = rows
	}
	index := make([]int, len(sec))
	for d, r := range sec {
		index[d] = r.Lo
	}
	for _, row := range rows {
		cells := make([]picture.Cell, len(panel.ColLabels))
		for j, col := range panel.ColLabels {
			if p.rows >= 0 {
				index[p.rows] = row
			}
			index[p.cols] = col
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

// segmentLegend describes each segment: what was extended by how many chunk indices, on
// which side if it is the low one, and the numbers of the chunks.
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
			what = "first " + times(extents)
		}
		chunks := fmt.Sprintf("chunks %d to %d", r.Number, end)
		if r.Number == end {
			chunks = fmt.Sprintf("chunk %d", end)
		}
		legend[i] = fmt.Sprintf("%d: %s, %s", i, what, chunks)
	}
	return legend
}
