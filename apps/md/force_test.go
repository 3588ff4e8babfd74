package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sample returns settings, and random positions of particles which keep a distance to each other.
func sample(t *testing.T, particles int, density float64) (settings, []int64) {
	s := settings{Particles: particles, Density: density, Cutoff: 2.5, Switch: 2, TimeStep: 0.001}
	x, err := randomPositions(rand.New(rand.NewPCG(1, 2)), nil, particles, 0.8/s.box())
	if err != nil {
		t.Fatal(err)
	}
	return s, x
}

// plainSum has the sums of a pairSum as floating-point numbers.
type plainSum struct{ energy, nearEnergy, nearVirial float64 }

// plain computes forces and sums by the definition: over all pairs and their images in the 27 boxes
// around, in floating-point numbers.
func plain(s settings, x []int64) (force []float64, sum plainSum) {
	f, box := newField(s), s.box()
	force = make([]float64, len(x))
	for i := 0; i < len(x); i += 3 {
		for j := 0; j < len(x); j += 3 {
			for k := range 27 {
				var d [3]float64
				for e, shift := range [3]int{k/9 - 1, k/3%3 - 1, k%3 - 1} {
					d[e] = (float64(x[i+e])/boxUnits - float64(x[j+e])/boxUnits + float64(shift)) * box
				}
				r2 := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
				if i == j || r2 >= s.Cutoff*s.Cutoff {
					continue
				}
				u, w := f.pair(r2)
				sum.energy += u / 2
				if r2 <= s.Switch*s.Switch {
					sum.nearEnergy += u / 2
					sum.nearVirial += w * r2 / 2
				}
				for e := range 3 {
					force[i+e] += w * d[e]
				}
			}
		}
	}
	return force, sum
}

// TestForces: cell lists and blocks give the forces and sums of the definition, with one cell and
// with 4 x 4 x 4, with one block and with two.
func TestForces(t *testing.T) {
	for _, particles := range []int{60, 350} {
		s, x := sample(t, particles, 0.3)
		f := newField(s)
		if many := f.cells >= 3; many != (particles == 350) {
			t.Fatalf("%d cells", f.cells)
		}
		want, wantSum := plain(s, x)
		unit := s.box() / boxUnits / f.halfStep2 // of kicks, as forces
		for _, cut := range []int{0, 3 * (particles / 3)} {
			a, b := f.sort(x[:cut]), f.sort(x[cut:])
			var sum pairSum
			for _, p := range [][2]*block{{a, a}, {a, b}, {b, b}} {
				part, err := f.interact(p[0], p[1])
				if err != nil {
					t.Fatal(err)
				}
				sum.add(part)
			}
			got := append(a.kicks(), b.kicks()...)
			for i := range want {
				if !(math.Abs(float64(got[i])*unit-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
					t.Fatalf("%d particles: force %d is %v, want %v", particles, i, float64(got[i])*unit, want[i])
				}
			}
			if m := momentum(got); m[0] != 0 || m[1] != 0 || m[2] != 0 {
				t.Errorf("the sum of the kicks is %v", m)
			}
			for _, c := range []struct {
				name string
				got  int64
				want float64
			}{{"energy", sum.energy, wantSum.energy}, {"near energy", sum.nearEnergy, wantSum.nearEnergy}, {"near virial", sum.nearVirial, wantSum.nearVirial}} {
				if got := float64(c.got) / energyUnits; !(math.Abs(got-c.want) <= 1e-6) {
					t.Errorf("%s %v, want %v", c.name, got, c.want)
				}
			}
		}
	}
}

// TestPotential: the force is the derivative of the energy, which is that of Lennard and Jones up
// to the switch distance, and is smooth up to the second derivative at both ends of the switch.
func TestPotential(t *testing.T) {
	f := newField(settings{Particles: 1000, Density: 1, Cutoff: 3, Switch: 2.5, TimeStep: 1})
	u := func(r float64) float64 { e, _ := f.pair(r * r); return e }
	for r := 0.85; r < 2.999; r += 0.01 {
		const h = 1e-5
		_, force := f.pair(r * r)
		if slope := (u(r-h) - u(r+h)) / (2 * h); !(math.Abs(slope-force*r) <= 1e-7*(1+math.Abs(slope))) {
			t.Errorf("at %v: the force is %v, the energy's slope %v", r, force*r, slope)
		}
		if i6 := math.Pow(r, -6); r < 2.5 && math.Abs(u(r)-4*i6*(i6-1)) > 1e-13*math.Abs(4*i6*i6) {
			t.Errorf("at %v: %v", r, u(r))
		}
	}
	for _, r := range []float64{2.5, 3} {
		const h = 1e-4
		force := func(r float64) float64 {
			if r > 3 {
				return 0
			}
			_, w := f.pair(r * r)
			return w * r
		}
		before, after := (force(r)-force(r-h))/h, (force(r+h)-force(r))/h
		if !(math.Abs(before-after) <= 0.01) {
			t.Errorf("the slope of the force jumps from %v to %v at %v", before, after, r)
		}
	}
}

// TestTail: the correction is the integral of the potential of Lennard and Jones from the switch
// distance on, and that of its virial.
func TestTail(t *testing.T) {
	const density, from, to, steps = 0.8, 2.5, 1000, 1e5
	whole := newField(settings{Particles: 1000, Density: 1, Cutoff: to, Switch: to, TimeStep: 1})
	var energy, pressure float64
	h := math.Log(to/from) / steps // the variable is the logarithm of the distance
	for k := range int(steps) {
		r := from * math.Exp((float64(k)+0.5)*h)
		u, force := whole.pair(r * r)
		energy += 2 * math.Pi * density * r * r * u * r * h
		pressure += 2. / 3 * math.Pi * density * density * r * r * force * r * r * r * h
	}
	f := newField(settings{Particles: 1000, Density: 1, Cutoff: 3, Switch: from, TimeStep: 1})
	if gotEnergy, gotPressure := f.tail(density); !(math.Abs(gotEnergy-energy) <= 1e-5 && math.Abs(gotPressure-pressure) <= 1e-5) {
		t.Errorf("energy %v, pressure %v; want %v, %v", gotEnergy, gotPressure, energy, pressure)
	}
}

// TestTooNear: particles that a step would fling away are an error.
func TestTooNear(t *testing.T) {
	f := newField(settings{Particles: 1000, Density: 1, Cutoff: 3, Switch: 2.5, TimeStep: 0.004})
	for _, x := range [][]int64{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 1 << 58, 0, 0}} {
		b := f.sort(x)
		if _, err := f.interact(b, b); err == nil {
			t.Errorf("particles at %v", x)
		}
	}
}

// TestPairs: countPairs agrees with the definition.
func TestPairs(t *testing.T) {
	s, x := sample(t, 60, 0.3)
	counts, want := make([]int64, 20), make([]int64, 20)
	countPairs(counts, x, s.box()/0.1)
	for i := 0; i < len(x); i += 3 {
		for j := 0; j < i; j += 3 {
			r2 := 0.0
			for e := range 3 {
				d := math.Abs(float64(x[i+e])/boxUnits-float64(x[j+e])/boxUnits) * s.box()
				r2 += math.Pow(min(d, s.box()-d), 2)
			}
			if r := math.Sqrt(r2); r < 2 {
				want[int(r/0.1)]++
			}
		}
	}
	for i := range want {
		if counts[i] != want[i] {
			t.Errorf("bin %d: %d, want %d", i, counts[i], want[i])
		}
	}
}
