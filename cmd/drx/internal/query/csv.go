package query

import (
	"bufio"
	"context"
	"io"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/nd"
)

// printCSV prints a selection: a line of headings, and one line per row of the last dimension in
// the given order, which begins with the labels in the other dimensions. An array of one dimension
// gets one line per element.
func printCSV(ctx context.Context, to io.Writer, c *cube.Cube, sel cube.Selection, order nd.Order) error {
	dims := order.Dims(len(sel))
	if len(dims) == 1 {
		return printLong(ctx, to, c, sel, order)
	}
	lead, last := dims[:len(dims)-1], dims[len(dims)-1]
	p, width := newCSVPrinter(to, c, sel, lead), sel[last].Len()
	for i := 0; i < width && ctx.Err() == nil; i++ {
		p.field(c.Label(last, sel[last].At(i)))
	}
	p.end()
	return p.elements(ctx, order, width)
}

// printLong prints a selection with one line per element, which begins with its labels.
func printLong(ctx context.Context, to io.Writer, c *cube.Cube, sel cube.Selection, order nd.Order) error {
	p := newCSVPrinter(to, c, sel, order.Dims(len(sel)))
	p.field("value")
	p.end()
	return p.elements(ctx, order, 1)
}

// A csvPrinter prints CSV whose lines begin with labels in some dimensions of a selection.
type csvPrinter struct {
	w        *bufio.Writer // keeps the first error until Flush
	c        *cube.Cube
	sel      cube.Selection
	lead     []int // the dimensions whose labels begin a line
	position []int // of the next line's labels, in each of them
	lo, hi   []int // bounds of the positions
	within   bool  // the line has a field already
	text     func(string) string
}

// newCSVPrinter returns a printer that has printed the first headings, the names of the lead
// dimensions.
func newCSVPrinter(to io.Writer, c *cube.Cube, sel cube.Selection, lead []int) *csvPrinter {
	n := len(lead)
	p := &csvPrinter{
		w: bufio.NewWriter(to), c: c, sel: sel, lead: lead, text: cli.CsvFields(cli.IsTerminal(to)),
		position: make([]int, n), lo: make([]int, n), hi: make([]int, n),
	}
	names := cli.DimNames(c.Array())
	for i, d := range lead {
		p.hi[i] = sel[d].Len()
		p.field(names[d])
	}
	return p
}

// field prints a text as a field, in quotes if necessary.
func (p *csvPrinter) field(text string) { p.number(p.text(text)) }

// number prints a field that needs no quotes, such as a number.
func (p *csvPrinter) number(text string) {
	if p.within {
		p.w.WriteByte(',')
	}
	p.within = true
	p.w.WriteString(text)
}

// end ends a line.
func (p *csvPrinter) end() {
	p.w.WriteByte('\n')
	p.within = false
}

// labels prints the labels that begin the next line.
func (p *csvPrinter) labels() {
	for i, d := range p.lead {
		p.field(p.c.Label(d, p.sel[d].At(p.position[i])))
	}
	nd.Next(p.position, p.lo, p.hi)
}

// cancelInterval is the number of elements that are printed between two checks for an interruption,
// so that the check costs next to nothing per element.
const cancelInterval = 1 << 12

// elements prints the elements, width of them on a line.
func (p *csvPrinter) elements(ctx context.Context, order nd.Order, width int) error {
	t, column := p.c.Array().DType(), 0
	err := selection.EachPart(ctx, p.c, p.sel, order, func(_ cube.Selection, b []byte) error {
		for i := 0; len(b) > 0; b = b[t.Size():] {
			if i++; i%cancelInterval == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if column == 0 {
				p.labels()
			}
			p.number(t.Format(b[:t.Size()]))
			if column++; column == width {
				column = 0
				p.end()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.w.Flush()
}
