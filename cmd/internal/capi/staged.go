package capi

import (
	"fmt"
	"unsafe"

	"drx/dtype"
	"drx/nd"
)

// stageBytes is the largest memory of a staged transfer, in bytes, unless one chunk takes more.
const stageBytes = 4 << 20

// stage moves a section part by part through memory of its own, where it converts elements if the
// types differ and copies them along any strides. r.strides are the buffer's strides. Parts end at
// chunk boundaries, so that no chunk is moved twice.
func (r *request) stage(a *array, sec nd.Section, b Buffer, dir direction) error {
	g, err := newStage(a, b, dir)
	if err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	for part := range sec.Tiles(a.ChunkShape(), g.elements()) {
		at := 0 // the offset of the part in the buffer
		for d, p := range part {
			at += (p.Lo - sec[d].Lo) / sec[d].Step * r.strides[d]
		}
		if err := g.move(part, unsafe.Add(b.Data, at), r.strides); err != nil {
			return err
		}
	}
	return nil
}

// A stage is a transfer in parts.
type stage struct {
	array *array
	dir   direction
	host  dtype.DType      // of the buffer
	conv  *dtype.Converter // nil if the types are equal
	raw   bool             // the host expects little-endian elements
	store []byte           // dense elements of the array
	temp  []byte           // dense elements of the host's type; store, if the types are equal
}

func newStage(a *array, b Buffer, dir direction) (*stage, error) {
	g := &stage{array: a, dir: dir, host: b.DType, raw: b.DType == Raw}
	if g.raw {
		g.host = a.DType()
		return g, nil
	}
	var err error
	if dir == writing {
		g.conv, err = a.toStored(g.host)
	} else {
		g.conv, err = converter(a.DType(), g.host)
	}
	return g, err
}

// elements returns the number of elements of a part.
func (g *stage) elements() int {
	size := g.host.Size()
	if g.conv != nil {
		size += g.array.DType().Size()
	}
	return stageBytes / size
}

// move moves one part. data is the address of its first element in the buffer of the host.
func (g *stage) move(part nd.Section, data unsafe.Pointer, strides []int) error {
	shape := part.Shape()
	n, err := nd.Product(shape...)
	if err != nil {
		return err
	}
	g.store = sized(g.store, n*g.array.DType().Size())
	g.temp = g.store
	if g.conv != nil {
		g.temp = sized(nil, n*g.host.Size())
	}
	dense := nd.RowMajor.Strides(shape)
	for d := range dense {
		dense[d] *= g.host.Size()
	}
	temp := unsafe.Pointer(unsafe.SliceData(g.temp))
	if g.dir == reading {
		if err := g.read(part); err != nil {
			return err
		}
		copyBox(data, strides, temp, dense, shape, g.host.Size())
		return nil
	}
	copyBox(temp, dense, data, strides, shape, g.host.Size())
	return g.write(part)
}

// read reads a part and converts it.
func (g *stage) read(part nd.Section) error {
	if err := g.dir.dense(g.array, part, g.store); err != nil {
		return err
	}
	if g.conv != nil {
		if err := g.conv.Apply(g.temp, g.store); err != nil {
			return fmt.Errorf("%s: read: %w", g.array.Name(), err)
		}
	}
	if !g.raw {
		g.host.ToLittle(g.temp)
	}
	return nil
}

// write converts and rounds a part, and writes it.
func (g *stage) write(part nd.Section) error {
	if !g.raw {
		g.host.ToLittle(g.temp)
	}
	if g.conv != nil {
		if err := g.conv.Apply(g.store, g.temp); err != nil {
			return fmt.Errorf("%s: write: %w", g.array.Name(), err)
		}
	}
	if err := g.array.applyRounding(g.store); err != nil {
		return fmt.Errorf("%s: write: %w", g.array.Name(), err)
	}
	return g.dir.dense(g.array, part, g.store)
}

// sized returns n bytes of memory: that of b if it is large enough.
func sized(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	return make([]byte, n)
}

// copyBox copies a box of elements of elem bytes between two buffers with strides in bytes of any
// sign. Unlike package strided it works on raw addresses; the caller answers for their bounds.
func copyBox(dst unsafe.Pointer, dstStrides []int, src unsafe.Pointer, srcStrides, shape []int, elem int) {
	if len(shape) > 1 {
		for i := range shape[0] {
			copyBox(unsafe.Add(dst, i*dstStrides[0]), dstStrides[1:], unsafe.Add(src, i*srcStrides[0]), srcStrides[1:], shape[1:], elem)
		}
		return
	}
	n, to, from := shape[0], dstStrides[0], srcStrides[0]
	switch elem {
	case 1:
		copyLine[uint8](dst, to, src, from, n)
	case 2:
		copyLine[uint16](dst, to, src, from, n)
	case 4:
		copyLine[uint32](dst, to, src, from, n)
	case 8:
		copyLine[uint64](dst, to, src, from, n)
	default:
		copyLine[[2]uint64](dst, to, src, from, n)
	}
}

// copyLine copies n elements of type T.
func copyLine[T any](dst unsafe.Pointer, to int, src unsafe.Pointer, from, n int) {
	for i := range n {
		*(*T)(unsafe.Add(dst, i*to)) = *(*T)(unsafe.Add(src, i*from))
	}
}
