package d2q9

// A Collision replaces the populations of a node by those after a collision.
type Collision func(f *Node)

// BGK returns the collision operator of Bhatnagar, Gross and Krook with one relaxation time, for a
// kinematic viscosity in nodes^2 per step: tau = 3 viscosity + 1/2.
func BGK(viscosity float64) Collision {
	omega := 1 / (3*viscosity + 0.5)
	return func(f *Node) {
		eq := Equilibrium(Moments(f))
		for i := range f {
			f[i] += omega * (eq[i] - f[i])
		}
	}
}

// rates are the rates at which the moments relax that are not conserved: energy e, its square eps,
// the energy flux q, and the stress p, which gives the viscosity.
type rates struct{ e, eps, q, p float64 }

// MRT returns the collision operator with several relaxation times of P. Lallemand and L.-S. Luo,
// "Theory of the lattice Boltzmann method: Dispersion, dissipation, isotropy, Galilean invariance,
// and stability" (2000), with their rates for e and eps. The rate of q puts walls exactly half-way
// between nodes, at any viscosity: (1/q - 1/2)(1/p - 1/2) = 3/16 (I. Ginzburg and D. d'Humieres
// 2003).
func MRT(viscosity float64) Collision {
	p := 1 / (3*viscosity + 0.5)
	return relaxing(rates{e: 1.64, eps: 1.54, q: 8 * (2 - p) / (8 - p), p: p})
}

// relaxing returns the collision operator with several rates. Moments are sums of populations with
// whole numbers; the inverse of their matrix has the same rows, each divided by the sum of its
// squares.
func relaxing(s rates) Collision {
	e, eps, q, p := s.e/36, s.eps/36, s.q/12, s.p/4
	return func(f *Node) {
		excess, u, v := Moments(f)
		rho := 1 + excess
		jx, jy := rho*u, rho*v
		square := rho * (u*u + v*v)
		axes, corners := f[1]+f[2]+f[3]+f[4], f[5]+f[6]+f[7]+f[8]
		// The change of each moment towards its equilibrium, divided by the sum of squares of its
		// row.
		de := e * (-2*excess + 3*square - (-4*f[0] - axes + 2*corners))
		deps := eps * (excess - 3*square - (4*f[0] - 2*axes + corners))
		dqx := q * (-jx - (2*(f[3]-f[1]) + f[5] - f[6] - f[7] + f[8]))
		dqy := q * (-jy - (2*(f[4]-f[2]) + f[5] + f[6] - f[7] - f[8]))
		dxx := p * (rho*(u*u-v*v) - (f[1] - f[2] + f[3] - f[4]))
		dxy := p * (rho*u*v - (f[5] - f[6] + f[7] - f[8]))
		axis, corner := -de-2*deps, 2*de+deps
		f[0] += 4 * (deps - de)
		f[1] += axis - 2*dqx + dxx
		f[2] += axis - 2*dqy - dxx
		f[3] += axis + 2*dqx + dxx
		f[4] += axis + 2*dqy - dxx
		f[5] += corner + dqx + dqy + dxy
		f[6] += corner - dqx + dqy - dxy
		f[7] += corner - dqx - dqy + dxy
		f[8] += corner + dqx - dqy - dxy
	}
}
