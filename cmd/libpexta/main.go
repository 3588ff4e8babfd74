//go:build ga && mpi && cgo

// Libpexta is package pexta as a library for programs that use Global Arrays: bin/libpexta.a with
// pexta.h, see docs/PEXTA.md. make pexta builds it by
//
//	go build -tags ga,mpi -buildmode=c-archive
//
// In a program that links it before Global Arrays, its functions replace the Disk Resident Arrays
// (DRA) of the same names.
//
// The public functions are in C: dra.c has those of DRA, pexta.c those of PEXTA, fortran.c both for
// Fortran. They call, in this order, enter (signals.c), one of the functions here with the prefix
// pextago_, and leave. The functions here return 0, or -1 after they have printed a line about the
// error: the program goes on.
package main

// #cgo pkg-config: ompi-c
// #cgo CFLAGS: -I${SRCDIR}/../../include -std=gnu11 -O2
// #include <stdlib.h>
// #include "internal.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"unsafe"

	"drx"
	"drx/internal/errkind"
	"drx/parallel/ga"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// version is set by the build.
var version = "devel"

func main() {}

// cVersion is the version as a C string, which is never freed.
var cVersion = sync.OnceValue(func() *C.char { return C.CString(version) })

//export pextago_version
func pextago_version() (text *C.char) {
	quietly("PEXTA_Version", func() { text = cVersion() })
	return text
}

// A library is the state of a process between PEXTA_Init and PEXTA_Terminate.
type library struct {
	session *pexta.Session
	// the group of each open array; that of a call in progress that opens one has the key opening
	groups map[pexta.Handle]par.Comm
	debug  bool // print every call
}

// opening is the key of a group in library.groups while its array is being opened. It is no handle.
const opening pexta.Handle = 0

// Elements of a global array in the memory of this process move without a copy.
var _ pexta.Accessor = (*ga.Array)(nil)

// open is the library in use, nil before PEXTA_Init. All calls come from one thread.
var open *library

// call runs f for the library's function of the given name. about returns the subject of the call,
// such as an array, for errors.
func call(name *C.char, about func() string, f func(*library) error) C.int {
	return inside(name, about, func() error {
		if open == nil {
			return errNotInUse
		}
		if open.debug && ga.Proc() == 0 {
			fmt.Fprintf(os.Stderr, "%s: %s\n", C.GoString(name), about())
		}
		return f(open)
	})
}

// local is call for a function that single processes may call: a panic ends only the call.
func local(name *C.char, about func() string, f func(*library) error) (code C.int) {
	title, what := "", ""
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			printPanic(title, what, p)
			code = -1
		}
	}()
	title, what = C.GoString(name), about()
	err := errNotInUse
	if open != nil {
		err = f(open)
	}
	if err != nil {
		report(title, what, message(err))
		return -1
	}
	return 0
}

var errNotInUse = errors.New("the library is not in use: call PEXTA_Init or DRA_Init first")

// theLibrary names the subject of calls that concern no array.
func theLibrary() string { return "library" }

// inside runs f, after about, which names the subject of the call in errors while the array still
// exists. It prints an error, only on process 0 if all processes of the group have it. A panic or a
// fault is an error of this process, which it sends to the others, since they may be waiting in the
// same call.
func inside(name *C.char, about func() string, f func() error) (code C.int) {
	title, what := "", ""
	// a file that is truncated under its mapping must not end the program
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			internalError(title, what, p)
			code = -1
		}
	}()
	defer watchBackground()
	title, what = C.GoString(name), about()
	if err := f(); err != nil {
		report(title, what, message(err))
		return -1
	}
	return 0
}

// quietly runs f for a function of the library that cannot report an error and for which no other
// process waits. A panic does not end the program.
func quietly(name string, f func()) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			printPanic(name, "library", p)
		}
	}()
	f()
}

// internalError handles a panic within a call: it prints it, and makes the calls of all groups with
// which this process shares arrays fail.
func internalError(name, what string, p any) {
	printPanic(name, what, p)
	if open != nil {
		open.abandon(fmt.Errorf("%s: process %d had an internal error: %v: close all arrays, or end the use of the library by PEXTA_Terminate, before you go on", what, ga.Proc(), p))
	}
}

