//go:build mpi && cgo

package main

// #include "internal.h"
// #include "drxmp.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
	"drx/parallel/mpi"
)

// join returns the group of a communicator, a handle of Fortran.
func join(comm C.int) func() (capi.Group, error) {
	return func() (capi.Group, error) {
		c, err := mpi.Adopt(mpi.Handle(comm))
		return capi.Group{Comm: c, Fail: func(err error) { mpi.Fail(c, err) }}, err
	}
}

//export drxgo_mp_create
func drxgo_mp_create(comm C.int, name *C.drxc_text, dtype, rank C.int, shape *C.drxc_numbers, options *C.drxc_text, a *C.drxmp_array) C.int {
	return call(func() error {
		extents, err := shapeOf(rank, shape)
		if err != nil {
			extents = []int{-1} // refused in the call, on all processes
		}
		return setHandle(unsafe.Pointer(a), func() (capi.Handle, error) {
			return capi.MPCreate(join(comm), optional(name), typeOf(dtype), extents, optional(options))
		})
	})
}

//export drxgo_mp_open
func drxgo_mp_open(comm C.int, name *C.drxc_text, mode C.int, options *C.drxc_text, a *C.drxmp_array) C.int {
	return call(func() error {
		return setHandle(unsafe.Pointer(a), func() (capi.Handle, error) {
			return capi.MPOpen(join(comm), optional(name), capi.Mode(mode), optional(options))
		})
	})
}

//export drxgo_mp_sync
func drxgo_mp_sync(a C.drxmp_array) C.int {
	return call(func() error { return capi.MPSync(capi.Handle(a)) })
}

//export drxgo_mp_close
func drxgo_mp_close(a C.drxmp_array) C.int {
	return call(func() error { return capi.MPClose(capi.Handle(a)) })
}

//export drxgo_mp_discard
func drxgo_mp_discard(a C.drxmp_array) C.int {
	return call(func() error { return capi.MPDiscard(capi.Handle(a)) })
}

//export drxgo_mp_refuse
func drxgo_mp_refuse(a C.drxmp_array, what, why *C.drxc_text) C.int {
	return call(func() error { return capi.MPRefuse(capi.Handle(a), optional(what), optional(why)) })
}

//export drxgo_mp_terminate
func drxgo_mp_terminate() C.int { return call(capi.MPTerminate) }

//export drxgo_mp_rank
func drxgo_mp_rank(a C.drxmp_array, rank *C.int) C.int {
	return call(func() error {
		n, err := capi.MPRank(capi.Handle(a))
		return setInt(rank, n, err)
	})
}

//export drxgo_mp_dtype
func drxgo_mp_dtype(a C.drxmp_array, dtype *C.int) C.int {
	return call(func() error {
		t, err := capi.MPDType(capi.Handle(a))
		return setInt(dtype, t, err)
	})
}

// withRank calls f with a rank that an array may have, and returns the code.
func withRank(rank C.int, f func(rank int) error) C.int {
	return call(func() error {
		if err := checkRank(rank); err != nil {
			return err
		}
		return f(int(rank))
	})
}

//export drxgo_mp_bounds
func drxgo_mp_bounds(a C.drxmp_array, rank C.int, lo, hi *C.int64_t) C.int {
	return withRank(rank, func(n int) error {
		return capi.MPBounds(capi.Handle(a), n, numbers(lo, rank), numbers(hi, rank))
	})
}

//export drxgo_mp_chunk
func drxgo_mp_chunk(a C.drxmp_array, rank C.int, chunk *C.int64_t) C.int {
	return withRank(rank, func(n int) error { return capi.MPChunkShape(capi.Handle(a), n, numbers(chunk, rank)) })
}

//export drxgo_mp_info
func drxgo_mp_info(a C.drxmp_array, json **C.char) C.int {
	return call(func() error {
		i, err := capi.MPInfo(capi.Handle(a))
		return setText(json, i, err)
	})
}

//export drxgo_mp_attrs
func drxgo_mp_attrs(a C.drxmp_array, json **C.char) C.int {
	return call(func() error {
		attrs, err := capi.MPAttrs(capi.Handle(a))
		return setText(json, attrs, err)
	})
}

//export drxgo_mp_attr
func drxgo_mp_attr(a C.drxmp_array, name *C.drxc_text, json **C.char) C.int {
	return call(func() error {
		v, err := capi.MPAttr(capi.Handle(a), optional(name))
		return setText(json, v, err)
	})
}

//export drxgo_mp_set_attr
func drxgo_mp_set_attr(a C.drxmp_array, name, json *C.drxc_text) C.int {
	return call(func() error { return capi.MPSetAttr(capi.Handle(a), optional(name), optional(json)) })
}

//export drxgo_mp_delete_attr
func drxgo_mp_delete_attr(a C.drxmp_array, name *C.drxc_text) C.int {
	return call(func() error { return capi.MPDeleteAttr(capi.Handle(a), optional(name)) })
}

//export drxgo_mp_refresh
func drxgo_mp_refresh(a C.drxmp_array, changed *C.int) C.int {
	return call(func() error {
		c, err := capi.MPRefresh(capi.Handle(a))
		return setBool(changed, c, err)
	})
}

//export drxgo_mp_extend
func drxgo_mp_extend(a C.drxmp_array, dim C.int, by C.int64_t, side, rank C.int, lo, hi *C.int64_t) C.int {
	return call(func() error {
		if checkRank(rank) != nil {
			rank = 0 // refused in the call, on all processes
		}
		return capi.MPExtend(capi.Handle(a), int(dim), int(by), int(side), int(rank), numbers(lo, rank), numbers(hi, rank))
	})
}

//export drxgo_mp_shrink
func drxgo_mp_shrink(a C.drxmp_array, dim C.int, by C.int64_t, side C.int) C.int {
	return call(func() error { return capi.MPShrink(capi.Handle(a), int(dim), int(by), int(side)) })
}

//export drxgo_mp_add_dim
func drxgo_mp_add_dim(a C.drxmp_array, name *C.drxc_text, dim *C.int) C.int {
	return call(func() error {
		d, err := capi.MPAddDim(capi.Handle(a), optional(name))
		return setInt(dim, d, err)
	})
}
