package drx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/nd"
)

// ReadBytes reads a section into buf: dense, little-endian elements in the given order of
// the dimensions. buf must have the size of the section in bytes. A nil section is the
// whole array. Elements never written read as the fill value. The error wraps ErrRank,
// ErrBounds, ErrSize, ErrClosed or ErrCorrupt; buf may have changed then.
func (a *Array) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	t, err := a.beginTransfer("read", false, sec, order)
	if err != nil {
		return err
	}
	defer t.done()
	return t.readDense(buf)
}

// WriteBytes writes a section from buf, laid out as ReadBytes describes. The error wraps
// ErrRank, ErrBounds, ErrSize, ErrClosed, ErrReadOnly or ErrCorrupt: a damaged chunk
// is not written in part, or stays a damaged one, until it is written as a whole.
func (a *Array) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	t, err := a.beginTransfer("write", true, sec, order)
	if err != nil {
		return err
	}
	defer t.done()
	return t.writeDense(buf)
}

// FillBytes sets every element of a section to value, one little-endian element. Chunks
// never written stay so where value is the fill value of the array.
func (a *Array) FillBytes(sec nd.Section, value []byte) error {
	t, err := a.beginTransfer("fill", true, sec, nil)
	if err != nil {
		return err
	}
	defer t.done()
	return t.fill(value)
}

// A transfer moves one section between an array and a buffer. It keeps the array open and
// sees it as it was when it began.
type transfer struct {
	array   *Array
	op      string
	state   *state.State
	sec     nd.Section
	shape   []int
	strides []int // of the buffer, in bytes
	size    int   // of the section, in bytes
	done    func()

	steps []int        // from one element of the section to the next in a chunk, in positions
	own   []nd.Section // what this process reserved, if the array is shared
}

// beginTransfer checks a section and an order against the array.
func (a *Array) beginTransfer(op string, write bool, sec nd.Section, order nd.Order) (*transfer, error) {
	done, err := a.beginChunks(op, write)
	if err != nil {
		return nil, err
	}
	// Not taken before: a Shrink in between would take away what is written.
	t := &transfer{array: a, op: op, done: done, state: a.state.Load()}
	if err := t.resolve(sec, order); err != nil {
		t.done()
		return nil, a.errorf(op, err)
	}
	a.access.section(op, t.sec)
	return t, nil
}

func (t *transfer) resolve(sec nd.Section, order nd.Order) (err error) {
	s := t.state
	if t.sec, err = sec.Resolve(s.Lo, s.Hi); err != nil {
		return err
	}
	if err := order.Check(len(s.Lo)); err != nil {
		return err
	}
	k := len(t.sec)
	ints := make([]int, 3*k)
	t.shape, t.strides, t.steps = ints[:k:k], ints[k:2*k:2*k], ints[2*k:]
	for d, r := range t.sec {
		t.shape[d] = r.Len()
	}
	n, err := nd.Product(t.shape...)
	if err != nil {
		return err
	}
	size, ok := nd.Mul(n, s.DType.Size())
	if !ok {
		return fmt.Errorf("section %v of %v: %w", t.sec, s.DType, ErrOverflow)
	}
	t.size = size
	order.PutStrides(t.strides, t.shape)
	for d := range t.strides {
		t.strides[d] *= s.DType.Size()
		t.steps[d] = s.Strides[d] * t.sec[d].Step
	}
	if t.array.shared {
		t.own = t.array.reservations()
	}
	return nil
}

func (t *transfer) checkSize(bytes int) error {
	if bytes != t.size {
		return t.array.errorf(t.op, fmt.Errorf("buffer of %d bytes for section %v of %v, which has %d: %w",
			bytes, t.sec, t.state.DType, t.size, ErrSize))
	}
	return nil
}

// readDense reads the section into a buffer of its size.
func (t *transfer) readDense(buf []byte) error {
	if err := t.checkSize(len(buf)); err != nil {
		return err
	}
	return t.read(buf)
}

// writeDense writes the section from a buffer of its size.
func (t *transfer) writeDense(buf []byte) error {
	if err := t.checkSize(len(buf)); err != nil {
		return err
	}
	return t.write(buf)
}

// read reads the section into a buffer that has room for it at the strides.
func (t *transfer) read(buf []byte) error {
	return t.plan(func(b *batch) error {
		b.bunch()
		return t.work(len(b.runs)-1, t.array.parallel, func(i int) error { return t.readBunch(b.moves[b.runs[i]:b.runs[i+1]], buf) })
	})
}

