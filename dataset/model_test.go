package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx"
	"drx/internal/codectest"
	"drx/internal/vfs"
	"drx/nd"
)

// A model describes what a dataset must contain: plain maps of elements, and bounds per dimension.
type model struct {
	dims map[string]nd.Range
	vars map[string]*modelVar
}

type modelVar struct {
	dims     []string // of the dataset
	elements map[[2]int]int32
}

func (m *model) clone() *model {
	c := &model{map[string]nd.Range{}, map[string]*modelVar{}}
	for name, r := range m.dims {
		c.dims[name] = r
	}
	for name, v := range m.vars {
		copied := &modelVar{v.dims, map[[2]int]int32{}}
		for i, x := range v.elements {
			copied.elements[i] = x
		}
		c.vars[name] = copied
	}
	return c
}

// check compares a dataset with the model.
func (m *model) check(d *Dataset) error {
	for name, want := range m.dims {
		if got, err := d.Dim(name); err != nil || got.Bounds != want {
			return fmt.Errorf("dimension %s has %v, want %v: %w", name, got.Bounds, want, err)
		}
	}
	if n := len(d.Variables()); n != len(m.vars) {
		return fmt.Errorf("%d variables, want %d", n, len(m.vars))
	}
	for name, want := range m.vars {
		if err := want.check(d, name, m.dims); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (w *modelVar) check(d *Dataset, name string, dims map[string]nd.Range) error {
	v, err := d.Variable(name)
	if err != nil {
		return err
	}
	if !slices.Equal(v.Dims(), w.dims) {
		return fmt.Errorf("dimensions %q, want %q", v.Dims(), w.dims)
	}
	var sec nd.Section
	for _, dim := range w.dims {
		sec = append(sec, dims[dim])
	}
	if v.Bounds().String() != sec.String() {
		return fmt.Errorf("bounds %v, want %v", v.Bounds(), sec)
	}
	got, err := drx.Read[int32](v.Array(), sec)
	if err != nil {
		return err
	}
	at := 0
	for i := sec[0].Lo; i < sec[0].Hi; i++ {
		inner := nd.Span(0, 1)
		if len(sec) > 1 {
			inner = sec[1]
		}
		for j := inner.Lo; j < inner.Hi; j++ {
			if want := w.elements[[2]int{i, j}]; got[at] != want {
				return fmt.Errorf("element %d,%d is %d, want %d", i, j, got[at], want)
			}
			at++
		}
	}
	return nil
}

// A history is a random history of a dataset, with its model and a reader.
type history struct {
	name      string
	rng       *rand.Rand
	d, reader *Dataset
	now, last *model // last is that of the last commit
	made      int
}

// historyDims are the groups of the history, and the dimension that a name means in each: "m" has
// its own x.
var historyDims = map[string]map[string]string{
	"":    {"t": "t", "x": "x", "y": "y"},
	"m":   {"t": "t", "x": "m/x", "y": "y"},
	"m/n": {"t": "t", "x": "m/x", "y": "y"},
}

func (h *history) begin() (err error) {
	if h.d, err = Create(h.name, drx.Options{}); err != nil {
		return err
	}
	if err := h.d.CreateGroup("m/n"); err != nil {
		return err
	}
	h.now = &model{map[string]nd.Range{}, map[string]*modelVar{}}
	for _, v := range []struct {
		name  string
		shape []int
		dims  []string
	}{{"t", []int{0}, []string{"t"}}, {"x", []int{2}, []string{"x"}}, {"m/x", []int{3}, []string{"x"}}, {"a", []int{0, 2}, []string{"t", "x"}}, {"m/y1", []int{4, 3}, []string{"y", "x"}}, {"y1", []int{4}, []string{"y"}}} {
		if err := h.create(v.name, v.shape, v.dims...); err != nil {
			return err
		}
	}
	h.last = h.now.clone()
	h.reader, err = Open(h.name, drx.Options{})
	return errors.Join(err, h.d.Sync())
}

// create creates a variable. A nil shape is that of the dimensions.
func (h *history) create(name string, shape []int, own ...string) error {
	form := []string{"", drx.OneFileExt}[h.rng.IntN(2)]
	v, err := h.d.CreateVariable(name+form, intSpec(shape, own...))
	if err != nil {
		return err
	}
	group, _ := split(name)
	m := &modelVar{elements: map[[2]int]int32{}}
	for i, dim := range own {
		full := historyDims[group][dim]
		m.dims = append(m.dims, full)
		if _, known := h.now.dims[full]; !known {
			h.now.dims[full] = v.Array().Bounds()[i]
		}
	}
	h.now.vars[name] = m
	return nil
}

func (h *history) step() error {
	names := h.d.Variables()
	switch h.rng.IntN(8) {
	case 0, 1, 2:
		dims := h.d.Dims()
		return h.extend(dims[h.rng.IntN(len(dims))].Name, 1+h.rng.IntN(3), h.rng.IntN(2) == 0)
	case 3, 4:
		return h.write(names[h.rng.IntN(len(names))])
	case 5:
		return h.commit()
	case 6:
		return h.reopen()
	}
	if h.made == 5 {
		return nil
	}
	h.made++
	group := []string{"", "m/", "m/n/"}[h.rng.IntN(3)]
	own := [][]string{{"t", "x"}, {"y", "t"}, {"x"}, {"t"}}[h.rng.IntN(4)]
	err := h.create(fmt.Sprintf("%sv%d", group, h.made), nil, own...)
	h.last.vars = h.visibleVars()
	return err
}

// visibleVars returns the variables of the last commit, and those created since then: a variable is
// created durably, with the fill value everywhere.
func (h *history) visibleVars() map[string]*modelVar {
	vars := h.last.clone().vars
	for name, v := range h.now.vars {
		if vars[name] == nil {
			vars[name] = &modelVar{v.dims, map[[2]int]int32{}}
		}
	}
	return vars
}

func (h *history) extend(dim string, by int, low bool) error {
	r := h.now.dims[dim]
	want := nd.Span(r.Hi, r.Hi+by)
	grow := h.d.Extend
	if low {
		want, grow = nd.Span(r.Lo-by, r.Lo), h.d.ExtendLow
		r.Lo -= by
	} else {
		r.Hi += by
	}
	h.now.dims[dim] = r
	if got, err := grow(dim, by); got != want || err != nil {
		return fmt.Errorf("extending %s by %d: new %v, want %v: %w", dim, by, got, want, err)
	}
	return nil
}

func (h *history) write(name string) error {
	v, err := h.d.Variable(name)
	if err != nil {
		return err
	}
	index := [2]int{}
	for d, r := range v.Bounds() {
		if r.Len() == 0 {
			return nil
		}
		index[d] = r.Lo + h.rng.IntN(r.Len())
	}
	x := h.rng.Int32()
	h.now.vars[name].elements[index] = x
	return drx.Set(v.Array(), x, index[:v.Array().Rank()]...)
}

func (h *history) commit() error {
	if err := h.d.Sync(); err != nil {
		return err
	}
	h.last = h.now.clone()
	return nil
}

// reopen closes the dataset, with or without a commit, and opens it again.
func (h *history) reopen() (err error) {
	if h.rng.IntN(2) == 0 {
		err = h.d.Close()
		h.last = h.now.clone()
	} else {
		err = h.d.Discard()
		h.now = h.last.clone()
	}
	if err != nil {
		return err
	}
	h.d, err = Open(h.name, drx.Options{Write: true})
	return err
}

// The test makes random histories of growth in all dimensions, on both sides, with groups, new
// variables, commits, and writers that give up. The writer must see everything, and a reader what
// was committed.
func TestHistories(t *testing.T) { inBothForms(t, testHistories) }

func testHistories(t *testing.T, ds string) {
	seeds := uint64(60)
	if ds == "ds"+fileExt { // it takes six times as long
		seeds = 20
	}
	for seed := range seeds {
		useDisk(t, vfs.NewMem())
		useCodec(t, codectest.Turn(seed))
		h := &history{name: ds, rng: rand.New(rand.NewPCG(seed, 20))}
		if err := h.begin(); err != nil {
			t.Fatal(err)
		}
		for step := range 60 {
			err := h.step()
			if err == nil {
				err = h.now.check(h.d)
			}
			if err == nil {
				err = h.reader.Refresh()
			}
			if err == nil {
				if err = h.last.check(h.reader); err != nil {
					err = fmt.Errorf("a reader: %w", err)
				}
			}
			if err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
		if err := errors.Join(h.d.Close(), h.reader.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
