package transfer

import (
	"path"
	"slices"

	"drx"
	"drx/advise"
	"drx/dataset/cftime"
	"drx/formats"
	"drx/nd"
)

// alignedChunk returns a chunk shape, of at most importChunk bytes, for an array that is imported
// from a file with the given chunks, whose elements have size bytes: a chunk of the file is cut
// into equal chunks, or several whole ones make up one. The import then decodes each chunk of the
// file once and writes each chunk of the array once, in little memory. shape is 0 along dimensions
// that grow: there a chunk of more than least bytes is cut if least is below leastChunk. It returns
// nil if no division into equal parts gives a chunk of at least least bytes.
func alignedChunk(file, shape []int, size, least int) []int {
	chunk := slices.Clone(file)
	for d, n := range shape {
		if n > 0 {
			chunk[d] = min(chunk[d], n)
		}
	}
	bytes, err := nd.Product(append([]int{size}, chunk...)...)
	if err != nil {
		return nil
	}
	if bytes > importChunk {
		if bytes = cutChunk(chunk, bytes, importChunk, shape, false); bytes < least || bytes > importChunk {
			return nil
		}
	}
	if least < leastChunk {
		bytes = cutChunk(chunk, bytes, least, shape, true)
	}
	for bytes < least {
		d := emptiest(chunk, shape)
		if d < 0 {
			break
		}
		rest := bytes / chunk[d]
		if chunk[d] *= 2; shape[d] > 0 {
			chunk[d] = min(chunk[d], shape[d])
		}
		bytes = rest * chunk[d]
	}
	return chunk
}

// cutChunk divides extents into equal parts, the slowest dimensions first, until a chunk has at
// most most bytes. With growing it divides only dimensions that grow. It returns the resulting size
// in bytes, which may still be above most.
func cutChunk(chunk []int, bytes, most int, shape []int, growing bool) int {
	for d := range chunk {
		if bytes <= most {
			break
		}
		if growing && shape[d] > 0 {
			continue
		}
		rest := bytes / chunk[d]
		n := max(1, min(chunk[d], most/rest))
		for chunk[d]%n != 0 {
			n--
		}
		chunk[d], bytes = n, rest*n
	}
	return bytes
}

// emptiest returns the dimension along which the array has most chunks (ties: the last), or -1 if
// there is only one chunk. A dimension that grows counts as two chunks, because it is often read
// index by index and should stay thin.
func emptiest(chunk, shape []int) int {
	best, most := -1, 1
	for d, n := range shape {
		many := 2
		if n > 0 {
			many = nd.CeilDiv(n, chunk[d])
		}
		if many > 1 && many >= most {
			best, most = d, many
		}
	}
	return best
}

const (
	importChunk = 1 << 20   // largest chunk, in bytes
	leastChunk  = 256 << 10 // least chunk, in bytes, of an array that is larger
	leastSmall  = 16 << 10  // least chunk of a small array that grows
	leastLine   = 4 << 10   // if it has one dimension, as a coordinate: a block of a disk
	leastEmpty  = 64 << 10  // if it has no elements yet
	leastCoded  = 128 << 10 // if compressed
	adviseRank  = 6         // largest rank for which the best shape is searched
)

// leastBytes returns the least size of a chunk, in bytes. An array that grows and begins with few
// elements will grow by few, for example by one file a day, and may stay small for ever. Its chunks
// get about the size of the first file's elements, because the part of a chunk beyond the bounds
// takes space, too. A coordinate in chunks of 4 KiB opens as fast as in chunks of 1 MiB, and reads
// at half the speed of memory. One point of 10,000 times of 15 x 28 numbers is read in 7.7 ms from
// chunks of 4 times, in 4.4 from chunks of 10, of 16 KiB, and in 2.9 from those of 40, whose part
// beyond the bounds may be more than ten days have.
//
// Compressed, the part beyond the bounds takes nearly nothing. Chunks of 256 KiB take 8 % less of
// the disk than those of 64 KiB, as fewer blocks are filled in part only, and no more at the start.
func (o *planner) leastBytes(p varPlan, shape []int) int {
	if !slices.Contains(shape, 0) {
		return leastChunk
	}
	bytes, err := nd.Product(append([]int{p.spec.DType.Size()}, p.spec.Shape...)...)
	if err != nil {
		return leastChunk
	}
	least := leastSmall
	switch {
	case o.Codec != "" && o.Codec != "none" || o.Codec == "" && !p.info.Codec.IsNone():
		least = leastCoded
	case bytes == 0:
		least = leastEmpty
	case len(shape) == 1:
		least = leastLine
	}
	return min(leastChunk, max(least, bytes))
}

