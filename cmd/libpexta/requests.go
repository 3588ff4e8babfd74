//go:build ga && mpi && cgo

package main

// #include "internal.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/ga"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// box returns the section with the inclusive ends lo and hi, each with n numbers; nil for NULL.
func box(n int, lo, hi *C.long) nd.Section {
	from, to := ints(n, lo), ints(n, hi)
	if from == nil || to == nil {
		return nil
	}
	sec := make(nd.Section, n)
	for d := range sec {
		sec[d] = nd.Span(from[d], to[d]+1)
	}
	return sec
}

// pextago_move begins to write or read: with sections set the given sections, none of which may be
// NULL, otherwise the whole of both arrays.
//
//export pextago_move
func pextago_move(name *C.char, write, sections, transposed, g C.int, glo, ghi *C.long, handle C.int, dlo, dhi *C.long, request *C.int) C.int {
	store(request, C.DRA_REQ_INVALID)
	return call(name, theArray(handle), func(l *library) error {
		info, err := l.find(C.GoString(name), handle)
		if err != nil {
			return err
		}
		array, err := l.global(C.GoString(name), g, handle, request)
		if err != nil {
			return err
		}
		if sections != 0 && (glo == nil || ghi == nil || dlo == nil || dhi == nil) {
			return l.agree(C.GoString(name), handle, errNoSection)
		}
		memory, disk := box(len(array.Shape()), glo, ghi), box(len(info.Shape), dlo, dhi)
		begin := l.session.ReadSection
		if write != 0 {
			begin = l.session.WriteSection
		}
		r, err := begin(transposed != 0, array, memory, pexta.Handle(handle), disk)
		return begun(request, r, err)
	})
}

// errNoSection is the error of a call with sections for NULL.
var errNoSection = errors.New("a section is NULL: give the first and the last index of both arrays, or call the function for whole arrays")

// global opens the global array of a request. If that fails, this process joins the Agree with
// which the call of the others begins, so that all processes that have the disk array open get the
// same error.
func (l *library) global(name string, g, handle C.int, request *C.int) (*ga.Array, error) {
	array, err := ga.Open(int(g))
	if err == nil {
		err = wanted("request", request)
	}
	if err != nil {
		return nil, l.agree(name, handle, err)
	}
	return array, nil
}

// agree returns the same error on all processes that have a disk array open.
func (l *library) agree(name string, handle C.int, err error) error {
	group := l.groups[pexta.Handle(handle)]
	if group == nil {
		return err
	}
	return group.Agree(refusal(name, err), err)
}

// wanted returns an error if the pointer for a result is NULL.
func wanted[T any](what string, to *T) error {
	if to == nil {
		return errkind.Errorf(par.ErrArgument, "the address for the %s is NULL: give one", what)
	}
	return nil
}

// store stores a number, unless the pointer is NULL.
func store(to *C.int, number C.int) {
	if to != nil {
		*to = number
	}
}

// begun stores the number of a new request.
func begun(request *C.int, r pexta.Request, err error) error {
	if err == nil {
		*request = C.int(r)
	}
	return err
}

//export pextago_iread
func pextago_iread(name *C.char, g, handle C.int, request *C.int) C.int {
	store(request, C.DRA_REQ_INVALID)
	return call(name, theArray(handle), func(l *library) error {
		if _, err := l.find(C.GoString(name), handle); err != nil {
			return err
		}
		array, err := l.global(C.GoString(name), g, handle, request)
		if err != nil {
			return err
		}
		r, err := l.session.IRead(array, pexta.Handle(handle))
		return begun(request, r, err)
	})
}

//export pextago_extend
func pextago_extend(name *C.char, handle C.int, increments, order *C.long, request *C.int) C.int {
	store(request, C.DRA_REQ_INVALID)
	return call(name, theArray(handle), func(l *library) error {
		info, err := l.find(C.GoString(name), handle)
		if err != nil {
			return err
		}
		if err := wanted("request", request); err != nil {
			return l.agree(C.GoString(name), handle, err)
		}
		n := len(info.Shape)
		r, err := l.session.Extend(pexta.Handle(handle), ints(n, increments), ints(n, order))
		return begun(request, r, err)
	})
}

// theRequest returns a function that names the subject of a call with a request.
func theRequest(r C.int) func() string { return func() string { return fmt.Sprintf("request %d", r) } }

//export pextago_wait
func pextago_wait(name *C.char, request C.int) C.int {
	return call(name, theRequest(request), func(l *library) error {
		if request == C.DRA_REQ_INVALID {
			return nil
		}
		return known(C.GoString(name), l.session.Wait(pexta.Request(request)))
	})
}

// pextago_probe stores -1 if the request is done, and 0 if not, as DRA does.
//
//export pextago_probe
func pextago_probe(name *C.char, request C.int, status *C.int) C.int {
	store(status, -1)
	return call(name, theRequest(request), func(l *library) error {
		if err := wanted("status", status); err != nil {
			return err
		}
		if request == C.DRA_REQ_INVALID {
			return nil
		}
		done, err := l.session.Probe(pexta.Request(request))
		if !done && err == nil {
			*status = 0
		}
		return known(C.GoString(name), err)
	})
}

// known returns err, the error for the number of a request. If no request ever had the number, it
// makes the other processes, which may be waiting, fail as well.
func known(name string, err error) error {
	if errors.Is(err, pexta.ErrRequest) {
		return refuse(name, err)
	}
	return err
}

//export pextago_flick
func pextago_flick(name *C.char) {
	call(name, theLibrary, func(l *library) error { return l.session.Flick() })
}

// pextago_withdraw ends the use of memory that MPI is about to free. The memory may be that of a
// global array that is being destroyed, or any other.
//
//export pextago_withdraw
func pextago_withdraw(base unsafe.Pointer, bytes C.long) {
	quietly("MPI_Win_free", func() { // MPI_Win_free must not fail
		first, end := uintptr(base), uintptr(base)+uintptr(bytes)
		open.session.Withdraw(func(mem []byte) bool {
			at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
			return at < end && at+uintptr(len(mem)) > first
		})
	})
}

// pextago_rank returns the number of dimensions of an array, 0 if there is none with the handle.
//
//export pextago_rank
func pextago_rank(handle C.int) (rank C.int) {
	quietly("rank of a disk array", func() {
		if open == nil {
			return
		}
		if info, err := open.session.Inquire(pexta.Handle(handle)); err == nil {
			rank = C.int(len(info.Shape))
		}
	})
	return rank
}

// pextago_not_2d is the error of a Fortran name for two dimensions that was called for arrays with
// more. global is 0 for a call about the disk array only, which is local; otherwise all processes
// that have the array open get the error.
//
//export pextago_not_2d
func pextago_not_2d(name *C.char, global, disk, handle C.int) C.int {
	return call(name, theArray(handle), func(l *library) error {
		which := fmt.Sprintf("%s has %d dimensions", theArray(handle)(), disk)
		if global > 0 {
			which += fmt.Sprintf(", the global array %d", global)
		}
		err := errkind.Errorf(nd.ErrRank, "%s: this name is for 2, call n%s", which, C.GoString(name))
		if global == 0 {
			return err
		}
		return l.agree(C.GoString(name), handle, err)
	})
}
