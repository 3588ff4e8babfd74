package drx

import (
	"fmt"

	"drx/internal/plan"
	"drx/nd"
)

// ReadBytes reads a section into buf: dense, little-endian elements in the given order of
// the dimensions. buf must have the size of the section in bytes. A nil section is the
// whole array. Elements never written read as the fill value. The error wraps ErrRank,
// ErrBounds, ErrSize, ErrClosed or ErrCorrupt; buf may have changed then.
func (a *Array) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	r, err := a.request(opRead, sec, order)
	if err != nil {
		return err
	}
	defer r.done()
	return r.read(buf)
}

// WriteBytes writes a section from buf, laid out as ReadBytes describes. The error wraps
// ErrRank, ErrBounds, ErrSize, ErrClosed, ErrReadOnly or ErrCorrupt: a damaged chunk
// is not written in part, or stays a damaged one, until it is written as a whole.
func (a *Array) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	r, err := a.request(opWrite, sec, order)
	if err != nil {
		return err
	}
	defer r.done()
	return r.write(buf)
}

// FillBytes sets every element of a section to value, one little-endian element. Chunks
// never written stay so where value is the fill value of the array.
func (a *Array) FillBytes(sec nd.Section, value []byte) error {
	r, err := a.request(opFill, sec, nil)
	if err != nil {
		return err
	}
	defer r.done()
	return r.fill(value)
}

// An operation is what is done with elements.
type operation uint8

const (
	opRead operation = iota
	opWrite
	opFill
)

// String returns the name of the operation, for errors.
func (o operation) String() string { return [...]string{"read", "write", "fill"}[o] }

// writes reports whether the operation changes elements.
func (o operation) writes() bool { return o != opRead }

// A request is one operation on a section. It keeps the array open until done is called, and has the
// bounds of the moment when it began.
type request struct {
	*plan.Section
	array *Array
	op    operation
	done  func()
}

// request checks a section and an order against the array.
func (a *Array) request(op operation, sec nd.Section, order nd.Order) (*request, error) {
	done, err := a.beginChunks(op.String(), op.writes())
	if err != nil {
		return nil, err
	}
	// The state is loaded only now: a Shrink before would take away what is written.
	section, err := plan.NewSection(a.state.Load(), sec, order)
	if err != nil {
		done()
		return nil, a.errorf(op.String(), err)
	}
	a.observeSection(op.writes(), section.Ranges)
	return &request{section, a, op, done}, nil
}

// read reads the section into a buffer of its size.
func (r *request) read(buf []byte) error {
	if err := r.checkSize(len(buf)); err != nil {
		return err
	}
	return r.errorf(r.array.chunks.Read(r.Section, buf))
}

// write writes the section from a buffer of its size.
func (r *request) write(buf []byte) error {
	if err := r.checkSize(len(buf)); err != nil {
		return err
	}
	return r.errorf(r.array.chunks.Write(r.Section, buf))
}

func (r *request) fill(value []byte) error {
	if size := r.State.DType.Size(); len(value) != size {
		return r.errorf(fmt.Errorf("value of %d bytes for %v, which has %d: %w", len(value), r.State.DType, size, ErrSize))
	}
	return r.errorf(r.array.chunks.Fill(r.Section, value))
}

func (r *request) checkSize(bytes int) error {
	if bytes == r.Size {
		return nil
	}
	return r.errorf(fmt.Errorf("buffer of %d bytes for section %v of %v, which has %d: %w",
		bytes, r.Ranges, r.State.DType, r.Size, ErrSize))
}

func (r *request) errorf(err error) error { return r.array.errorf(r.op.String(), err) }
