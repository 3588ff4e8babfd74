package drxmp

import (
	"io/fs"
	"maps"

	"drx"
	"drx/internal/errkind"
	"drx/parallel/par"
)

// Options control how an array is opened. They are the same on all procs. Cache and Goroutines are
// per proc: if procs are goroutines of one process, divide them by the number of procs. With
// several procs, writes use at most Goroutines goroutines; 0 then means GOMAXPROCS divided by the
// number of procs, at least one. Set Goroutines if the procs run on several machines.
type Options struct {
	drx.Options
	// Distribution assigns chunks to procs, see Redistribute.
	Distribution Distribution
	// Engine determines how collective calls move chunks between the file and memory.
	Engine Engine
	// Hints are passed to MPI-IO if that is the engine: cb_nodes, striping_unit, ...
	Hints map[string]string
}

// engineHint is the hint that names the engine. It is not passed to MPI.
const engineHint = "drx_engine"

// check returns an error for invalid options.
func (o Options) check(name string) error {
	if o.Shared {
		return errkind.Errorf(fs.ErrInvalid, "%s: open: option shared is for programs of one process; all processes here share the array already", name)
	}
	return nil
}

// chooseEngine returns the engine that the options name, or the one for the file system of a file,
// and the hints for MPI. The error wraps par.ErrArgument if there is no such engine.
func (o Options) chooseEngine(file string) (Engine, map[string]string, error) {
	hints := maps.Clone(o.Hints)
	name, named := hints[engineHint]
	delete(hints, engineHint)
	switch {
	case o.Engine > MPIIO:
		return 0, nil, errkind.Errorf(par.ErrArgument, "there is no engine %v: there are %v, %v and %v", o.Engine, Auto, Direct, MPIIO)
	case o.Engine != Auto:
		return o.Engine, hints, nil
	case named:
		if e, err := ParseEngine(name); e != Auto || err != nil {
			return e, hints, err
		}
	}
	if onParallelFileSystem(file) {
		return MPIIO, hints, nil
	}
	return Direct, hints, nil
}
