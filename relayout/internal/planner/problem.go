package planner

import (
	"cmp"
	"slices"

	"drx/nd"
)

// A problem is to find one pass from source chunks to target chunks.
type problem struct {
	axes        []axis
	elemSize    int   // bytes of an element of the target, and in all buffers but staging buffers
	srcElemSize int   // bytes of an element of the source
	sourceChunk int64 // bytes of a source chunk
	targetChunk int64 // bytes of a target chunk
}

// newProblem returns the problem for two grids of the same extents.
func newProblem(src, dst Grid) *problem {
	p := &problem{
		elemSize: dst.ElemSize, srcElemSize: src.ElemSize,
		sourceChunk: src.ChunkBytes(), targetChunk: dst.ChunkBytes(),
	}
	for d := range src.Lo {
		p.axes = append(p.axes, newAxis(src.Lo[d], src.Hi[d], src.ChunkShape[d], dst.Lo[d], dst.ChunkShape[d]))
	}
	return p
}

// A choice fixes the parameters that a problem leaves open.
type choice struct {
	chunks     []int // target chunks of a template, per dimension
	minWritten []int // the least number of elements that a step writes, per dimension
	halvings   int   // how often the part of a source chunk that is staged at once is halved
	works      int   // work buffers; 2 let reading overlap with writing
	stagings   int   // staging buffers, if any are needed
}

// oneChunk returns the choice of templates of one target chunk, with the smallest buffers.
func (p *problem) oneChunk() choice {
	k := len(p.axes)
	return choice{slices.Repeat([]int{1}, k), make([]int, k), maxHalvings, 1, 1}
}

// maxHalvings is the largest number of halvings of a source chunk if the memory is too small for a
// staging buffer of a whole chunk. The parts are read one after the other, so that the source
// array, which caches a chunk, reads the chunk once.
const maxHalvings = 3

// profiles returns the profile of every axis for a choice.
func (p *problem) profiles(c choice) []profile {
	profiles := make([]profile, len(p.axes))
	for d, a := range p.axes {
		profiles[d] = a.profile(c.chunks[d], c.minWritten[d])
	}
	return profiles
}

// cost returns the cost of a pass with such profiles.
func (p *problem) cost(profiles []profile) Cost {
	reads, writes := int64(1), int64(1)
	for d, a := range p.axes {
		reads = Mul(reads, int64(profiles[d].sourceReads))
		writes = Mul(writes, int64(a.targetChunks()))
	}
	return p.costOfChunks(reads, writes)
}

// costOfChunks returns the cost of a number of reads and writes of chunks.
func (p *problem) costOfChunks(reads, writes int64) Cost {
	return Cost{reads, writes, Mul(reads, p.sourceChunk), Mul(writes, p.targetChunk)}
}

// buffers are the sizes, in elements, of the buffers for a choice.
type buffers struct {
	problem      *problem
	profiles     []profile
	traversal    []int   // the dimensions, the fastest first
	work         int64   // of a work buffer: the output of a step
	layers       []int64 // of the layer of each dimension
	staging      int64   // of a staging buffer; 0 if all elements are read to their destinations
	stagingShape []int   // the extents of the part of a source chunk in a staging buffer
}

// buffers returns the buffers for templates and steps with such profiles. Elements are staged if
// steps leave some of them unused, or if the conversion makes them smaller; elements that become
// larger can be converted at their destinations.
func (p *problem) buffers(profiles []profile, halvings int) buffers {
	b := buffers{
		problem: p, profiles: profiles, traversal: traversal(profiles),
		work: 1, layers: make([]int64, len(profiles)), stagingShape: make([]int, len(profiles)),
	}
	staged := p.srcElemSize > p.elemSize
	for d, p := range profiles {
		b.work = Mul(b.work, int64(p.written))
		b.stagingShape[d] = p.source
		staged = staged || p.unused > 0
	}
	halve(b.stagingShape, halvings)
	if staged {
		b.staging = 1
	}
	for _, extent := range b.stagingShape {
		b.staging = Mul(b.staging, int64(extent))
	}
	for i, d := range b.traversal {
		b.layers[d] = 1
		for j, e := range b.traversal {
			b.layers[d] = Mul(b.layers[d], int64(profiles[e].inLayer(i, j)))
		}
	}
	return b
}

// bytes returns the bytes of all buffers, for a number of work and staging buffers.
func (b *buffers) bytes(works, stagings int) int64 {
	sum := Mul(b.work, int64(works))
	for _, n := range b.layers {
		sum = add(sum, n)
	}
	p := b.problem
	return add(Mul(sum, int64(p.elemSize)), Mul(Mul(b.staging, int64(stagings)), int64(max(p.elemSize, p.srcElemSize))))
}

// leastMemory returns the bytes of the smallest buffers: those for templates of one target
// chunk. They hold the largest part of a target chunk within the bounds and, where elements
// become smaller, a part of a source chunk.
func (p *problem) leastMemory() int64 {
	b := p.buffers(p.profiles(p.oneChunk()), maxHalvings)
	return b.bytes(1, 1)
}

// halve halves the first extent that is more than one, n times.
func halve(shape []int, n int) {
	for d := 0; d < len(shape) && n > 0; n-- {
		for d < len(shape)-1 && shape[d] == 1 {
			d++
		}
		shape[d] = (shape[d] + 1) / 2
	}
}

// traversal returns the order of the dimensions that makes the layers smallest. Exchanging two
// neighbours i, j of the order changes their two layers only. Figure 3 of the paper puts i
// first if U_i M_j + T_i U_j < U_j M_i + T_j U_i, which is U_i / (T_i - M_i) > U_j / (T_j -
// M_j): a comparison of keys, so sorting finds the best order.
func traversal(profiles []profile) []int {
	dims := nd.RowMajor.Dims(len(profiles))
	slices.SortStableFunc(dims, func(i, j int) int {
		p, q := profiles[i], profiles[j]
		if p.unused == 0 || q.unused == 0 {
			return cmp.Compare(q.unused, p.unused) // dimensions without a layer come last
		}
		return cmp.Compare(Mul(int64(q.unused), int64(p.template-p.read)), Mul(int64(p.unused), int64(q.template-q.read)))
	})
	return dims
}
