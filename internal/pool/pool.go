// Package pool caches chunks in memory. A chunk is held in a frame. A frame is loaded once,
// however many goroutines request it; it stays while it is in use; it is written back before it
// is dropped; and all frames together stay within a budget. The DRX of 2007 used Berkeley DB's
// Mpool for this.
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

// A Backend loads and stores chunks.
type Backend interface {
	// Stored reports whether a chunk is stored, so that it can be loaded.
	Stored(q axial.Number) (bool, error)
	// Load fills buf with a stored chunk, or returns ErrAbsent.
	Load(q axial.Number, buf []byte) error
	// Blank fills buf with the initial contents of a chunk.
	Blank(buf []byte)
	// Store writes a chunk.
	Store(q axial.Number, buf []byte) error
}

// ErrAbsent is returned by Backend.Load for a chunk that was never stored, and by View.
var ErrAbsent = errors.New("chunk is not stored")

// overhead is the memory of a frame in addition to its bytes. It counts against the budget.
const overhead = 256

// Stats holds the counters of a pool.
type Stats struct {
	Hits, Misses, Evictions int64
	Bytes, Peak             int64 // bytes in frames, at present and at most so far
}

// A Pool is safe for concurrent use.
//
// # Invariants
//
//  1. A goroutine uses one frame at a time and waits for space only while it uses none. So at
//     least one goroutine can always proceed, however small the budget is.
//  2. A frame's bytes and dirty flag change only under its mutex, held exclusively.
//  3. A frame leaves the map only when it is clean and unused.
//  4. While Overwrite or Patch stores a chunk, no other goroutine uses its frame.
type Pool struct {
	backend Backend
	size    int
	budget  int64

	// PatchCost is the cost of patching one piece in the file, see Patch, in bytes of a chunk that
	// could be read, verified and written in the same time. It must be set before the pool is used.
	PatchCost int
	// Storers is how many goroutines of Flush store chunks at the same time; 0 is one. It must be
	// set before the pool is used.
	Storers int

	held atomic.Int64 // frames and claims

	mu      sync.Mutex
	freed   sync.Cond // broadcast when a frame becomes unused or a claim ends
	frames  map[axial.Number]*Frame
	claims  []claim // chunks that Overwrite or Patch is storing
	patched patchCounts
	idle    Frame  // sentinel of the ring of unused frames, the most recently used first
	spare   []byte // bytes of the frame dropped last, for reuse
	stats   Stats
}

// A Frame is a chunk in the pool.
type Frame struct {
	q     axial.Number
	mu    sync.RWMutex
	data  []byte
	err   error // the error of loading it
	dirty atomic.Bool

	// Guarded by Pool.mu.
	users      int
	next, prev *Frame // in the ring of unused frames
	removed    bool   // from the map
}

// New returns an empty pool of chunks of size bytes. It holds at most budget bytes, but
// always one chunk.
func New(backend Backend, size int, budget int64) *Pool {
	p := &Pool{backend: backend, size: size, budget: budget, PatchCost: patchCost, frames: map[axial.Number]*Frame{}}
	p.freed.L = &p.mu
	p.idle.next, p.idle.prev = &p.idle, &p.idle
	return p
}

// SetBudget changes how many bytes the pool holds at most. It drops unchanged chunks that nobody
// uses and that are beyond that, and leaves changed ones to whoever needs space next.
func (p *Pool) SetBudget(budget int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.budget = budget
	for fr := p.idle.prev; fr != &p.idle && p.stats.Bytes > budget; {
		previous := fr.prev
		if !fr.dirty.Load() {
			p.use(fr)
			p.drop(fr)
			p.spare = nil
		}
		fr = previous
	}
	p.freed.Broadcast()
}

// Pin returns the frame of chunk q for reading until Unpin. It loads the chunk if necessary. It
// returns ErrAbsent, without evicting another chunk, if the chunk is neither in the pool nor
// stored. A goroutine must not pin a second chunk before it has unpinned the first (invariant 1).
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

// Bytes returns the bytes of a pinned frame's chunk. They must not be changed, nor used after
// Unpin.
func (fr *Frame) Bytes() []byte { return fr.data }

// Unpin releases a frame that Pin has returned.
func (p *Pool) Unpin(fr *Frame) {
	fr.mu.RUnlock()
	p.release(fr)
}

// View calls f with the bytes of chunk q, which f must not change or keep. The errors are those of
// Pin.
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

// Holds reports whether chunk q is in the pool, or being stored by Overwrite or Patch. If not, the
// stored chunk has all changes.
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

// Update calls f with the bytes of chunk q to change them. If whole is set, f overwrites all of
// them and the chunk is not loaded. A chunk that is not loaded or not stored starts blank. No other
// goroutine sees the chunk before f returns.
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
	// If another goroutine failed to load the frame, for example because View requires a stored
	// chunk, the frame has left the map already: try again with a new one.
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

