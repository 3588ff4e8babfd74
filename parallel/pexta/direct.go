package pexta

import (
	"sync"
	"sync/atomic"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/pexta/internal/division"
)

// A local holds the elements of a global array in the memory of this proc.
type local struct {
	box     nd.Section
	mem     []byte
	strides []int
	release func()

	users     sync.WaitGroup // goroutines that may use mem
	withdrawn atomic.Bool    // mem may no longer be used
}

// access returns the elements of a global array in the memory of this proc. It returns nil if there
// are none, or if the global array does not give access to them.
func access(g GlobalArray) (*local, error) {
	a, ok := g.(Accessor)
	if !ok || !littleEndian { // files are little-endian
		return nil, nil
	}
	box, mem, strides, release, err := a.Access()
	if err != nil || box == nil {
		return nil, err
	}
	return &local{box: box, mem: mem, strides: strides, release: release}, nil
}

// littleEndian reports whether elements have the same bytes in memory and in files.
var littleEndian = dtype.Bytes([]uint16{1})[0] == 1

// at returns the memory of a part of the box, and its strides in the order of the disk array's
// dimensions.
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

// readsOwn reports whether each proc reads the elements that it has in memory, whichever proc owns
// their chunks. Then no element passes through a buffer or another proc. It requires that all
// elements are in the memory of procs, and all writes are committed, so that every proc finds them
// in the file. The result is the same on all procs.
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

// held returns, for each proc, the part of the section in its memory; nil if it has none or the
// part is no single box.
func (p *patch) held() []nd.Section {
	all := make([]nd.Section, p.array.comm.Procs())
	for proc := range all {
		if held := division.Intersect(p.g.Distribution(proc), p.memory); held != nil {
			all[proc] = p.onDisk(held)
		}
	}
	return all
}

// divide splits this proc's part of a patch into sections that move directly between file and
// memory, and the rest, which passes through buffers.
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

// beginDirect starts background jobs that move elements directly between the disk array and the
// memory of this proc. It returns the sections that must pass through buffers.
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
	elements, _ := nd.Product(chunk...) // no error: the array was opened with it
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

// End records the error of one of the goroutines.
func (m *directMove) End(err error) { m.request.end(err) }

// Withdraw is for programs that free the memory of a global array during a request. The program
// calls it before it frees the memory; goesAway reports for memory returned by Access whether it
// will be freed. Withdraw returns when no goroutine uses that memory any more. Requests that have
// not moved all of its elements fail with ErrHandle. It is local.
func (s *Session) Withdraw(goesAway func(mem []byte) bool) {
	for _, r := range s.pending {
		if r.local == nil || !goesAway(r.local.mem) {
			continue
		}
		r.local.withdrawn.Store(true)
		r.local.users.Wait()
		r.local = nil // its release requires memory that still exists
		if r.parts != nil {
			r.parts = nil
			r.fail(errWithdrawn(r.g))
		}
	}
}

// errWithdrawn is the error of a request whose global array is gone.
func errWithdrawn(g GlobalArray) error {
	return errkind.Errorf(ErrHandle, "global array %d: its memory was given up before the request was done", g.Handle())
}

// directBytes limits the bytes that one call moves, unless a chunk is larger. Parts have at least
// half of it, which exceeds the 4 MiB from which package drx bypasses the caches and prefetches
// rows.
const directBytes = 32 << 20
