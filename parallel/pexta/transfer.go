package pexta

import (
	"fmt"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/pexta/internal/division"
)

// Write writes a global array to a disk array with the same extents, collective, see WriteSection.
func (s *Session) Write(g GlobalArray, h Handle) (Request, error) {
	return s.write("write", false, g, nil, h, nil)
}

// WriteSection writes a section of a global array to the corresponding section of a disk array,
// collective. A nil section is the whole array. When it returns, the elements have been copied. The
// error, after which there is no request, wraps ErrHandle, drx.ErrReadOnly, drx.ErrDType,
// drx.ErrRank, drx.ErrBounds, drx.ErrSize or par.ErrDisagree. Wait returns other errors.
func (s *Session) WriteSection(transposed bool, g GlobalArray, memory nd.Section, h Handle, section nd.Section) (Request, error) {
	return s.write("write section", transposed, g, memory, h, section)
}

// Read reads a disk array to a global array with the same extents, collective, see ReadSection.
func (s *Session) Read(g GlobalArray, h Handle) (Request, error) {
	return s.read("read", false, g, nil, h, nil)
}

// ReadSection reads a section of a disk array to the corresponding section of a global array,
// collective. A nil section is the whole array. Until the request is done, elements of the global
// array may be old or new; after an error of Wait they are undefined. It returns the errors of
// WriteSection.
func (s *Session) ReadSection(transposed bool, g GlobalArray, memory nd.Section, h Handle, section nd.Section) (Request, error) {
	return s.read("read section", transposed, g, memory, h, section)
}

func (s *Session) write(op string, transposed bool, g GlobalArray, memory nd.Section, h Handle, section nd.Section) (Request, error) {
	p, err := s.patch(op, true, transposed, g, memory, h, section)
	if err != nil {
		return 0, err
	}
	a := p.array
	if err := s.redistribute(p); err != nil {
		return 0, err
	}
	a.changes++
	r := &request{patch: p, op: op, change: a.changes}
	number := s.begin(r)
	r.fail(g.Sync()) // earlier Puts are stored
	r.fail(guard(func() error { return s.beginMoves(r) }))
	for r.parts != nil {
		s.beginWrite(r)
	}
	if r.local != nil { // the program may change its memory after this call
		s.drain(r)
	}
	r.barrier()
	r.fail(g.Sync()) // all procs have got their elements: the program may change them
	return number, nil
}

func (s *Session) read(op string, transposed bool, g GlobalArray, memory nd.Section, h Handle, section nd.Section) (Request, error) {
	p, err := s.patch(op, false, transposed, g, memory, h, section)
	if err != nil {
		return 0, err
	}
	own := p.readsOwn()
	if !own {
		if err := s.redistribute(p); err != nil {
			return 0, err
		}
	}
	r := &request{patch: p, op: op, own: own}
	number := s.begin(r)
	r.fail(g.Sync()) // nobody uses the old elements any more
	r.fail(guard(func() error { return s.beginMoves(r) }))
	s.feed()
	return number, nil
}

// patch checks the arguments of a call and finishes the requests that must precede it.
func (s *Session) patch(op string, write, transposed bool, g GlobalArray, memory nd.Section, h Handle, section nd.Section) (*patch, error) {
	a, err := s.array(op, h)
	if err != nil {
		return nil, err
	}
	p, err := newPatch(transposed, g, memory, a, section)
	if err == nil {
		err = a.mode.allows(write)
	}
	what := fmt.Sprintf("pexta: %s %s: section %v, %v of a global array of %v, transposed %v", op, a.file, section, memory, g.Shape(), transposed)
	if err := a.comm.Agree(what, a.errorf(op, err)); err != nil {
		return nil, err
	}
	s.finishConflicts(p, write)
	return p, nil
}

// redistribute changes the owners of a patch's chunks if that saves enough messages. Unfinished
// requests rely on the present owners, so it does nothing while there are any.
func (s *Session) redistribute(p *patch) error {
	a := p.array
	if len(s.of(a)) > 0 {
		return nil
	}
	work := division.Work{Chunk: a.disk.ChunkShape(), Section: p.section, Held: p.held()}
	now := a.disk.Decomposition()
	better, ok := work.Better(func(proc int) []nd.Section { return now.Zone(proc).Sections() })
	if !ok {
		return nil
	}
	return a.disk.Redistribute(better.Distribution())
}

