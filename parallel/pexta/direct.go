package pexta

import (
	"fmt"
	"sync"
	"sync/atomic"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/pexta/internal/division"
)

// A local is the elements of a global array in the memory of this proc.
type local struct {
	box     nd.Section
	mem     []byte
	strides []int
	release func()

	users     sync.WaitGroup // goroutines that may use mem
	withdrawn atomic.Bool    // mem may be used no longer
}

// access returns the elements of a global array in the memory of this proc; nil if there are none, or they cannot be reached.
func access(g GlobalArray) (*local, error) {
	a, ok := g.(Accessor)
	if !ok || !littleEndian { // the bytes of a file are
		return nil, nil
	}
	box, mem, strides, release, err := a.Access()
	if err != nil || box == nil {
		return nil, err
	}
	return &local{box: box, mem: mem, strides: strides, release: release}, nil
}

// littleEndian is whether elements in memory have the bytes that they have in files.
var littleEndian = dtype.Bytes([]uint16{1})[0] == 1

// at returns the memory of a part of the box, and its strides in the order of the disk array's dimensions.
func (l *local) at(part nd.Section, transposed bool) (mem []byte, strides []int) {
	offset := 0
	strides = make([]int, len(part))
	for d, r := range part {
		offset += (r.Lo - l.box[d].Lo) * l.strides[d]
		e := d
		if transposed {
			e = len(part) - 1 - d
		}
		strides[e] = l.strides[d]
	}
	return l.mem[offset:], strides
}

// readsOwn reports whether each proc reads the elements that it has in memory, whoever owns their chunks, so that none go by buffers or between
// procs: all elements are in the memory of procs, and what was written is committed, so that every proc finds it in the file. It is the same on
// all procs.
func (p *patch) readsOwn() bool {
	if _, ok := p.g.(Accessor); !ok || !littleEndian || p.array.committed < p.array.changes {
		return false
	}
	held := 0.0
	for _, box := range p.held() {
		held += division.Size(box)
	}
	return held == division.Size(p.section)
}

// held returns the part of the section that each proc has in memory, nil if that is nothing or no single box.
func (p *patch) held() []nd.Section {
	all := make([]nd.Section, p.array.comm.Procs())
	for proc := range all {
		if held := division.Intersect(p.g.Distribution(proc), p.memory); held != nil {
			all[proc] = p.onDisk(held)
		}
	}
	return all
}

// divide divides what this proc moves of a patch into what goes directly to its memory, or from there, and the rest, which goes by buffers.
func (p *patch) divide(l *local, readsOwn bool) (direct, rest []nd.Section) {
	if readsOwn {
		held := division.Intersect(p.g.Distribution(p.array.comm.Proc()), p.memory)
		switch {
		case held == nil:
			return nil, nil
		case l == nil:
			return nil, []nd.Section{p.onDisk(held)}
		}
		return []nd.Section{p.onDisk(held)}, nil
	}
	disk := p.array.disk
	for _, zone := range disk.Zone().Sections() {
		own := division.Intersect(zone, p.section)
		if own == nil {
			continue
		}
		var inside nd.Section
		if l != nil {
			if held := division.Intersect(l.box, p.memory); held != nil {
				inside = division.Inside(division.Intersect(own, p.onDisk(held)), own, disk.ChunkShape())
			}
		}
		if inside != nil {
			direct = append(direct, inside)
		}
		rest = append(rest, division.Without(own, inside)...)
	}
	return direct, rest
}

// beginDirect moves what it can between the disk array and the memory of this proc, in the background, and returns the rest.
func (s *Session) beginDirect(r *request) (rest []nd.Section, err error) {
	l, err := access(r.g)
	if err != nil {
		return nil, err
	}
	boxes, rest := r.divide(l, r.own)
	if len(boxes) == 0 {
		if l != nil {
			l.release()
		}
		return rest, nil
	}
	r.local = l
	chunk := r.array.disk.ChunkShape()
	elements, _ := nd.Product(chunk...) // the array was opened with it
	parts := division.Divide(boxes, chunk, max(elements, directBytes/r.g.Type().Size()))
	move := &directMove{request: r, local: l, parts: parts, write: r.writes()}
	for range s.area.Goroutines() {
		r.running++
		l.users.Add(1)
		s.area.Start(nil, move)
	}
	return rest, nil
}

// A directMove moves parts of a request between the disk array and the memory of this proc. Several
// goroutines carry it out; each takes the next part.
type directMove struct {
	request *request
	local   *local
	write   bool

	mu    sync.Mutex
	parts *division.Parts
}

// Work moves parts until none is left.
func (m *directMove) Work() error {
	defer m.local.users.Done()
	r, disk := m.request, m.request.array.disk
	for part, ok := m.next(); ok; part, ok = m.next() {
		if m.local.withdrawn.Load() {
			return errWithdrawn(r.g)
		}
		mem, strides := m.local.at(r.inMemory(part), r.transposed)
		var err error
		if m.write {
			err = disk.WriteStrided(part, mem, strides)
		} else {
			err = disk.ReadStrided(part, mem, strides)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *directMove) next() (nd.Section, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.parts.Next()
}

// End notes the error of one of the goroutines.
func (m *directMove) End(err error) { m.request.end(err) }

// Withdraw is for programs in which the memory of global arrays can go away under a request: it is called before, with a function that
// reports whether memory that Access has returned is what goes away, and returns when nobody uses it. Requests that had not moved
// all elements there fail with ErrHandle. It is local.
func (s *Session) Withdraw(goesAway func(mem []byte) bool) {
	for _, r := range s.pending {
		if r.local == nil || !goesAway(r.local.mem) {
			continue
		}
		r.local.withdrawn.Store(true)
		r.local.users.Wait()
		r.local = nil // its release is for memory that is there
		if r.parts != nil {
			r.parts = nil
			r.fail(errWithdrawn(r.g))
		}
	}
}

// errWithdrawn is the error of a request whose global array is gone.
func errWithdrawn(g GlobalArray) error {
	return fmt.Errorf("global array %d: its memory was given up before the request was done: %w", g.Handle(), ErrHandle)
}

// directBytes limits what one call moves, unless a chunk is larger. Parts have at least half of it, more than the 4 MiB from
// which on package drx moves elements past the caches and fetches rows in advance.
const directBytes = 32 << 20
