//go:build ga && mpi && cgo

package main

// #include "internal.h"
import "C"

import (
	"os"
	"syscall"
	"time"

	"drx/parallel/par"
	"drx/parallel/pexta"
)

// fault fails as a mistake in the library would: a panic, a nil pointer, or a mapped file that was cut short; or it does not, for another kind.
func fault(kind C.int) error {
	switch kind {
	case 0:
		panic("a mistake")
	case 1:
		var none *library
		none.debug = true
	case 2:
		return readMapping()
	}
	return nil
}

// pextago_fault fails within a call.
//
//export pextago_fault
func pextago_fault(kind C.int) C.int {
	return call(C.CString("PEXTA_Fault"), theLibrary, func(*library) error { return fault(kind) })
}

// pextago_fault_creating fails in the midst of a call that creates an array.
//
//export pextago_fault_creating
func pextago_fault_creating(kind C.int) C.int {
	return call(C.CString("PEXTA_Fault"), theLibrary, func(l *library) error {
		var handle C.int
		good := func() error { return nil }
		return l.keep("PEXTA_Create", &handle, good, func(par.Comm) (pexta.Handle, error) { return 0, fault(kind) })
	})
}

// pextago_fault_later begins a request that fails after the call, and returns its number.
//
//export pextago_fault_later
func pextago_fault_later(kind, array C.int) (request C.int) {
	call(C.CString("PEXTA_Fault"), theLibrary, func(l *library) error {
		r, err := l.session.Fault(pexta.Handle(array), func() error {
			time.Sleep(200 * time.Millisecond)
			return fault(kind)
		})
		request = C.int(r)
		return err
	})
	return request
}

// readMapping reads a mapped file that has no bytes any more.
func readMapping() error {
	f, err := os.CreateTemp("", "fault")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := f.Truncate(4096); err != nil {
		return err
	}
	mapped, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if mapped[0] == 1 {
		panic("not reached")
	}
	return nil
}
