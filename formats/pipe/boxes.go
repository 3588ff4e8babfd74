package pipe

import (
	"drx/formats"
	"drx/nd"
)

// boxBytes is the size of the boxes into which sections are cut, unless a chunk of the file is
// larger. It bounds the helper's memory for elements.
const boxBytes = 4 << 20

// eachRun calls f for each contiguous run of a box in the buffer of the surrounding section, with
// the run's offset and length in bytes, in the order of the box's elements.
func eachRun(info formats.Info, sec, box nd.Section, f func(at, n int) error) error {
	shape := sec.Shape()
	dims, strides := info.Order.Dims(len(sec)), info.Order.Strides(shape)
	run, outer := info.DType.Size(), len(dims)
	at := 0
	for d, r := range box {
		if r.Len() == 0 {
			return nil
		}
		at += (r.Lo - sec[d].Lo) * strides[d] * info.DType.Size()
	}
	for whole := true; whole && outer > 0; {
		outer--
		d := dims[outer]
		run *= box[d].Len()
		whole = box[d].Len() == shape[d]
	}
	lo, hi, index := make([]int, outer), make([]int, outer), make([]int, outer)
	for i, d := range dims[:outer] {
		hi[i] = box[d].Len()
	}
	for more := true; more; more = outer > 0 && nd.Next(index, lo, hi) {
		off := at
		for i, d := range dims[:outer] {
			off += index[i] * strides[d] * info.DType.Size()
		}
		if err := f(off, run); err != nil {
			return err
		}
	}
	return nil
}

// chunkBytes returns the size in bytes of the chunk with an index. No frame may exceed it.
func chunkBytes(info formats.Info, chunkIndex []int) (int, error) {
	if _, err := info.ChunkSection(chunkIndex); err != nil {
		return 0, err
	}
	return formats.Info{DType: info.DType, Shape: info.Chunk}.Bytes()
}
