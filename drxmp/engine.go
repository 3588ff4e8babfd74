package drxmp

import (
	"fmt"
	"maps"
	"slices"

	"drx/par"
)

// An Engine is how chunks come from the file and go there in collective calls.
type Engine uint8

// The engines.
const (
	// Auto is what the hint drx_engine says, "direct" or "mpiio"; else MPIIO on the parallel and
	// network file systems that are known, and Direct elsewhere.
	Auto Engine = iota
	// Direct: each proc reads and writes the chunks that it needs by itself. It is the fastest on
	// one machine, and on any file system on which all procs see at once what one has written.
	Direct
	// MPIIO: all procs read and write together, by the collective calls of MPI-IO, which collect
	// the bytes at some of them into large transfers: for parallel file systems. Where
	// procs are goroutines it is the same calls on a common file.
	MPIIO
)

// engineHint is the hint that names the engine. It does not go to MPI.
const engineHint = "drx_engine"

var engineNames = []string{"auto", "direct", "mpiio"}

// String returns the name in lower case.
func (e Engine) String() string {
	if int(e) < len(engineNames) {
		return engineNames[e]
	}
	return fmt.Sprintf("engine(%d)", uint8(e))
}

// ParseEngine reads "auto", "direct" and "mpiio".
func ParseEngine(name string) (Engine, error) {
	if i := slices.Index(engineNames, name); i >= 0 {
		return Engine(i), nil
	}
	return 0, fmt.Errorf("engine %q is not auto, direct or mpiio", name)
}

// choose returns the engine that the options want, or else the one for a file, and the hints for
// MPI.
func (o Options) choose(file string) (Engine, map[string]string, error) {
	hints := maps.Clone(o.Hints)
	name, named := hints[engineHint]
	delete(hints, engineHint)
	switch {
	case o.Engine > MPIIO:
		return 0, nil, fmt.Errorf("%v: %w", o.Engine, par.ErrArgument)
	case o.Engine != Auto:
		return o.Engine, hints, nil
	case named:
		if e, err := ParseEngine(name); e != Auto || err != nil {
			return e, hints, err
		}
	}
	return engineFor(file), hints, nil
}

// An engine moves what the jobs of all procs have: collective, but that each returns its own
// error. All chunks that a proc writes are its own; those it reads may be anybody's.
type engine interface {
	read(jobs []job) error
	write(jobs []job) error
	sync() error // makes durable what it has written itself
	close() error
}

// direct is Direct.
type direct struct{ a *Array }

func (e direct) read(jobs []job) error {
	for _, j := range jobs {
		if err := e.a.array().ReadStrided(j.sec, j.buf, j.strides); err != nil {
			return err
		}
	}
	return nil
}

func (e direct) write(jobs []job) error {
	for _, j := range jobs {
		if err := e.a.array().WriteStrided(j.sec, j.buf, j.strides); err != nil {
			return err
		}
	}
	return nil
}

func (direct) sync() error  { return nil }
func (direct) close() error { return nil }
