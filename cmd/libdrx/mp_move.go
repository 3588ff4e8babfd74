//go:build mpi && cgo

package main

// #include "internal.h"
// #include "drxmp.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
)

// The ways to read and write.
var (
	mpRead     = capi.Call{}
	mpWrite    = capi.Call{Writing: true}
	mpReadAll  = capi.Call{Collective: true}
	mpWriteAll = capi.Call{Writing: true, Collective: true}
)

// selected returns the section and the buffer of a call. It passes wrong arguments on, so that the
// call itself refuses them together with the other processes, which would otherwise wait.
func selected(rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) (int, capi.Section, capi.Buffer) {
	if checkRank(rank) != nil {
		return int(rank), capi.Section{}, capi.Buffer{}
	}
	s := capi.Section{Lo: numbers(lo, rank), Hi: numbers(hi, rank), Step: numbers(step, rank)}
	return int(rank), s, capi.Buffer{DType: typeOf(dtype), Data: buf, Size: int64(size), Strides: numbers(strides, rank)}
}

// mpMove makes a call.
func mpMove(a C.drxmp_array, c capi.Call, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return call(func() error {
		n, s, b := selected(rank, lo, hi, step, dtype, buf, size, strides)
		return capi.MPMove(capi.Handle(a), c, n, s, b)
	})
}

//export drxgo_mp_read_all
func drxgo_mp_read_all(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return mpMove(a, mpReadAll, rank, lo, hi, step, dtype, buf, size, strides)
}

//export drxgo_mp_write_all
func drxgo_mp_write_all(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return mpMove(a, mpWriteAll, rank, lo, hi, step, dtype, buf, size, strides)
}

//export drxgo_mp_read
func drxgo_mp_read(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return mpMove(a, mpRead, rank, lo, hi, step, dtype, buf, size, strides)
}

//export drxgo_mp_write
func drxgo_mp_write(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return mpMove(a, mpWrite, rank, lo, hi, step, dtype, buf, size, strides)
}

// mpMoveZone makes a call for the zone of this process.
func mpMoveZone(a C.drxmp_array, c capi.Call, dtype C.int, buf unsafe.Pointer, size C.int64_t) C.int {
	c.Zone = true
	return mpMove(a, c, 0, nil, nil, nil, dtype, buf, size, nil)
}

//export drxgo_mp_read_zone_all
func drxgo_mp_read_zone_all(a C.drxmp_array, dtype C.int, buf unsafe.Pointer, size C.int64_t) C.int {
	return mpMoveZone(a, mpReadAll, dtype, buf, size)
}

//export drxgo_mp_write_zone_all
func drxgo_mp_write_zone_all(a C.drxmp_array, dtype C.int, buf unsafe.Pointer, size C.int64_t) C.int {
	return mpMoveZone(a, mpWriteAll, dtype, buf, size)
}

//export drxgo_mp_read_zone
func drxgo_mp_read_zone(a C.drxmp_array, dtype C.int, buf unsafe.Pointer, size C.int64_t) C.int {
	return mpMoveZone(a, mpRead, dtype, buf, size)
}

//export drxgo_mp_write_zone
func drxgo_mp_write_zone(a C.drxmp_array, dtype C.int, buf unsafe.Pointer, size C.int64_t) C.int {
	return mpMoveZone(a, mpWrite, dtype, buf, size)
}

// mpStart makes a call in the background.
func mpStart(a C.drxmp_array, c capi.Call, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers, r *C.drxmp_request) C.int {
	return call(func() error {
		return setHandle(unsafe.Pointer(r), func() (capi.Handle, error) {
			n, s, b := selected(rank, lo, hi, step, dtype, buf, size, strides)
			return capi.MPStart(capi.Handle(a), c, n, s, b)
		})
	})
}

//export drxgo_mp_start_read_all
func drxgo_mp_start_read_all(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers, r *C.drxmp_request) C.int {
	return mpStart(a, mpReadAll, rank, lo, hi, step, dtype, buf, size, strides, r)
}

//export drxgo_mp_start_write_all
func drxgo_mp_start_write_all(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers, r *C.drxmp_request) C.int {
	return mpStart(a, mpWriteAll, rank, lo, hi, step, dtype, buf, size, strides, r)
}

//export drxgo_mp_start_read
func drxgo_mp_start_read(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers, r *C.drxmp_request) C.int {
	return mpStart(a, mpRead, rank, lo, hi, step, dtype, buf, size, strides, r)
}

//export drxgo_mp_start_write
func drxgo_mp_start_write(a C.drxmp_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers, r *C.drxmp_request) C.int {
	return mpStart(a, mpWrite, rank, lo, hi, step, dtype, buf, size, strides, r)
}

//export drxgo_mp_wait
func drxgo_mp_wait(r C.drxmp_request) C.int {
	return call(func() error { return capi.MPWait(capi.Handle(r)) })
}

//export drxgo_mp_test
func drxgo_mp_test(r C.drxmp_request, done *C.int) C.int {
	return call(func() error {
		d, err := capi.MPTest(capi.Handle(r))
		return setBool(done, d, err)
	})
}
