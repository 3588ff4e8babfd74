package drx

import (
	"slices"

	"drx/internal/errkind"
	"drx/internal/plan"
	"drx/nd"
)

// ReadBytes reads a section into buf, as dense, little-endian elements in the given order of the
// dimensions; a nil order is row-major. buf must have the size of the section in bytes. A nil
// section is the whole array. Elements that were never written read as the fill value. The error
// wraps ErrRank, ErrBounds, ErrSize, ErrClosed or ErrCorrupt. After an error parts of buf may have
// changed.
func (a *Array) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	r, err := a.request(opRead, sec, order)
	if err != nil {
		return err
	}
	defer r.end()
	return r.errorf(r.read(buf))
}

// WriteBytes writes a section from buf, which is laid out as for ReadBytes. The error wraps
// ErrRank, ErrBounds, ErrSize, ErrClosed, ErrReadOnly or ErrCorrupt. ErrCorrupt means that a chunk
// is damaged: a write of a part of it fails, or leaves it damaged. A write of the whole chunk
// repairs it.
func (a *Array) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	r, err := a.request(opWrite, sec, order)
	if err != nil {
		return err
	}
	defer r.end()
	return r.errorf(r.write(buf))
}

// FillBytes sets every element of a section to value, which is one little-endian element. A nil
// section is the whole array. Chunks that were never written remain so if value is the array's fill
// value. It returns the errors of WriteBytes.
func (a *Array) FillBytes(sec nd.Section, value []byte) error {
	r, err := a.request(opFill, sec, nil)
	if err != nil {
		return err
	}
	defer r.end()
	return r.errorf(r.fill(value))
}

// An operation is the kind of a request: read, write or fill.
type operation uint8

const (
	opRead operation = iota
	opWrite
	opFill
)

// String returns the name of the operation, for error messages.
func (o operation) String() string { return [...]string{"read", "write", "fill"}[o] }

// writes reports whether the operation changes elements.
func (o operation) writes() bool { return o != opRead }

// A request is one operation on a section, checked against the array. It keeps the array open until
// end is called, and uses the bounds that the array had when the request began.
type request struct {
	*plan.Section
	array *Array
	op    operation
}

// request begins a request. It checks the section and the order against the array.
func (a *Array) request(op operation, sec nd.Section, order nd.Order) (*request, error) {
	begin := a.lockChunkChange
	if !op.writes() {
		begin = func() error { return a.rlockFiles(false) }
	}
	if err := begin(); err != nil {
		return nil, a.errorf(op.String(), err)
	}
	// The state is loaded after beginAccess, so that no Shrink comes between the check and the
	// write.
	section, err := plan.NewSection(a.state.Load(), sec, order)
	if err != nil {
		a.endAccess(op.writes())
		return nil, a.errorf(op.String(), err)
	}
	if op.writes() && !a.appends(section.Ranges) {
		a.overwrote.Store(true)
	}
	a.observeSection(op.writes(), section.Ranges)
	return &request{section, a, op}, nil
}

// end ends the request.
func (r *request) end() { r.array.endAccess(r.op.writes()) }

// read reads the section into a buffer of its size.
func (r *request) read(buf []byte) error {
	if err := r.checkSize(len(buf)); err != nil {
		return err
	}
	return r.array.chunks.Read(r.Section, buf)
}

// write writes the section from a buffer of its size.
func (r *request) write(buf []byte) error {
	if err := r.checkSize(len(buf)); err != nil {
		return err
	}
	return r.array.chunks.Write(r.Section, buf)
}

// fill sets all elements of the section to value.
func (r *request) fill(value []byte) error {
	if size := r.State.DType.Size(); len(value) != size {
		return errkind.Errorf(ErrSize, "value of %d bytes, an element of type %v has %d", len(value), r.State.DType, size)
	}
	return r.array.chunks.Fill(r.Section, value)
}

