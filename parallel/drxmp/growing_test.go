package drxmp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"drx/internal/growtest"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/mpi"
)

// testGrowing: a session extends an array on all sides and writes the new part, again and again,
// while its own goroutines, another session and a serial reader follow. Each of them sees all
// values of the commit that it sees.
func testGrowing(w *world) error {
	name := w.file("growing")
	spec := drx.Spec{DType: dtype.Int64, Shape: []int{2, 3}, ChunkShape: []int{4, 3}, FillValue: -1}
	spec.Cache, spec.Durability = 1, drx.DurabilityNoJournal
	if w.Procs()%2 == 0 {
		spec.Durability = drx.DurabilityFull
	}
	a, err := drxmp.Create(w, name, spec, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	if err := errors.Join(writeNew(w, a, a.Bounds()), a.Sync()); err != nil {
		return err
	}
	reader, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	var stop atomic.Bool
	outside := make(chan error, 1)
	go func() { outside <- followAlone(name, &stop) }()
	rng, times := rand.New(rand.NewPCG(7, 1)), rounds(w)
	if mpi.Launched() {
		times = min(times, 20)
	}
	for round := 0; round < times && err == nil; round++ {
		if err = grown(w, a, rng); err == nil {
			err = sessionSees(reader, a.Bounds())
		}
		if err == nil && round%10 == 0 {
			err = seesAll(a.Bounds(), func(sec nd.Section, data []int64) error { return drxmp.Read(a, sec, data) })
		}
		if err != nil {
			err = fmt.Errorf("round %d: %w", round, err)
		}
	}
	stop.Store(true)
	return errors.Join(err, w.Agree("outside", <-outside), reader.Close(), a.Close())
}

// grown extends an array on a random side, writes the new part, collectively or by each proc alone,
// and commits.
func grown(w *world, a *drxmp.Array, rng *rand.Rand) error {
	dim, by, how := rng.IntN(2), 1+rng.IntN(2), []axial.Side{axial.High, axial.Low}[rng.IntN(2)]
	added, err := growtest.Extend(a, dim, by, how)
	if err != nil {
		return err
	}
	return errors.Join(writeNew(w, a, added), a.Sync())
}

// writeNew writes a section, each proc some of its rows: odd rows alone, the others collectively.
func writeNew(w *world, a *drxmp.Array, sec nd.Section) error {
	lines := sec[0].Hi - sec[0].Lo
	part := nd.Sec(nd.Span(sec[0].Lo+lines*w.Proc()/w.Procs(), sec[0].Lo+lines*(w.Proc()+1)/w.Procs()), sec[1])
	data := valuesOf(part)
	if w.Proc()%2 == 1 && len(data) > 0 {
		if err := drxmp.Write(a, part, data); err != nil {
			return err
		}
		part, data = nd.Sec(nd.Span(sec[0].Lo, sec[0].Lo), sec[1]), nil
	}
	return drxmp.WriteAll(a, part, data)
}

func valuesOf(sec nd.Section) []int64 {
	var data []int64
	for r := sec[0].Lo; r < sec[0].Hi; r++ {
		for c := sec[1].Lo; c < sec[1].Hi; c++ {
			data = append(data, value(r, c))
		}
	}
	return data
}

// sessionSees checks that the readers of a session, after Refresh, have the same bounds and all
// values.
func sessionSees(reader *drxmp.Array, want nd.Section) error {
	if changed, err := reader.Refresh(); err != nil || !changed || reader.Bounds().String() != want.String() {
		return fmt.Errorf("changed %v to %v, want %v, %w", changed, reader.Bounds(), want, err)
	}
	return seesAll(want, func(sec nd.Section, data []int64) error { return drxmp.ReadAll(reader, sec, data) })
}

func seesAll(bounds nd.Section, read func(nd.Section, []int64) error) error {
	want := valuesOf(bounds)
	got := make([]int64, len(want))
	if err := read(bounds, got); err != nil {
		return err
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("of %v element %d is %d, want %d", bounds, i, got[i], want[i])
		}
	}
	return nil
}

// followAlone reads with the serial library until stop is set.
func followAlone(name string, stop *atomic.Bool) error {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return err
	}
	for last := false; !last && err == nil; {
		last = stop.Load()
		if _, err = a.Refresh(); err == nil {
			err = seesAll(a.Bounds(), func(sec nd.Section, data []int64) error { return drx.ReadInto(a, sec, data) })
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.Join(err, a.Close())
}
