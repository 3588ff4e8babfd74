//go:build ga && mpi && cgo

package main

// #include "internal.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/ga"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// The limits of DRA for texts, with their zero byte: programs have buffers of these sizes for
// NDRA_Inquire.
const (
	maxName = 72
	maxFile = 248
)

// modes are the numbers of dra.h.
var modes = map[C.int]pexta.Mode{
	C.DRA_RW: pexta.ReadWrite,
	C.DRA_W:  pexta.WriteOnly,
	C.DRA_R:  pexta.ReadOnly,
}

func mode(number C.int) (pexta.Mode, error) {
	m, ok := modes[number]
	if !ok {
		return 0, errkind.Errorf(par.ErrArgument, "mode %d: want DRA_RW (%d), DRA_W (%d) or DRA_R (%d)", number, C.DRA_RW, C.DRA_W, C.DRA_R)
	}
	return m, nil
}

// theArray returns a function that names the subject of a call with a handle: the file of the
// array, or the handle if there is no array.
func theArray(h C.int) func() string {
	return func() string {
		if open != nil {
			if info, err := open.session.Inquire(pexta.Handle(h)); err == nil {
				return info.File
			}
		}
		return fmt.Sprintf("disk array %d", h)
	}
}

// theFile returns a function that names the subject of a call with a file.
func theFile(file *C.char) func() string { return func() string { return C.GoString(file) } }

// ints returns n numbers of C, nil for NULL.
func ints(n int, p *C.long) []int {
	if p == nil || n < 1 {
		return nil
	}
	numbers := make([]int, n)
	for i, v := range unsafe.Slice(p, n) {
		numbers[i] = int(v)
	}
	return numbers
}

// checkRank checks a number of dimensions, before the arguments with one number per dimension are
// read.
func checkRank(n C.int) error {
	if n < 1 || n > ga.MaxRank {
		return errkind.Errorf(nd.ErrRank, "%d dimensions: want 1 to %d", n, ga.MaxRank)
	}
	return nil
}

// checkText refuses a text that is too long for a program's buffer in NDRA_Inquire.
func checkText(what, text string, limit int) error {
	if len(text) >= limit {
		return errkind.Errorf(par.ErrArgument, "%s of %d bytes: want at most %d, as in DRA", what, len(text), limit-1)
	}
	return nil
}

// keep opens an array in the default group with f, stores its handle, and keeps the group as long
// as the array is open. check checks the arguments of this process. Its error goes to all
// processes, because those without one would wait in f.
func (l *library) keep(name string, handle *C.int, check func() error, f func(par.Comm) (pexta.Handle, error)) error {
	group, err := ga.DefaultGroup()
	if err != nil {
		return err
	}
	l.groups[opening] = group // internalError tells this group of a panic
	h := pexta.Handle(0)
	if err = group.Agree(name, cmp.Or(check(), wanted("handle", handle))); err == nil {
		h, err = f(group)
	}
	delete(l.groups, opening)
	if err != nil {
		return errors.Join(err, group.Close())
	}
	l.groups[h] = group
	*handle = C.int(h)
	return nil
}

// release closes the group of an array after a call that should close the array, unless the array
// is still open because processes have named different ones. err is the error of that call.
func (l *library) release(h pexta.Handle, err error) error {
	group := l.groups[h]
	if _, closed := l.session.Inquire(h); closed == nil || group == nil {
		return err
	}
	delete(l.groups, h)
	return errors.Join(err, group.Close())
}

// pextago_create creates an array. like is the handle of a global array, or a number that is no
// handle; request may be NULL.
//
//export pextago_create
func pextago_create(name *C.char, dtype, n C.int, dims *C.long, title, file *C.char, modeNumber C.int, request *C.long, hasLike, like C.int, handle *C.int) C.int {
	return call(name, theFile(file), func(l *library) error {
		var spec pexta.Spec
		check := func() (err error) {
			spec, err = newSpec(dtype, n, dims, C.GoString(title), C.GoString(file), modeNumber, request)
			if err == nil && hasLike != 0 {
				spec.Like, err = ga.Open(int(like))
			}
			return err
		}
		return l.keep(C.GoString(name), handle, check, func(c par.Comm) (pexta.Handle, error) { return l.session.Create(c, spec) })
	})
}

