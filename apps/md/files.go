package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// open opens the arrays, or creates them, and removes frames after the one of -from.
func (s *simulation) open(name string) (err error) {
	s.trajectory, err = drxmp.Open(s.comm, name, byParticles(2, 4, s.comm))
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.from < 0: // with -from there must be one
		err = s.create(name)
	case err == nil && s.given != "":
		err = fmt.Errorf("%s exists and has its own settings: leave out%s, or remove it", name, s.given)
	case err == nil:
		s.settings, err = settingsOf(name, s.trajectory.Attrs())
	}
	if err != nil {
		return err
	}
	s.field = newField(s.settings)
	if err := s.openEnergies(name + "-energy"); err != nil {
		return err
	}
	if err := s.cut(); err != nil {
		return err
	}
	return s.openState(name + "-state")
}

// byParticles returns options for an array of which the procs own blocks along one dimension.
func byParticles(dim, rank int, c par.Comm) drxmp.Options {
	grid := slices.Repeat([]int{1}, rank)
	grid[dim] = c.Procs()
	return drxmp.Options{Options: drx.Options{Write: true}, Distribution: drxmp.Distribution{Grid: grid}}
}

// unwritten is the fill value of the trajectory, which no velocity has.
const unwritten = math.MinInt64

// create creates the trajectory, without frames. A frame is a row of chunks, so that a commit only
// appends.
func (s *simulation) create(name string) error {
	attrs, err := s.attributes()
	if err != nil {
		return err
	}
	s.trajectory, err = drxmp.Create(s.comm, name, drx.Spec{
		DType: dtype.Int64, Shape: []int{0, 2, s.Particles, 3}, ChunkShape: []int{1, 2, s.Chunk, 3},
		Dims: []string{"time", "kind", "particle", "xyz"}, FillValue: int64(unwritten), Attrs: attrs,
	}, byParticles(2, 4, s.comm))
	return err
}

// cut removes the frames after that of -from, the particles added after it, and energies of frames
// that the trajectory lacks. Missing energies, after somebody has removed the array, become NaN.
func (s *simulation) cut() error {
	t := s.trajectory
	frames, err := framesOf(t)
	if err != nil {
		return err
	}
	s.frame = frames - 1
	if s.from > s.frame || s.from < -1 {
		return fmt.Errorf("%s: -from is %d, but its frames are 0 to %d", t.Name(), s.from, s.frame)
	}
	if s.from >= 0 {
		s.frame = s.from
	}
	if err := resize(t, 0, s.frame+1); err != nil {
		return err
	}
	if err := resize(t, 2, s.particlesAt(max(s.frame, 0))); err != nil {
		return err
	}
	return resize(s.energies, 0, s.frame+1)
}

// framesOf returns the number of frames of a trajectory. After -from has shrunk the array, an
// extension is a commit of its own: if the program was killed after it, the last index of time has
// no vectors, and is no frame.
func framesOf(t *drxmp.Array) (int, error) {
	n, v := t.Shape()[0], []int64{0}
	if n == 0 {
		return 0, nil
	}
	err := drxmp.Read(t, nd.Sec(nd.At(n-1), nd.At(velocity), nd.At(0), nd.At(0)), v)
	if v[0] == unwritten {
		n--
	}
	return n, err
}

// resize extends or shrinks a dimension to an end. Array.Shrink commits that, so later changes,
// such as the energies of the next frame, are never committed beside frames that should be gone.
func resize(a *drxmp.Array, dim, end int) (err error) {
	switch more := end - a.Shape()[dim]; {
	case more > 0:
		_, err = a.Extend(dim, more)
	case more < 0:
		err = a.Shrink(dim, -more)
	}
	return err
}

// openEnergies opens the array of energies, or creates it.
func (s *simulation) openEnergies(name string) (err error) {
	s.energies, err = drxmp.Open(s.comm, name, drxmp.Options{Options: drx.Options{Write: true}})
	if errors.Is(err, fs.ErrNotExist) {
		s.energies, err = drxmp.Create(s.comm, name, drx.Spec{
			DType: dtype.Float64, Shape: []int{0, quantities}, ChunkShape: []int{512, quantities}, Dims: []string{"time", "quantity"},
			FillValue: "NaN", Attrs: map[string]any{madeBy: "md", "labels/1/0": quantityNames},
		}, drxmp.Options{})
	}
	if err == nil {
		err = s.comm.Agree("open", isOwn(name))
	}
	return err
}

// openState creates the global array. It replaces a file that a killed program has left.
func (s *simulation) openState(name string) error {
	err := remove(s.comm, name)
	if err != nil {
		return err
	}
	s.stateFile, err = drxmp.Create(s.comm, name, drx.Spec{
		DType: dtype.Int64, Shape: []int{kinds, s.particlesAt(max(s.frame, 0)), 3}, ChunkShape: []int{kinds, s.Chunk, 3},
		Attrs: map[string]any{madeBy: "md"},
	}, byParticles(1, 3, s.comm))
	if err == nil {
		s.state, err = drxmp.NewGlobalArray[int64](s.stateFile)
	}
	return err
}

// madeBy is an attribute of the arrays beside a trajectory. Only arrays with it are changed or
// removed.
const madeBy = "made_by"

// isOwn returns an error if an array exists that this program has not created, or if it does not
// exist.
func isOwn(name string) error {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return err
	}
	if string(a.Attrs()[madeBy]) != `"md"` {
		err = fmt.Errorf("%s exists, and md has not made it: rename it, or choose another name for the trajectory", name)
	}
	return errors.Join(err, a.Close())
}

// remove removes an array of this program if there is one, collective.
func remove(c par.Comm, name string) (err error) {
	if c.Proc() == 0 {
		if err = isOwn(name); err == nil {
			err = drx.Remove(name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return c.Agree("remove "+name, err)
}
