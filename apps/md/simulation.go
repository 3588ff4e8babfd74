package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"time"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// The kinds of vectors that a particle has: a dimension of the arrays. The trajectory has the first
// two.
const (
	position = iota
	velocity
	kicks // change of the velocity in half a step by the forces at the position
	kinds
)

// A simulation is one proc's part of the program.
//
// The state, that of all particles now, is a global array: every proc holds the vectors of some
// particles, its zone, and reaches all others by one-sided calls. Its bounds are those of an array
// file, NAME-state, in which nothing is stored. At intervals the trajectory gets a frame. A commit
// of the trajectory adds the whole frame, or nothing, and only committed frames count. The array of
// energies is committed before it; energies of frames that the trajectory lacks are computed again,
// with the same result.
type simulation struct {
	options
	comm       par.Comm
	trajectory *drxmp.Array // time x kind (position, velocity) x particle x 3
	energies   *drxmp.Array // time x quantity
	stateFile  *drxmp.Array // kind x particle x 3
	state      *drxmp.GlobalArray[int64]
	field      *field
	pairs      pairSum // of the state, over this proc's pairs
	frame      int     // number of the last frame of the trajectory
}

// progressEvery is the time between two reports of a long run on the error output.
const progressEvery = 10 * time.Second

// simulate creates a trajectory, or continues one.
func simulate(c par.Comm, name string, o options) error {
	s := &simulation{options: o, comm: c}
	err := s.open(name)
	if err == nil {
		err = s.begin()
	}
	for reported := time.Now(); err == nil && s.frame < s.frames; {
		err = s.advance()
		if c.Proc() == 0 && time.Since(reported) > progressEvery {
			log.Printf("%s: frame %d of %d", name, s.frame, s.frames)
			reported = time.Now()
		}
	}
	return s.close(err)
}

// close closes the arrays, which stay as they were at the last commit, and removes the file of the
// state if the program ends well. Errors are common to all procs, so all call close together.
func (s *simulation) close(err error) error {
	if s.state != nil {
		err = errors.Join(err, s.state.Close())
	}
	for _, a := range []*drxmp.Array{s.stateFile, s.energies, s.trajectory} {
		if a != nil {
			err = errors.Join(err, a.Discard())
		}
	}
	if err == nil {
		err = remove(s.comm, s.stateFile.Name())
	}
	return err
}

// begin sets the state to the last frame or, if there is none, to a crystal, which becomes frame 0.
func (s *simulation) begin() error {
	if s.frame >= 0 {
		if err := drxmp.ReadAll(s.trajectory, s.section(s.frame), s.recorded()); err != nil {
			return err
		}
		return s.forces()
	}
	err := s.insert(0, func(*rand.Rand) ([]int64, error) { return crystal(s.Particles), nil })
	if err == nil {
		err = s.commit()
	}
	return err
}

// advance simulates up to the next frame and commits it.
func (s *simulation) advance() error {
	if s.AddEvery > 0 && s.frame > 0 && s.frame%s.AddEvery == 0 {
		if err := s.addParticles(); err != nil {
			return err
		}
	}
	for range s.Every { // velocity Verlet; the state of one step is that of the next one
		add(s.vectors(velocity), s.vectors(kicks))
		add(s.vectors(position), s.vectors(velocity))
		if err := s.forces(); err != nil {
			return err
		}
		add(s.vectors(velocity), s.vectors(kicks))
	}
	if s.frame < s.Equilibrate {
		if err := s.scale(); err != nil {
			return err
		}
	}
	return s.commit()
}

// addParticles adds particles at random positions. The arrays grow, and the global array moves
// vectors to their new owners.
func (s *simulation) addParticles() error {
	n := s.stateFile.Shape()[1]
	_, err := s.trajectory.Extend(2, s.Add)
	_, err2 := s.stateFile.Extend(1, s.Add)
	if err := errors.Join(err, err2, s.state.Follow()); err != nil {
		return err
	}
	return s.insert(n, func(rng *rand.Rand) ([]int64, error) {
		present := make([]int64, 3*n)
		if err := s.state.Get(nd.Sec(nd.At(position), nd.Span(0, n), nd.All), present); err != nil {
			return nil, err
		}
		return randomPositions(rng, present, s.Add, s.Gap/s.field.width)
	})
}

// insert sets the new particles from number first on, wherever they are held, and computes the
// forces on all, collective. Proc 0 sets them for all procs.
func (s *simulation) insert(first int, positions func(*rand.Rand) ([]int64, error)) (err error) {
	if s.comm.Proc() == 0 {
		rng, x := rand.New(rand.NewPCG(s.Seed, uint64(max(s.frame, 0)))), []int64(nil)
		if x, err = positions(rng); err == nil {
			n := len(x) / 3
			v := velocities(rng, n, s.Temperature, s.field.velocityUnit)
			err = s.state.Put(nd.Sec(nd.Span(position, velocity+1), nd.Span(first, first+n), nd.All), append(x, v...))
		}
	}
	if err = s.agree("insert", err); err != nil {
		return err
	}
	return s.forces()
}

