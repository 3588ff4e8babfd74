package drxmp

import (
	"fmt"
	"slices"
)

// An Engine says how collective calls move chunks between the file and memory.
type Engine uint8

// The engines.
const (
	// Auto is the engine that the hint drx_engine names, "direct" or "mpiio". Without the hint it
	// is MPIIO on parallel and network file systems, as far as they are known, and Direct
	// elsewhere.
	Auto Engine = iota
	// Direct lets each proc read and write its chunks by itself. It is the fastest engine on one
	// machine, and on any file system on which all procs see at once what one has written.
	Direct
	// MPIIO reads and writes by the collective calls of MPI-IO, which gather the bytes of all procs
	// into large transfers: for parallel file systems. If procs are goroutines, the same calls use
	// a common file. Compressed chunks are written by their owners, as Direct does.
	MPIIO
)

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

// An engine does the jobs of all procs. All procs call its methods together, but each returns an
// error of its own. A proc writes only chunks that it owns; it may read any.
type engine interface {
	read(jobs []job) error
	write(jobs []job) error
	// rewritesGaps reports whether write may also write the bytes between the chunks, as it has
	// read them before: nobody else may change the file meanwhile.
	rewritesGaps() bool
	sync() error // makes durable what write has written past the array
	close() error
}
