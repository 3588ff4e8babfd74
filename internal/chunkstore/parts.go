package chunkstore

import (
	"sync"
	"sync/atomic"

	"drx/axial"
)

const (
	// partBytes is the least cost of decoding a part: finding it, and its checks.
	partBytes = 2 << 10
	// A part is near to the previous part of the same chunk if at most nearParts other parts were
	// read between them: then more parts of the chunk will probably follow.
	nearParts = 8
	// Where memory is crowded, parts that are not near are charged 1/crowdedShare of their cost: a
	// whole chunk would evict another one that may be needed as soon.
	crowdedShare = 8
)

// partCounts counts the bytes of parts of chunks that were decoded alone, in a hash table without
// collision handling. When the parts of a chunk have cost as much as the whole chunk, the chunk is
// read as a whole, and stays in the pool.
type partCounts struct {
	parts  atomic.Int64 // so far
	counts [1 << 10]countedPart
}

type countedPart struct {
	mu    sync.Mutex
	bytes int
	last  int64 // the part at which the chunk was asked for last
}

// A part is bytes of a chunk of size bytes, for which the codec decodes cost bytes.
type part struct {
	cost, size int
	long       bool // more than are usually decoded by themselves
}

// pays reports whether it pays to decode only a part of chunk q. Long parts pay only if memory is
// crowded and they are not near.
func (c *partCounts) pays(q axial.Number, p part, crowded bool) bool {
	if p.cost >= p.size {
		return false
	}
	now := c.parts.Add(1)
	count := &c.counts[uint64(q)*0x9e3779b97f4a7c15>>(64-10)] // 2^64 by the golden ratio
	count.mu.Lock()
	defer count.mu.Unlock()
	far := crowded && (count.last == 0 || now-count.last > nearParts)
	count.last = now
	cost := max(p.cost, partBytes)
	if far {
		cost /= crowdedShare
	}
	if count.bytes += cost; count.bytes < p.size && (far || !p.long) {
		return true
	}
	count.bytes = 0
	return false
}
