package main

import (
	"fmt"
	"math"
	"math/bits"
)

// A field computes the forces of the Lennard-Jones potential 4(r^-12 - r^-6). Between two distances
// the potential is switched off by a polynomial with two continuous derivatives, so that energy is
// conserved.
type field struct {
	width   float64 // of the box
	unit2   float64 // the square of a unit of positions
	cut2    float64 // the squares of the two distances
	switch2 float64
	// half of the square of the time step: a force times this is a change of velocity per step, in
	// half a step
	halfStep2    float64
	velocityUnit float64 // a unit of positions per time step
	cells        int     // along each edge of the box: at least as wide as the cutoff, or one
}

func newField(s settings) *field {
	f := &field{width: s.box(), cut2: s.Cutoff * s.Cutoff, switch2: s.Switch * s.Switch, halfStep2: s.TimeStep * s.TimeStep / 2, cells: 1}
	unit := f.width / boxUnits
	f.unit2, f.velocityUnit = unit*unit, unit/s.TimeStep
	if n := int(f.width / s.Cutoff); n >= 3 { // otherwise all cells are neighbours
		f.cells = n
	}
	return f
}

// pair returns the energy of a pair at a squared distance, and its force divided by the distance,
// positive if the particles repel each other.
func (f *field) pair(r2 float64) (energy, force float64) {
	i2 := 1 / r2
	i6 := i2 * i2 * i2
	energy, force = 4*i6*(i6-1), 24*i6*(2*i6-1)*i2
	if r2 > f.switch2 {
		width := f.cut2 - f.switch2
		t := (r2 - f.switch2) / width
		factor, slope := 1-t*t*t*(10-t*(15-6*t)), -30*t*t*(1-t)*(1-t)/width // of the polynomial, by r2
		force = force*factor - 2*energy*slope
		energy *= factor
	}
	return energy, force
}

// tail returns the contribution of the pairs beyond the switch distance to the energy per particle
// and to the pressure, for an even distribution there and without the switch: 2 pi density times
// the integral of r^2 u(r), and -2/3 pi density^2 times that of r^3 u'(r).
func (f *field) tail(density float64) (energy, pressure float64) {
	r3 := math.Pow(f.switch2, -1.5)
	r9 := r3 * r3 * r3
	return 8. / 3 * math.Pi * density * (r9/3 - r3), 16. / 3 * math.Pi * density * density * (2*r9/3 - r3)
}

// A block is some of the particles, sorted by cells.
type block struct {
	index []int      // the number of each particle in the block before it was sorted
	begin []int      // the first particle of each cell, and the end of the last one
	x     [][3]int64 // positions
	kick  [][3]int64 // change of the velocities in half a step by the field
}

// sort returns a block of the particles at positions x.
func (f *field) sort(x []int64) *block {
	n, particles := f.cells, len(x)/3
	b := &block{index: make([]int, particles), begin: make([]int, n*n*n+1), x: make([][3]int64, particles), kick: make([][3]int64, particles)}
	cell := make([]int, particles)
	for i := range cell {
		for d := range 3 {
			c, _ := bits.Mul64(uint64(x[3*i+d]), uint64(n)) // which n-th of the box
			cell[i] = cell[i]*n + int(c)
		}
		b.begin[cell[i]+1]++
	}
	for c := range n * n * n {
		b.begin[c+1] += b.begin[c]
	}
	next := append([]int(nil), b.begin...)
	for i, c := range cell {
		b.index[next[c]], b.x[next[c]] = i, [3]int64(x[3*i:])
		next[c]++
	}
	return b
}

// kicks returns the kicks of a block in the order of the particles before they were sorted, three
// numbers for each.
func (b *block) kicks() []int64 {
	flat := make([]int64, 3*len(b.index))
	for i, k := range b.kick {
		copy(flat[3*b.index[i]:], k[:])
	}
	return flat
}

// addShare computes the kicks of some of n particles, as in Plimpton's force decomposition (J.
// Comput. Phys. 117, 1, 1995): the particles are cut into blocks, and each proc computes some pairs
// of blocks. get gets the positions of a block, which has the particles from first to end, and add
// adds its kicks. It returns the sums over the pairs of this proc.
func (f *field) addShare(procs, proc, n int, get, add func(first, end int, vectors []int64) error) (all pairSum, err error) {
	pairs, parts := share(procs, proc)
	blocks := make([]*block, parts)
	for _, pair := range pairs {
		for _, i := range pair {
			if blocks[i] != nil {
				continue
			}
			first, end := i*n/parts, (i+1)*n/parts
			x := make([]int64, 3*(end-first))
			if err := get(first, end, x); err != nil {
				return all, err
			}
			blocks[i] = f.sort(x)
		}
		sum, err := f.interact(blocks[pair[0]], blocks[pair[1]])
		if err != nil {
			return all, err
		}
		all.add(sum)
	}
	for i, b := range blocks {
		if b == nil {
			continue
		}
		if err := add(i*n/parts, (i+1)*n/parts, b.kicks()); err != nil {
			return all, err
		}
	}
	return all, nil
}