// growingDims returns which dimensions of an array grow: the one called growing, those that the
// file lets grow, and the times of a small array. The file of a day or a month is usually
// followed by the next ones, also where its dimension is not unlimited. A large array gets
// large chunks in any case.
func growingDims(p varPlan, growing string, inFile []formats.Info) []bool {
	grows := make([]bool, len(p.spec.Shape))
	bytes, err := nd.Product(append([]int{p.spec.DType.Size()}, p.spec.Shape...)...)
	isSmall := err == nil && bytes < leastChunk
	for d, dim := range p.spec.Dims {
		grows[d] = len(p.info.Unlimited) == len(grows) && p.info.Unlimited[d] || growing != "" && dim == growing ||
			isSmall && dim != "" && isTimeDim(dim, inFile)
	}
	return grows
}

// isTimeDim reports whether a dimension has a coordinate in the file whose values are times.
func isTimeDim(dim string, inFile []formats.Info) bool {
	return slices.ContainsFunc(inFile, func(v formats.Info) bool {
		units, _ := v.Attrs["units"].(string)
		return path.Base(v.Name) == dim && isCoordinateVar(v) && cftime.IsTime(units)
	})
}

// chunkShape returns the chunk shape of an array: the option Chunk, a shape aligned with the chunks
// of the file, or else the best one for reads of boxes like the file's chunks, because these show
// how the file is meant to be read.
func (o *planner) chunkShape(p varPlan, grows []bool) []int {
	shape := slices.Clone(p.spec.Shape)
	if len(o.Chunk) == len(shape) {
		return o.Chunk
	}
	for d := range shape {
		if grows[d] {
			shape[d] = 0 // 0 marks a dimension that grows
		}
	}
	least := o.leastBytes(p, shape)
	if p.info.Chunk == nil || len(p.info.Chunk) != len(shape) { // no accesses to advise for
		if least < leastChunk {
			whole := slices.Clone(p.spec.Shape)
			for d, n := range whole {
				whole[d] = max(1, n)
			}
			if chunk := alignedChunk(whole, shape, p.spec.DType.Size(), least); chunk != nil {
				return chunk
			}
		}
		return drx.DefaultChunk(p.spec.DType, shape)
	}
	if whole := chunkBytes(p.info); p.keepsFrames && leastChunk <= whole && whole <= importChunk && !isOneChunk(p.info) {
		return slices.Clone(p.info.Chunk) // even if larger than the shape
	}
	if chunk := alignedChunk(p.info.Chunk, shape, p.spec.DType.Size(), least); chunk != nil {
		return chunk
	}
	if len(shape) > adviseRank {
		return drx.DefaultChunk(p.spec.DType, shape)
	}
	box := slices.Clone(p.info.Chunk)
	for d, n := range shape {
		if n > 0 {
			box[d] = min(box[d], n)
		}
	}
	best, err := advise.Best(advise.Problem{
		Accesses: []advise.Access{{Box: box, Weight: 1}}, ElemSize: p.spec.DType.Size(), Block: importChunk, Floor: leastChunk, Shape: shape,
	})
	if err != nil { // an extent exceeds the limits of advise
		return drx.DefaultChunk(p.spec.DType, shape)
	}
	return best.Chunk
}
