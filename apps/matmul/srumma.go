package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"drx/dtype"
	"drx/internal/gemm"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// An operand is A or B.
type operand struct {
	*drxmp.Array
	side     int // rows for A, cols for B: the dimension that it shares with C
	innerDim int // the inner dimension of the array
}

// span returns the bounds of a dimension of the array.
func (o operand) span(dim int) span { return spanOf(o.Array, dim) }

func spanOf(a *drxmp.Array, dim int) span { return span{a.Bounds()[dim].Lo, a.Bounds()[dim].Hi} }

// read reads a block from the file into the little-endian bytes buf, and turns them into the byte
// order of the machine.
func (o operand) read(outer, k span, buf []byte) error {
	sec := nd.Sec(nd.Span(outer[0], outer[1]), nd.Span(outer[0], outer[1]))
	sec[o.innerDim] = nd.Span(k[0], k[1])
	err := o.ReadBytes(sec, buf, nil)
	dtype.Float64.ToLittle(buf)
	return err
}

// matrix returns a block as a factor: outer x k for A, k x outer for B.
func (o operand) matrix(data []float64, outer, k int) gemm.Matrix {
	m := gemm.Matrix{Data: data, Stride: k, Transposed: o.side == cols}
	if o.innerDim == 0 {
		m.Stride, m.Transposed = outer, !m.Transposed
	}
	return m
}

// A product adds a box of products to C on one proc, by the algorithm SRUMMA of Krishnan and
// Nieplocha (2004), out of core. Three things overlap:
//
//	load step n        the proc reads the blocks of A and B that it owns from the files into a third of its window
//	get step n-1       it gets the blocks that it needs of others from their windows, by one-sided calls
//	multiply step n-2  it multiplies them and its own, which are in its window, by ascending inner index
//
// Blocks of A are owned by the procs of one row of the grid in turn, those of B by the procs of one
// column. All procs of a row need the same blocks of A: each gets first those of the next proc,
// then of the one after that, so that no two ask the same owner at the same time. The order of the
// gets is not that of the sums, which is the same for any number of procs.
type product struct {
	tiling
	comm     par.Comm
	operands [2]operand
	threads  int
	coords   [2]int // of this proc in the grid
	window   par.Window
	panels   [2][2][]float64 // blocks of others, by step modulo 2, and side
	block    []float64       // of C
}

// newProduct allocates the memory of a product, collective.
func newProduct(c par.Comm, t tiling, operands [2]operand, threads int) (*product, error) {
	p := &product{tiling: t, comm: c, operands: operands, threads: threads}
	p.coords = [2]int{c.Proc() / t.grid[1], c.Proc() % t.grid[1]}
	runtime.GC() // so that the memory of the previous product is freed first
	for i := range p.panels {
		p.panels[i] = [2][]float64{make([]float64, t.panel(rows)), make([]float64, t.panel(cols))}
	}
	p.block = make([]float64, t.block[rows]*t.block[cols])
	var err error
	p.window, err = c.Window(3 * t.windowPart())
	return p, err
}

// close frees the window, collective.
func (p *product) close() error { return p.window.Close() }

