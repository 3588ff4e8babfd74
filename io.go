package drx

import (
	"bytes"
	"errors"
	"fmt"

	"drx/internal/meta"
	"drx/internal/plan"
	"drx/internal/pool"
	"drx/internal/strided"
	"drx/nd"
)

// ReadBytes reads a section into buf: dense, little-endian elements in the given order of
// the dimensions. buf must have the size of the section in bytes. A nil section is the
// whole array. Elements never written read as the fill value. The error wraps ErrRank,
// ErrBounds, ErrSize, ErrClosed or ErrCorrupt; buf may have changed then.
func (a *Array) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	t, err := a.beginTransfer("read", false, sec, order)
	if err != nil {
		return err
	}
	defer t.done()
	return t.read(buf)
}

// WriteBytes writes a section from buf, laid out as ReadBytes describes. The error wraps
// ErrRank, ErrBounds, ErrSize, ErrClosed, ErrReadOnly or ErrCorrupt (a damaged chunk is
// not written in part).
func (a *Array) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	t, err := a.beginTransfer("write", true, sec, order)
	if err != nil {
		return err
	}
	defer t.done()
	return t.write(buf)
}

// FillBytes sets every element of a section to value, one little-endian element. Chunks
// never written stay so where value is the fill value of the array.
func (a *Array) FillBytes(sec nd.Section, value []byte) error {
	t, err := a.beginTransfer("fill", true, sec, nil)
	if err != nil {
		return err
	}
	defer t.done()
	return t.fill(value)
}

// A transfer moves one section between an array and a buffer. It keeps the array open and
// sees it as it was when it began.
type transfer struct {
	array   *Array
	op      string
	state   *meta.State
	sec     nd.Section
	shape   []int
	strides []int // of the buffer, in bytes
	size    int   // of the buffer, in bytes
	done    func()
}

// beginTransfer checks a section and an order against the array.
func (a *Array) beginTransfer(op string, write bool, sec nd.Section, order nd.Order) (*transfer, error) {
	done, err := a.begin(op, write)
	if err != nil {
		return nil, err
	}
	t := &transfer{array: a, op: op, done: done}
	if write {
		// Before the state is taken: a Shrink in between would take away what is written.
		if err := a.lockChunks(); err != nil {
			done()
			return nil, a.errorf(op, err)
		}
		t.done = func() {
			a.commit.RUnlock()
			done()
		}
	}
	t.state = a.state.Load()
	if err := t.resolve(sec, order); err != nil {
		t.done()
		return nil, a.errorf(op, err)
	}
	return t, nil
}

func (t *transfer) resolve(sec nd.Section, order nd.Order) (err error) {
	s := t.state
	if t.sec, err = sec.Resolve(s.Lo, s.Hi); err != nil {
		return err
	}
	if err := order.Check(len(s.Lo)); err != nil {
		return err
	}
	t.shape = t.sec.Shape()
	n, err := nd.Product(t.shape...)
	if err != nil {
		return err
	}
	size, ok := nd.Mul(n, s.DType.Size())
	if !ok {
		return fmt.Errorf("section %v of %v: %w", t.sec, s.DType, ErrOverflow)
	}
	t.size = size
	t.strides = order.Strides(t.shape)
	for d := range t.strides {
		t.strides[d] *= s.DType.Size()
	}
	return nil
}

func (t *transfer) checkSize(bytes int) error {
	if bytes != t.size {
		return t.array.errorf(t.op, fmt.Errorf("buffer of %d bytes for section %v of %v, which has %d: %w",
			bytes, t.sec, t.state.DType, t.size, ErrSize))
	}
	return nil
}

func (t *transfer) read(buf []byte) error {
	if err := t.checkSize(len(buf)); err != nil {
		return err
	}
	elem := t.state.DType.Size()
	return t.each(func(p *plan.Piece, chunk, at int, strides []int) error {
		err := t.array.pool.View(p.Number, func(data []byte) {
			strided.Copy(buf[at:], t.strides, data[chunk:], strides, p.Shape, elem)
		})
		if errors.Is(err, pool.ErrAbsent) {
			strided.Fill(buf[at:], t.strides, p.Shape, t.state.Fill)
			return nil
		}
		return err
	})
}

func (t *transfer) write(buf []byte) error {
	if err := t.checkSize(len(buf)); err != nil {
		return err
	}
	elem := t.state.DType.Size()
	return t.update(false, func(data []byte, p *plan.Piece, chunk, at int, strides []int) {
		strided.Copy(data[chunk:], strides, buf[at:], t.strides, p.Shape, elem)
	})
}

// update calls f with the bytes of every chunk that the section touches. It skips chunks
// that were never written if blank says that this would leave them as they are.
func (t *transfer) update(blank bool, f func(data []byte, p *plan.Piece, chunk, at int, strides []int)) error {
	if t.array.shared {
		return t.updateShared(f)
	}
	return t.each(func(p *plan.Piece, chunk, at int, strides []int) error {
		if blank {
			if absent, err := t.array.pool.Absent(p.Number); err != nil || absent {
				return err
			}
		}
		return t.array.pool.Update(p.Number, p.Whole, func(data []byte) { f(data, p, chunk, at, strides) })
	})
}

func (t *transfer) fill(value []byte) error {
	if len(value) != t.state.DType.Size() {
		return t.array.errorf(t.op, fmt.Errorf("value of %d bytes for %v: %w", len(value), t.state.DType, ErrSize))
	}
	return t.update(bytes.Equal(value, t.state.Fill), func(data []byte, p *plan.Piece, chunk, _ int, strides []int) {
		strided.Fill(data[chunk:], strides, p.Shape, value)
	})
}

// each calls f for every piece, with the offsets of its first element in the chunk and in
// the buffer and the strides of its elements in the chunk, all in bytes.
func (t *transfer) each(f func(p *plan.Piece, chunk, at int, strides []int) error) error {
	s := t.state
	strides := make([]int, len(s.Strides))
	for d := range strides {
		strides[d] = s.Strides[d] * t.sec[d].Step
	}
	err := plan.Each(s, t.sec, func(p *plan.Piece) error {
		chunk, at := 0, 0
		for d := range strides {
			chunk += p.First[d] * s.Strides[d]
			at += p.Pos[d] * t.strides[d]
		}
		return f(p, chunk, at, strides)
	})
	return t.array.errorf(t.op, err)
}

// blank fills a chunk with the fill value.
func (a *Array) blank(buf []byte) { blank(buf, a.state.Load().Fill) }

func blank(buf, fill []byte) {
	if allZeroBytes(fill) {
		clear(buf)
		return
	}
	strided.Repeat(buf, fill)
}

func allZeroBytes(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
