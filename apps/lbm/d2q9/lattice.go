// Package d2q9 is the lattice Boltzmann method in two dimensions, with nine velocities, a row of
// nodes at a time: what the parallel program does with a plate of nodes, and how many of its rows
// it has, is its own business. Walls are at the ends of the rows, and above and below where there
// is no row; the one above moves.
//
// lattice.go has the velocities and what they mean, collide.go the collisions, stream.go a step.
package d2q9

// Directions is the number of velocities of the lattice D2Q9: at each node nine populations of
// particles, at rest and moving to the eight neighbours.
const Directions = 9

// The velocity of population i is (cx[i], cy[i]), in nodes per step: rest, east, north, west,
// south, and the diagonals north-east, north-west, south-west, south-east. weight[i] is its share
// in a fluid at rest; opposite[i] moves the other way.
var (
	cx       = [Directions]int{0, 1, 0, -1, 0, 1, -1, -1, 1}
	cy       = [Directions]int{0, 0, 1, 0, -1, 1, 1, -1, -1}
	opposite = [Directions]int{0, 3, 4, 1, 2, 7, 8, 5, 6}
	weight   = [Directions]float64{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}
)

// A node holds the populations of one node, less their weights: the excess over a fluid at rest
// with density 1. So the zeros of nodes that an extension adds are such a fluid, and small
// velocities keep all their digits (P. A. Skordos, "Initial and boundary conditions for the lattice
// Boltzmann method", 1993).
type Node = [Directions]float64

// Moments returns the density less 1, and the velocity in nodes per step.
func Moments(f *Node) (excess, u, v float64) {
	excess = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8]
	scale := 1 / (1 + excess)
	u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) * scale
	v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) * scale
	return excess, u, v
}

// Equilibrium returns the populations to which collisions drive a fluid with that density, less 1,
// and that velocity: w(rho + rho(3cu + 9/2 (cu)^2 - 3/2 u^2)), see Y. H. Qian, D. d'Humieres, P.
// Lallemand, "Lattice BGK models for Navier-Stokes equation" (1992).
func Equilibrium(excess, u, v float64) Node {
	rho := 1 + excess
	still := excess - 1.5*rho*(u*u+v*v)
	u3, v3 := 3*rho*u, 3*rho*v
	uu, vv := 4.5*rho*u*u, 4.5*rho*v*v
	const w1, w5 = 1. / 9, 1. / 36
	plus, minus := 4.5*rho*(u+v)*(u+v), 4.5*rho*(u-v)*(u-v)
	return Node{
		4. / 9 * still,
		w1 * (still + u3 + uu), w1 * (still + v3 + vv), w1 * (still - u3 + uu), w1 * (still - v3 + vv),
		w5 * (still + u3 + v3 + plus), w5 * (still - u3 + v3 + minus),
		w5 * (still - u3 - v3 + plus), w5 * (still + u3 - v3 + minus),
	}
}
