package relayout

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/par"
)

// A member is a fake as one of several procs has it open. Proc 0 sets attributes and commits; the
// calls of the others are compared with those of proc 0 in the end.
type member struct {
	*fake
	proc int
	log  *journal
}

// A journal is the attributes of a fake, and what was committed of it.
type journal struct {
	mu        sync.Mutex
	attrs     map[string]json.RawMessage
	committed map[string]json.RawMessage
	data      []byte
	calls     map[int][]string // by proc
	fail      func(commit int) error
	commits   map[int]int // by proc
}

func newJournal() *journal {
	return &journal{attrs: map[string]json.RawMessage{}, calls: map[int][]string{}, commits: map[int]int{}}
}

func (m member) Name() string       { return "fake" }
func (m member) ChunkShape() []int  { return m.fake.Chunk }
func (m member) Bounds() nd.Section { return nd.Box(m.Lo, m.Hi) }
func (m member) FillValue() []byte  { return make([]byte, m.Elem) }

func (m member) DType() dtype.DType {
	return map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64}[m.Elem]
}

func (m member) Attrs() map[string]json.RawMessage {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	return maps.Clone(m.log.attrs)
}

func (m member) SetAttr(name string, value any) error {
	text, err := json.Marshal(value)
	m.log.call(m.proc, fmt.Sprint("set ", name, string(text)), func() { m.log.attrs[name] = text })
	return err
}

func (m member) DeleteAttr(name string) error {
	m.log.call(m.proc, "delete "+name, func() { delete(m.log.attrs, name) })
	return nil
}

func (m member) Sync() (err error) {
	m.fake.mu.Lock()
	defer m.fake.mu.Unlock()
	if n := m.log.commit(m.proc); m.log.fail != nil { // on all procs alike
		err = m.log.fail(n)
	}
	m.log.call(m.proc, "sync", func() {
		if err == nil {
			m.log.committed, m.log.data = maps.Clone(m.log.attrs), slices.Clone(m.data)
		}
	})
	return err
}

// commit returns which commit of a proc this is.
func (j *journal) commit(proc int) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.commits[proc]++
	return j.commits[proc]
}

// call notes a call, and makes it on proc 0.
func (j *journal) call(proc int, what string, f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls[proc] = append(j.calls[proc], what)
	if proc == 0 {
		f()
	}
}

// check checks that all procs made the same calls.
func (j *journal) check(t *testing.T) {
	t.Helper()
	for proc, calls := range j.calls {
		if !slices.Equal(calls, j.calls[0]) {
			t.Fatalf("proc %d calls %q, proc 0 %q", proc, calls, j.calls[0])
		}
	}
}

// crashed returns a fake and journal that have what was committed, and nonsense where nothing was
// since.
func (j *journal) crashed(f *fake) (*fake, *journal) {
	next, log := newFake(f.Grid), newJournal()
	for i := range next.data {
		if next.data[i] = 0xEE; j.data[i] == f.data[i] {
			next.data[i] = j.data[i]
		}
	}
	log.attrs = maps.Clone(j.committed)
	return next, log
}

// A run is a parallel copy between fakes.
type parallelRun struct {
	plan    *ParallelPlan
	dst     *fake
	log     *journal
	src     *fake
	options ParallelOptions
	ctx     func(proc int) context.Context
}

// copy copies by goroutine procs, and returns what proc 0 has from that.
func (r parallelRun) copy() (stats Stats, err error) {
	err = par.Run(r.plan.Procs, func(c par.Comm) error {
		ctx := context.Background()
		if r.ctx != nil {
			ctx = r.ctx(c.Proc())
		}
		s, err := CopyParallel(ctx, c, member{r.dst, c.Proc(), r.log}, member{r.src, c.Proc(), newJournal()}, r.plan, r.options)
		if c.Proc() == 0 {
			stats = s
		}
		return err
	}, par.Options{Timeout: time.Minute})
	return stats, err
}

// incomplete reports whether a journal has a mark.
func (j *journal) incomplete() bool { return j.committed[drx.IncompleteAttr] != nil }