// share divides the pairs of blocks among the procs: it returns the pairs of one proc, and the
// number of blocks of particles, so that there are two pairs or more for each proc. A block and
// itself are a pair, too.
func share(procs, proc int) (pairs [][2]int, blocks int) {
	blocks = 1
	for procs > 1 && blocks*(blocks+1)/2 < 2*procs {
		blocks++
	}
	number := 0
	for i := range blocks {
		for j := i; j < blocks; j++ {
			if number++; number%procs == proc {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs, blocks
}

// A pairSum has the sums over pairs, in units of energy. Those up to the switch distance have the
// potential of Lennard and Jones.
type pairSum struct {
	energy     int64
	nearEnergy int64 // of pairs up to the switch distance
	nearVirial int64 // their force times distance
}

func (s *pairSum) add(t pairSum) {
	s.energy += t.energy
	s.nearEnergy += t.nearEnergy
	s.nearVirial += t.nearVirial
}

// interact adds the kicks of all pairs of a particle of block a and one of block b to both blocks.
// If they are one block, each pair counts once. The error names a distance at which the time step
// is too long.
func (f *field) interact(a, b *block) (sum pairSum, err error) {
	n := f.cells
	for c := range n * n * n {
		if a.begin[c] == a.begin[c+1] {
			continue
		}
		for _, other := range f.neighbours(c) {
			if a == b && other < c {
				continue // this pair of cells was counted from the other side
			}
			for i := a.begin[c]; i < a.begin[c+1]; i++ {
				from := b.begin[other]
				if a == b && other == c {
					from = i + 1
				}
				t, err := f.kick(a, i, b, from, b.begin[other+1])
				if err != nil {
					return sum, err
				}
				sum.add(t)
			}
		}
	}
	return sum, nil
}

// neighbours lists the cells with particles near enough to the particles of a cell, and that cell.
func (f *field) neighbours(cell int) []int {
	n := f.cells
	if n == 1 {
		return []int{0}
	}
	list := make([]int, 0, 27)
	x, y, z := cell/(n*n), cell/n%n, cell%n
	for k := range 27 {
		list = append(list, ((x+n+k/9-1)%n*n+(y+n+k/3%3-1)%n)*n+(z+n+k%3-1)%n)
	}
	return list
}

// kick adds the kicks of particle i of block a and particles of block b to both.
func (f *field) kick(a *block, i int, b *block, from, to int) (sum pairSum, err error) {
	at := a.x[i]
	var mine [3]int64
	for j := from; j < to; j++ {
		x := &b.x[j]
		// between the nearest images
		dx, dy, dz := float64(at[0]-x[0]), float64(at[1]-x[1]), float64(at[2]-x[2])
		r2 := (dx*dx + dy*dy + dz*dz) * f.unit2
		if r2 >= f.cut2 {
			continue
		}
		energy, force := f.pair(r2)
		k := force * f.halfStep2
		// a kick by a tenth of the distance; it also keeps the integers within their range
		if !(k < 0.1) {
			return sum, fmt.Errorf("two particles are %.3g apart: too near for this time step; make -step shorter or -gap larger", math.Sqrt(r2))
		}
		// rounded towards zero, so that the kick of the other particle is the exact opposite
		kick := [3]int64{int64(k * dx), int64(k * dy), int64(k * dz)}
		for d := range 3 {
			mine[d] += kick[d]
			b.kick[j][d] -= kick[d]
		}
		sum.energy += int64(energy * energyUnits)
		if r2 <= f.switch2 {
			sum.nearEnergy += int64(energy * energyUnits)
			sum.nearVirial += int64(force * r2 * energyUnits)
		}
	}
	for d := range 3 {
		a.kick[i][d] += mine[d]
	}
	return sum, nil
}

// The quantities of the array of energies. Energies are per particle. The first three are of the
// potential that is switched off, which conserves the total energy. Two are of the potential of
// Lennard and Jones: the sum over the pairs up to the switch distance, and beyond it field.tail.
// Published values are defined like this: the pairs that are being switched off do not count, as
// their forces are others, and as particles are not distributed evenly where they are.
const (
	potential = iota
	kinetic
	total
	temperature
	corrected // potential energy of the potential of Lennard and Jones
	pressure  // of the same
	count     // the number of particles
	quantities
)

// quantityNames has their names.
var quantityNames = []string{"potential", "kinetic", "total", "temperature", "corrected", "pressure", "particles"}

// observe computes the quantities of a number of particles from their kinetic energy and the sums
// over their pairs, in units of energy.
func (f *field) observe(particles int, kineticUnits int64, pairs pairSum) []float64 {
	n, volume := float64(particles), f.width*f.width*f.width
	each := func(units int64) float64 { return float64(units) / energyUnits / n }
	tailEnergy, tailPressure := f.tail(n / volume)
	m := make([]float64, quantities)
	m[potential], m[kinetic], m[total] = each(pairs.energy), each(kineticUnits), each(kineticUnits+pairs.energy)
	m[temperature] = 2 * n * m[kinetic] / (3*n - 3) // the centre of mass rests
	m[corrected] = each(pairs.nearEnergy) + tailEnergy
	m[pressure] = n/volume*(m[temperature]+each(pairs.nearVirial)/3) + tailPressure
	m[count] = n
	return m
}
