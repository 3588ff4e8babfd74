package capi

import (
	"fmt"
	"unsafe"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// access holds the functions on single elements for one Go type. data is memory of the host.
type access struct {
	get, set        func(a *drx.Array, index []int, data unsafe.Pointer) error
	gather, scatter func(a *drx.Array, indices []int, data unsafe.Pointer, n int) error
}

// accessOf returns the functions for a Go type.
func accessOf[T dtype.Element]() access {
	return access{
		func(a *drx.Array, index []int, data unsafe.Pointer) error {
			v, err := drx.At[T](a, index...)
			if err == nil {
				*(*T)(data) = v
			}
			return err
		},
		func(a *drx.Array, index []int, data unsafe.Pointer) error {
			return drx.Set(a, *(*T)(data), index...)
		},
		func(a *drx.Array, indices []int, data unsafe.Pointer, n int) error {
			return drx.Gather(a, indices, unsafe.Slice((*T)(data), n))
		},
		func(a *drx.Array, indices []int, data unsafe.Pointer, n int) error {
			return drx.Scatter(a, indices, unsafe.Slice((*T)(data), n))
		},
	}
}

// accesses are the functions for all types.
var accesses = [...]access{
	dtype.Bool: accessOf[bool](), dtype.Int8: accessOf[int8](), dtype.Int16: accessOf[int16](), dtype.Int32: accessOf[int32](),
	dtype.Int64: accessOf[int64](), dtype.Uint8: accessOf[uint8](), dtype.Uint16: accessOf[uint16](), dtype.Uint32: accessOf[uint32](),
	dtype.Uint64: accessOf[uint64](), dtype.Float16: accessOf[dtype.F16](), dtype.BFloat16: accessOf[dtype.BF16](),
	dtype.Float32: accessOf[float32](), dtype.Float64: accessOf[float64](), dtype.Complex64: accessOf[complex64](),
	dtype.Complex128: accessOf[complex128](),
}

// direct reports whether elements of a buffer of type t can be used by the functions of accesses.
func direct(a *array, t dtype.DType) bool { return t == a.DType() || t == Raw && littleEndian }

// Get reads one element. It ignores the size and the strides of the buffer.
func Get(h Handle, index []int64, b Buffer) error {
	return oneElement(h, index, b, reading)
}

// Set changes one element.
func Set(h Handle, index []int64, b Buffer) error {
	return oneElement(h, index, b, writing)
}

func oneElement(h Handle, index []int64, b Buffer, dir direction) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	i, err := Ints(index)
	switch {
	case err != nil:
		return err
	case !direct(a, b.DType) || !a.keeps(dir) || b.Data == nil:
		return a.one(i, b, dir)
	case dir == writing:
		return accesses[a.DType()].set(a.Array, i, b.Data)
	default:
		return accesses[a.DType()].get(a.Array, i, b.Data)
	}
}

// one reads or changes one element whose type or byte order differs from the buffer's.
func (a *array) one(index []int, b Buffer, dir direction) error {
	if err := nd.CheckRank("indices", len(index), a.Rank()); err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	sec := make(nd.Section, len(index))
	for d, i := range index {
		sec[d] = nd.At(i)
	}
	if dir == writing {
		value, err := a.encode(b)
		if err != nil {
			return fmt.Errorf("%s: write: %w", a.Name(), err)
		}
		return a.WriteBytes(sec, value, nil)
	}
	value := make([]byte, a.DType().Size())
	if err := a.ReadBytes(sec, value, nil); err != nil {
		return err
	}
	if err := a.decode(value, b); err != nil {
		return fmt.Errorf("%s: read: %w", a.Name(), err)
	}
	return nil
}

// Gather reads n single elements into a dense buffer.
func Gather(h Handle, rank int, indices []int64, n int, b Buffer) error {
	return points(h, rank, indices, n, b, reading)
}

// Scatter changes n single elements.
func Scatter(h Handle, rank int, indices []int64, n int, b Buffer) error {
	return points(h, rank, indices, n, b, writing)
}

// points moves n elements. indices has n times rank numbers.
func points(h Handle, rank int, indices []int64, n int, b Buffer, dir direction) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	err = checkType(b.DType)
	if err == nil {
		err = nd.CheckRank("indices per element", rank, a.Rank())
	}
	if err == nil && n > 0 && (b.Data == nil || indices == nil) {
		err = invalidf("the buffer or the indices are NULL")
	}
	if err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	list, err := Ints(indices)
	if err != nil {
		return err
	}
	if n > 0 {
		size := b.DType.Size()
		if b.DType == Raw {
			size = a.DType().Size()
		}
		b.probe(0, n*size)
		Buffer{Data: unsafe.Pointer(unsafe.SliceData(indices))}.probe(0, n*rank*8)
	}
	if direct(a, b.DType) && a.keeps(dir) || n == 0 {
		f := accesses[a.DType()].gather
		if dir == writing {
			f = accesses[a.DType()].scatter
		}
		return f(a.Array, list, b.Data, n)
	}
	return a.stagePoints(list, n, b, dir)
}

// pointsAtOnce is the number of elements that stagePoints converts at once.
const pointsAtOnce = 1 << 16

// stagePoints is points for elements that are converted. Some elements may have changed after an
// error.
func (a *array) stagePoints(indices []int, n int, b Buffer, dir direction) error {
	g, err := newStage(a, b, dir)
	if err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	rank, size, f := a.Rank(), g.host.Size(), accesses[a.DType()]
	for i := 0; i < n; i += pointsAtOnce {
		m := min(n-i, pointsAtOnce)
		g.store, g.temp = sized(g.store, m*a.DType().Size()), sized(g.temp, m*size)
		host := unsafe.Slice((*byte)(unsafe.Add(b.Data, i*size)), m*size)
		at, store := indices[i*rank:(i+m)*rank], unsafe.Pointer(unsafe.SliceData(g.store))
		if dir == writing {
			copy(g.temp, host)
			if err := g.convertPoints(g.store, g.temp); err != nil {
				return err
			}
			if err := f.scatter(a.Array, at, store, m); err != nil {
				return err
			}
			continue
		}
		if err := f.gather(a.Array, at, store, m); err != nil {
			return err
		}
		if err := g.convertPoints(g.temp, g.store); err != nil {
			return err
		}
		copy(host, g.temp)
	}
	return nil
}

// convertPoints converts elements in the byte order of the machine, and rounds those that are
// written.
func (g *stage) convertPoints(dst, src []byte) (err error) {
	from, to := g.array.DType(), g.host
	if g.dir == writing {
		from, to = to, from
	}
	if !g.raw {
		from.ToLittle(src)
	}
	if g.conv == nil {
		copy(dst, src)
	} else {
		err = g.conv.Apply(dst, src)
	}
	if err == nil && g.dir == writing {
		err = g.array.applyRounding(dst)
	}
	if err != nil {
		return fmt.Errorf("%s: %v: %w", g.array.Name(), g.dir, err)
	}
	to.ToLittle(dst)
	return nil
}
