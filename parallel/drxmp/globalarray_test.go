package drxmp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// testGlobalArray: get, put and accumulate against a model, while the array grows and is
// redistributed.
func testGlobalArray(w *world) error {
	for seed := range amount(6) {
		h := &history{world: w, rng: rand.New(rand.NewPCG(seed, 20)), seed: seed}
		if err := h.globalArray(); err != nil {
			return fmt.Errorf("global array %d: %w\n%v", seed, err, h.log)
		}
	}
	return nil
}

// globalArray uses the parts of a history in which every proc knows what all procs do.
func (h *history) globalArray() error {
	h.draw()
	h.spec.DType, h.spec.FillValue, h.spec.Order = dtype.Int64, 5, drx.RowOrder
	a, err := drxmp.Create(h, h.name("m"), h.spec, drxmp.Options{Distribution: h.distribution(), Engine: h.engine})
	if err != nil {
		return err
	}
	h.a = a
	m, err := drxmp.NewGlobalArray[int64](a, h.order())
	if err != nil {
		return err
	}
	model := map[string]int64{}
	for range 12 {
		if err := h.globalArrayStep(m, model); err != nil {
			return err
		}
	}
	if err := h.stored(m, model); err != nil {
		return err
	}
	return errors.Join(m.Close(), a.Close())
}

// globalArrayStep makes a random call, and compares the whole global array with the model.
func (h *history) globalArrayStep(m *drxmp.GlobalArray[int64], model map[string]int64) error {
	secs, order := h.split(h.section()), h.order()
	value := func(p, i int) int64 { return int64(h.serie*1000+uint64(i))*int64(p+1) - 3000 }
	h.serie++
	mine := make([]int64, must(secs[h.Proc()].Len()))
	for i := range mine {
		mine[i] = value(h.Proc(), i)
	}
	var err error
	switch h.rng.IntN(4) {
	case 0:
		h.say("put %v %v", secs, order)
		forAll(secs, order, func(p, i int, key string) { model[key] = value(p, i) })
		err = m.Put(secs[h.Proc()], mine, order)
	case 1: // all procs write to the same elements
		sec := h.section()
		h.say("accumulate %v %v", sec, order)
		forAll(slices.Repeat([]nd.Section{sec}, h.Procs()), order, func(p, i int, key string) {
			if _, ok := model[key]; !ok {
				model[key] = 5
			}
			model[key] += value(p, i)
		})
		mine = make([]int64, must(sec.Len()))
		for i := range mine {
			mine[i] = value(h.Proc(), i)
		}
		err = m.Accumulate(sec, mine, par.Sum, order)
	case 2:
		if err := h.extend(); err != nil {
			return err
		}
		err = m.Follow()
	case 3:
		if err := h.a.Redistribute(h.distribution()); err != nil {
			return err
		}
		err = m.Follow()
	}
	if err == nil {
		err = m.Fence()
	}
	if err == nil {
		err = h.sameGlobalArray(m, model)
	}
	if err == nil {
		err = m.Fence()
	}
	return err
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

// forAll calls f for the elements of the sections of all procs.
func forAll(secs []nd.Section, order nd.Order, f func(p, i int, key string)) {
	for p, sec := range secs {
		each(sec, order, func(i int, index []int) { f(p, i, fmt.Sprint(index)) })
	}
}

// sameGlobalArray compares a section, and the zone of this proc, with the model.
func (h *history) sameGlobalArray(m *drxmp.GlobalArray[int64], model map[string]int64) error {
	want := func(index []int) int64 {
		if v, ok := model[fmt.Sprint(index)]; ok {
			return v
		}
		return 5
	}
	sec, order := h.section(), h.order()
	got := make([]int64, must(sec.Len()))
	if err := m.Get(sec, got, order); err != nil {
		return err
	}
	var err error
	each(sec, order, func(i int, index []int) {
		if got[i] != want(index) && err == nil {
			err = fmt.Errorf("get %v: element %v is %d, want %d", sec, index, got[i], want(index))
		}
	})
	n := 0
	for _, sec := range m.Zone().Sections() {
		n += must(sec.Len())
	}
	if n != len(m.Local()) {
		err = fmt.Errorf("%d elements for a zone of %d", len(m.Local()), n)
	}
	return err
}

// stored: Load and a serial reader read what Store has written.
func (h *history) stored(m *drxmp.GlobalArray[int64], model map[string]int64) error {
	if err := m.Store(); err != nil {
		return err
	}
	if err := h.a.Sync(); err != nil {
		return err
	}
	clear(m.Local())
	if err := m.Load(); err != nil {
		return err
	}
	if err := h.sameGlobalArray(m, model); err != nil {
		return fmt.Errorf("loaded: %w", err)
	}
	return h.once(func() error {
		s, err := drx.Open(h.name("m"), drx.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		got, err := drx.Read[int64](s, nil)
		each(s.Bounds(), nil, func(i int, index []int) {
			v, ok := model[fmt.Sprint(index)]
			if !ok {
				v = 5
			}
			if err == nil && got[i] != v {
				err = fmt.Errorf("stored: element %v is %d, want %d", index, got[i], v)
			}
		})
		return err
	})
}

// testGlobalArrayErrors: calls that a global array refuses.
func testGlobalArrayErrors(w *world) error {
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{4, 6}, ChunkShape: []int{2, 2}}
	a, err := drxmp.Create(w, w.file("a"), spec, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	if _, err := drxmp.NewGlobalArray[int64](a); !errors.Is(err, drx.ErrDType) {
		return fmt.Errorf("another type: %w", err)
	}
	if _, err := drxmp.NewGlobalArray[int32](a, nd.Order{0, 0}); !errors.Is(err, drx.ErrRank) {
		return fmt.Errorf("no order: %w", err)
	}
	m, err := drxmp.NewGlobalArray[int32](a)
	if err != nil {
		return err
	}
	data := make([]int32, 24)
	for _, c := range []struct {
		err, want error
	}{
		{m.Get(nd.Sec(nd.All), data), drx.ErrRank},
		{m.Get(nd.Sec(nd.Span(0, 5), nd.All), data), drx.ErrBounds},
		{m.Put(nil, data[:3]), drx.ErrSize},
		{m.Put(nil, data, nd.Order{1}), drx.ErrRank},
		{m.Accumulate(nil, data, par.Op(0)), dtype.ErrDType},
	} {
		if !errors.Is(c.err, c.want) {
			return fmt.Errorf("%w, want %w", c.err, c.want)
		}
	}
	if _, err := a.Extend(0, 1); err != nil {
		return err
	}
	if err := m.Load(); !errors.Is(err, par.ErrArgument) {
		return fmt.Errorf("load with old zones: %w", err)
	}
	return errors.Join(m.Follow(), m.Load(), m.Close(), a.Close())
}
