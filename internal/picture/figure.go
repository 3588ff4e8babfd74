package picture

import (
	"fmt"

	"drx/internal/plot"
)

// Cell is a chunk in a chunk map.
type Cell struct {
	Number  int64 // the chunk's number, its position in the file
	Segment int   // number of the expansion that added it; negative: no chunk, the cell is blank
	Written bool  // unwritten chunks are lighter and hatched, or in parentheses
}

// Panel is one 2-D slice of the chunk grid. Cells[i][j] is the chunk at row
// RowLabels[i] and column ColLabels[j]. A list of labels may be empty for a side without
// labels.
type Panel struct {
	Title                string
	RowLabels, ColLabels []int
	Cells                [][]Cell
	Break                bool // begins a new line of panels
}

// Figure is a chunk map: the slices of a chunk grid, each chunk with its
// number and the colour of its segment. Legend[i] describes segment i.
// Twelve colours take turns, so segments next to each other in time differ.
type Figure struct {
	Title          string
	RowDim, ColDim string // names of the dimensions of rows and columns
	Panels         []Panel
	Legend         []string
	Gradient       bool // shade chunks by number, dark for the first; the legend is only text
	Path           bool // join the chunks of a panel in order by a line, thin where it jumps
	NoNumbers      bool // no numbers are drawn
	TextWidth      int  // Text arranges panels side by side within n characters; 0: below

	largest int64 // largest chunk number
}

// maxLegend is the largest number of segments in a legend. A line counts the remaining ones.
const maxLegend = 24

// checked returns the figure with control characters in its texts replaced,
// or an error that names the first panel whose cells and labels do not match.
func (f Figure) checked() (Figure, error) {
	f.Title, f.RowDim, f.ColDim = plot.Printable(f.Title), plot.Printable(f.RowDim), plot.Printable(f.ColDim)
	legend := make([]string, len(f.Legend))
	for i, s := range f.Legend {
		legend[i] = plot.Printable(s)
	}
	f.Legend = legend
	panels := make([]Panel, len(f.Panels))
	for i, p := range f.Panels {
		p.Title = plot.Printable(p.Title)
		if err := p.check(); err != nil {
			return f, fmt.Errorf("chunk map panel %d: %w", i, err)
		}
		panels[i] = p
	}
	f.Panels = panels
	_, f.largest, _ = f.census()
	return f, nil
}

// check returns an error unless the panel is a rectangle with fitting labels.
func (p Panel) check() error {
	rows, cols := p.size()
	for i, row := range p.Cells {
		if len(row) != cols {
			return fmt.Errorf("row %d has %d chunks, row 0 has %d", i, len(row), cols)
		}
	}
	if n := len(p.RowLabels); n != 0 && n != rows {
		return fmt.Errorf("%d row labels for %d rows", n, rows)
	}
	if n := len(p.ColLabels); n != 0 && n != cols {
		return fmt.Errorf("%d column labels for %d columns", n, cols)
	}
	return nil
}

// size returns the numbers of rows and columns.
func (p Panel) size() (rows, cols int) {
	if len(p.Cells) == 0 {
		return 0, 0
	}
	return len(p.Cells), len(p.Cells[0])
}

// cell returns a chunk, or a blank cell for a position outside of the panel.
func (p Panel) cell(row, col int) Cell {
	if rows, cols := p.size(); row < 0 || col < 0 || row >= rows || col >= cols {
		return Cell{Segment: -1}
	}
	return p.Cells[row][col]
}

// census returns the number of chunks, the largest chunk number and whether
// some chunk is not written.
func (f Figure) census() (chunks int, largest int64, unwritten bool) {
	for _, p := range f.Panels {
		for _, row := range p.Cells {
			for _, c := range row {
				if c.Segment >= 0 {
					chunks++
					largest = max(largest, c.Number)
					unwritten = unwritten || !c.Written
				}
			}
		}
	}
	return chunks, largest, unwritten
}

// legendItem is a line of the legend. Without a swatch it is only text.
type legendItem struct {
	text    string
	segment int
	written bool
	swatch  bool
}

// noSegment is the segment of the neutral colour in the legend's entry for hatching.
const noSegment = -1

// legend returns the entries of the legend. The explanation of the hatching is the last one.
func (f Figure) legend() []legendItem {
	var items []legendItem
	for i, s := range f.Legend[:min(len(f.Legend), maxLegend)] {
		items = append(items, legendItem{text: s, segment: i, written: true, swatch: !f.Gradient})
	}
	if more := len(f.Legend) - maxLegend; more > 0 {
		items = append(items, legendItem{text: fmt.Sprintf("... and %d more", more)})
	}
	if _, _, unwritten := f.census(); unwritten {
		items = append(items, legendItem{text: "not written", segment: noSegment, swatch: true})
	}
	return items
}
