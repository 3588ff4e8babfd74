// Package pool keeps chunks in memory: frames that are loaded by one goroutine however
// many ask, stay while they are in use, are written back before they are dropped, and
// together never exceed a number of bytes. It is what Berkeley DB's Mpool was to the DRX
// of 2007.
package pool

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"drx/axial"
)

// Backend is where chunks come from and go to.
type Backend interface {
	// Stored reports whether there is such a chunk to load.
	Stored(q axial.Number) (bool, error)
	// Load fills buf with a stored chunk, or returns ErrAbsent.
	Load(q axial.Number, buf []byte) error
	// Blank fills buf with what a chunk holds before it is first written.
	Blank(buf []byte)
	// Store writes a chunk.
	Store(q axial.Number, buf []byte) error
}

// ErrAbsent is returned by Backend.Load for a chunk that was never stored, and by View.
var ErrAbsent = errors.New("chunk is not stored")

// overhead is what a frame takes beside its bytes, counted against the budget.
const overhead = 256

// Stats counts what a pool did.
type Stats struct {
	Hits, Misses, Evictions int64
	Bytes, Peak             int64 // in frames, now and at most
}

// A Pool is safe for concurrent use.
//
// # Invariants
//
//  1. A goroutine uses one frame at a time and waits for room only while it uses none:
//     so there is always one that goes on, and no budget is too small.
//  2. A frame's bytes and dirty flag change only under its mutex, held exclusively.
//  3. A frame leaves the map only when it is clean and unused.
//  4. Chunks that Overwrite or Patch stores have no user but it meanwhile, and get none.
type Pool struct {
	backend Backend
	size    int
	budget  int64

	// PatchCost is how many bytes of a chunk are read, checked and written in the time in which a
	// piece of it is changed in its place, see Patch. It is set before the pool is used.
	PatchCost int

	held atomic.Int64 // frames and claims

	mu      sync.Mutex
	room    sync.Cond // broadcast when a frame falls out of use, or a claim ends
	frames  map[axial.Number]*Frame
	claims  []claim // chunks that Overwrite or Patch is storing
	patched patched
	idle    Frame  // a ring of unused frames, the most recently used first, with this in between
	spare   []byte // of the frame dropped last, for the next one
	stats   Stats
}

// A Frame is a chunk in the pool.
type Frame struct {
	q     axial.Number
	mu    sync.RWMutex
	data  []byte
	err   error // of loading
	dirty atomic.Bool

	// Guarded by Pool.mu.
	users      int
	next, prev *Frame // in the ring of those unused
	gone       bool   // from the map
}

// New returns an empty pool of chunks of size bytes. It holds at most budget bytes, but
// always one chunk.
func New(backend Backend, size int, budget int64) *Pool {
	p := &Pool{backend: backend, size: size, budget: budget, PatchCost: patchCost, frames: map[axial.Number]*Frame{}}
	p.room.L = &p.mu
	p.idle.next, p.idle.prev = &p.idle, &p.idle
	return p
}

// Pin returns the frame of chunk q, which is loaded if need be, for reading until Unpin. It returns
// ErrAbsent when the chunk is neither in the pool nor stored; no room is made for it then. A goroutine
// must not pin a second chunk before it has given up the first (invariant 1).
func (p *Pool) Pin(q axial.Number) (*Frame, error) {
	if absent, err := p.Absent(q); err != nil {
		return nil, err
	} else if absent {
		return nil, ErrAbsent
	}
	fr, err := p.acquire(q, func(fr *Frame) error { return p.backend.Load(q, fr.data) })
	if err != nil {
		return nil, err
	}
	fr.mu.RLock()
	if err := fr.err; err != nil {
		p.Unpin(fr)
		return nil, err
	}
	return fr, nil
}

// Bytes returns the bytes of the chunk of a pinned frame, which must not be changed, nor used after Unpin.
func (fr *Frame) Bytes() []byte { return fr.data }

