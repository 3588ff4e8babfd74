package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"drx"
	"drx/drxmp"
	"drx/dtype"
	"drx/par"
)

// open opens the arrays, or creates them, and forgets frames after the one of -from.
func (s *simulation) open(name string) (err error) {
	s.trajectory, err = drxmp.Open(s.comm, name, byParticles(2, 4, s.comm))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = s.create(name)
	case err == nil && s.given != "":
		err = fmt.Errorf("%s exists and has its own settings: leave out%s, or remove it", name, s.given)
	case err == nil:
		s.settings, err = settingsOf(name, s.trajectory.Attrs())
	}
	if err == nil {
		s.field = newField(s.settings)
		err = s.cut()
	}
	if err == nil {
		err = s.openEnergies(name + "-energy")
	}
	if err == nil {
		err = s.openState(name + "-state")
	}
	return err
}

// byParticles returns options for an array of some rank of which the procs own blocks along one dimension.
func byParticles(dim, rank int, c par.Comm) drxmp.Options {
	grid := slices.Repeat([]int{1}, rank)
	grid[dim] = c.Procs()
	return drxmp.Options{Options: drx.Options{Write: true}, Distribution: drxmp.Distribution{Grid: grid}}
}

// create makes the trajectory, with no frame yet. A frame is a row of chunks, so that a commit only appends.
func (s *simulation) create(name string) error {
	attrs, err := s.attributes()
	if err != nil {
		return err
	}
	s.trajectory, err = drxmp.Create(s.comm, name, drx.Spec{
		DType: dtype.Int64, Shape: []int{0, 2, s.Particles, 3}, ChunkShape: []int{1, 2, s.Chunk, 3},
		Dims: []string{"time", "kind", "particle", "xyz"}, FillValue: int64(math.MinInt64), Attrs: attrs, // as no velocity is
	}, byParticles(2, 4, s.comm))
	return err
}

// cut forgets the frames after that of -from, and the particles that were added after it.
func (s *simulation) cut() error {
	t := s.trajectory
	s.frame = t.Shape()[0] - 1
	if s.from > s.frame || s.from < -1 {
		return fmt.Errorf("%s: -from is %d, but its frames are 0 to %d", t.Name(), s.from, s.frame)
	}
	if s.from >= 0 {
		s.frame = s.from
	}
	if err := shrink(t, 0, s.frame+1); err != nil {
		return err
	}
	return shrink(t, 2, s.particlesAt(max(s.frame, 0)))
}

// shrink forgets the indices of a dimension from end on. Array.Shrink commits that, so that what comes later, the energies of the next
// frame, is never committed beside frames that are to be forgotten.
func shrink(a *drxmp.Array, dim, end int) error {
	if more := a.Shape()[dim] - end; more > 0 {
		return a.Shrink(dim, more)
	}
	return nil
}

// openEnergies opens the array of energies, or creates it, and removes those of frames that the trajectory lacks.
func (s *simulation) openEnergies(name string) (err error) {
	s.energies, err = drxmp.Open(s.comm, name, drxmp.Options{Options: drx.Options{Write: true}})
	if errors.Is(err, fs.ErrNotExist) {
		s.energies, err = drxmp.Create(s.comm, name, drx.Spec{
			DType: dtype.Float64, Shape: []int{0, quantities}, ChunkShape: []int{512, quantities}, Dims: []string{"time", "quantity"},
			Attrs: map[string]any{"labels/1/0": []string{"potential", "kinetic", "total", "temperature", "corrected", "pressure", "particles"}},
		}, drxmp.Options{})
	}
	if err != nil {
		return err
	}
	return shrink(s.energies, 0, s.frame+1)
}

// openState makes the global array. One that a killed program has left is replaced.
func (s *simulation) openState(name string) error {
	err := remove(s.comm, name)
	if err != nil {
		return err
	}
	s.stateFile, err = drxmp.Create(s.comm, name, drx.Spec{
		DType: dtype.Int64, Shape: []int{kinds, s.particlesAt(max(s.frame, 0)), 3}, ChunkShape: []int{kinds, s.Chunk, 3},
	}, byParticles(1, 3, s.comm))
	if err == nil {
		s.state, err = drxmp.NewGlobalArray[int64](s.stateFile)
	}
	return err
}

// remove removes an array if there is one, collective.
func remove(c par.Comm, name string) error {
	var err error
	if c.Proc() == 0 {
		var exists bool
		if exists, err = drx.Exists(name); err == nil && exists {
			err = drx.Remove(name)
		}
	}
	return c.Agree("remove "+name, err)
}
