package main

// #include <stdlib.h>
// #include "internal.h"
import "C"

import (
	"unsafe"

	"drx"
	"drx/cmd/internal/capi"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// call runs a function and returns its code. After an error it sets the message of the calling
// thread; a goroutine called from C stays on that thread until it returns.
func call(f func() error) C.int {
	err := capi.Do(f)
	if err == nil {
		return C.DRX_OK
	}
	text := capi.Message(err)
	C.drxc_set_error((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
	return C.int(capi.CodeOf(err))
}

// text returns the text at p. The error wraps capi.ErrInvalid for NULL; what names the argument.
func text(what string, p *C.drxc_text) (string, error) {
	if p == nil {
		return "", errkind.Errorf(capi.ErrInvalid, "%s is NULL", what)
	}
	return C.GoString(p), nil
}

// optional returns the text at p, "" for NULL.
func optional(p *C.drxc_text) string {
	if p == nil {
		return ""
	}
	return C.GoString(p)
}

// setText stores text for the host at p, unless there was an error or the host does not want it.
func setText(p **C.char, text string, err error) error {
	if p == nil {
		return err
	}
	*p = nil
	if err == nil || text != "" {
		*p = C.CString(text)
	}
	return err
}

// setInt stores an integer at p, unless there was an error or the host does not want it.
func setInt[T ~int | ~int32 | ~uint8](p *C.int, v T, err error) error {
	if err == nil && p != nil {
		*p = C.int(v)
	}
	return err
}

// setBool is setInt for a truth value.
func setBool(p *C.int, v bool, err error) error {
	if v {
		return setInt(p, 1, err)
	}
	return setInt(p, 0, err)
}

// setHandle stores a new handle at p, 0 after an error.
func setHandle(p unsafe.Pointer, open func() (capi.Handle, error)) error {
	to := (*capi.Handle)(p)
	if to == nil {
		return errkind.Errorf(capi.ErrInvalid, "the place for the handle is NULL")
	}
	*to = 0
	h, err := open()
	*to = h
	return err
}

// withText calls f with the text of an argument and returns the code.
func withText(what string, p *C.drxc_text, f func(s string) error) C.int {
	return call(func() error {
		s, err := text(what, p)
		if err != nil {
			return err
		}
		return f(s)
	})
}

// newHandle is setHandle for a function with a text as an argument, and returns the code.
func newHandle(to unsafe.Pointer, what string, p *C.drxc_text, open func(s string) (capi.Handle, error)) C.int {
	return call(func() error {
		return setHandle(to, func() (capi.Handle, error) {
			s, err := text(what, p)
			if err != nil {
				return 0, err
			}
			return open(s)
		})
	})
}

// checkRank returns an error wrapping drx.ErrRank for a rank that no array can have.
func checkRank(rank C.int) error {
	if rank < 0 || rank > nd.MaxRank {
		return errkind.Errorf(drx.ErrRank, "rank %d: arrays have 1 to %d dimensions", rank, nd.MaxRank)
	}
	return nil
}

// numbers returns n numbers at p, nil for NULL. n was checked.
func numbers(p *C.int64_t, n C.int) []int64 {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(p)), n)
}

// section returns a section. It returns the errors of checkRank.
func section(rank C.int, lo, hi, step *C.drxc_numbers) (capi.Section, error) {
	if err := checkRank(rank); err != nil {
		return capi.Section{}, err
	}
	return capi.Section{Lo: numbers(lo, rank), Hi: numbers(hi, rank), Step: numbers(step, rank)}, nil
}

// shapeOf returns the extents of a new array, nil for NULL.
func shapeOf(rank C.int, shape *C.drxc_numbers) ([]int, error) {
	if shape == nil {
		return nil, nil
	}
	if err := checkRank(rank); err != nil {
		return nil, err
	}
	ints, err := capi.Ints(numbers(shape, rank))
	return append([]int{}, ints...), err
}

// typeOf returns an element type. A number outside of the range becomes a type that every function
// refuses, instead of wrapping around to a valid one.
func typeOf(t C.int) dtype.DType {
	if t < 0 || t > 255 {
		return 255
	}
	return dtype.DType(t)
}

// progressOf returns a callback of the host, nil for NULL.
func progressOf(f C.drx_progress, user unsafe.Pointer) capi.Progress {
	if f == nil {
		return nil
	}
	return func(done, total int64) bool {
		return C.drxc_progress(f, user, C.int64_t(done), C.int64_t(total)) != 0
	}
}
