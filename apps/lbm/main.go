// Command lbm computes the flow in a box whose lid moves, by the lattice Boltzmann method, on a
// plate that may grow meanwhile. README.md explains it.
//
//	go run ./apps/lbm -procs 2 -re 100 -steps 8000 -ghia -picture flow.png
//	mpirun -n 4 lbm -re 100 -steps 8000              (built with -tags mpi)
//
// main.go has the arguments, run.go is the parallel program, and commit.go says what a restart
// needs. Package d2q9 is the method; package cavity compares the results with published ones and
// draws them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"drx/apps/lbm/cavity"
	"drx/parallel/par"
	"drx/parallel/spmd"
)

// options are the arguments.
type options struct {
	cavity.Flow
	plate, snapshots string
	chunk, steps     int
	reynolds, steady float64
	growths          growths
	given            []string // the names of the flags on the command line
	report           cavity.Report
	progress         io.Writer
	duringCommit     func(c par.Comm, after string, step int) error // if not nil: tests fail here
}

// A growth extends the plate after a step, on the low side if by is negative.
type growth struct{ step, dim, by int }

type growths []growth

// Set reads STEP:DIM:BY,... as in 1000:x:16,2000:y:-16.
func (g *growths) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		step, rest, _ := strings.Cut(part, ":")
		dim, by, _ := strings.Cut(rest, ":")
		s, err := strconv.Atoi(step)
		b, err2 := strconv.Atoi(by)
		if err != nil || err2 != nil || s < 1 || b == 0 || (dim != "x" && dim != "y") {
			return fmt.Errorf("%q is not STEP:DIM:BY with a step from 1 on, x or y, and a number but 0, as in 1000:x:16", part)
		}
		*g = append(*g, growth{s, map[string]int{"y": 0, "x": 1}[dim], b})
	}
	return nil
}

// String is for the interface; there is no default to show.
func (g *growths) String() string { return "" }

func (o *options) flags(f *flag.FlagSet) {
	f.StringVar(&o.plate, "plate", "plate", "array of the populations: continued, or made if it does not exist")
	f.StringVar(&o.snapshots, "snapshots", "flow", "array of the velocities and densities, which grows in time")
	f.IntVar(&o.Size, "size", 64, "nodes along x and y of a new plate")
	f.IntVar(&o.chunk, "chunk", 32, "nodes along x and y of a chunk of new arrays")
	f.Float64Var(&o.reynolds, "re", 100, "Reynolds number of a new plate: -lid times -size by the viscosity")
	f.Float64Var(&o.Lid, "lid", 0.1, "speed of the lid over a new plate, in nodes per step; errors grow with its square")
	f.StringVar(&o.Collision, "collide", "mrt", "mrt or bgk, for a new plate")
	f.IntVar(&o.Every, "every", 1000, "steps from one snapshot to the next, for a new plate")
	f.StringVar(&o.From, "from", "", "begin a new plate with the last snapshot in this array, of any size")
	f.IntVar(&o.steps, "steps", 10000, "end after this step, counted from the beginning of the plate")
	f.Float64Var(&o.steady, "steady", 0, "end when no velocity changes more from one snapshot to the next, in speeds of the lid")
	f.Var(&o.growths, "grow", "extend the plate after steps, STEP:DIM:BY,...: BY nodes along x or y, below if negative")
	f.StringVar(&o.report.Picture, "picture", "", "draw vorticity and streamlines of the last snapshot as PNG")
	f.StringVar(&o.report.Animation, "animation", "", "draw all snapshots as .gif or animated .png")
	f.BoolVar(&o.report.Ghia, "ghia", false, "compare with Ghia, Ghia and Shin 1982: Reynolds numbers 100, 400 and 1000")
}

// check returns an error for arguments that make no sense, and computes the viscosity.
func (o *options) check() error {
	o.Viscosity = o.Lid * float64(o.Size) / o.reynolds
	switch {
	case o.Size < 2 || o.chunk < 1 || o.Every < 1 || o.steps < 0:
		return fmt.Errorf("-size %d -chunk %d -every %d -steps %d: at least 2, 1, 1 and 0", o.Size, o.chunk, o.Every, o.steps)
	case !(o.reynolds > 0) || !(o.Lid > 0) || o.Lid > 0.3:
		return fmt.Errorf("-re %v -lid %v: above 0, and the lid at most 0.3, half the speed of sound", o.reynolds, o.Lid)
	case o.Collision != "bgk" && o.Collision != "mrt":
		return fmt.Errorf("-collide %q: bgk or mrt", o.Collision)
	}
	return o.report.CheckName()
}

func main() {
	o := options{progress: os.Stderr}
	o.flags(flag.CommandLine)
	spmd.Main(func(c par.Comm) error {
		o := o // each proc has its own
		flag.Visit(func(f *flag.Flag) { o.given = append(o.given, f.Name) })
		err := o.check()
		if err == nil {
			err = o.run(c)
		}
		if err == nil && c.Proc() == 0 {
			err = o.report.Make(os.Stdout, o.snapshots)
		}
		return err
	})
}
