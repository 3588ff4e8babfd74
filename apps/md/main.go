// Command md simulates the Lennard-Jones fluid: molecular dynamics in a periodic box, by velocity
// Verlet, with the forces divided over the procs and added up by one-sided calls. Its trajectory is
// an array that grows in time and in particles.
//
//	md -particles 500 -density 0.8 -frames 100 -procs 4 fluid     (or built with -tags mpi: mpirun -n 4 md ... fluid)
//	md -frames 200 fluid                                          continues it, also after a kill
//	md -analyse -skip 50 fluid                                    means, drift, radial distribution function
//	md -draw 128 fluid                                            pictures of all frames
//
// Start with simulation.go, the parallel program; files.go opens, creates and cuts its arrays.
// settings.go has the settings, force.go the kernel, lattice.go the numbers in which it computes;
// analyse.go and draw.go are programs of their own over the trajectory.
package main

import (
	"flag"
	"fmt"

	"drx/parallel/par"
	"drx/parallel/spmd"
)

// options are the flags.
type options struct {
	settings
	evaluation
	frames, from int
	given        string // the flags that are settings, if any were given

	// if set, it is called after the parts of a commit; for tests
	reached func(point string, proc, frame int)
}

// define declares the flags.
func (o *options) define(f *flag.FlagSet) {
	o.settings.define(f)
	f.IntVar(&o.frames, "frames", 10, "simulate until the trajectory has so many frames after the first one")
	f.IntVar(&o.from, "from", -1, "continue from this frame, and forget later ones; -1 is the last one")
	o.evaluation.define(f)
}

func main() {
	var o options
	o.define(flag.CommandLine)
	spmd.Main(o.run)
}

// run runs the program of the command line, as one proc.
func (o *options) run(c par.Comm) error {
	mine := *o // procs share no variables
	if flag.NArg() != 1 {
		return fmt.Errorf("name one trajectory, after the flags: %d arguments", flag.NArg())
	}
	if name := flag.Arg(0); o.asked() {
		return o.evaluate(c, name)
	}
	mine.given = givenSettings()
	return simulate(c, flag.Arg(0), mine)
}
