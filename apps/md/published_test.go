package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"drx/parallel/par"
)

// stateEquation returns the energy per particle and the pressure of the Lennard-Jones fluid by the
// equation of state of Johnson, Zollweg and Gubbins, Molecular Physics 78, 591 (1993): equations 7
// and 9, with the coefficients of their table 10.
func stateEquation(temperature, density float64) (energy, pressure float64) {
	x := [...]float64{
		0, 0.8623085097507421, 2.976218765822098, -8.402230115796038, 0.1054136629203555, -0.8564583828174598, 1.582759470107601,
		0.7639421948305453, 1.753173414312048, 2.798291772190376e3, -4.8394220260857657e-2, 0.9963265197721935, -3.698000291272493e1,
		2.084012299434647e1, 8.305402124717285e1, -9.574799715203068e2, -1.477746229234994e2, 6.398607852471505e1, 1.603993673294834e1,
		6.805916615864377e1, -2.791293578795945e3, -6.245128304568454, -8.116836104958410e3, 1.488735559561229e1, -1.059346754655084e4,
		-1.131607632802822e2, -8.867771540418822e3, -3.986982844450543e1, -4.689270299917261e3, 2.593535277438717e2, -2.694523589434903e3,
		-7.218487631550215e2, 1.721802063863269e2,
	}
	t, root := temperature, math.Sqrt(temperature)
	t2, t3, t4 := t*t, t*t*t, t*t*t*t
	a := [...]float64{
		x[1]*t + x[2]*root + x[3] + x[4]/t + x[5]/t2, x[6]*t + x[7] + x[8]/t + x[9]/t2, x[10]*t + x[11] + x[12]/t, x[13],
		x[14]/t + x[15]/t2, x[16] / t, x[17]/t + x[18]/t2, x[19] / t2,
	}
	b := [...]float64{
		x[20]/t2 + x[21]/t3, x[22]/t2 + x[23]/t4, x[24]/t2 + x[25]/t3, x[26]/t2 + x[27]/t4, x[28]/t2 + x[29]/t3, x[30]/t2 + x[31]/t3 + x[32]/t4,
	}
	c := [...]float64{
		x[2]*root/2 + x[3] + 2*x[4]/t + 3*x[5]/t2, x[7] + 2*x[8]/t + 3*x[9]/t2, x[11] + 2*x[12]/t, x[13], 2*x[14]/t + 3*x[15]/t2,
		2 * x[16] / t, 2*x[17]/t + 3*x[18]/t2, 3 * x[19] / t2,
	}
	d := [...]float64{
		3*x[20]/t2 + 4*x[21]/t3, 3*x[22]/t2 + 5*x[23]/t4, 3*x[24]/t2 + 4*x[25]/t3, 3*x[26]/t2 + 5*x[27]/t4, 3*x[28]/t2 + 4*x[29]/t3,
		3*x[30]/t2 + 4*x[31]/t3 + 5*x[32]/t4,
	}
	const gamma = 3
	f := math.Exp(-gamma * density * density)
	pressure = density * t
	for i := range a {
		pressure += a[i] * math.Pow(density, float64(i+2))
		energy += c[i] * math.Pow(density, float64(i+1)) / float64(i+1)
	}
	g := (1 - f) / (2 * gamma)
	for i := range b {
		pressure += f * b[i] * math.Pow(density, float64(2*i+3))
		energy += d[i] * g
		g = -(f*math.Pow(density, float64(2*i+2)) - 2*float64(i+1)*g) / (2 * gamma)
	}
	return energy, pressure
}