// agree makes the error of one proc the error of all, collective, so that they end together.
func (s *simulation) agree(what string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: after %d frames: %w", s.trajectory.Name(), s.frame+1, err)
	}
	return s.comm.Agree(what, err)
}

// forces computes the kicks of the present positions, collective.
func (s *simulation) forces() error {
	clear(s.vectors(kicks))
	if err := s.state.Fence(); err != nil { // all particles are where they must be
		return err
	}
	if err := s.agree("forces", s.addKicks()); err != nil {
		return err
	}
	return s.state.Fence()
}

// addKicks computes this proc's share of the forces: it gets the positions of the particles that it
// needs, and adds their kicks where they are held.
func (s *simulation) addKicks() (err error) {
	get := func(first, end int, x []int64) error {
		return s.state.Get(nd.Sec(nd.At(position), nd.Span(first, end), nd.All), x)
	}
	add := func(first, end int, k []int64) error {
		return s.state.Accumulate(nd.Sec(nd.At(kicks), nd.Span(first, end), nd.All), k, par.Sum)
	}
	s.pairs, err = s.field.addShare(s.comm.Procs(), s.comm.Proc(), s.stateFile.Shape()[1], get, add)
	return err
}

// scale scales the velocities to the temperature of the settings, and removes the momentum that
// rounding adds.
func (s *simulation) scale() error {
	m, err := s.measure()
	if err != nil {
		return err
	}
	v := s.vectors(velocity)
	multiply(v, math.Sqrt(s.Temperature/m[temperature]))
	rest := momentum(v)
	err = par.AllReduce(s.comm, rest, par.Sum)
	removeMomentum(v, s.first(), rest)
	return err
}

// measure computes the quantities of the present state, over all procs.
func (s *simulation) measure() ([]float64, error) {
	sums := []int64{kineticEnergy(s.vectors(velocity), s.field.velocityUnit), s.pairs.energy, s.pairs.nearEnergy, s.pairs.nearVirial}
	if err := par.AllReduce(s.comm, sums, par.Sum); err != nil {
		return nil, err
	}
	return s.field.observe(s.stateFile.Shape()[1], sums[0], pairSum{sums[1], sums[2], sums[3]}), nil
}

// commit writes the state as the next frame: first its energies, then the trajectory, each in one
// commit.
func (s *simulation) commit() error {
	row, err := s.measure()
	if err != nil {
		return err
	}
	next := s.frame + 1
	at := nd.Sec(nd.At(next), nd.All)
	if s.comm.Proc() != 0 { // proc 0 writes for all
		at, row = nd.Sec(nd.At(next), nd.Span(0, 0)), nil
	}
	if err := record(s.energies, at, row, func() {}); err != nil {
		return err
	}
	s.at("energies", next)
	if err := record(s.trajectory, s.section(next), s.recorded(), func() { s.at("extended", next) }); err != nil {
		return err
	}
	s.at("trajectory", next)
	s.frame = next
	return nil
}

// at reports to tests where this proc is.
func (s *simulation) at(point string, frame int) {
	if s.reached != nil {
		s.reached(point, s.comm.Proc(), frame)
	}
}

// record adds an index of dimension 0, time, to an array and commits it with the elements of all
// procs. After an error nothing is committed, or only an index without elements, see framesOf.
func record[T dtype.Element](a *drxmp.Array, sec nd.Section, data []T, extended func()) error {
	if _, err := a.Extend(0, 1); err != nil {
		return err
	}
	extended()
	if err := drxmp.WriteAll(a, sec, data); err != nil {
		return err
	}
	return a.Sync()
}

// vectors returns one kind of vectors of this proc's particles, as three numbers for each.
func (s *simulation) vectors(kind int) []int64 {
	local := s.state.Local() // all positions, all velocities, all kicks
	n := len(local) / kinds
	return local[kind*n : (kind+1)*n]
}

// recorded returns the vectors of this proc's particles that a frame has.
func (s *simulation) recorded() []int64 { return s.state.Local()[:2*len(s.vectors(position))] }

// first returns the first of this proc's particles.
func (s *simulation) first() int {
	for _, zone := range s.state.Zone().Sections() { // one, or none for a proc without particles
		return zone[1].Lo
	}
	return 0
}

// section returns where this proc's particles are in a frame of the trajectory.
func (s *simulation) section(frame int) nd.Section {
	first := s.first()
	return nd.Sec(nd.At(frame), nd.Span(0, 2), nd.Span(first, first+len(s.vectors(position))/3), nd.All)
}
