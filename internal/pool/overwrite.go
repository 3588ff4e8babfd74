package pool

import "drx/axial"

// A claim is the chunks from first to last-1, which one Overwrite stores.
type claim struct{ first, last axial.Number }

// Overwrite calls store, which is to store n chunks from q on past the pool, all of their
// bytes. Nobody gets to see or change them through the pool meanwhile; what the pool has of
// them is forgotten, changed or not, unless store returns an error.
func (p *Pool) Overwrite(q axial.Number, n int, store func() error) error {
	frames := p.claim(q, n)
	err := store()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unclaim(q)
	p.giveUp(frames, err == nil)
	return err
}

// Forget calls clear, which is to make chunks ones that are not stored, and forgets what the
// pool has of them, changed or not, unless clear returns an error. Nobody may change them
// meanwhile, and none that was changed before is stored meanwhile, to make room.
func (p *Pool) Forget(chunks []axial.Number, clear func() error) error {
	frames := p.hold(chunks)
	err := clear()
	p.mu.Lock()
	p.giveUp(frames, err == nil)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	for _, q := range chunks { // some may have been loaded before they were cleared
		p.Drop(q)
	}
	return nil
}

// hold takes the frames of chunks into use, each once nobody else uses it.
func (p *Pool) hold(chunks []axial.Number) []*Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	var frames []*Frame
	for _, q := range chunks {
		for p.used(q, 1) {
			p.room.Wait()
		}
		if fr := p.frames[q]; fr != nil {
			p.use(fr)
			frames = append(frames, fr)
		}
	}
	return frames
}

// giveUp gives up the use of frames, and forgets those that nobody else uses if forget says so.
func (p *Pool) giveUp(frames []*Frame, forget bool) {
	for _, fr := range frames {
		if forget {
			fr.dirty.Store(false)
			p.drop(fr)
		} else if fr.users--; fr.users == 0 {
			p.rest(fr)
		}
	}
	p.room.Broadcast()
}

// Dirty reports whether the pool has changes of chunk q that are not stored.
func (p *Pool) Dirty(q axial.Number) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	fr := p.frames[q]
	return fr != nil && fr.dirty.Load()
}

// claim waits until nobody else uses the chunks, and takes their frames into use.
func (p *Pool) claim(q axial.Number, n int) []*Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.claimed(q, n) || p.used(q, n) {
		p.room.Wait()
	}
	p.claims = append(p.claims, claim{q, q + axial.Number(n)})
	p.held.Add(1)
	var frames []*Frame
	p.each(q, n, func(fr *Frame) bool {
		p.use(fr)
		frames = append(frames, fr)
		return true
	})
	return frames
}

// unclaim gives up the claim that begins with chunk q: there is only one.
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

// used reports whether one of n chunks from q on is in use.
func (p *Pool) used(q axial.Number, n int) bool {
	used := false
	p.each(q, n, func(fr *Frame) bool {
		used = fr.users > 0
		return !used
	})
	return used
}

// each calls f for the frames of n chunks from q on, until it returns false.
func (p *Pool) each(q axial.Number, n int, f func(*Frame) bool) {
	if len(p.frames) == 0 {
		return
	}
	for i := range axial.Number(n) {
		if fr := p.frames[q+i]; fr != nil && !f(fr) {
			return
		}
	}
}