func printPanic(name, what string, p any) {
	fmt.Fprintf(os.Stderr, "%s: %s: process %d: internal error: %v\n", name, what, ga.Proc(), p)
	if open != nil && open.debug {
		os.Stderr.Write(debug.Stack())
	}
}

// abandon ends the use of all arrays that are open on this process, for all processes: their
// pending and later calls return an error, and they can only close the arrays. After a panic the
// memory of this process may be wrong, so it must not be committed.
func (l *library) abandon(err error) {
	for _, group := range l.groups {
		mpi.Fail(group, err)
	}
	if group := l.groups[opening]; group != nil { // no array exists that would close it
		delete(l.groups, opening)
		_ = group.Close() // its error is err
	}
}

// watchBackground keeps the handlers of faults after a call while requests use files: see
// signals.c.
func watchBackground() {
	busy := C.int(0)
	if open != nil && open.session.Busy() {
		busy = 1
	}
	C.pextac_background(busy)
}

// message returns the text of an error without the number of the process where it occurred, since
// all processes return the error.
func message(err error) string {
	var first *par.ProcError
	if errors.As(err, &first) {
		err = first.Err
	}
	return err.Error()
}

// report prints an error of a call. All processes of a group get the same errors, so only the first
// one prints them.
func report(name, what, message string) {
	if ga.Proc() != 0 {
		return
	}
	if !strings.HasPrefix(message, what) && !strings.Contains(message, ": "+what+":") {
		message = what + ": " + message
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", name, message)
}

// bytes returns a number of bytes that a program has passed as a double; 0 means the default. It
// checks the range before the conversion, because a Fortran program may have enabled a signal for
// conversions that overflow.
func bytes(n C.double) int64 {
	switch {
	case n >= 1<<62:
		return 1 << 62
	case n > 0:
		return int64(n)
	}
	return 0
}

// pextago_init begins the use of the library, on all processes of the default group or on none.
//
//export pextago_init
func pextago_init(name *C.char, maxArrays C.int, maxMemory C.double) C.int {
	return inside(name, theLibrary, func() error {
		fresh, err := newLibrary(maxArrays, maxMemory)
		if err := together(C.GoString(name), err); err != nil {
			return err
		}
		open = fresh
		C.pextac_watch_windows(1)
		return nil
	})
}

func newLibrary(maxArrays C.int, maxMemory C.double) (l *library, err error) {
	defer func() { // sends the error to the others, which wait for this process
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	if open != nil {
		return nil, errors.New("it is in use already: call PEXTA_Terminate or DRA_Terminate before")
	}
	durability, err := durability(environment(durabilityVariable))
	if err != nil {
		return nil, err
	}
	return &library{
		session: pexta.Start(pexta.Options{
			MaxArrays: max(0, int(maxArrays)), MaxMemory: bytes(maxMemory), Allocate: ga.Allocate, Durability: durability,
		}),
		groups: map[pexta.Handle]par.Comm{},
	}, nil
}

// durabilityVariable is the environment variable that selects the failures which a completed write
// survives. The interface of DRA has no argument for it.
const durabilityVariable = "PEXTA_DURABILITY"

// environment returns the current value of a variable. os.Getenv returns values from the start of
// the program, and misses those that the program has set in C.
func environment(variable string) string {
	name := C.CString(variable)
	defer C.free(unsafe.Pointer(name))
	return C.GoString(C.getenv(name))
}

// durability parses a value of durabilityVariable.
func durability(word string) (drx.Durability, error) {
	switch word {
	case "", "full":
		return drx.DurabilityFull, nil
	case "nojournal":
		return drx.DurabilityNoJournal, nil
	case "none":
		return drx.DurabilityNone, nil
	}
	return 0, errkind.Errorf(par.ErrArgument, "the environment has %s=%q: want full, nojournal or none", durabilityVariable, word)
}

//export pextago_terminate
func pextago_terminate(name *C.char) C.int {
	return call(name, theLibrary, func(l *library) error {
		err := l.session.Terminate()
		for h := range l.groups {
			err = l.release(h, err)
		}
		open = nil
		C.pextac_watch_windows(0)
		return err
	})
}

//export pextago_set_debug
func pextago_set_debug(on C.int) {
	quietly("PEXTA_Set_debug", func() {
		if open != nil {
			open.debug = on != 0
		}
	})
}