// publishedDistribution returns the radial distribution function of the Lennard-Jones fluid at a
// distance of 1 or more, by the expression that Morsali, Goharshadi, Mansoori and Abbaspour,
// Chemical Physics 310, 11 (2005), have fitted to simulations.
func publishedDistribution(r, temperature, density float64) float64 {
	t, e := temperature, math.Exp
	first := func(q ...float64) float64 {
		return q[0] + q[1]*e(-q[2]*t) + q[3]*e(-q[4]*t) + q[5]/density + q[6]/density/density +
			q[7]*e(-q[2]*t)/math.Pow(density, 3) + q[8]*e(-q[4]*t)/math.Pow(density, 4)
	}
	second := func(q ...float64) float64 {
		sum := q[0] + q[1]*e(-q[2]*t)
		for i, x := range q[3:] {
			sum += x * math.Pow(density, float64(i+1))
		}
		return sum
	}
	a := first(9.24792, -2.64281, 0.133386, -1.35932, 1.25338, 0.45602, -0.326422, 0.045708, -0.0287681)
	g := first(0.663161, -0.243089, 1.24749, -2.059, 0.04261, 1.65041, -0.343652, -0.037698, 0.008899)
	c := second(-0.0677912, -1.39505, 0.512625, 36.9323, -36.8061, 21.7353, -7.76671, 1.36342)
	k := second(16.4821, -0.300612, 0.0937844, -61.744, 145.285, -168.087, 98.2181, -23.0583)
	b, h := -8.33289+2.1714*e(-1.00063*density), 0.0325039-1.28792*e(-2.5487*density)
	d, l := -26.1615+27.4846*e(-1.68124*density)+6.74296*density, -6.7293-59.5002*e(-10.2466*density)-0.43596*density
	return 1 + (e(-(a*r+b))*math.Sin(c*r+d)+e(-(g*r+h))*math.Cos(k*r+l))/(r*r)
}

// A stateValue has the published values of a state: the energy per particle and the pressure.
type stateValue struct{ temperature, energy, pressure float64 }

// A state has values published at two temperatures, between which they are interpolated.
type state struct {
	name      string
	density   float64
	published [2]stateValue
}

// at returns the published energy and pressure at a temperature.
func (s *state) at(temperature float64) (energy, pressure float64) {
	a, b := s.published[0], s.published[1]
	x := (temperature - a.temperature) / (b.temperature - a.temperature)
	return a.energy + x*(b.energy-a.energy), a.pressure + x*(b.pressure-a.pressure)
}

// nist has results of the Monte Carlo simulations of NIST's Standard Reference Simulation Website,
// "Lennard-Jones Fluid Properties", page MC:
// 500 particles, the potential cut at 3, with the usual correction.
var nist = []state{
	{"dense liquid", 0.82, [2]stateValue{{0.85, -5.7947, 0.55355}, {0.90, -5.7456, 0.82386}}},
	{"liquid", 0.776, [2]stateValue{{0.85, -5.5121, 0.0067714}, {0.90, -5.4689, 0.24056}}},
}

// hot returns a state of the equation of state, at a temperature that is much above the critical
// one.
func hot() state {
	s := state{name: "hot fluid", density: 0.5}
	for i, t := range []float64{1.95, 2.05} {
		energy, pressure := stateEquation(t, s.density)
		s.published[i] = stateValue{t, energy, pressure}
	}
	return s
}

// TestStateEquation: the equation of state agrees with NIST's simulations within the deviations
// that its authors give for liquids near the triple point.
func TestStateEquation(t *testing.T) {
	for _, s := range nist {
		for _, p := range s.published {
			energy, pressure := stateEquation(p.temperature, s.density)
			if !(math.Abs(energy-p.energy) <= 0.015 && math.Abs(pressure-p.pressure) <= 0.015) {
				t.Errorf("density %v: energy %v, pressure %v, NIST has %v", s.density, energy, pressure, p)
			}
		}
	}
}

