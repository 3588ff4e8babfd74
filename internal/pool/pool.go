// Package pool caches chunks in memory. A chunk is loaded once, however many goroutines request it;
// it stays while it is in use; it is written back before it is dropped; and all chunks together
// stay within a budget. The DRX of 2007 used Berkeley DB's Mpool for this.
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

// overhead is the memory of a cached chunk in addition to its bytes. It counts against the budget.
const overhead = 256

// Stats holds the counters of a pool.
type Stats struct {
	Hits, Misses, Evictions int64
	Bytes, Peak             int64 // bytes of cached chunks, at present and at most so far
}

// A Pool is safe for concurrent use.
//
// # Invariants
//
//  1. A goroutine uses one cached chunk at a time and waits for space only while it uses none. So
//     at least one goroutine can always proceed, however small the budget is.
//  2. A cached chunk's bytes and dirty flag change only under its mutex, held exclusively.
//  3. A cached chunk leaves the map only when it is clean and unused.
//  4. While Overwrite or Patch stores a chunk, no other goroutine uses it in the cache.
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

	held atomic.Int64 // cached chunks and claims

	mu      sync.Mutex
	freed   sync.Cond // broadcast when a chunk becomes unused or a claim ends
	cached  map[axial.Number]*Chunk
	claims  []claim // chunks that Overwrite or Patch is storing
	patched patchCounts
	idle    Chunk  // sentinel of the ring of unused chunks, the most recently used first
	spare   []byte // bytes of the chunk dropped last, for reuse
	stats   Stats
}

// A Chunk is a chunk in the memory of the pool, loaded or being loaded.
type Chunk struct {
	q     axial.Number
	mu    sync.RWMutex
	data  []byte
	err   error // the error of loading it
	dirty atomic.Bool

	// Guarded by Pool.mu.
	users      int
	next, prev *Chunk // in the ring of unused chunks
	removed    bool   // from the map
}

// New returns an empty pool of chunks of size bytes. It holds at most budget bytes, but
// always one chunk.
func New(backend Backend, size int, budget int64) *Pool {
	p := &Pool{backend: backend, size: size, budget: budget, PatchCost: patchCost, cached: map[axial.Number]*Chunk{}}
	p.freed.L = &p.mu
	p.idle.next, p.idle.prev = &p.idle, &p.idle
	return p
}

// SetBudget changes the most bytes that the pool holds. It drops unchanged, unused chunks beyond
// the new budget. Changed chunks beyond it are stored and dropped when space is needed next.
func (p *Pool) SetBudget(budget int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.budget = budget
	for c := p.idle.prev; c != &p.idle && p.stats.Bytes > budget; {
		previous := c.prev
		if !c.dirty.Load() {
			p.use(c)
			p.drop(c)
			p.spare = nil
		}
		c = previous
	}
	p.freed.Broadcast()
}

// Pin returns chunk q, cached, for reading until Unpin. It loads the chunk if necessary. It
// returns ErrAbsent, without evicting another chunk, if the chunk is neither in the pool nor
// stored. A goroutine must not pin a second chunk before it has unpinned the first (invariant 1).
func (p *Pool) Pin(q axial.Number) (*Chunk, error) {
	if absent, err := p.Absent(q); err != nil {
		return nil, err
	} else if absent {
		return nil, ErrAbsent
	}
	c, err := p.acquire(q, func(c *Chunk) error { return p.backend.Load(q, c.data) })
	if err != nil {
		return nil, err
	}
	c.mu.RLock()
	if err := c.err; err != nil {
		p.Unpin(c)
		return nil, err
	}
	return c, nil
}

// Bytes returns the bytes of a pinned chunk. They must not be changed, nor used after
// Unpin.
func (c *Chunk) Bytes() []byte { return c.data }

// Unpin releases a chunk that Pin has returned.
func (p *Pool) Unpin(c *Chunk) {
	c.mu.RUnlock()
	p.release(c)
}

// View calls f with the bytes of chunk q, which f must not change or keep. The errors are those of
// Pin.
func (p *Pool) View(q axial.Number, f func(data []byte)) error {
	c, err := p.Pin(q)
	if err != nil {
		return err
	}
	defer p.Unpin(c)
	f(c.data)
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
	return p.cached[q] != nil || p.claimed(q, 1)
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
	load := func(c *Chunk) error {
		err := ErrAbsent
		if !whole {
			err = p.backend.Load(q, c.data)
		}
		if errors.Is(err, ErrAbsent) {
			p.backend.Blank(c.data)
			err = nil
		}
		if err == nil {
			c.change(f)
			done = true
		}
		return err
	}
	// If another goroutine failed to load the chunk, for example because View requires a stored
	// chunk, it has left the map already: try again with a new one.
	for !done {
		c, err := p.acquire(q, load)
		if err != nil {
			return err
		}
		if !done {
			c.mu.Lock()
			if done = c.err == nil; done {
				c.change(f)
			}
			c.mu.Unlock()
		}
		p.release(c)
	}
	return nil
}

// change applies f to a cached chunk. Its mutex must be held.
func (c *Chunk) change(f func(data []byte)) {
	f(c.data)
	c.dirty.Store(true)
}

