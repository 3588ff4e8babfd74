package drxmp_test

import (
	"errors"
	"fmt"
	"slices"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
)

var durabilities = []drx.Durability{drx.DurabilityFull, drx.DurabilityNoJournal, drx.DurabilityNone}

// overflowing returns an array whose cache is too small to keep chunks in memory.
func overflowing(w *world, name string, d drx.Durability) (*drxmp.Array, error) {
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{64, 16}, ChunkShape: []int{4, 8}}
	spec.Durability, spec.Cache = d, 1
	o := drxmp.Options{Engine: w.engine, Distribution: drxmp.Distribution{Grid: []int{w.Procs(), 1}}}
	return drxmp.Create(w, w.file(fmt.Sprint(name, d)), spec, o)
}

// fillZone sets all elements of the zone of this proc to a value, by a function.
func fillZone(a *drxmp.Array, value int32, write func(*drxmp.Array, nd.Section, []int32, ...nd.Order) error) error {
	return write(a, nil, slices.Repeat([]int32{value}, a.Zone().Len()))
}

// testOneProc: after an exchange all procs see all elements, although each has overwritten alone,
// once or twice, what was written collectively.
func testOneProc(w *world) error {
	for i := range 12 {
		committed, twice := i%2 == 1, i/2%2 == 1
		a, err := overflowing(w, fmt.Sprint("a", i), durabilities[i/4])
		if err != nil {
			return err
		}
		err = fillZone(a, 5, drxmp.WriteAll)
		if err == nil && committed {
			err = a.Sync()
		}
		if err == nil {
			err = fillZone(a, 6, drxmp.Write)
		}
		if err == nil && twice {
			err = fillZone(a, 6, drxmp.Write)
		}
		if err == nil {
			err = allOf(a, 5, 6)
		}
		if err == nil {
			err = a.Sync()
		}
		if err == nil {
			err = allOf(a, 6)
		}
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			return fmt.Errorf("durability %d, committed %v, twice %v: %w", durabilities[i/4], committed, twice, err)
		}
	}
	return nil
}

// allOf returns an error unless every element has one of the values, in a collective read and in a
// read by one proc.
func allOf(a *drxmp.Array, values ...int32) error {
	n, err := a.Bounds().Len()
	if err != nil {
		return err
	}
	data := make([]int32, n)
	for _, read := range []func(*drxmp.Array, nd.Section, []int32, ...nd.Order) error{drxmp.ReadAll[int32], drxmp.Read[int32]} {
		if err := read(a, a.Bounds(), data); err != nil {
			return err
		}
		if i := slices.IndexFunc(data, func(x int32) bool { return !slices.Contains(values, x) }); i >= 0 {
			return fmt.Errorf("element %d is %d, want one of %v", i, data[i], values)
		}
	}
	return nil
}

// testReadBesideWrite: a proc reads elements that do not change, in chunks that others overwrite
// all the time.
func testReadBesideWrite(w *world) error {
	for i := range 6 {
		a, err := overflowing(w, fmt.Sprint("b", i), durabilities[i/2])
		if err != nil {
			return err
		}
		if err := fillZone(a, 5, drxmp.WriteAll); err != nil {
			return err
		}
		if i%2 == 1 {
			err = a.Sync()
		}
		for n := 0; n < 60 && err == nil; n++ {
			line := 4 * (n % 16)
			if w.Proc() == w.Procs()-1 {
				got := make([]int32, 16)
				err = drxmp.Read(a, nd.Sec(nd.At(line+1), nd.All), got)
				if err == nil && !slices.Equal(got, slices.Repeat([]int32{5}, 16)) {
					err = fmt.Errorf("read %v", got)
				}
			} else if owner, _ := a.Decomposition().Owner(line, 0); owner == w.Proc() {
				err = drxmp.Write(a, nd.Sec(nd.At(line), nd.All), slices.Repeat([]int32{int32(n)}, 16))
			}
		}
		if err = w.Agree("beside", err); err != nil {
			return fmt.Errorf("durability %d, committed %v: %w", durabilities[i/2], i%2 == 1, err)
		}
		if err := a.Close(); err != nil {
			return err
		}
	}
	return nil
}

// testPendingRemoteWrites: elements that a proc has written to chunks of others stay pending when a
// Sync fails, and are delivered by the next one.
func testPendingRemoteWrites(w *world) error {
	name := w.file("figure1")
	if err := w.once(func() error { return errors.Join(writeFigure1(name), damage(name, 0)) }); err != nil {
		return err
	}
	o := drxmp.Options{Options: drx.Options{Write: true}, Engine: w.engine, Distribution: drxmp.Distribution{Grid: []int{1, 1}}}
	a, err := drxmp.Open(w, name, o)
	if err != nil {
		return err
	}
	good, bad := nd.Sec(nd.At(0), nd.At(5)), nd.Sec(nd.Span(0, 2), nd.Span(0, 3)) // chunk 0, which is damaged
	if w.Procs() > 1 && w.Proc() == w.Procs()-1 {
		err = errors.Join(drxmp.Write(a, nd.Sec(nd.At(0), nd.At(0)), []float64{-7}), drxmp.Write(a, good, []float64{-7}))
	}
	if err := w.Agree("writes", err); err != nil || w.Procs() == 1 {
		return errors.Join(err, a.Discard())
	}
	for range 2 {
		if err := a.Sync(); !errors.Is(err, drx.ErrCorrupt) {
			return fmt.Errorf("sync with a damaged chunk: %w", err)
		}
	}
	if w.Proc() == 0 { // the owner repairs it by writing all of it
		err = drxmp.Write(a, bad, make([]float64, 6))
	}
	if err := w.Agree("mending", err); err != nil {
		return err
	}
	got := []float64{0}
	if err := errors.Join(a.Sync(), drxmp.ReadAll(a, good, got)); err != nil || got[0] != -7 {
		return fmt.Errorf("after the next sync it is %v, %w", got, err)
	}
	return a.Close()
}

// testStartOrder: the calls that a proc starts by itself run in that order, and before the array is
// closed.
func testStartOrder(w *world) error {
	a, err := drxmp.Create(w, w.file("a"), failingSpec(), drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	got := make([]int32, a.Zone().Len())
	var started []*drxmp.Request
	for i := int32(1); i <= 20; i++ {
		started = append(started, drxmp.StartWrite(a, nil, slices.Repeat([]int32{i}, len(got))))
	}
	if err := drxmp.StartRead(a, nil, got).Wait(); err != nil || slices.ContainsFunc(got, func(x int32) bool { return x != 20 }) {
		return fmt.Errorf("read %v, %w", got[:min(8, len(got))], err)
	}
	started = append(started, drxmp.StartWrite(a, nil, slices.Repeat([]int32{21}, len(got))))
	if err := a.Close(); err != nil {
		return err
	}
	for _, r := range started {
		if err := r.Wait(); err != nil {
			return err
		}
	}
	return w.once(func() error {
		s, err := drx.Open(a.Name(), drx.Options{})
		if err != nil {
			return err
		}
		data, err := drx.Read[int32](s, nil)
		if err == nil && slices.ContainsFunc(data, func(x int32) bool { return x != 21 }) {
			err = errors.New("the last one is missing in the file")
		}
		return errors.Join(err, s.Close())
	})
}
