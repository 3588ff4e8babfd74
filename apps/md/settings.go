package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
)

// settings are the attributes of a trajectory: all that a program needs to continue it. Lengths are
// in sigma, energies in epsilon, masses in particles, and so times in sigma*sqrt(m/epsilon).
type settings struct {
	Particles   int     `json:"particles"`   // at the beginning, even
	Density     float64 `json:"density"`     // at the beginning; it and Particles give the box
	Temperature float64 `json:"temperature"` // of velocities that are drawn, or scaled
	TimeStep    float64 `json:"time_step"`   // of velocity Verlet
	Cutoff      float64 `json:"cutoff"`      // from here on there is no force
	// up to here the potential is that of Lennard and Jones; from here to the cutoff it is switched
	// off
	Switch float64 `json:"switch"`
	Every  int     `json:"every"` // steps from one frame of the trajectory to the next
	// up to this frame velocities are scaled to the temperature
	Equilibrate int     `json:"equilibrate"`
	Add         int     `json:"add"`       // the number of particles that are added, even
	AddEvery    int     `json:"add_every"` // frames between two additions; 0 is never
	Gap         float64 `json:"gap"`       // the least distance of an added particle to the others
	Seed        uint64  `json:"seed"`      // of the random numbers
	// particles in a chunk of the arrays; procs own whole chunks
	Chunk int `json:"chunk"`
	// length of a unit of the stored positions, the box / 2^64: the attribute scale_factor of the
	// CF conventions
	ScaleFactor float64 `json:"scale_factor"`
}

// define declares the flags of the settings.
func (s *settings) define(f *flag.FlagSet) {
	f.IntVar(&s.Particles, "particles", 500, "how many particles there are at the beginning")
	f.Float64Var(&s.Density, "density", 0.8, "particles per volume at the beginning")
	f.Float64Var(&s.Temperature, "temperature", 1, "temperature at the beginning, and as long as -equilibrate says")
	f.Float64Var(&s.TimeStep, "step", 0.004, "time step")
	f.Float64Var(&s.Cutoff, "cutoff", 3, "distance from which on particles do not interact, at most half of the box")
	f.Float64Var(&s.Switch, "switch", 2.5, "distance from which on the potential is switched off smoothly")
	f.IntVar(&s.Every, "every", 100, "time steps from one frame of the trajectory to the next")
	f.IntVar(&s.Equilibrate, "equilibrate", 0, "scale velocities to the temperature up to this frame")
	f.IntVar(&s.Add, "add", 0, "add so many particles ...")
	f.IntVar(&s.AddEvery, "add-every", 0, "... every so many frames")
	f.Float64Var(&s.Gap, "gap", 0.9, "least distance of an added particle to the others")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of the random numbers")
	f.IntVar(&s.Chunk, "chunk", 64, "particles in a chunk of the arrays")
}

// givenSettings returns the settings among the flags of the command line. They must not be given
// again for an existing trajectory.
func givenSettings() (given string) {
	var all flag.FlagSet
	new(settings).define(&all)
	flag.Visit(func(f *flag.Flag) {
		if all.Lookup(f.Name) != nil {
			given += " -" + f.Name
		}
	})
	return given
}

// box returns the edge of the box.
func (s *settings) box() float64 { return math.Cbrt(float64(s.Particles) / s.Density) }

// particlesAt returns how many particles there are in a frame of the trajectory. Those that are
// added after a frame are in the next one.
func (s *settings) particlesAt(frame int) int {
	if s.AddEvery == 0 || frame == 0 {
		return s.Particles
	}
	return s.Particles + (frame-1)/s.AddEvery*s.Add
}

// check returns an error for impossible settings.
func (s *settings) check() error {
	positive := func(name string, x float64) error {
		if !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("-%s is %v and must be above 0", name, x)
		}
		return nil
	}
	err := errors.Join(positive("density", s.Density), positive("temperature", s.Temperature), positive("step", s.TimeStep), positive("switch", s.Switch),
		positive("gap", s.Gap), positive("every", float64(s.Every)), positive("chunk", float64(s.Chunk)), positive("particles", float64(s.Particles)))
	switch {
	case err != nil:
		return err
	case s.Particles%2 != 0 || s.Add%2 != 0 || s.Add < 0 || s.AddEvery < 0:
		return fmt.Errorf("-particles is %d, -add %d, -add-every %d: particles come in pairs with opposite velocities, so the numbers must be even, and none is negative", s.Particles, s.Add, s.AddEvery)
	case s.Switch >= s.Cutoff || 2*s.Cutoff > s.box():
		return fmt.Errorf("-switch is %v, -cutoff %v: -switch must be less than -cutoff, and -cutoff at most half of the box, which is %.4g wide: take more particles or another cutoff", s.Switch, s.Cutoff, s.box())
	}
	return nil
}

// attributes checks the settings and returns them as attributes of a trajectory, with the names of
// its kinds and components.
func (s *settings) attributes() (map[string]any, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	s.ScaleFactor = s.box() / boxUnits
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	attrs := map[string]any{"labels/1/0": []string{"position", "velocity"}, "labels/3/0": []string{"x", "y", "z"}}
	return attrs, json.Unmarshal(text, &attrs)
}

// settingsOf returns the settings in the attributes of an array.
func settingsOf(name string, attrs map[string]json.RawMessage) (s settings, err error) {
	text, err := json.Marshal(attrs)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return s, fmt.Errorf("%s: its attributes are not those of a trajectory: %w", name, err)
	}
	return s, nil
}
