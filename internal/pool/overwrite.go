package pool

import "drx/axial"

// A claim reserves the chunks from first to last-1 for one Overwrite or Patch.
type claim struct{ first, last axial.Number }

// Overwrite calls store, which must store all bytes of the n chunks from q on, bypassing the pool.
// Meanwhile no other goroutine can read or change them through the pool. Afterwards the pool drops
// its copies of them, even changed ones, unless store returns an error.
func (p *Pool) Overwrite(q axial.Number, n int, store func() error) error {
	cached := p.claim(q, n)
	err := store()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unclaim(q)
	p.releaseAll(cached, err == nil)
	return err
}

// Forget calls clear, which must make the chunks unstored. Afterwards the pool drops its copies of
// them, even changed ones, unless clear returns an error. Meanwhile no goroutine may change the
// chunks, and the pool does not store changed ones to free memory.
func (p *Pool) Forget(chunks []axial.Number, clear func() error) error {
	cached := p.acquireUnshared(chunks)
	err := clear()
	p.mu.Lock()
	p.releaseAll(cached, err == nil)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	for _, q := range chunks { // some may have been loaded after the first Drop, before clear
		p.Drop(q)
	}
	return nil
}

// acquireUnshared acquires the chunks that are cached. It waits until no other goroutine uses them.
func (p *Pool) acquireUnshared(chunks []axial.Number) []*Chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	var cached []*Chunk
	for _, q := range chunks {
		for p.inUse(q, 1) {
			p.freed.Wait()
		}
		if c := p.cached[q]; c != nil {
			p.use(c)
			cached = append(cached, c)
		}
	}
	return cached
}

// releaseAll releases cached chunks. If forget is set, it drops those that no other goroutine uses.
func (p *Pool) releaseAll(cached []*Chunk, forget bool) {
	for _, c := range cached {
		if forget {
			c.dirty.Store(false)
			p.drop(c)
		} else if c.users--; c.users == 0 {
			p.makeIdle(c)
		}
	}
	p.freed.Broadcast()
}

// Dirty reports whether the pool has changes of chunk q that are not stored yet.
func (p *Pool) Dirty(q axial.Number) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.cached[q]
	return c != nil && c.dirty.Load()
}

// claim waits until no other goroutine uses the chunks, claims them and acquires those that are
// cached.
func (p *Pool) claim(q axial.Number, n int) []*Chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.claimed(q, n) || p.inUse(q, n) {
		p.freed.Wait()
	}
	p.claims = append(p.claims, claim{q, q + axial.Number(n)})
	p.held.Add(1)
	var cached []*Chunk
	p.eachCached(q, n, func(c *Chunk) bool {
		p.use(c)
		cached = append(cached, c)
		return true
	})
	return cached
}

// unclaim ends the claim that begins with chunk q. There is only one.
func (p *Pool) unclaim(q axial.Number) {
	for i, c := range p.claims {
		if c.first == q {
			p.claims = append(p.claims[:i], p.claims[i+1:]...)
			p.held.Add(-1)
			return
		}
	}
}

// claimed reports whether one of n chunks from q on is claimed.
func (p *Pool) claimed(q axial.Number, n int) bool {
	for _, c := range p.claims {
		if q < c.last && c.first < q+axial.Number(n) {
			return true
		}
	}
	return false
}

// inUse reports whether one of n chunks from q on is in use.
func (p *Pool) inUse(q axial.Number, n int) bool {
	used := false
	p.eachCached(q, n, func(c *Chunk) bool {
		used = c.users > 0
		return !used
	})
	return used
}

// eachCached calls f for the cached ones of n chunks from q on, until it returns false.
func (p *Pool) eachCached(q axial.Number, n int, f func(*Chunk) bool) {
	if len(p.cached) == 0 {
		return
	}
	for i := range axial.Number(n) {
		if c := p.cached[q+i]; c != nil && !f(c) {
			return
		}
	}
}
