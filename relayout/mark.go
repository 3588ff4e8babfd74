package relayout

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// Incomplete reports whether an array is the target of a copy that is under way or was
// interrupted: elements that were not copied yet read as the fill value.
func Incomplete(a *drx.Array) bool { return a.Attrs()[drx.IncompleteAttr] != nil }

// A mark is the value of drx.IncompleteAttr, the journal of a copy: the plan and how far it got,
// replaced in the same commit as the chunks that it vouches for. A temporary array has just
// the number of its templates.
type mark struct {
	Source    Grid         `json:"source"` // the section copied
	Order     []int        `json:"order,omitempty"`
	Passes    []markedPass `json:"passes"`
	Pass      int          `json:"pass"`           // the pass at work; their number when all are done
	Templates int          `json:"templates"`      // of the last pass that are done
	Temp      string       `json:"temp,omitempty"` // the folder of the temporary arrays
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

// readMark returns the mark of an array, nil if it has none.
func readMark(a *drx.Array) (*mark, error) {
	raw, ok := a.Attrs()[drx.IncompleteAttr]
	if !ok {
		return nil, nil
	}
	var m mark
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("attribute %s: %w", drx.IncompleteAttr, err)
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
	n := 0
	if len(p.Passes) > 0 {
		n = volume(p.Passes[len(p.Passes)-1].templates())
	}
	if m.Pass < 0 || m.Pass > len(p.Passes) || m.Templates < 0 || m.Templates > n {
		return fmt.Errorf("attribute %s: pass %d of %d, template %d of %d: %w", drx.IncompleteAttr, m.Pass, len(p.Passes), m.Templates, n, nd.ErrBounds)
	}
	for _, pass := range p.Passes {
		if (pass.layout.stage > 0) != (pass.Stages > 0) {
			return fmt.Errorf("attribute %s: %d stages: %w", drx.IncompleteAttr, pass.Stages, nd.ErrBounds)
		}
	}
	return nil
}

// nameTemp gives the folder of the temporary arrays a name, if there are to be any; the mark
// is committed before the folder is made, so that none is ever forgotten. When those of an
// interrupted copy are gone, the passes that made them begin again.
func (m *mark) nameTemp(dir, target string, passes int) error {
	if passes < 2 || m.Pass == passes {
		return nil
	}
	if m.Temp != "" && exists(m.Temp) && (m.Pass == 0 || exists(m.array(m.Pass-1)+".xmd")) {
		return nil
	}
	if dir == "" {
		dir = filepath.Dir(target)
	}
	var err error
	m.Pass = 0
	m.Temp, err = filepath.Abs(filepath.Join(dir, "relayout-"+rand.Text()))
	return err
}

// makeTemp makes the folder.
func (m *mark) makeTemp() error {
	if m.Temp == "" || exists(m.Temp) {
		return nil
	}
	return os.Mkdir(m.Temp, 0o777)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// array returns the name of the temporary array that pass i writes.
func (m *mark) array(i int) string { return filepath.Join(m.Temp, fmt.Sprintf("pass%d", i)) }

// tempOptions are those of all temporary arrays. They are as durable as the mark that relies
// on them, and need no journal: what is overwritten after a crash is overwritten as a whole.
func tempOptions(write bool) drx.Options {
	return drx.Options{Write: write, Cache: ArrayCache, Durability: drx.DurabilityNoJournal, Incomplete: true}
}

// open opens the temporary array that pass i writes or wrote.
func (m *mark) open(i int, write bool) (*drx.Array, error) {
	return drx.Open(m.array(i), tempOptions(write))
}

// temp returns the temporary array of pass i and how many of its templates are done.
func (m *mark) temp(i int, p *Plan, t dtype.DType) (*drx.Array, int, error) {
	if a, err := m.open(i, true); err == nil {
		var done int
		raw := a.Attrs()[drx.IncompleteAttr]
		if raw == nil || json.Unmarshal(raw, &done) == nil && done >= 0 && done <= volume(p.Passes[i].templates()) {
			return a, done, nil
		}
		if err := a.Close(); err != nil {
			return nil, 0, err
		}
	}
	m.removeArray(i) // half made, or damaged
	g := p.Passes[i].Target
	a, err := drx.Create(m.array(i), drx.Spec{
		DType: t, Lo: g.Lo, Shape: nd.Shape(g.Lo, g.Hi), Chunk: g.Chunk, Options: tempOptions(true),
	})
	return a, 0, err
}

// removeArray removes the temporary array of pass i, by its files: a mark may come from
// anywhere, and nothing else is to be removed.
func (m *mark) removeArray(i int) {
	for _, ext := range []string{".xmd", ".xta", ".xck", ".xjl"} {
		_ = os.Remove(m.array(i) + ext) // if it is there
	}
}

// removeTemp removes all temporary arrays and their folder.
func (m *mark) removeTemp() error {
	if m.Temp == "" {
		return nil
	}
	for i := range m.Passes {
		m.removeArray(i)
	}
	if err := os.Remove(m.Temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