// readBunch makes moves together, as far as they can be picked, and the others one by one.
func (t *transfer) readBunch(moves []move, buf []byte) error {
	if len(moves) == 1 {
		return t.readMove(&moves[0], buf)
	}
	var left [bunchMoves]int32
	for _, i := range t.pick(moves, buf, left[:0]) {
		if err := t.readMove(&moves[i], buf); err != nil {
			return err
		}
	}
	return nil
}

// pick makes several moves, whose loads then wait for memory at the same time, and appends to left the
// numbers of those that it has not made.
func (t *transfer) pick(moves []move, buf []byte, left []int32) []int32 {
	var chunks [bunchMoves]axial.Number
	var within, sizes [bunchMoves]int
	for i := range moves {
		chunks[i], within[i], sizes[i] = moves[i].number, moves[i].from, moves[i].bytes
	}
	n, a := len(moves), t.array
	e := chunkio.Elements{Chunks: chunks[:n], Within: within[:n], Sizes: sizes[:n]}
	return a.picked(&e, left, func(left []int32) []int32 {
		return a.store.PickEach(e, func(i int, window []byte) { t.copyOut(buf, &moves[i], window) }, left)
	})
}

// readMove makes one move, in place if it can be.
func (t *transfer) readMove(m *move, buf []byte) error {
	copyOut := func(window []byte) { t.copyOut(buf, m, window) }
	done := false
	err := t.array.store.Guard(func() (err error) {
		done, err = t.readInPlace(m, buf, copyOut)
		return err
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		done, err = false, nil // it may be there for who reads it
	}
	if err == nil && !done {
		err = t.load(m, copyOut)
	}
	if errors.Is(err, pool.ErrAbsent) {
		strided.Fill(buf[m.at:], t.strides, m.box.Shape, t.state.Fill)
		return nil
	}
	return err
}

// streamed is from how many bytes on what is read goes past the caches, and what is written is not expected
// there: a core's own ones have 1 or 2 MiB.
const streamed = 4 << 20

// copyOut copies what a move has of its chunk, whose window is given, to where it belongs in buf.
func (t *transfer) copyOut(buf []byte, m *move, window []byte) {
	if t.size >= streamed {
		t.state.StreamOut(buf[m.at:], t.strides, window, m.box)
		return
	}
	t.state.CopyOut(buf[m.at:], t.strides, window, m.box)
}

// copyIn copies what a move has of its chunk from buf to the window.
func (t *transfer) copyIn(window []byte, m *move, buf []byte) {
	if t.size >= streamed {
		t.state.FetchIn(window, m.box, buf[m.at:], t.strides)
		return
	}
	t.state.CopyIn(window, m.box, buf[m.at:], t.strides)
}

// readInPlace makes a move, which copyOut does, from where its window is in the file, if it is to be
// had there, and reports whether that counts. The error is pool.ErrAbsent.
func (t *transfer) readInPlace(m *move, buf []byte, copyOut func(window []byte)) (done bool, err error) {
	a := t.array
	if a.pool.Holds(m.number) {
		return false, nil
	}
	var summing chunkio.Summing
	if t.size >= streamed {
		summing = func(window []byte) (sum uint32, ok bool) {
			return t.state.StreamOutSum(buf[m.at:], t.strides, window, m.box)
		}
	}
	if done, err = a.store.Use(m.number, m.from, m.bytes, copyOut, summing); err != nil {
		err = pool.ErrAbsent
	}
	return done, err
}

// element reads the element at offset within of chunk q.
func (a *Array) element(s *state.State, q axial.Number, within int, buf []byte) error {
	if a.elementInPlace(q, within, buf) {
		return nil
	}
	t := transfer{array: a, op: "at", state: s}
	if a.shared {
		t.own = a.reservations()
	}
	err := t.load(&move{number: q, from: within}, func(window []byte) { copy(buf, window) })
	if errors.Is(err, pool.ErrAbsent) {
		copy(buf, s.Fill)
		return nil
	}
	return err
}

// elementInPlace reads an element where it is in the file, and reports whether it is to be had
// there.
func (a *Array) elementInPlace(q axial.Number, within int, buf []byte) (ok bool) {
	if a.pool.Holds(q) {
		return false
	}
	err := a.store.Guard(func() error {
		v, err := a.store.View(q, within, len(buf))
		if err == nil && v.Bytes != nil {
			copy(buf, v.Bytes)
			ok = a.store.Still(v)
		}
		return err
	})
	return ok && err == nil
}

// load calls f with the chunk of a move in memory, from the window of the move on. The error may
// be pool.ErrAbsent.
func (t *transfer) load(m *move, f func(window []byte)) error {
	a := t.array
	if t.owns(m) {
		return a.pool.View(m.number, func(data []byte) { f(data[m.from:]) })
	}
	// Others write it too: what is kept would be out of date.
	buf := make([]byte, t.state.ChunkBytes)
	if err := a.store.Read(m.number, buf); err != nil {
		if errors.Is(err, chunkio.ErrUnwritten) {
			return pool.ErrAbsent
		}
		return err
	}
	f(buf[m.from:])
	return nil
}

// write writes the section from a buffer that has it at the strides.
func (t *transfer) write(buf []byte) error {
	put := func(data []byte, m *move) { t.copyIn(data[m.from:], m, buf) }
	if t.array.shared {
		return t.updateShared(put)
	}
	return t.spreadRuns(func(run []move) error { return t.writeRun(run, buf, put) })
}

// writeRun writes chunks with consecutive numbers, all of each if there are several. Those that
// were never written are put together and go to the file at once.
func (t *transfer) writeRun(run []move, buf []byte, put func(data []byte, m *move)) error {
	if run[0].whole {
		err := t.writeFresh(run, buf, put)
		if !errors.Is(err, errNotFresh) {
			return err
		}
	}
	for i := range run {
		m := &run[i]
		change := func(data []byte) { put(data, m) }
		done, err := t.patch(m, buf, change)
		if err == nil && !done {
			err = t.array.pool.Update(m.number, m.whole, change)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errNotFresh says that a chunk was written before.
var errNotFresh = errors.New("chunk is not fresh")

func (t *transfer) writeFresh(run []move, buf []byte, put func(data []byte, m *move)) error {
	a, size := t.array, t.state.ChunkBytes
	return a.pool.Overwrite(run[0].number, len(run), func() error {
		for i := range run {
			if fresh, err := a.store.Fresh(run[i].number); err != nil {
				return err
			} else if !fresh || a.pool.Dirty(run[i].number) {
				return errNotFresh
			}
		}
		if at, ok := t.dense(run); ok {
			return a.store.WriteFresh(run[0].number, buf[at:at+size*len(run)])
		}
		data := a.buffers.get(size * len(run))
		defer a.buffers.put(data)
		if !t.together(data, run, buf) {
			for i := range run {
				put(data[i*size:(i+1)*size], &run[i])
			}
		}
		return a.store.WriteFresh(run[0].number, data)
	})
}

// together copies the chunks of a run at once, if they are alike and evenly spaced in the
// buffer: thin ones side by side then use all of what is loaded into a cache.
func (t *transfer) together(data []byte, run []move, buf []byte) bool {
	first := &run[0]
	if len(run) < 2 || !t.state.Plain() {
		return false
	}
	step := run[1].at - first.at
	for i := range run {
		if step <= 0 || run[i].at != first.at+i*step || !slices.Equal(run[i].box.Shape, first.box.Shape) {
			return false
		}
	}
	with := func(n int, rest []int) []int { return append([]int{n}, rest...) }
	strided.Copy(data, with(t.state.ChunkBytes, first.box.Steps), buf[first.at:], with(step, t.strides),
		with(len(run), first.box.Shape), t.state.DType.Size())
	return true
}

// dense reports whether whole chunks lie in the buffer as in the file, and where the first
// begins.
func (t *transfer) dense(run []move) (at int, ok bool) {
	if !t.state.Dense(t.strides) {
		return 0, false
	}
	for i := range run {
		if run[i].at != run[0].at+i*t.state.ChunkBytes {
			return 0, false
		}
	}
	return run[0].at, true
}

// update calls f with the bytes of every chunk that the section touches. It skips chunks
// that were never written if blank says that this would leave them as they are.
func (t *transfer) update(blank bool, f func(data []byte, m *move)) error {
	if t.array.shared {
		return t.updateShared(f)
	}
	return t.spread(func(m *move) error {
		if blank {
			if absent, err := t.array.pool.Absent(m.number); err != nil || absent {
				return err
			}
		}
		return t.array.pool.Update(m.number, m.whole, func(data []byte) { f(data, m) })
	})
}

func (t *transfer) fill(value []byte) error {
	if len(value) != t.state.DType.Size() {
		return t.array.errorf(t.op, fmt.Errorf("value of %d bytes for %v: %w", len(value), t.state.DType, ErrSize))
	}
	return t.update(bytes.Equal(value, t.state.Fill), func(data []byte, m *move) {
		t.state.Layout.Fill(data[m.from:], m.box, value)
	})
}

// blank fills a chunk with the fill value.
func (a *Array) blank(buf []byte) { blank(buf, a.state.Load().Fill) }

func blank(buf, fill []byte) {
	if allZeroBytes(fill) {
		clear(buf)
		return
	}
	strided.Repeat(buf, fill)
}

func allZeroBytes(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