// checkSize returns an error wrapping ErrSize unless a buffer of the given size holds exactly the
// section.
func (r *request) checkSize(bytes int) error {
	if bytes == r.Size {
		return nil
	}
	return errkind.Errorf(ErrSize, "buffer of %d bytes, section %v of %v has %d", bytes, r.Ranges, r.State.DType, r.Size)
}

// errorf adds the array's name and the operation to an error.
func (r *request) errorf(err error) error { return r.array.errorf(r.op.String(), err) }

// observeSection calls Options.Observe for a resolved section, unless the section is empty.
func (a *Array) observeSection(write bool, sec nd.Section) {
	if a.opts.Observe == nil {
		return
	}
	box := make([]int, len(sec))
	for d, r := range sec {
		n := r.Len()
		if n == 0 {
			return
		}
		box[d] = (n-1)*r.Stride() + 1
	}
	a.opts.Observe(write, box)
}

// observeElement calls Options.Observe for a single element.
func (a *Array) observeElement(write bool, rank int) {
	if a.opts.Observe != nil {
		a.opts.Observe(write, slices.Repeat([]int{1}, rank))
	}
}

// ReadStrided reads a section into parts of buf: the element at position p of the section, as
// little-endian bytes, goes to byte sum(p[d]*strides[d]) of buf. strides are in bytes, one per
// dimension, and not negative. The other bytes of buf do not change. If strides make elements
// overlap, one of them is stored. A nil section is the whole array. The error wraps ErrSize if the
// number of strides is not the rank, a stride is negative, or the section does not fit into buf,
// and is otherwise one of those of ReadBytes.
func (a *Array) ReadStrided(sec nd.Section, buf []byte, strides []int) error {
	return a.readStrided(sec, buf, strides, 1)
}

// readStrided is ReadStrided for strides in units of unit bytes.
func (a *Array) readStrided(sec nd.Section, buf []byte, strides []int, unit int) error {
	r, err := a.request(opRead, sec, nil)
	if err != nil {
		return err
	}
	defer r.end()
	if err := r.setStrides(strides, unit, len(buf)); err != nil {
		return r.errorf(err)
	}
	return r.errorf(a.chunks.Read(r.Section, buf))
}

// WriteStrided writes a section from parts of buf, which is laid out as for ReadStrided. A stride
// of 0 repeats the same element along its dimension. Other errors are those of WriteBytes.
func (a *Array) WriteStrided(sec nd.Section, buf []byte, strides []int) error {
	return a.writeStrided(sec, buf, strides, 1)
}

// writeStrided is WriteStrided for strides in units of unit bytes.
func (a *Array) writeStrided(sec nd.Section, buf []byte, strides []int, unit int) error {
	r, err := a.request(opWrite, sec, nil)
	if err != nil {
		return err
	}
	defer r.end()
	if err := r.setStrides(strides, unit, len(buf)); err != nil {
		return r.errorf(err)
	}
	return r.errorf(a.chunks.Write(r.Section, buf))
}

// setStrides sets the strides for a buffer of size bytes. They are given in units of unit bytes.
// The error wraps ErrSize.
func (r *request) setStrides(strides []int, unit, size int) error {
	if len(strides) != len(r.Shape) {
		return errkind.Errorf(ErrSize, "%d strides for %d dimensions, there must be one per dimension", len(strides), len(r.Shape))
	}
	end := r.State.DType.Size()
	for d, stride := range strides {
		if stride < 0 {
			return errkind.Errorf(ErrSize, "dimension %d: stride %d is negative", d, stride)
		}
		bytes, ok := nd.Mul(stride, unit)
		span, ok2 := nd.Mul(bytes, max(0, r.Shape[d]-1))
		if end, ok3 := nd.Add(end, span); !ok || !ok2 || !ok3 || r.Size > 0 && end > size {
			return errkind.Errorf(ErrSize, "section %v with strides %v does not fit into a buffer of %d bytes", r.Ranges, strides, size)
		}
		end += span
		r.Strides[d] = bytes
	}
	return nil
}