// Unpin gives up a frame that Pin has returned.
func (p *Pool) Unpin(fr *Frame) {
	fr.mu.RUnlock()
	p.release(fr)
}

// View calls f with the bytes of chunk q, which f must not change or keep. The errors are those of Pin.
func (p *Pool) View(q axial.Number, f func(data []byte)) error {
	fr, err := p.Pin(q)
	if err != nil {
		return err
	}
	defer p.Unpin(fr)
	f(fr.data)
	return nil
}

// Empty reports whether the pool holds no chunk.
func (p *Pool) Empty() bool { return p.held.Load() == 0 }

// Holds reports whether chunk q is in the pool, or being stored by Overwrite or Patch: if not, what is
// stored is what was written last.
func (p *Pool) Holds(q axial.Number) bool {
	if p.Empty() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames[q] != nil || p.claimed(q, 1)
}

// Absent reports whether chunk q is neither in the pool nor stored.
func (p *Pool) Absent(q axial.Number) (bool, error) {
	if p.Holds(q) {
		return false, nil
	}
	stored, err := p.backend.Stored(q)
	return !stored, err
}

// Update calls f with the bytes of chunk q to change. A chunk that is not stored starts
// blank; so does one that f overwrites as a whole, which is not loaded. Nobody sees the
// chunk before f is done with it.
func (p *Pool) Update(q axial.Number, whole bool, f func(data []byte)) error {
	done := false
	load := func(fr *Frame) error {
		err := ErrAbsent
		if !whole {
			err = p.backend.Load(q, fr.data)
		}
		if errors.Is(err, ErrAbsent) {
			p.backend.Blank(fr.data)
			err = nil
		}
		if err == nil {
			fr.change(f)
			done = true
		}
		return err
	}
	// A frame that somebody else tried to load and failed, perhaps because a View needs it
	// stored, is gone from the map already: then once more.
	for !done {
		fr, err := p.acquire(q, load)
		if err != nil {
			return err
		}
		if !done {
			fr.mu.Lock()
			if done = fr.err == nil; done {
				fr.change(f)
			}
			fr.mu.Unlock()
		}
		p.release(fr)
	}
	return nil
}

// change applies f to a frame whose mutex is held.
func (fr *Frame) change(f func(data []byte)) {
	f(fr.data)
	fr.dirty.Store(true)
}

// Flush writes all changed chunks back, in file order, and keeps them. Chunks changed
// while it runs may be written or not.
func (p *Pool) Flush() error {
	p.mu.Lock()
	var dirty []*Frame
	for _, fr := range p.frames {
		if fr.dirty.Load() {
			p.use(fr)
			dirty = append(dirty, fr)
		}
	}
	p.mu.Unlock()
	slices.SortFunc(dirty, func(a, b *Frame) int { return cmp.Compare(a.q, b.q) })
	var err error
	for _, fr := range dirty {
		if err == nil {
			err = p.writeBack(fr)
		}
		p.release(fr)
	}
	return err
}

// Drop forgets chunk q, changed or not, once nobody uses it. Nobody may change it meanwhile.
func (p *Pool) Drop(q axial.Number) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for fr := p.frames[q]; fr != nil; fr = p.frames[q] {
		if fr.users > 0 {
			p.room.Wait()
			continue
		}
		p.use(fr)
		fr.dirty.Store(false)
		p.drop(fr)
	}
}

// Reset forgets all chunks, none of which may be changed. Whoever uses one keeps it until
// done, but nobody gets it any more.
func (p *Pool) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q, fr := range p.frames {
		p.remove(q)
		fr.gone = true
		if fr.users == 0 {
			p.use(fr)
			p.drop(fr)
		}
	}
}

// Held returns the chunks in memory, in no order.
func (p *Pool) Held() []axial.Number {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.frames))
}