// newSpec returns the specification of a new array, after the checks that need the numbers of C.
func newSpec(dtype, n C.int, dims *C.long, title, file string, modeNumber C.int, request *C.long) (spec pexta.Spec, err error) {
	spec = pexta.Spec{Name: title, File: file}
	if err := checkRank(n); err != nil {
		return spec, err
	}
	if err := wanted("extents", dims); err != nil {
		return spec, err
	}
	spec.Shape, spec.Request = ints(int(n), dims), ints(int(n), request)
	if spec.Type, err = ga.Type(int(dtype)); err != nil {
		return spec, err
	}
	if spec.Mode, err = mode(modeNumber); err != nil {
		return spec, err
	}
	return spec, cmp.Or(checkText("name", title, maxName), checkText("file name", file, maxFile))
}

//export pextago_open
func pextago_open(name, file *C.char, modeNumber C.int, handle *C.int) C.int {
	return call(name, theFile(file), func(l *library) error {
		var m pexta.Mode
		check := func() (err error) {
			m, err = mode(modeNumber)
			return cmp.Or(err, checkText("file name", C.GoString(file), maxFile))
		}
		return l.keep(C.GoString(name), handle, check, func(c par.Comm) (pexta.Handle, error) { return l.session.Open(c, C.GoString(file), m) })
	})
}

// find describes an array. If no array has the handle, this process joins the collective call that
// the others may have begun, so that they fail instead of waiting. This works because every
// collective call of package pexta begins with Agree.
func (l *library) find(name string, handle C.int) (pexta.Info, error) {
	info, err := l.session.Inquire(pexta.Handle(handle))
	if err != nil {
		err = refuse(name, err)
	}
	return info, err
}

// refuse joins the next call of the default group for a process that cannot make it because of err.
// It returns the error that all processes get.
func refuse(name string, err error) error { return together(refusal(name, err), err) }

// refusal is the name under which a refusing process joins the call; the other processes see it in
// their error.
func refusal(name string, err error) string { return fmt.Sprintf("%s: %v", name, err) }

// together returns the same error on all processes of the default group, nil if none has one.
func together(name string, err error) error {
	group, failed := ga.DefaultGroup()
	if failed != nil {
		return cmp.Or(err, failed)
	}
	return errors.Join(group.Agree(name, err), group.Close())
}

//export pextago_close
func pextago_close(name *C.char, handle C.int) C.int {
	return call(name, theArray(handle), func(l *library) error {
		if _, err := l.find(C.GoString(name), handle); err != nil {
			return err
		}
		return l.release(pexta.Handle(handle), l.session.Close(pexta.Handle(handle)))
	})
}

//export pextago_delete
func pextago_delete(name *C.char, handle C.int) C.int {
	return call(name, theArray(handle), func(l *library) error {
		if _, err := l.find(C.GoString(name), handle); err != nil {
			return err
		}
		return l.release(pexta.Handle(handle), l.session.Delete(pexta.Handle(handle)))
	})
}

// pextago_inquire describes an array. title and file hold up to maxName and maxFile bytes. It is
// local, as in DRA, where single processes may call it. If refresh is not 0 it is collective and
// refreshes an array that is open for reading only, so that it sees the elements that another
// program has added.
//
//export pextago_inquire
func pextago_inquire(name *C.char, refresh, handle C.int, dtype, n *C.int, dims *C.long, title, file *C.char) C.int {
	run := local
	if refresh != 0 {
		run = call
	}
	return run(name, theArray(handle), func(l *library) error {
		info, err := l.session.Inquire(pexta.Handle(handle))
		if err == nil && refresh != 0 && info.Mode == pexta.ReadOnly {
			info, err = l.session.Refresh(pexta.Handle(handle))
		}
		if err != nil {
			return err
		}
		if err := cmp.Or(wanted("type", dtype), wanted("number of dimensions", n), wanted("extents", dims)); err != nil {
			return err
		}
		*dtype, *n = C.int(ga.TypeNumber(info.Type)), C.int(len(info.Shape))
		for d, extent := range info.Shape {
			unsafe.Slice(dims, len(info.Shape))[d] = C.long(extent)
		}
		setText(title, info.Name, maxName)
		setText(file, info.File, maxFile)
		return nil
	})
}

// setText stores a text and its zero byte in at most limit bytes.
func setText(to *C.char, text string, limit int) {
	if to == nil {
		return
	}
	text = text[:min(len(text), limit-1)]
	buf := unsafe.Slice((*byte)(unsafe.Pointer(to)), len(text)+1)
	copy(buf, text)
	buf[len(text)] = 0
}

//export pextago_print
func pextago_print(name *C.char, handle C.int) {
	call(name, theArray(handle), func(l *library) error {
		// pexta-check looks for this text in programs
		fmt.Printf("disk resident arrays by libpexta %s\n", version)
		return l.session.Print(os.Stdout, pexta.Handle(handle))
	})
}
