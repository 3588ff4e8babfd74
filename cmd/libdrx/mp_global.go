//go:build mpi && cgo

package main

// #include "internal.h"
// #include "drxmp.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
	"drx/parallel/par"
)

//export drxgo_mp_global_create
func drxgo_mp_global_create(a C.drxmp_array, g *C.drxmp_global) C.int {
	return call(func() error {
		return setHandle(unsafe.Pointer(g), func() (capi.Handle, error) { return capi.MPGlobal(capi.Handle(a)) })
	})
}

//export drxgo_mp_global_close
func drxgo_mp_global_close(g C.drxmp_global) C.int {
	return call(func() error { return capi.MPGlobalClose(capi.Handle(g)) })
}

//export drxgo_mp_global_local
func drxgo_mp_global_local(g C.drxmp_global, elements *unsafe.Pointer, size *C.int64_t) C.int {
	return call(func() error {
		b, err := capi.MPGlobalLocal(capi.Handle(g))
		if err == nil && elements != nil {
			*elements = unsafe.Pointer(unsafe.SliceData(b)) // memory of MPI
		}
		if err == nil && size != nil {
			*size = C.int64_t(len(b))
		}
		return err
	})
}

//export drxgo_mp_global_zone
func drxgo_mp_global_zone(g C.drxmp_global, proc, rank C.int, shape *C.int64_t) C.int {
	return zoneShape(uint64(g), proc, rank, shape)
}

//export drxgo_mp_global_boxes
func drxgo_mp_global_boxes(g C.drxmp_global, proc C.int, boxes *C.int) C.int {
	return zoneBoxes(uint64(g), proc, boxes)
}

//export drxgo_mp_global_box
func drxgo_mp_global_box(g C.drxmp_global, proc, i, rank C.int, lo, hi *C.int64_t) C.int {
	return zoneBox(uint64(g), proc, i, rank, lo, hi)
}

//export drxgo_mp_global_get
func drxgo_mp_global_get(g C.drxmp_global, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return call(func() error {
		n, s, b := selected(rank, lo, hi, step, dtype, buf, size, strides)
		return capi.MPGlobalGet(capi.Handle(g), n, s, b)
	})
}

//export drxgo_mp_global_put
func drxgo_mp_global_put(g C.drxmp_global, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return call(func() error {
		n, s, b := selected(rank, lo, hi, step, dtype, buf, size, strides)
		return capi.MPGlobalPut(capi.Handle(g), n, s, b)
	})
}

//export drxgo_mp_global_accumulate
func drxgo_mp_global_accumulate(g C.drxmp_global, op, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return call(func() error {
		n, s, b := selected(rank, lo, hi, step, dtype, buf, size, strides)
		return capi.MPGlobalAccumulate(capi.Handle(g), par.Op(max(0, min(op, 127))), n, s, b)
	})
}

//export drxgo_mp_global_fence
func drxgo_mp_global_fence(g C.drxmp_global) C.int {
	return call(func() error { return capi.MPGlobalFence(capi.Handle(g)) })
}

//export drxgo_mp_global_load
func drxgo_mp_global_load(g C.drxmp_global) C.int {
	return call(func() error { return capi.MPGlobalLoad(capi.Handle(g)) })
}

//export drxgo_mp_global_store
func drxgo_mp_global_store(g C.drxmp_global) C.int {
	return call(func() error { return capi.MPGlobalStore(capi.Handle(g)) })
}

//export drxgo_mp_global_follow
func drxgo_mp_global_follow(g C.drxmp_global) C.int {
	return call(func() error { return capi.MPGlobalFollow(capi.Handle(g)) })
}
