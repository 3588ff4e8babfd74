package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Positions and velocities are integers, as in the time-reversible method of Levesque and Verlet
// (J. Stat. Phys. 72, 519, 1993). A position counts units of 2^-64 of the box, from -2^63 to
// 2^63-1: the overflow of the integers is the periodic boundary, and the difference of two
// positions is that of the nearest images. A velocity counts units per time step, so that a step is
// an addition. A force changes a velocity by a kick, an integer too, and the kicks of a pair are
// exact opposites. So the total momentum never changes by a bit; sums do not depend on the order in
// which procs add, nor does the trajectory; and with all velocities negated it runs back to where
// it began.

// boxUnits is the number of units in the box.
const boxUnits = 1 << 64

// energyUnits is the number of units of sums of energies and virials in epsilon: they are integers
// too, so that they do not depend on the procs either.
const energyUnits = 1 << 36

// crystal returns the positions of particles on sites of a face-centred cubic lattice that fills
// the box, with vacant sites evenly distributed. As everywhere, a particle has three numbers.
func crystal(particles int) []int64 {
	cells := int(math.Ceil(math.Cbrt(float64(particles) / 4)))
	sites, x := 4*cells*cells*cells, make([]int64, 0, 3*particles)
	corners := [4][3]int{{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}
	for i := range particles {
		site := i * sites / particles
		cell, corner := site/4, corners[site%4]
		for d, c := range [3]int{cell / (cells * cells), cell / cells % cells, cell % cells} {
			x = append(x, int64(2*c+corner[d])*(math.MaxInt64/int64(cells)))
		}
	}
	return x
}

// velocities draws velocities from the distribution of Maxwell and Boltzmann, in pairs of
// opposites: their sum is zero. unit is the unit of velocities.
func velocities(rng *rand.Rand, particles int, temperature, unit float64) []int64 {
	v := make([]int64, 3*particles)
	for i := 0; i < len(v); i += 6 {
		for d := range 3 {
			v[i+d] = int64(rng.NormFloat64() * math.Sqrt(temperature) / unit)
			v[i+d+3] = -v[i+d]
		}
	}
	return v
}

// randomPositions returns random positions for more particles, each at least the distance gap, in
// units of the box's width, from all others.
func randomPositions(rng *rand.Rand, present []int64, more int, gap float64) ([]int64, error) {
	const tries = 20000
	all := slices.Clone(present)
	for try := 0; len(all) < len(present)+3*more; try++ {
		if try == tries {
			return nil, fmt.Errorf("no place for %d more particles among %d after %d tries: add fewer of them, or lower -gap or -density", more, len(present)/3, tries)
		}
		x, y, z := int64(rng.Uint64()), int64(rng.Uint64()), int64(rng.Uint64())
		if nearest(x, y, z, all) >= gap*gap {
			all = append(all, x, y, z)
		}
	}
	return all[len(present):], nil
}

// nearest returns the square of the least distance of a point to others, in the box's width.
func nearest(x, y, z int64, others []int64) float64 {
	least := math.Inf(1)
	for i := 0; i < len(others); i += 3 {
		dx, dy, dz := float64(x-others[i]), float64(y-others[i+1]), float64(z-others[i+2])
		least = min(least, dx*dx+dy*dy+dz*dz)
	}
	return least / boxUnits / boxUnits
}

// kineticEnergy returns the kinetic energy of particles, in units of energy. unit is the unit of
// velocities.
func kineticEnergy(v []int64, unit float64) (sum int64) {
	for _, units := range v {
		x := float64(units) * unit
		sum += int64(x * x / 2 * energyUnits)
	}
	return sum
}

// momentum returns the sum of velocities, three numbers.
func momentum(v []int64) []int64 {
	sum := make([]int64, 3)
	for i := range v {
		sum[i%3] += v[i]
	}
	return sum
}

// add adds numbers to others.
func add(to, more []int64) {
	for i := range to {
		to[i] += more[i]
	}
}

// multiply multiplies velocities by a factor, and rounds them.
func multiply(v []int64, factor float64) {
	for i := range v {
		v[i] = int64(float64(v[i]) * factor)
	}
}

// removeMomentum subtracts a momentum, less than a unit per particle, from the first of all
// particles. v has the velocities of the particles from number first on.
func removeMomentum(v []int64, first int, rest []int64) {
	for i := range v {
		if particle := int64(first + i/3); particle < rest[i%3] {
			v[i]--
		} else if particle < -rest[i%3] {
			v[i]++
		}
	}
}
