package main

// #include "internal.h"
import "C"

import "drx/cmd/internal/capi"

//export drxgo_extend
func drxgo_extend(a C.drx_array, dim C.int, by C.int64_t, side, rank C.int, lo, hi *C.int64_t) C.int {
	return grow(capi.Extend, a, dim, by, side, rank, lo, hi)
}

//export drxgo_reserve
func drxgo_reserve(a C.drx_array, dim C.int, by C.int64_t, side, rank C.int, lo, hi *C.int64_t) C.int {
	return grow(capi.Reserve, a, dim, by, side, rank, lo, hi)
}

//export drxgo_reserve_key
func drxgo_reserve_key(a C.drx_array, key *C.drxc_text, dim C.int, by C.int64_t, side, rank C.int, lo, hi *C.int64_t) C.int {
	reserve := func(h capi.Handle, dim, by, side, rank int, lo, hi []int64) error {
		return capi.ReserveKey(h, optional(key), dim, by, side, rank, lo, hi)
	}
	return grow(reserve, a, dim, by, side, rank, lo, hi)
}

// grow extends or reserves.
func grow(
	f func(h capi.Handle, dim, by, side, rank int, lo, hi []int64) error,
	a C.drx_array, dim C.int, by C.int64_t, side, rank C.int, lo, hi *C.int64_t,
) C.int {
	return call(func() error {
		n, err := capi.Int(int64(by))
		if err == nil {
			err = checkRank(rank)
		}
		if err != nil {
			return err
		}
		return f(capi.Handle(a), int(dim), n, int(side), int(rank), numbers(lo, rank), numbers(hi, rank))
	})
}

//export drxgo_shrink
func drxgo_shrink(a C.drx_array, dim C.int, by C.int64_t, side C.int) C.int {
	return call(func() error {
		n, err := capi.Int(int64(by))
		if err != nil {
			return err
		}
		return capi.Shrink(capi.Handle(a), int(dim), n, int(side))
	})
}

//export drxgo_add_dim
func drxgo_add_dim(a C.drx_array, name *C.drxc_text, dim *C.int) C.int {
	return call(func() error {
		d, err := capi.AddDim(capi.Handle(a), optional(name))
		return setInt(dim, d, err)
	})
}

//export drxgo_rename_dim
func drxgo_rename_dim(a C.drx_array, dim C.int, name *C.drxc_text) C.int {
	return withText("name", name, func(n string) error { return capi.RenameDim(capi.Handle(a), int(dim), n) })
}