// change applies f to a frame. The frame's mutex must be held.
func (fr *Frame) change(f func(data []byte)) {
	f(fr.data)
	fr.dirty.Store(true)
}

// Flush writes all changed chunks back, in file order, and keeps them in the pool. It may or may
// not write chunks that change meanwhile.
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
	return p.storeAll(dirty)
}

// storeAll writes changed frames back and releases them. It stops storing after an error.
func (p *Pool) storeAll(dirty []*Frame) (err error) {
	if p.Storers <= 1 {
		for _, fr := range dirty {
			if err == nil {
				err = p.writeBack(fr)
			}
			p.release(fr)
		}
		return err
	}
	errs := make([]error, max(1, min(p.Storers, len(dirty))))
	var next atomic.Int64
	var failed atomic.Bool
	store := func(err *error) {
		for i := next.Add(1) - 1; i < int64(len(dirty)); i = next.Add(1) - 1 {
			if !failed.Load() {
				if *err = p.writeBack(dirty[i]); *err != nil {
					failed.Store(true)
				}
			}
			p.release(dirty[i])
		}
	}
	var wait sync.WaitGroup
	for i := range errs[1:] {
		wait.Go(func() { store(&errs[1+i]) })
	}
	store(&errs[0])
	wait.Wait()
	return cmp.Or(errs...)
}

// Drop waits until no goroutine uses chunk q and drops it, even if it is changed. Meanwhile no
// goroutine may change it.
func (p *Pool) Drop(q axial.Number) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for fr := p.frames[q]; fr != nil; fr = p.frames[q] {
		if fr.users > 0 {
			p.freed.Wait()
			continue
		}
		p.use(fr)
		fr.dirty.Store(false)
		p.drop(fr)
	}
}

// Reset drops all chunks, which must be unchanged. Goroutines that use one keep it until they
// release it, but no other goroutine gets it.
func (p *Pool) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q, fr := range p.frames {
		p.remove(q)
		fr.removed = true
		if fr.users == 0 {
			p.use(fr)
			p.drop(fr)
		}
	}
}

// Held returns the numbers of the chunks in memory, in no order.
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

// acquire returns the frame of chunk q and marks it as used. If there is none, it creates one and
// fills it with load. Goroutines that acquire it meanwhile wait for the frame's mutex and then
// see its err.
func (p *Pool) acquire(q axial.Number, load func(*Frame) error) (*Frame, error) {
	p.mu.Lock()
	for {
		if p.claimed(q, 1) {
			p.freed.Wait()
			continue
		}
		if fr := p.frames[q]; fr != nil {
			p.use(fr)
			p.stats.Hits++
			p.mu.Unlock()
			return fr, nil
		}
		done, err := p.makeSpace()
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
		if !fr.removed {
			p.remove(q)
			fr.removed = true
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

// makeSpace reports whether one more frame fits. If not, it drops the least recently used frame,
// or waits until one becomes unused. In that case it has unlocked the pool's mutex meanwhile, and
// the caller must check again.
func (p *Pool) makeSpace() (done bool, err error) {
	// Frames that could not be loaded count as well, until their last user releases them.
	if p.stats.Bytes == 0 || p.stats.Bytes+int64(p.size)+overhead <= p.budget {
		return true, nil
	}
	fr := p.idle.prev
	if fr == &p.idle {
		p.freed.Wait()
		return false, nil
	}
	p.use(fr)
	p.mu.Unlock()
	err = p.writeBack(fr)
	p.mu.Lock()
	p.drop(fr)
	return false, err
}

// writeBack stores a frame if it was changed. The caller must have acquired it.
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

// use marks a frame as used once more.
func (p *Pool) use(fr *Frame) {
	if fr.next != nil {
		fr.next.prev, fr.prev.next = fr.prev, fr.next
		fr.next, fr.prev = nil, nil
	}
	fr.users++
}

// makeIdle puts a frame without users at the front of the unused frames.
func (p *Pool) makeIdle(fr *Frame) {
	fr.next, fr.prev = p.idle.next, &p.idle
	fr.next.prev, p.idle.next = fr, fr
}

// release ends one use of a frame.
func (p *Pool) release(fr *Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fr.users == 1 && fr.removed {
		p.drop(fr)
		return
	}
	if fr.users--; fr.users == 0 {
		p.makeIdle(fr)
	}
	p.freed.Broadcast()
}

// drop releases a frame, and removes it from the pool if it is clean and has no other user.
func (p *Pool) drop(fr *Frame) {
	fr.users--
	switch {
	case fr.users > 0:
	case fr.dirty.Load():
		p.makeIdle(fr)
	default:
		if !fr.removed {
			p.remove(fr.q)
			p.stats.Evictions++
		}
		p.stats.Bytes -= int64(p.size) + overhead
		p.spare = fr.data
	}
	p.freed.Broadcast()
}
