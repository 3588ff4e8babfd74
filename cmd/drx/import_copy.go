package main

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"drx"
	"drx/bridges/pipe"
	"drx/convert"
	"drx/nd"
)

// A readError is an error of the file that is imported, not of the array.
type readError struct{ error }

// Unwrap returns the underlying error.
func (e readError) Unwrap() error { return e.error }

// isDamage reports whether an error says that the file is wrong, so that another try has the same result.
func isDamage(err error) bool {
	var r readError
	return errors.As(err, &r) && !errors.Is(err, pipe.ErrHelper) && !errors.Is(err, pipe.ErrMissing) && !errors.Is(err, context.Canceled)
}

// A box is a part of a variable in memory.
type box struct {
	sec nd.Section
	buf []byte
	err error
}

// abandon is how long an interrupted import waits for a reader.
const abandon = time.Second

// stream reads boxes of a variable and calls use with each, while the next one is being read. It skips the
// first ones, as many as skip says. If a reader is in the middle of a long read when ctx ends, stream does not wait for it.
func stream(ctx context.Context, r convert.Reader, boxes iter.Seq[nd.Section], skip int, use func(sec nd.Section, buf []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	free, filled, ended := make(chan []byte, 2), make(chan box), make(chan struct{})
	free <- nil
	free <- nil
	go func() {
		defer close(ended)
		defer close(filled)
		readBoxes(ctx, r, boxes, skip, free, filled)
	}()
	defer func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(abandon):
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b, more := <-filled:
			switch {
			case !more:
				return ctx.Err()
			case b.err != nil:
				return readError{b.err}
			}
			if err := use(b.sec, b.buf); err != nil {
				return err
			}
			free <- b.buf
		}
	}
}

// readBoxes reads boxes until ctx ends.
func readBoxes(ctx context.Context, r convert.Reader, boxes iter.Seq[nd.Section], skip int, free <-chan []byte, filled chan<- box) {
	size := r.Info().DType.Size()
	for sec := range boxes {
		if skip > 0 {
			skip--
			continue
		}
		var buf []byte
		select {
		case <-ctx.Done():
			return
		case buf = <-free:
		}
		n, _ := sec.Len() // of a section of the variable
		buf = slices.Grow(buf[:0], n*size)[:n*size]
		err := r.ReadSection(sec, buf)
		select {
		case <-ctx.Done():
			return
		case filled <- box{sec, buf, err}:
		}
		if err != nil {
			return
		}
	}
}

// A memoryLimit is --memory of an import or an export, in bytes. It is divided among the format, the cache of the array and two boxes of
// elements: one is read while the other is written.
type memoryLimit struct{ memory int }

// codec returns the memory for the format: it decodes or encodes elements.
func (m memoryLimit) codec() int64 { return max(int64(m.memory)/4, 1<<20) }

// cache returns the memory for the elements of one array.
func (m memoryLimit) cache() int64 { return max(int64(m.memory)/4, 1<<20) }

// boxBytes returns the size of a box.
func (m memoryLimit) boxBytes() int { return min(max(m.memory/8, 64<<10), 64<<20) }

// A mover writes boxes of a variable to an array.
type mover struct {
	a       *drx.Array
	info    convert.Info
	at      []int // index of the variable's first element in the array
	frame   int   // dimension of the array that the variable does not have, or -1
	convert func(stored []byte) ([]byte, error)
}

// write writes one box.
func (m *mover) write(sec nd.Section, buf []byte) error {
	to := make(nd.Section, 0, len(m.at))
	for d, lo := range m.at {
		if d == m.frame {
			to = append(to, nd.At(lo))
			continue
		}
		r := sec[0]
		sec = sec[1:]
		to = append(to, nd.Span(lo+r.Lo, lo+r.Hi))
	}
	if m.convert != nil {
		var err error
		if buf, err = m.convert(buf); err != nil {
			return readError{err}
		}
	}
	return m.a.WriteBytes(to, buf, m.order())
}

// order returns the order of the variable's elements in terms of the array's dimensions.
func (m *mover) order() nd.Order {
	if m.frame < 0 {
		return m.info.Order
	}
	order := nd.Order{m.frame} // of extent one: its place does not matter
	for _, d := range m.info.Order.Dims(len(m.info.Shape)) {
		if d >= m.frame {
			d++
		}
		order = append(order, d)
	}
	return order
}

// whole returns the section of all elements of a variable.
func whole(shape []int) nd.Section { return nd.Box(make([]int, len(shape)), shape) }