// Stats returns the counts so far.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// acquire returns the frame of chunk q, in use. When there is none it makes one and fills
// it by load; whoever asks meanwhile waits for the frame's mutex and finds its err.
func (p *Pool) acquire(q axial.Number, load func(*Frame) error) (*Frame, error) {
	p.mu.Lock()
	for {
		if p.claimed(q, 1) {
			p.room.Wait()
			continue
		}
		if fr := p.frames[q]; fr != nil {
			p.use(fr)
			p.stats.Hits++
			p.mu.Unlock()
			return fr, nil
		}
		done, err := p.makeRoom()
		if err != nil {
			p.mu.Unlock()
			return nil, err
		}
		if done {
			break
		}
	}
	fr := &Frame{q: q, users: 1}
	fr.mu.Lock()
	p.frames[q] = fr
	p.held.Add(1)
	p.stats.Misses++
	p.stats.Bytes += int64(p.size) + overhead
	p.stats.Peak = max(p.stats.Peak, p.stats.Bytes)
	fr.data, p.spare = p.spare, nil
	p.mu.Unlock()

	if fr.data == nil {
		fr.data = make([]byte, p.size)
	}
	err := load(fr)
	if err != nil {
		p.mu.Lock()
		if !fr.gone {
			p.remove(q)
			fr.gone = true
		}
		p.mu.Unlock()
	}
	fr.err = err
	fr.mu.Unlock()
	if err != nil {
		p.release(fr)
		return nil, err
	}
	return fr, nil
}

func (p *Pool) remove(q axial.Number) {
	delete(p.frames, q)
	p.held.Add(-1)
}

// makeRoom reports whether one more frame fits. When not, it drops the frame that was
// used longest ago, or waits until one falls out of use; either way it gave up the
// pool's mutex in between, and the caller has to look again.
func (p *Pool) makeRoom() (done bool, err error) {
	// Frames that could not be loaded count too until their last user lets go of them.
	if p.stats.Bytes == 0 || p.stats.Bytes+int64(p.size)+overhead <= p.budget {
		return true, nil
	}
	fr := p.idle.prev
	if fr == &p.idle {
		p.room.Wait()
		return false, nil
	}
	p.use(fr)
	p.mu.Unlock()
	err = p.writeBack(fr)
	p.mu.Lock()
	p.drop(fr)
	return false, err
}

// writeBack stores a frame in use if it was changed.
func (p *Pool) writeBack(fr *Frame) error {
	fr.mu.Lock()
	defer fr.mu.Unlock()
	if !fr.dirty.Load() {
		return nil
	}
	if err := p.backend.Store(fr.q, fr.data); err != nil {
		return err
	}
	fr.dirty.Store(false)
	return nil
}

// use takes a frame into use.
func (p *Pool) use(fr *Frame) {
	if fr.next != nil {
		fr.next.prev, fr.prev.next = fr.prev, fr.next
		fr.next, fr.prev = nil, nil
	}
	fr.users++
}

// rest makes a frame that nobody uses any more the first of those unused.
func (p *Pool) rest(fr *Frame) {
	fr.next, fr.prev = p.idle.next, &p.idle
	fr.next.prev, p.idle.next = fr, fr
}

// release gives up the use of a frame.
func (p *Pool) release(fr *Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fr.users == 1 && fr.gone {
		p.drop(fr)
		return
	}
	if fr.users--; fr.users == 0 {
		p.rest(fr)
	}
	p.room.Broadcast()
}

// drop gives up the use of a frame and forgets it if nobody else uses it and it is clean.
func (p *Pool) drop(fr *Frame) {
	fr.users--
	switch {
	case fr.users > 0:
	case fr.dirty.Load():
		p.rest(fr)
	default:
		if !fr.gone {
			p.remove(fr.q)
			p.stats.Evictions++
		}
		p.stats.Bytes -= int64(p.size) + overhead
		p.spare = fr.data
	}
	p.room.Broadcast()
}
