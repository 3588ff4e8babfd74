package main

// #include <stdlib.h>
// #include "internal.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
	"drx/internal/errkind"
)

// errNoCallback is the error for a callback that is NULL.
var errNoCallback = errkind.Errorf(capi.ErrInvalid, "the callback is NULL")

//export drxgo_refresh
func drxgo_refresh(a C.drx_array, changed *C.int) C.int {
	return call(func() error {
		c, err := capi.Refresh(capi.Handle(a))
		return setBool(changed, c, err)
	})
}

//export drxgo_poll
func drxgo_poll(a C.drx_array, timeout C.double, json **C.char) C.int {
	return call(func() error {
		changes, err := capi.Poll(capi.Handle(a), float64(timeout))
		return setText(json, changes, err)
	})
}

//export drxgo_follow
func drxgo_follow(a C.drx_array, timeout C.double, f C.drx_change_fn, user unsafe.Pointer) C.int {
	return call(func() error {
		if f == nil {
			return errNoCallback
		}
		return capi.Follow(capi.Handle(a), float64(timeout), func(change string) bool {
			c := C.CString(change)
			defer C.free(unsafe.Pointer(c))
			return C.drxc_change(f, user, c) != 0
		})
	})
}

//export drxgo_walk
func drxgo_walk(a C.drx_array, rank C.int, lo, hi, tile *C.drxc_numbers, written C.int, f C.drx_part_fn, user unsafe.Pointer) C.int {
	return call(func() error {
		if f == nil {
			return errNoCallback
		}
		s, err := section(rank, lo, hi, nil)
		if err != nil {
			return err
		}
		return capi.Walk(capi.Handle(a), int(rank), s, numbers(tile, rank), written != 0, func(lo, hi []int64, number int64) bool {
			l, h := (*C.int64_t)(unsafe.SliceData(lo)), (*C.int64_t)(unsafe.SliceData(hi))
			return C.drxc_part(f, user, rank, l, h, C.int64_t(number)) != 0
		})
	})
}

//export drxgo_verify
func drxgo_verify(a C.drx_array, progress C.drx_progress, user unsafe.Pointer, report **C.char) C.int {
	return call(func() error {
		r, err := capi.Verify(capi.Handle(a), progressOf(progress, user))
		return setText(report, r, err)
	})
}

//export drxgo_compact
func drxgo_compact(a C.drx_array, progress C.drx_progress, user unsafe.Pointer) C.int {
	return call(func() error { return capi.Compact(capi.Handle(a), progressOf(progress, user)) })
}

//export drxgo_recompress
func drxgo_recompress(a C.drx_array, codec *C.drxc_text, progress C.drx_progress, user unsafe.Pointer) C.int {
	return withText("the codec", codec, func(name string) error {
		return capi.Recompress(capi.Handle(a), name, progressOf(progress, user))
	})
}

//export drxgo_stats
func drxgo_stats(a C.drx_array, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	return call(func() error {
		s, err := capi.Stats(capi.Handle(a), optional(options), progressOf(progress, user))
		return setText(json, s, err)
	})
}

//export drxgo_relayout
func drxgo_relayout(dst, src C.drx_array, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, stats **C.char) C.int {
	return call(func() error {
		s, err := capi.Relayout(capi.Handle(dst), capi.Handle(src), optional(options), progressOf(progress, user))
		return setText(stats, s, err)
	})
}