// TestPublished: energies and pressures at two states are the published ones, within three standard
// errors of a short simulation. With DRX_SOAK, which takes minutes, three long ones have smaller
// errors, their energy drifts by less than 1e-4 of the kinetic energy in 100,000 steps, and the
// radial distribution function is the published one.
func TestPublished(t *testing.T) {
	states, arguments, skip := nist, "-particles 256 -cutoff 3.1 -switch 3 -step 0.004 -every 20 -equilibrate 75 -frames 225", 75
	most := [2]float64{0.008, 0.035} // the standard errors of energy and pressure
	long := os.Getenv("DRX_SOAK") != ""
	if long {
		most = [2]float64{0.002, 0.007}
		states, arguments, skip = append(states, hot()), "-particles 500 -cutoff 3.1 -switch 3 -step 0.002 -every 50 -equilibrate 400 -frames 4400", 400
	}
	for _, s := range states {
		name := filepath.Join(t.TempDir(), "fluid")
		middle := (s.published[0].temperature + s.published[1].temperature) / 2
		if err := program(1, name, fmt.Sprintf("%s -density %v -temperature %v", arguments, s.density, middle)); err != nil {
			t.Fatal(err)
		}
		comparePublished(t, name, s, skip, most)
		if long {
			compareDistribution(t, name, s, skip)
		}
	}
}

// comparePublished compares a trajectory with the published values at its temperatures.
func comparePublished(t *testing.T, name string, s state, skip int, most [2]float64) {
	rows := resultOf(t, name).energies[skip*quantities:]
	var energies, pressures []float64 // less the published ones
	for ; len(rows) > 0; rows = rows[quantities:] {
		u, p := s.at(rows[temperature])
		energies, pressures = append(energies, rows[corrected]-u), append(pressures, rows[pressure]-p)
	}
	for i, c := range []struct {
		what   string
		values []float64
	}{{"energy", energies}, {"pressure", pressures}} {
		difference, err := meanAndError(c.values)
		t.Logf("%s: %s less the published one: %.4f +- %.4f", s.name, c.what, difference, err)
		if !agrees(difference, err, most[i]) {
			t.Errorf("%s: %s differs by more than three standard errors, or its error is above %v", s.name, c.what, most[i])
		}
	}
}

// agrees reports whether a difference is within three standard errors, and these are small enough
// to say something. NaN never is.
func agrees(difference, err, most float64) bool {
	return math.Abs(difference) <= 3*err && err <= most
}

// TestAgrees: a run that says nothing does not agree with anything.
func TestAgrees(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][3]float64{{0.4, 0.1, 1}, {nan, 0.1, 1}, {0.1, nan, 1}, {0.1, 2, 1}, {0.1, math.Inf(1), 1}} {
		if agrees(c[0], c[1], c[2]) {
			t.Error(c)
		}
	}
	if !agrees(-0.2, 0.1, 0.1) {
		t.Error("no agreement within two standard errors")
	}
}

// compareDistribution compares the radial distribution function of a trajectory with the published
// one, and checks that the energy does not drift.
func compareDistribution(t *testing.T, name string, s state, skip int) {
	var a analysis
	err := par.Run(1, func(c par.Comm) (err error) {
		a, err = analysisOf(c, name, evaluation{skip: skip, bin: 0.02})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: temperature %.4f +- %.4f; energy %.4f +- %.4f; pressure %.4f +- %.4f; drift %.1e", s.name,
		a.mean[temperature], a.err[temperature], a.mean[corrected], a.err[corrected], a.mean[pressure], a.err[pressure], a.drift)
	if !(math.Abs(a.drift) <= 1e-4) {
		t.Errorf("%s: the energy drifts by %.2e", s.name, a.drift)
	}
	worst, at, squares, bins := 0.0, 0.0, 0.0, 0
	for i, r := range a.r {
		if r < 1 || r > 3.5 {
			continue
		}
		difference := a.g[i] - publishedDistribution(r, a.mean[temperature], s.density)
		if squares, bins = squares+difference*difference, bins+1; math.Abs(difference) > math.Abs(worst) {
			worst, at = difference, r
		}
	}
	rms := math.Sqrt(squares / float64(bins))
	t.Logf("%s: g(r) from 1 to 3.5 differs by %.4f (root of the mean square), by %.3f at most, at %.2f", s.name, rms, worst, at)
	if !(rms <= 0.05) || bins < 100 {
		t.Errorf("%s: the radial distribution function differs by %.4f in %d bins", s.name, rms, bins)
	}
}
