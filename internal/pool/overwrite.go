package pool

import "drx/axial"

// A claim reserves the chunks from first to last-1 for one Overwrite or Patch.
type claim struct{ first, last axial.Number }

// Overwrite calls store, which must store all bytes of the n chunks from q on, bypassing the pool.
// Meanwhile no other goroutine can read or change them through the pool. Afterwards the pool drops
// its copies of them, even changed ones, unless store returns an error.
func (p *Pool) Overwrite(q axial.Number, n int, store func() error) error {
	frames := p.claim(q, n)
	err := store()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unclaim(q)
	p.releaseAll(frames, err == nil)
	return err
}

// Forget calls clear, which must make the chunks unstored. Afterwards the pool drops its copies of
// them, even changed ones, unless clear returns an error. Meanwhile no goroutine may change the
// chunks, and the pool does not store changed ones to free memory.
func (p *Pool) Forget(chunks []axial.Number, clear func() error) error {
	frames := p.acquireUnshared(chunks)
	err := clear()
	p.mu.Lock()
	p.releaseAll(frames, err == nil)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	for _, q := range chunks { // some may have been loaded after the first Drop, before clear
		p.Drop(q)
	}
	return nil
}

// acquireUnshared acquires the frames of chunks. It waits until no other goroutine uses them.
func (p *Pool) acquireUnshared(chunks []axial.Number) []*Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	var frames []*Frame
	for _, q := range chunks {
		for p.inUse(q, 1) {
			p.freed.Wait()
		}
		if fr := p.frames[q]; fr != nil {
			p.use(fr)
			frames = append(frames, fr)
		}
	}
	return frames
}

// releaseAll releases frames. If forget is set, it drops those that no other goroutine uses.
func (p *Pool) releaseAll(frames []*Frame, forget bool) {
	for _, fr := range frames {
		if forget {
			fr.dirty.Store(false)
			p.drop(fr)
		} else if fr.users--; fr.users == 0 {
			p.makeIdle(fr)
		}
	}
	p.freed.Broadcast()
}

// Dirty reports whether the pool has changes of chunk q that are not stored yet.
func (p *Pool) Dirty(q axial.Number) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	fr := p.frames[q]
	return fr != nil && fr.dirty.Load()
}

// claim waits until no other goroutine uses the chunks, claims them and acquires their frames.
func (p *Pool) claim(q axial.Number, n int) []*Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.claimed(q, n) || p.inUse(q, n) {
		p.freed.Wait()
	}
	p.claims = append(p.claims, claim{q, q + axial.Number(n)})
	p.held.Add(1)
	var frames []*Frame
	p.eachFrame(q, n, func(fr *Frame) bool {
		p.use(fr)
		frames = append(frames, fr)
		return true
	})
	return frames
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
	p.eachFrame(q, n, func(fr *Frame) bool {
		used = fr.users > 0
		return !used
	})
	return used
}

// eachFrame calls f for the frames of n chunks from q on, until it returns false.
func (p *Pool) eachFrame(q axial.Number, n int, f func(*Frame) bool) {
	if len(p.frames) == 0 {
		return
	}
	for i := range axial.Number(n) {
		if fr := p.frames[q+i]; fr != nil && !f(fr) {
			return
		}
	}
}
