package relayout

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"drx"
	"drx/nd"
)

// Incomplete reports whether an array is the target of a copy that is under way or was
// interrupted: elements that were not copied yet read as the fill value.
func Incomplete(a Described) bool { return a.Attrs()[drx.IncompleteAttr] != nil }

// doneAttr is the attribute of a target that says how far the copy got. Every commit sets it,
// and leaves a line of it in the log: so it is apart from the mark, which is several times as
// long.
const doneAttr = "relayout.done"

// A mark is the value of drx.IncompleteAttr: the plan of a copy. With doneAttr it is the journal,
// committed together with the chunks that it vouches for. A temporary array has just how far
// it got.
type mark struct {
	Source Grid         `json:"source"` // the section copied
	Order  []int        `json:"order,omitempty"`
	Passes []markedPass `json:"passes"`
	Temp   string       `json:"temp,omitempty"` // the folder of the temporary arrays
	done   `json:"-"`
}

// A markedPass is what a pass is made of.
type markedPass struct {
	Chunk   []int `json:"chunk"`          // of its target
	Zero    bool  `json:"zero,omitempty"` // bounds of its target begin at zero, not where those of the last do
	Blocks  []int `json:"blocks"`
	AtLeast []int `json:"at_least"`
	Halved  int   `json:"halved,omitempty"`
	Works   int   `json:"works"`
	Stages  int   `json:"stages"`
}

func newMark(grid Grid, p *Plan) mark {
	m := mark{Source: grid, Order: p.Order}
	for _, pass := range p.Passes {
		c := pass.choice
		zero := !slices.Equal(pass.Target.Lo, p.Passes[len(p.Passes)-1].Target.Lo)
		m.Passes = append(m.Passes, markedPass{pass.Target.Chunk, zero, c.blocks, c.atLeast, c.halved, pass.Works, pass.Stages})
	}
	return m
}

// A Committer sets attributes, and commits them together with all that was written, as
// drx.Array and drxmp.Array do.
type Committer interface {
	SetAttr(name string, value any) error // the value as JSON, on disk with the next Sync
	DeleteAttr(name string) error         // likewise
	Sync() error                          // commits
}

// begin commits the mark before anything is written.
func (m *mark) begin(a Committer) error {
	if err := a.SetAttr(drx.IncompleteAttr, m); err != nil {
		return err
	}
	return m.commit(a)
}

// commit commits what was written together with how far that is.
func (m *mark) commit(a Committer) error {
	if err := a.SetAttr(doneAttr, m.done); err != nil {
		return err
	}
	return a.Sync()
}

// end commits the rest of what was written, and that the copy is complete.
func (m *mark) end(a Committer) error {
	for _, name := range []string{drx.IncompleteAttr, doneAttr} {
		if err := a.DeleteAttr(name); err != nil {
			return err
		}
	}
	return a.Sync()
}

// endNothing is end where nothing was to be written: only Create may have left a mark.
func (m *mark) endNothing(a ParallelTarget) error {
	if !Incomplete(a) {
		return nil
	}
	return m.end(a)
}

// readMark returns the mark of an array, nil if it has none or, as drx.Create leaves it, one without
// a plan: then nothing was written.
func readMark(a Described) (*mark, error) {
	attrs := a.Attrs()
	raw, ok := attrs[drx.IncompleteAttr]
	if !ok || string(raw) == "true" {
		return nil, nil
	}
	var m mark
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("attribute %s: %w", drx.IncompleteAttr, err)
	}
	if raw, ok = attrs[doneAttr]; !ok {
		return &m, nil
	}
	if err := json.Unmarshal(raw, &m.done); err != nil {
		return nil, fmt.Errorf("attribute %s: %w", doneAttr, err)
	}
	return &m, nil
}

// plan returns the plan of an interrupted copy. The error wraps ErrMismatch when the copy
// asked for is another, and ErrMemory when its buffers are more than is allowed now.
func (m *mark) plan(src, dst Grid, o Options) (*Plan, error) {
	if !reflect.DeepEqual(m.Source, src) || !slices.Equal(m.Order, o.Order) {
		return nil, fmt.Errorf("%w: of %v to %v in the order %v", ErrMismatch, m.Source.Lo, m.Source.Hi, m.Order)
	}
	if len(m.Passes) > maxPasses {
		return nil, fmt.Errorf("attribute %s: %d passes: %w: at most %d", drx.IncompleteAttr, len(m.Passes), nd.ErrBounds, maxPasses)
	}
	p := &Plan{Order: o.Order, Memory: o.Memory}
	from := src.permuted(o.Order)
	for i, mp := range m.Passes {
		to := Grid{dst.Lo, dst.Hi, mp.Chunk, dst.Elem}
		if i < len(m.Passes)-1 {
			to.Elem = min(src.Elem, dst.Elem)
		}
		if mp.Zero {
			to.Lo, to.Hi = make([]int, len(dst.Lo)), nd.Shape(dst.Lo, dst.Hi)
		}
		if err := mp.check(dst); err != nil {
			return nil, fmt.Errorf("attribute %s: pass %d: %w", drx.IncompleteAttr, i, err)
		}
		c := choice{mp.Blocks, mp.AtLeast, mp.Halved}
		p.Passes = append(p.Passes, newPass(from, to, newProblem(from, to), c, mp.Works, mp.Stages))
		from = to
	}
	if len(m.Passes) == 0 || !slices.Equal(from.Chunk, dst.Chunk) || !slices.Equal(from.Lo, dst.Lo) {
		return nil, fmt.Errorf("%w: to chunks of %v", ErrMismatch, from.Chunk)
	}
	if p.Peak() > o.Memory {
		return nil, fmt.Errorf("memory of %d bytes: %w: the copy was begun with buffers of %d", o.Memory, ErrMemory, p.Peak())
	}
	return p, m.checkProgress(p)
}

// check refuses what no plan has: attributes can be set by anybody.
func (mp *markedPass) check(dst Grid) error {
	for _, list := range [][]int{mp.Chunk, mp.Blocks, mp.AtLeast} {
		if err := nd.CheckRank("extents", len(list), len(dst.Lo)); err != nil {
			return err
		}
	}
	for d, n := range nd.Shape(dst.Lo, dst.Hi) {
		for _, v := range []struct{ value, least, most int }{
			{mp.Chunk[d], 1, max(n, dst.Chunk[d])}, {mp.Blocks[d], 1, n + 1}, {mp.AtLeast[d], 0, 2 * n},
		} {
			if v.value < v.least || v.value > v.most {
				return fmt.Errorf("dimension %d: %d: %w: %d to %d", d, v.value, nd.ErrBounds, v.least, v.most)
			}
		}
	}
	if mp.Works < 1 || mp.Works > 2 || mp.Stages < 0 || mp.Stages > maxStages || mp.Halved < 0 || mp.Halved > mostHalved {
		return fmt.Errorf("%w: works %d, stages %d, halved %d", nd.ErrBounds, mp.Works, mp.Stages, mp.Halved)
	}
	return nil
}

func (m *mark) checkProgress(p *Plan) error {
	n := len(p.Passes)
	if m.Pass < 0 || m.Pass > n {
		return fmt.Errorf("attribute %s: pass %d of %d: %w", doneAttr, m.Pass, n, nd.ErrBounds)
	}
	if err := p.Passes[n-1].checkDone(m.done); err != nil {
		return err
	}
	for _, pass := range p.Passes {
		if (pass.layout.stage > 0) != (pass.Stages > 0) {
			return fmt.Errorf("attribute %s: %d stages: %w", drx.IncompleteAttr, pass.Stages, nd.ErrBounds)
		}
	}
	return nil
}
