package d2q9

import (
	"fmt"
	"math"
	"testing"
)

// A box has rows of nodes, computed by the kernel.
type box struct {
	k          Kernel
	rows, cols int
	f          []float64
}

func newBox(k Kernel, rows, cols int) *box {
	return &box{k, rows, cols, make([]float64, rows*cols*Directions)}
}

// step computes a step. Up to around rows at each end of y, and nodes at each end of x, are copies
// from the other end.
func (b *box) step(aroundY bool) {
	width := b.cols * Directions
	at := func(y int) []float64 {
		switch {
		case aroundY:
			y = (y + b.rows) % b.rows
		case y < 0 || y >= b.rows:
			return nil
		}
		return b.f[y*width:][:width]
	}
	next := make([]float64, len(b.f))
	for y := range b.rows {
		b.k.Step(next[y*width:][:width], at(y-1), at(y), at(y+1))
	}
	b.f = next
}

// wrap copies the second node of each row behind the last one but one, and that before the second:
// rows without walls.
func (b *box) wrap() {
	for y := range b.rows {
		r := b.f[y*b.cols*Directions:][:b.cols*Directions]
		copy(r[:Directions], r[len(r)-2*Directions:])
		copy(r[len(r)-Directions:], r[Directions:2*Directions])
	}
}

func (b *box) node(y, x int) *Node { return (*Node)(b.f[(y*b.cols+x)*Directions:]) }

func operators(viscosity float64) map[string]Collision {
	return map[string]Collision{"bgk": BGK(viscosity), "mrt": MRT(viscosity)}
}

// TestReference compares a box with the plain implementation, and its mass with that at the
// beginning.
func TestReference(t *testing.T) {
	const rows, cols, lid, viscosity = 13, 11, 0.1, 0.02
	for name, collide := range operators(viscosity) {
		b, plain := newBox(Kernel{collide, lid}, rows, cols), newPlainBox(rows, cols, lid, viscosity, name == "mrt")
		for range 500 {
			b.step(false)
			plain.step()
		}
		worst, mass, fastest := 0.0, 0.0, 0.0
		for i := range rows * cols {
			f := b.node(i/cols, i%cols)
			for d := range f {
				worst = max(worst, math.Abs(f[d]+weight[d]-plain.f[i/cols][i%cols][d]))
				mass += f[d]
			}
			_, u, _ := Moments(f)
			fastest = max(fastest, u)
		}
		if !(worst <= 5e-14 && math.Abs(mass) <= 1e-13 && fastest >= lid/2 && fastest <= lid) {
			t.Errorf("%s: populations differ by %g, the mass has changed by %g, the fastest node has %g", name, worst, mass, fastest)
		}
	}
}

// TestOneRate: with one rate for all moments, MRT is BGK. And an equilibrium has the moments for
// which it was computed.
func TestOneRate(t *testing.T) {
	const omega = 1.7
	f := Node{0.01, -0.02, 0.03, 0.005, 0, 0.011, -0.004, 0.002, 0.006}
	one, several := f, f
	BGK((1/omega - 0.5) / 3)(&one)
	relaxing(rates{omega, omega, omega, omega})(&several)
	excess, u, v := Moments(&f)
	eq := Equilibrium(excess, u, v)
	excess2, u2, v2 := Moments(&eq)
	for i := range one {
		if math.Abs(one[i]-several[i]) > 1e-16 {
			t.Errorf("population %d: %g and %g", i, one[i], several[i])
		}
	}
	if math.Abs(excess-excess2)+math.Abs(u-u2)+math.Abs(v-v2) > 1e-16 {
		t.Error(excess-excess2, u-u2, v-v2)
	}
}

// TestVortices: vortices without walls decay as in the exact solution of Taylor and Green, and the
// error is of second order in the distance of the nodes.
func TestVortices(t *testing.T) {
	for name, collide := range operators(0.05) {
		var errors []float64
		for _, n := range []int{8, 16, 32} {
			errors = append(errors, vortices(collide, 0.05, n))
		}
		checkOrder(t, name, errors, 0.06)
	}
}

// vortices returns the largest error of a velocity, as a share of the fastest, when the velocities
// have halved.
func vortices(collide Collision, viscosity float64, n int) (worst float64) {
	fast, k := 0.8/float64(n), 2*math.Pi/float64(n)
	b := newBox(Kernel{Collide: collide}, n, n+2)
	at := func(y, x int) (u, v float64) {
		return -math.Cos(k*float64(x)) * math.Sin(k*float64(y)), math.Sin(k*float64(x)) * math.Cos(k*float64(y))
	}
	for i := range n * (n + 2) {
		y, x := i/(n+2), i%(n+2)
		u, v := at(y, x)
		pressure := -fast * fast / 4 * (math.Cos(2*k*float64(x)) + math.Cos(2*k*float64(y)))
		*b.node(y, x) = Equilibrium(3*pressure, fast*u, fast*v)
	}
	steps := int(math.Ln2 / (2 * viscosity * k * k))
	for range steps {
		b.wrap()
		b.step(true)
	}
	left := math.Exp(-2 * viscosity * k * k * float64(steps))
	for y := range n {
		for x := 1; x <= n; x++ {
			_, u, v := Moments(b.node(y, x))
			u0, v0 := at(y, x)
			worst = max(worst, math.Abs(u/fast-left*u0), math.Abs(v/fast-left*v0))
		}
	}
	return worst
}

// TestCouette: between two plates, one of which begins to move, the velocity is that of the exact
// solution, and the error is of second order: walls are half-way between nodes.
func TestCouette(t *testing.T) {
	for name, collide := range operators(0.1) {
		var errors []float64
		for _, n := range []int{8, 16, 32} {
			errors = append(errors, couette(collide, 0.1, n))
		}
		checkOrder(t, name, errors, 0.06)
	}
}

// couette returns the largest error of the velocity, as a share of that of the lid, at a time of
// 0.1 n^2 / viscosity.
func couette(collide Collision, viscosity float64, n int) (worst float64) {
	lid := 0.4 / float64(n)
	b := newBox(Kernel{collide, lid}, n, 4)
	steps := int(0.1 * float64(n*n) / viscosity)
	for range steps {
		b.wrap()
		b.step(false)
	}
	for y := range n {
		_, u, v := Moments(b.node(y, 1))
		height := (float64(y) + 0.5) / float64(n)
		exact := height
		for m := 1; m < 20; m++ {
			a := float64(m) * math.Pi
			exact += 2 / a * math.Cos(a) * math.Exp(-a*a*viscosity*float64(steps)/float64(n*n)) * math.Sin(a*height)
		}
		worst = max(worst, math.Abs(u/lid-exact), math.Abs(v/lid))
	}
	return worst
}

// checkOrder checks that the error falls to about a quarter from one grid to the next with twice
// the nodes.
func checkOrder(t *testing.T, name string, errors []float64, largest float64) {
	t.Helper()
	report := fmt.Sprintf("%s: errors %.2e, orders", name, errors)
	good := errors[0] < largest
	for i := range errors[1:] {
		order := math.Log2(errors[i] / errors[i+1])
		report += fmt.Sprintf(" %.2f", order)
		good = good && order > 1.8 && order < 2.3
	}
	t.Log(report)
	if !good {
		t.Error("not of second order")
	}
}

func BenchmarkStep(b *testing.B) {
	const n = 256
	for _, name := range []string{"bgk", "mrt"} {
		b.Run(name, func(b *testing.B) {
			box := newBox(Kernel{operators(0.02)[name], 0.1}, n, n)
			for b.Loop() {
				box.step(false)
			}
			b.ReportMetric(n*n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}
