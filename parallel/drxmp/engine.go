package drxmp

import (
	"fmt"
	"slices"
)

// An Engine determines how collective calls move chunks between the file and memory.
type Engine uint8

// The engines.
const (
	// Auto is the engine named by the hint drx_engine, "direct" or "mpiio". Without the hint it is
	// MPIIO on known parallel and network file systems, and on those of FUSE, and Direct elsewhere.
	Auto Engine = iota
	// Direct lets each proc read and write its own chunks. It is the fastest engine on one machine,
	// and on any file system on which all procs immediately see each other's writes.
	Direct
	// MPIIO uses the collective calls of MPI-IO, which combine the bytes of all procs into large
	// transfers, for parallel file systems. If procs are goroutines, the same calls use a common
	// file. Compressed chunks are written by their owners, as in Direct.
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

// An engine carries out the jobs of all procs. All procs call its methods together, but each
// returns its own error. A proc writes only chunks that it owns; it may read any.
type engine interface {
	read(jobs []job) error
	write(jobs []job) error
	// rewritesGaps reports whether write may also rewrite the bytes between the chunks, as it has
	// read them: nobody else may change the file meanwhile.
	rewritesGaps() bool
	sync() error // makes durable what write has written bypassing the array
	close() error
}