// Flush writes all changed chunks back, in file order, and keeps them in the pool. It may or may
// not write chunks that change meanwhile.
func (p *Pool) Flush() error {
	p.mu.Lock()
	var dirty []*Chunk
	for _, c := range p.cached {
		if c.dirty.Load() {
			p.use(c)
			dirty = append(dirty, c)
		}
	}
	p.mu.Unlock()
	slices.SortFunc(dirty, func(a, b *Chunk) int { return cmp.Compare(a.q, b.q) })
	return p.storeAll(dirty)
}

// storeAll writes changed chunks back and releases them. It stops storing after an error.
func (p *Pool) storeAll(dirty []*Chunk) (err error) {
	if p.Storers <= 1 {
		for _, c := range dirty {
			if err == nil {
				err = p.writeBack(c)
			}
			p.release(c)
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
	for c := p.cached[q]; c != nil; c = p.cached[q] {
		if c.users > 0 {
			p.freed.Wait()
			continue
		}
		p.use(c)
		c.dirty.Store(false)
		p.drop(c)
	}
}

// Reset drops all chunks, which must be unchanged. Goroutines that use one keep it until they
// release it, but no other goroutine gets it.
func (p *Pool) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q, c := range p.cached {
		p.remove(q)
		c.removed = true
		if c.users == 0 {
			p.use(c)
			p.drop(c)
		}
	}
}

// Held returns the numbers of the chunks in memory, in no order.
func (p *Pool) Held() []axial.Number {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.cached))
}

// Stats returns the counts so far.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// acquire returns chunk q, cached, and marks it as used. If there is none, it creates one and
// fills it with load. Goroutines that acquire it meanwhile wait for the chunk's mutex and then
// see its err.
func (p *Pool) acquire(q axial.Number, load func(*Chunk) error) (*Chunk, error) {
	p.mu.Lock()
	for {
		if p.claimed(q, 1) {
			p.freed.Wait()
			continue
		}
		if c := p.cached[q]; c != nil {
			p.use(c)
			p.stats.Hits++
			p.mu.Unlock()
			return c, nil
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
	c := &Chunk{q: q, users: 1}
	c.mu.Lock()
	p.cached[q] = c
	p.held.Add(1)
	p.stats.Misses++
	p.stats.Bytes += int64(p.size) + overhead
	p.stats.Peak = max(p.stats.Peak, p.stats.Bytes)
	c.data, p.spare = p.spare, nil
	p.mu.Unlock()

	if c.data == nil {
		c.data = make([]byte, p.size)
	}
	err := load(c)
	if err != nil {
		p.mu.Lock()
		if !c.removed {
			p.remove(q)
			c.removed = true
		}
		p.mu.Unlock()
	}
	c.err = err
	c.mu.Unlock()
	if err != nil {
		p.release(c)
		return nil, err
	}
	return c, nil
}

func (p *Pool) remove(q axial.Number) {
	delete(p.cached, q)
	p.held.Add(-1)
}

// makeSpace reports whether one more chunk fits. If not, it drops the least recently used chunk,
// or waits until one becomes unused. In that case it has unlocked the pool's mutex meanwhile, and
// the caller must check again.
func (p *Pool) makeSpace() (done bool, err error) {
	// Chunks that could not be loaded count as well, until their last user releases them.
	if p.stats.Bytes == 0 || p.stats.Bytes+int64(p.size)+overhead <= p.budget {
		return true, nil
	}
	c := p.idle.prev
	if c == &p.idle {
		p.freed.Wait()
		return false, nil
	}
	p.use(c)
	p.mu.Unlock()
	err = p.writeBack(c)
	p.mu.Lock()
	p.drop(c)
	return false, err
}

// writeBack stores a cached chunk if it was changed. The caller must have acquired it.
func (p *Pool) writeBack(c *Chunk) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.dirty.Load() {
		return nil
	}
	if err := p.backend.Store(c.q, c.data); err != nil {
		return err
	}
	c.dirty.Store(false)
	return nil
}

// use marks a cached chunk as used once more.
func (p *Pool) use(c *Chunk) {
	if c.next != nil {
		c.next.prev, c.prev.next = c.prev, c.next
		c.next, c.prev = nil, nil
	}
	c.users++
}

// makeIdle inserts a cached chunk without users at the front of the unused ones.
func (p *Pool) makeIdle(c *Chunk) {
	c.next, c.prev = p.idle.next, &p.idle
	c.next.prev, p.idle.next = c, c
}

// release ends one use of a cached chunk.
func (p *Pool) release(c *Chunk) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.users == 1 && c.removed {
		p.drop(c)
		return
	}
	if c.users--; c.users == 0 {
		p.makeIdle(c)
	}
	p.freed.Broadcast()
}

// drop releases a cached chunk, and removes it from the pool if it is clean and has no other user.
func (p *Pool) drop(c *Chunk) {
	c.users--
	switch {
	case c.users > 0:
	case c.dirty.Load():
		p.makeIdle(c)
	default:
		if !c.removed {
			p.remove(c.q)
			p.stats.Evictions++
		}
		p.stats.Bytes -= int64(p.size) + overhead
		p.spare = c.data
	}
	p.freed.Broadcast()
}
