package drx

import (
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/internal/layout"
	"drx/internal/plan"
)

// A move is the part of a transfer that lies in one chunk.
type move struct {
	number      axial.Number
	box         layout.Box // of the chunk
	from, bytes int        // the window of box
	at          int        // where its first element is in the buffer, in bytes
	whole       bool       // it is all of the chunk
}

const (
	// batchMoves is how many moves are planned before they are made.
	batchMoves = 256
	// parallelBytes is from how many bytes on a transfer is spread over goroutines: to start
	// one costs what copying some ten thousand bytes does.
	parallelBytes = 1 << 19
	// runBytes is how much is put together for one write: what stays in a cache between
	// copying, adding up the checksum and writing.
	runBytes = 1 << 20
	// Small moves are read this many at a time, of so many bytes together.
	bunchMoves = 32
	bunchBytes = 64 << 10
)

// A batch is moves that are made in any order, by several goroutines.
type batch struct {
	moves  []move
	shapes []int // those of the moves
	runs   []int // where runs begin in moves, if they are made by runs
}

var batches = sync.Pool{New: func() any { return &batch{moves: make([]move, 0, batchMoves)} }}

func (b *batch) reset() { b.moves, b.shapes, b.runs = b.moves[:0], b.shapes[:0], b.runs[:0] }

// plan calls run with all moves of the transfer, in batches, in the order of the file.
func (t *transfer) plan(run func(*batch) error) error {
	b := batches.Get().(*batch)
	defer batches.Put(b)
	b.reset()
	err := plan.Each(t.state, t.sec, func(p *plan.Piece) error {
		b.add(t, p)
		if len(b.moves) < batchMoves {
			return nil
		}
		defer b.reset()
		return run(b)
	})
	if err == nil && len(b.moves) > 0 {
		err = run(b)
	}
	return t.array.errorf(t.op, err)
}

func (b *batch) add(t *transfer, p *plan.Piece) {
	m := move{number: p.Number, whole: p.Whole}
	for d, stride := range t.strides {
		m.box.First += p.First[d] * t.state.Strides[d]
		m.at += p.Pos[d] * stride
	}
	n := len(b.shapes)
	b.shapes = append(b.shapes, p.Shape...) // moves before it keep the array that they have
	m.box.Steps, m.box.Shape = t.steps, b.shapes[n:len(b.shapes):len(b.shapes)]
	m.from, m.bytes = t.state.Window(m.box)
	b.moves = append(b.moves, m)
}

// spread calls f with all moves of the transfer.
func (t *transfer) spread(f func(m *move) error) error {
	return t.plan(func(b *batch) error {
		return t.work(len(b.moves), t.array.parallel, func(i int) error { return f(&b.moves[i]) })
	})
}

// spreadRuns calls f with all moves of the transfer, those together that can be one write.
func (t *transfer) spreadRuns(f func(run []move) error) error {
	most := 1
	if t.array.store.Adjoin() {
		most = max(1, min(runBytes, t.array.runBytes)/t.state.ChunkBytes)
	}
	return t.plan(func(b *batch) error {
		b.cut(most)
		return t.work(len(b.runs)-1, t.array.writers, func(i int) error { return f(b.moves[b.runs[i]:b.runs[i+1]]) })
	})
}

// bunch finds runs of small moves that are read together.
func (b *batch) bunch() {
	bytes := 0
	for i := range b.moves {
		n := b.moves[i].bytes
		if i == 0 || i-b.runs[len(b.runs)-1] == bunchMoves || bytes+n > bunchBytes {
			b.runs, bytes = append(b.runs, i), 0
		}
		bytes += n
	}
	b.runs = append(b.runs, len(b.moves))
}

// cut finds runs of at most so many whole chunks with consecutive numbers.
func (b *batch) cut(most int) {
	for i := range b.moves {
		if i > 0 {
			last, now := &b.moves[i-1], &b.moves[i]
			if last.whole && now.whole && now.number == last.number+1 && i-b.runs[len(b.runs)-1] < most {
				continue
			}
		}
		b.runs = append(b.runs, i)
	}
	b.runs = append(b.runs, len(b.moves))
}

// work is inParallel for a transfer: by several goroutines only if it is large.
func (t *transfer) work(n, goroutines int, f func(i int) error) error {
	if t.size < parallelBytes {
		goroutines = 1
	}
	return inParallel(n, goroutines, f)
}

// inParallel calls f with 0 to n-1, by so many goroutines at most, and returns one of the
// errors. After an error not all calls are made.
func inParallel(n, goroutines int, f func(i int) error) error {
	var next atomic.Int64
	run := func() error {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if err := f(i); err != nil {
				next.Store(int64(n))
				return err
			}
		}
		return nil
	}
	workers := min(n, goroutines)
	if workers <= 1 {
		return run()
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { errs[w] = run() })
	}
	errs[0] = run()
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// buffers are what chunks are put together in, kept for the next time.
type buffers struct {
	mu   sync.Mutex
	free [][]byte
}

// get returns n bytes, whatever they hold.
func (b *buffers) get(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, data := range b.free {
		if cap(data) >= n {
			b.free = append(b.free[:i], b.free[i+1:]...)
			return data[:n]
		}
	}
	return make([]byte, n)
}

// put gives back what get returned. Two are kept, and more while they are small.
func (b *buffers) put(data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) < 2 || len(b.free) < 4 && cap(data) <= runBytes {
		b.free = append(b.free, data)
	}
}