// run adds all tiles to C, collective. begin is called before a tile is multiplied and finish after
// it, with the section of C that p.block has, which may be empty. If finish returns false the
// product stops.
func (p *product) run(begin func(nd.Section) error, finish func(tile box, sec nd.Section) (bool, error)) error {
	steps := p.tiles() * p.steps()
	for n := range steps + 2 {
		if err := p.together(n, steps, begin); err != nil {
			return err
		}
		if done := n - 1; n >= 2 && done%p.steps() == 0 {
			tile := p.tile(done/p.steps() - 1)
			if more, err := finish(tile, p.section(tile)); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// together loads step n, gets the step before and multiplies the step before that, at the same
// time, collective.
func (p *product) together(n, steps int, begin func(nd.Section) error) error {
	var errs [3]error
	var group sync.WaitGroup
	if n < steps {
		group.Go(func() { errs[0] = p.load(n) })
	}
	if 1 <= n && n <= steps {
		group.Go(func() { errs[1] = p.get(n - 1) })
	}
	if n >= 2 {
		errs[2] = p.multiply(n-2, begin)
	}
	group.Wait()
	if err := p.comm.Agree("step", errors.Join(errs[:]...)); err != nil {
		return err
	}
	return p.window.Fence()
}

// outer returns the rows of A or the columns of B that this proc multiplies in a step.
func (p *product) outer(n, side int) span {
	return p.blockSpan(p.tile(n/p.steps()), side, p.coords[side])
}

// section returns the section of C that this proc computes of a tile.
func (p *product) section(tile box) nd.Section {
	sec := make(nd.Section, 2)
	for d := range sec {
		s := p.blockSpan(tile, d, p.coords[d])
		sec[d] = nd.Span(s[0], max(s[0], s[1]))
	}
	if sec[0].Len() == 0 || sec[1].Len() == 0 {
		return nd.Sec(nd.Span(tile[0][0], tile[0][0]), nd.Span(tile[1][0], tile[1][0]))
	}
	return sec
}

// at returns where in its owner's window a block is: in the part of its step, first the blocks of
// A, then those of B.
func (p *product) at(n, number, side, bytes int) par.Layout {
	offset := n % 3 * p.windowPart()
	if side == cols {
		offset += 8 * depth * p.owned(rows) * p.tiling.block[rows]
	}
	return par.Contiguous(offset+number/p.grid[1-side]*8*depth*p.tiling.block[side], bytes)
}

// owner returns the position along a row (side rows) or column of the grid of the proc that owns a
// block of A or B.
func (p *product) owner(number, side int) int { return number % p.grid[1-side] }

// inPanel returns the part of a panel for a block of another proc. Panels have no parts for the
// proc's own blocks.
func (p *product) inPanel(n, number, side int) []float64 {
	// blocks with lower numbers that are this proc's own
	mine := nd.CeilDiv(number-p.coords[1-side], p.grid[1-side])
	return p.panels[n%2][side][depth*p.tiling.block[side]*(number-mine):]
}

// data returns a block of a step, of the given number of elements.
func (p *product) data(n, number, side, elements int) []float64 {
	if p.owner(number, side) != p.coords[1-side] {
		return p.inPanel(n, number, side)[:elements]
	}
	at := p.at(n, number, side, 8*elements)
	return floats(p.window.Local()[at.Offset:][:at.Bytes])
}

// floats returns the memory of a window, which begins at a multiple of 8 bytes, as numbers.
func floats(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// load reads the blocks of step n that this proc owns.
func (p *product) load(n int) error {
	for side, o := range p.operands {
		outer := p.outer(n, side)
		for number := p.coords[1-side]; number < p.period; number += p.grid[1-side] {
			k := p.innerSpan(n%p.steps(), number)
			if outer.len() == 0 || k.len() == 0 {
				continue
			}
			to := p.at(n, number, side, 8*outer.len()*k.len())
			if err := o.read(outer, k, p.window.Local()[to.Offset:][:to.Bytes]); err != nil {
				return err
			}
		}
	}
	return nil
}

// get copies the blocks of step n that other procs own to the panels.
func (p *product) get(n int) error {
	if p.outer(n, rows).len() == 0 || p.outer(n, cols).len() == 0 {
		return nil // nothing to multiply
	}
	for turn := range p.period {
		for side := range p.operands {
			number := (p.coords[1-side] + turn) % p.period
			bytes := 8 * p.outer(n, side).len() * p.innerSpan(n%p.steps(), number).len()
			at := p.coords
			at[1-side] = p.owner(number, side)
			if bytes == 0 || at == p.coords {
				continue
			}
			proc, to := at[0]*p.grid[1]+at[1], dtype.Bytes(p.inPanel(n, number, side))
			if err := p.window.Get(proc, p.at(n, number, side, bytes), to, par.Contiguous(0, bytes)); err != nil {
				return fmt.Errorf("get block %d from proc %d: %w", number, proc, err)
			}
		}
	}
	return nil
}

// multiply adds the products of step n to the block of C.
func (p *product) multiply(n int, begin func(nd.Section) error) error {
	r, c := p.outer(n, rows).len(), p.outer(n, cols).len()
	if r == 0 || c == 0 {
		return nil
	}
	if n%p.steps() == 0 {
		if err := begin(p.section(p.tile(n / p.steps()))); err != nil {
			return err
		}
	}
	for number := range p.period {
		var factors [2]gemm.Matrix
		k := p.innerSpan(n%p.steps(), number).len()
		for side, o := range p.operands {
			outer := p.outer(n, side).len()
			factors[side] = o.matrix(p.data(n, number, side, outer*k), outer, k)
		}
		addProduct(p.threads, r, c, k, factors[0], factors[1], p.block, c)
	}
	return nil
}
