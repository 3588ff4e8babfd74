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
	for _, fr := range frames {
		if err == nil {
			fr.dirty.Store(false)
			p.drop(fr)
			continue
		}
		if fr.users--; fr.users == 0 {
			fr.idle = p.idle.PushFront(fr)
		}
	}
	p.room.Broadcast()
	return err
}

// Dirty reports whether the pool has changes of chunk q that are not stored.
func (p *Pool) Dirty(q axial.Number) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	fr := p.frames[q]
	return fr != nil && fr.dirty.Load()
}

// claim waits until nobody else uses the chunks, and takes their frames into use.
func (p *Pool) claim(q axial.Number, n int) []*frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.claimed(q, n) || p.used(q, n) {
		p.room.Wait()
	}
	p.claims = append(p.claims, claim{q, q + axial.Number(n)})
	p.held.Add(1)
	var frames []*frame
	p.each(q, n, func(fr *frame) bool {
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
	p.each(q, n, func(fr *frame) bool {
		used = fr.users > 0
		return !used
	})
	return used
}

// each calls f for the frames of n chunks from q on, until it returns false.
func (p *Pool) each(q axial.Number, n int, f func(*frame) bool) {
	if len(p.frames) == 0 {
		return
	}
	for i := range axial.Number(n) {
		if fr := p.frames[q+i]; fr != nil && !f(fr) {
			return
		}
	}
}
