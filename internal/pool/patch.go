package pool

import "drx/axial"

// patchCost is the default of Pool.PatchCost. A chunk is patched in the file until the patches have
// cost as much as loading and storing the chunk, or several times as much if the pool is full. So
// many changes one after another cost at most twice the optimum, as in the ski rental problem.
const patchCost = 8 << 10

// patchCounts counts the pieces that were patched per chunk, in a hash table that ignores
// collisions: chunks with the same slot share a counter. So rare changes of very many chunks load
// chunks, too, but no more of them than the earlier patches would have paid for.
type patchCounts []int

const patchedBits = 12

// count returns the counter of chunk q. It hashes the number, because the numbers of chunks that
// are changed together often have a common factor.
func (c *patchCounts) count(q axial.Number) *int {
	if *c == nil { // most pools never need them
		*c = make(patchCounts, 1<<patchedBits)
	}
	return &(*c)[uint64(q)*0x9e3779b97f4a7c15>>(64-patchedBits)] // 2^64 by the golden ratio
}

// Patch calls patch, which must change n pieces of chunk q in the file, bypassing the pool, and
// reports whether it did. It does not if the pool has changes of the chunk, if it pays to load the
// chunk into the pool, or if patch returns false. If the pool has a copy of the chunk, Patch
// applies change to it. Meanwhile no other goroutine can read or change the chunk through the pool.
func (p *Pool) Patch(q axial.Number, n int, patch func() (bool, error), change func(data []byte)) (bool, error) {
	c, ok := p.claimClean(q, n)
	if !ok {
		return false, nil
	}
	done, err := patch()
	if done && c != nil {
		c.mu.Lock()
		change(c.data)
		c.mu.Unlock()
	}
	p.mu.Lock()
	p.unclaim(q)
	p.freed.Broadcast()
	p.mu.Unlock()
	if c != nil {
		p.release(c)
	}
	return done, err
}

// fullPoolFactor is the payback factor of a full pool.
const fullPoolFactor = 8

// paybackFactor returns how many times the patches of a chunk must have cost as much as loading it
// before it is loaded: once, or more often if it would evict another chunk, which may be needed for
// longer.
func (p *Pool) paybackFactor(c *Chunk) int {
	if c == nil && p.full() {
		return fullPoolFactor
	}
	return 1
}

// Full reports whether loading another chunk would evict one.
func (p *Pool) Full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.full()
}

func (p *Pool) full() bool { return p.stats.Bytes+int64(p.size)+overhead > p.budget }

// claimClean claims a chunk for n pieces to patch, and acquires it if it is cached. It waits
// while another goroutine has claimed the chunk. It returns false if the chunk should not be
// patched.
func (p *Pool) claimClean(q axial.Number, n int) (*Chunk, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.claimed(q, 1) {
		p.freed.Wait()
	}
	c := p.cached[q]
	if c != nil && (c.users > 0 || c.dirty.Load()) {
		return nil, false
	}
	count := p.patched.count(q)
	if *count += n; *count*p.PatchCost > p.size*p.paybackFactor(c) {
		*count = 0 // the caller loads the chunk
		return nil, false
	}
	if c != nil {
		p.use(c)
	}
	p.claims = append(p.claims, claim{q, q + 1})
	p.held.Add(1)
	return c, true
}
