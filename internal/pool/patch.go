package pool

import "drx/axial"

// patchCost is the usual PatchCost. A chunk is patched in its place as long as that costs less than it
// would have cost to load and store it, or several times as much if the pool is full. Whoever changes
// many elements one after another so does at most twice the work, as in the problem of the ski rental.
const patchCost = 8 << 10

// patched counts the pieces that chunks have got in their places. Chunks with the same place are
// counted together: what is changed now and then in more chunks than there are places is soon in the
// pool too, and never more of them than the patches before would have paid for.
type patched []int

const patchedBits = 12

// of returns the count for chunk q. Numbers that are changed together often have a common factor.
func (c *patched) of(q axial.Number) *int {
	if *c == nil { // most pools never need them
		*c = make(patched, 1<<patchedBits)
	}
	return &(*c)[uint64(q)*0x9e3779b97f4a7c15>>(64-patchedBits)] // 2^64 by the golden ratio
}

// Patch calls patch, which is to change n pieces of chunk q past the pool, and reports
// whether it did: not if patch says that it could not, or the chunk is to be stored as a whole, as
// the pool has changes of it or it pays to have it there. A copy of it that the pool has
// gets the pieces from change. Nobody gets to see or change the chunk through the pool meanwhile.
func (p *Pool) Patch(q axial.Number, n int, patch func() (bool, error), change func(data []byte)) (bool, error) {
	fr, ok := p.claimClean(q, n)
	if !ok {
		return false, nil
	}
	done, err := patch()
	if done && fr != nil {
		fr.mu.Lock()
		change(fr.data)
		fr.mu.Unlock()
	}
	p.mu.Lock()
	p.unclaim(q)
	p.room.Broadcast()
	p.mu.Unlock()
	if fr != nil {
		p.release(fr)
	}
	return done, err
}

// full is the reluctance of a full pool.
const full = 8

// reluctance is how many times over the patches of a chunk must have paid for having it in the
// pool: once, unless another chunk would have to go, which may be one that is in use for longer.
func (p *Pool) reluctance(fr *Frame) int {
	if fr == nil && p.full() {
		return full
	}
	return 1
}

// Full reports whether a chunk would have to go for another one.
func (p *Pool) Full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.full()
}

func (p *Pool) full() bool { return p.stats.Bytes+int64(p.size)+overhead > p.budget }

// claimClean claims a chunk to be patched, once nobody else has claimed it, and takes its frame, if
// there is one, into use.
func (p *Pool) claimClean(q axial.Number, n int) (*Frame, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.claimed(q, 1) {
		p.room.Wait()
	}
	fr := p.frames[q]
	if fr != nil && (fr.users > 0 || fr.dirty.Load()) {
		return nil, false
	}
	count := p.patched.of(q)
	if *count += n; *count*p.PatchCost > p.size*p.reluctance(fr) {
		*count = 0 // it will be in the pool
		return nil, false
	}
	if fr != nil {
		p.use(fr)
	}
	p.claims = append(p.claims, claim{q, q + 1})
	p.held.Add(1)
	return fr, true
}
