package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"

	"drx"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// An evaluation holds the flags that say how to evaluate a trajectory instead of simulating.
type evaluation struct {
	analyse    bool
	bin        float64
	skip, draw int
}

// define declares the flags.
func (e *evaluation) define(f *flag.FlagSet) {
	f.BoolVar(&e.analyse, "analyse", false, "compute means and the radial distribution function instead")
	f.IntVar(&e.skip, "skip", 0, "with -analyse: leave out the frames before this one")
	f.Float64Var(&e.bin, "bin", 0.02, "with -analyse: width of the bins of the radial distribution function")
	f.IntVar(&e.draw, "draw", 0, "draw every frame with so many pixels along an edge of the box instead: the array NAME-view")
}

// asked reports whether there is anything to do.
func (e evaluation) asked() bool { return e.analyse || e.draw > 0 }

// evaluate evaluates the trajectory, as one proc.
func (e evaluation) evaluate(c par.Comm, name string) error {
	if e.draw > 0 {
		return draw(c, name, e)
	}
	return analyse(c, name, e)
}

// An analysis is the result of analyse.
type analysis struct {
	mean, err [quantities]float64 // of the frames, with the standard error
	// of the total energy in 100,000 steps, relative to the mean kinetic energy
	drift float64
	r, g  []float64 // the radial distribution function in the middle of each bin
}

// analyse prints means of a trajectory, and writes its radial distribution function to the dataset
// NAME-rdf.
func analyse(c par.Comm, name string, e evaluation) error {
	a, err := analysisOf(c, name, e)
	if err != nil || c.Proc() != 0 {
		return c.Agree("analysis", err)
	}
	for q, quantity := range []string{"potential energy", "kinetic energy", "total energy", "temperature", "corrected energy", "pressure"} {
		fmt.Printf("%-17s %10.5f +- %.5f\n", quantity, a.mean[q], a.err[q])
	}
	fmt.Printf("drift of the total energy in 100,000 steps, relative to the kinetic energy: %.1e\n", a.drift)
	return c.Agree("analysis", a.write(name+"-rdf"))
}

// analysisOf analyses the frames from e.skip on.
func analysisOf(c par.Comm, name string, e evaluation) (a analysis, err error) {
	t, err := drxmp.Open(c, name, drxmp.Options{})
	if err != nil {
		return a, err
	}
	energies, err := drxmp.Open(c, name+"-energy", drxmp.Options{})
	if err != nil {
		return a, err
	}
	s, err := settingsOf(name, t.Attrs())
	if err != nil {
		return a, err
	}
	frames, err := framesOf(t)
	if err == nil && (e.skip < 0 || e.skip >= frames || e.bin <= 0) {
		err = fmt.Errorf("%s: -skip is %d, -bin %v: it has %d frames, and bins are wider than 0", name, e.skip, e.bin, frames)
	}
	if err != nil {
		return a, err
	}
	rows := make([]float64, (frames-e.skip)*quantities)
	if err := drxmp.ReadAll(energies, nd.Sec(nd.Span(e.skip, frames), nd.All), rows); err != nil {
		return a, err
	}
	a.statistics(rows, s.Every)
	if err := a.distribution(c, t, frames, s, e); err != nil {
		return a, err
	}
	return a, errors.Join(energies.Close(), t.Close())
}

// distribution computes the radial distribution function: the number of pairs at a distance,
// divided by their number for evenly distributed particles. Each proc counts the pairs of some
// frames.
func (a *analysis) distribution(c par.Comm, t *drxmp.Array, frames int, s settings, e evaluation) error {
	pairs, volume := make([]int64, int(s.box()/2/e.bin)), math.Pow(s.box(), 3)
	all := 0.0 // pairs of all frames
	for frame := e.skip; frame < frames; frame++ {
		n := s.particlesAt(frame)
		all += float64(n) * float64(n-1) / 2
		if (frame-e.skip)%c.Procs() != c.Proc() {
			continue
		}
		x := make([]int64, 3*n)
		if err := drxmp.Read(t, nd.Sec(nd.At(frame), nd.At(position), nd.Span(0, n), nd.All), x); err != nil {
			return err
		}
		countPairs(pairs, x, s.box()/e.bin)
	}
	if err := par.AllReduce(c, pairs, par.Sum); err != nil {
		return err
	}
	for i, n := range pairs {
		inner, outer := float64(i)*e.bin, float64(i+1)*e.bin
		shell := 4 * math.Pi / 3 * (outer*outer*outer - inner*inner*inner)
		a.r, a.g = append(a.r, (inner+outer)/2), append(a.g, float64(n)/(all*shell/volume))
	}
	return nil
}

// countPairs counts the pairs of particles by distance. bins is the number of bins per edge of the
// box. Pairs beyond the last bin are not counted.
func countPairs(counts []int64, x []int64, bins float64) {
	for i := 0; i < len(x); i += 3 {
		for j := 0; j < i; j += 3 {
			dx, dy, dz := float64(x[i]-x[j])/boxUnits, float64(x[i+1]-x[j+1])/boxUnits, float64(x[i+2]-x[j+2])/boxUnits
			if bin := int(math.Sqrt(dx*dx+dy*dy+dz*dz) * bins); bin < len(counts) {
				counts[bin]++
			}
		}
	}
}

// statistics computes the means of the quantities with their errors, and the drift: the slope of
// the line of least squares through the total energies. It is relative to the kinetic energy, as
// the total one may be near zero.
func (a *analysis) statistics(rows []float64, every int) {
	n := len(rows) / quantities
	column := make([]float64, n)
	for q := range quantities {
		for i := range column {
			column[i] = rows[i*quantities+q]
		}
		a.mean[q], a.err[q] = meanAndError(column)
	}
	var sumXY, sumXX float64
	for i := range n {
		x := float64(i) - float64(n-1)/2
		sumXY, sumXX = sumXY+x*(rows[i*quantities+total]-a.mean[total]), sumXX+x*x
	}
	if n > 1 {
		a.drift = sumXY / sumXX * 1e5 / float64(every) / a.mean[kinetic]
	}
}

// meanAndError returns the mean of successive values, and its standard error, from the means of ten
// successive parts. Each part is much longer than the time in which values depend on each other.
func meanAndError(values []float64) (mean, err float64) {
	const parts = 10
	for _, x := range values {
		mean += x / float64(len(values))
	}
	for p := range parts {
		part := values[p*len(values)/parts : (p+1)*len(values)/parts]
		difference := 0.0
		for _, x := range part {
			difference += (x - mean) / float64(len(part))
		}
		err += difference * difference / (parts * (parts - 1))
	}
	return mean, math.Sqrt(err)
}

// write writes the radial distribution function, and replaces an earlier one.
func (a *analysis) write(folder string) error {
	err := isOwn(folder + "/g")
	if err == nil {
		err = dataset.Remove(folder)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		return err
	}
	spec := drx.Spec{DType: dtype.Float64, Shape: []int{len(a.r)}, Dims: []string{"r"}}
	for _, v := range []struct {
		name, long string
		data       []float64
	}{{"r", "Distance in sigma", a.r}, {"g", "Radial distribution function", a.g}} {
		spec.Attrs = map[string]any{madeBy: "md", "long_name": v.long}
		variable, err := d.CreateVariable(v.name, spec)
		if err != nil {
			return errors.Join(err, d.Close())
		}
		if err := drx.Write(variable.Array(), nil, v.data); err != nil {
			return errors.Join(err, d.Close())
		}
	}
	return d.Close()
}
