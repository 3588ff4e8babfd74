package relayout

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/relayout/internal/arraytest"
	"drx/relayout/internal/planner"
)

// A member is an array in memory, as one of several procs has it open. Only the calls of proc 0 set
// attributes and commit. The calls of the others are recorded, and compared with those of proc 0.
type member struct {
	*arraytest.Array
	proc int
	log  *journal
}

// A journal records the attributes of an array in memory, and its committed state.
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
func (m member) ChunkShape() []int  { return m.Array.ChunkShape }
func (m member) Bounds() nd.Section { return nd.Box(m.Lo, m.Hi) }
func (m member) FillValue() []byte  { return make([]byte, m.ElemSize) }

func (m member) DType() dtype.DType {
	return map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64}[m.ElemSize]
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
	m.Lock(func() {
		if n := m.log.commit(m.proc); m.log.fail != nil { // the same on all procs
			err = m.log.fail(n)
		}
		m.log.call(m.proc, "sync", func() {
			if err == nil {
				m.log.committed, m.log.data = maps.Clone(m.log.attrs), slices.Clone(m.Data)
			}
		})
	})
	return err
}

// commit returns the number of this commit of a proc.
func (j *journal) commit(proc int) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.commits[proc]++
	return j.commits[proc]
}

// call records a call, and makes it on proc 0.
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

// crashed returns an array and a journal with the committed state, and random bytes in place of
// later writes.
func (j *journal) crashed(f *arraytest.Array) (*arraytest.Array, *journal) {
	next, log := newArray(Grid(f.Grid)), newJournal()
	for i := range next.Data {
		if next.Data[i] = 0xEE; j.data[i] == f.Data[i] {
			next.Data[i] = j.data[i]
		}
	}
	log.attrs = maps.Clone(j.committed)
	return next, log
}

// A parallelRun is a parallel copy between arrays in memory.
type parallelRun struct {
	plan    *ParallelPlan
	dst     *arraytest.Array
	log     *journal
	src     *arraytest.Array
	options ParallelOptions
	ctx     func(proc int) context.Context
}

// copy copies by goroutine procs and returns the result of proc 0.
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

// incomplete reports whether a journal has a checkpoint.
func (j *journal) incomplete() bool { return j.committed[IncompleteAttr] != nil }

func newArray(g Grid) *arraytest.Array { return arraytest.New(arraytest.Grid(g)) }

func randomArray(r *rand.Rand, g Grid) *arraytest.Array {
	return arraytest.Random(r, arraytest.Grid(g))
}

// randomGrids returns a problem of at most about the given number of elements.
func randomGrids(r *rand.Rand, elements int) (src, dst Grid, order nd.Order) {
	a, b, order := arraytest.RandomGrids(r, elements)
	return Grid(a), Grid(b), order
}

// internals returns the plan that p describes.
func internals(t *testing.T, p *Plan) *planner.Plan {
	t.Helper()
	from, to := p.Passes[0].Source, p.Passes[len(p.Passes)-1].Target
	full, err := planner.NewPlan(planner.Grid(from), planner.Grid(to), nil, p.Memory)
	if err != nil || len(full.Passes) != len(p.Passes) || Cost(full.Cost()) != p.Cost() {
		t.Fatalf("not the plan %+v: %+v, %v", p, full, err)
	}
	return full
}

// sumOf returns the sum of two costs.
func sumOf(a, b Cost) Cost { return Cost(planner.Cost(a).Plus(planner.Cost(b))) }

func volume(shape []int) int {
	n, _ := nd.Product(shape...)
	return n
}