// copiedBytes limits the bytes that one proc copies so that a write continues after the call.
// Copying more takes about as long as writing, because the system must first clear the pages of the
// buffers.
const copiedBytes = 16 << 20

// beginMoves starts the moves that need no buffers, and leaves the rest to beginWrite and
// beginRead. A small write that fits into the free buffers uses only these, so that it continues
// after the call.
func (s *Session) beginMoves(r *request) error {
	if r.err != nil {
		return nil
	}
	var rest []nd.Section
	if r.writes() {
		_, rest = r.divide(nil, false)
	}
	if r.reads() || bytesOf(r.g.Type(), rest) > float64(min(s.area.Free(), copiedBytes)) {
		var err error
		if rest, err = s.beginDirect(r); err != nil {
			return err
		}
	}
	r.parts = division.Divide(rest, r.array.disk.ChunkShape(), s.area.BufferBytes()/r.g.Type().Size())
	return nil
}

// beginWrite copies the next part of a request from the global array, and writes it in the
// background. It ends other parts until a buffer is free.
func (s *Session) beginWrite(r *request) {
	buf, err := s.area.Buffer()
	for err == nil && buf == nil {
		s.area.Finish(true)
		buf, err = s.area.Buffer()
	}
	if err != nil {
		r.fail(err)
		r.parts = nil
		return
	}
	part, ok := r.parts.Next()
	if !ok || r.err != nil {
		s.area.Return(buf)
		r.parts = nil
		return
	}
	m := newBufferedMove(r, part, buf)
	if err := guard(func() error { return r.g.Get(r.inMemory(part), m.data) }); err != nil {
		s.area.Return(buf)
		r.fail(err)
		r.parts = nil
		return
	}
	r.running++
	s.area.Start(buf, (*bufferedWrite)(m))
}

// A bufferedMove moves one part of a request by a buffer.
type bufferedMove struct {
	request *request
	part    nd.Section
	dtype   dtype.DType // of the global array; Work must not call g
	data    []byte
	order   nd.Order // of the elements in data
}

func newBufferedMove(r *request, part nd.Section, buf []byte) *bufferedMove {
	t := r.g.Type()
	return &bufferedMove{request: r, part: part, dtype: t, data: buf[:elementBytes(t, part)], order: r.order()}
}

// A bufferedWrite writes elements that beginWrite has copied from the global array.
type bufferedWrite bufferedMove

// Work writes the part to the file.
func (m *bufferedWrite) Work() error {
	m.dtype.ToLittle(m.data)
	return m.request.array.disk.WriteBytes(m.part, m.data, m.order)
}

// End records the error.
func (m *bufferedWrite) End(err error) { m.request.end(err) }

// A bufferedRead reads a part, which then goes to the global array.
type bufferedRead bufferedMove

// Work reads the part from the file.
func (m *bufferedRead) Work() error {
	err := m.request.array.disk.ReadBytes(m.part, m.data, m.order)
	m.dtype.ToLittle(m.data) // also converts from it: the swap is the same
	return err
}

// End puts the elements into the global array, on the goroutine that makes its calls.
func (m *bufferedRead) End(err error) {
	r := m.request
	if err == nil && r.err == nil {
		err = guard(func() error { return r.g.Put(r.inMemory(m.part), m.data) })
	}
	r.end(err)
}

// beginRead reads the next part of a request in the background. It returns false if it found no
// buffer and needs one.
func (s *Session) beginRead(r *request) bool {
	buf, err := s.area.Buffer()
	if err == nil && buf == nil {
		return false
	}
	r.fail(err)
	part, ok := nd.Section(nil), false
	if r.err == nil {
		part, ok = r.parts.Next()
	}
	if !ok {
		if buf != nil {
			s.area.Return(buf)
		}
		r.parts = nil
		return true
	}
	r.running++
	s.area.Start(buf, (*bufferedRead)(newBufferedMove(r, part, buf)))
	return true
}

// guard turns a panic of f into an error of the request. It is for the work of one proc between two
// collective calls: the other procs get the error when they wait for the request, and do not wait
// for ever in the second call.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}
