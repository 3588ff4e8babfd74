package capi

import (
	"unsafe"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// A denseBuffer has the elements of a section in the form that package drxmp needs: row-major,
// little-endian and of the array's type. It uses the memory of the host if that has this form, and
// otherwise memory of its own, as large as the section.
type denseBuffer struct {
	bytes   []byte
	t       dtype.DType
	host    Buffer
	conv    *dtype.Converter // nil if the types are equal
	shape   []int
	strides []int // of host, in bytes; nil if bytes is its memory
}

// newDense returns the dense buffer for a section of the given shape. For writing it is filled with
// the host's elements. It returns the errors of Read.
func newDense(t dtype.DType, b Buffer, shape []int, dir direction) (*denseBuffer, error) {
	if err := checkType(b.DType); err != nil {
		return nil, err
	}
	d := &denseBuffer{t: t, host: b, shape: shape}
	if b.DType == Raw {
		d.host.DType = t
	}
	n, err := nd.Product(append(shape[:len(shape):len(shape)], max(t.Size(), d.host.DType.Size()))...)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		if b.Size > 0 && b.Strides == nil {
			return nil, errkind.Errorf(drx.ErrSize, "buffer of %d bytes, the section is empty", b.Size)
		}
		return d, nil
	}
	strides := make([]int, len(shape))
	first, end, err := b.lay(shape, d.host.DType.Size(), dir == reading, strides)
	if err != nil {
		return nil, err
	}
	if b.Strides == nil && first == 0 && (b.DType == Raw || b.DType == t && littleEndian) {
		d.bytes = b.bytes(end)
		return d, nil
	}
	d.strides = strides
	return d, d.copyIn(dir)
}

// copyIn allocates memory, and for writing fills it from the host's memory.
func (d *denseBuffer) copyIn(dir direction) error {
	from, to := d.t, d.host.DType
	if dir == writing {
		from, to = to, from
	}
	var err error
	if d.conv, err = converter(from, to); err != nil {
		return err
	}
	n, _ := nd.Product(d.shape...)
	d.bytes = make([]byte, n*d.t.Size())
	if dir == reading {
		return nil
	}
	host := d.bytes
	if d.conv != nil {
		host = make([]byte, n*d.host.DType.Size())
	}
	copyBox(unsafe.Pointer(unsafe.SliceData(host)), d.dense(), d.host.Data, d.strides, d.shape, d.host.DType.Size())
	d.host.DType.ToLittle(host)
	if d.conv != nil {
		return d.conv.Apply(d.bytes, host)
	}
	return nil
}

// copyOut copies elements that were read to the host's memory.
func (d *denseBuffer) copyOut() error {
	if d.strides == nil {
		return nil
	}
	host := d.bytes
	if d.conv != nil {
		host = make([]byte, len(d.bytes)/d.t.Size()*d.host.DType.Size())
		if err := d.conv.Apply(host, d.bytes); err != nil {
			return err
		}
	}
	d.host.DType.ToLittle(host) // or from it, which is the same swap
	copyBox(d.host.Data, d.strides, unsafe.Pointer(unsafe.SliceData(host)), d.dense(), d.shape, d.host.DType.Size())
	return nil
}

// dense returns the strides of dense elements of the host's type.
func (d *denseBuffer) dense() []int {
	strides := nd.RowMajor.Strides(d.shape)
	for i := range strides {
		strides[i] *= d.host.DType.Size()
	}
	return strides
}
