package main

// #include "internal.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"drx"
	"drx/cmd/internal/capi"
	"drx/internal/errkind"
)

//export drxgo_strides
func drxgo_strides(dtype, rank C.int, shape *C.drxc_numbers, order *C.drxc_order, strides *C.int64_t) C.int {
	return call(func() error {
		if err := checkRank(rank); err != nil {
			return err
		}
		if rank > 0 && (shape == nil || strides == nil) {
			return errkind.Errorf(capi.ErrInvalid, "shape or strides is NULL")
		}
		var dims []int32
		if order != nil {
			dims = unsafe.Slice((*int32)(unsafe.Pointer(order)), rank)
		}
		return capi.Strides(typeOf(dtype), numbers(shape, rank), dims, numbers(strides, rank))
	})
}

// buffer returns a buffer of the host. The error wraps drx.ErrSize for a negative size.
func buffer(rank, dtype C.int, data unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) (capi.Buffer, error) {
	if size < 0 && size != capi.Unchecked {
		return capi.Buffer{}, errkind.Errorf(drx.ErrSize, "a buffer of %d bytes: its size is not negative", size)
	}
	return capi.Buffer{DType: typeOf(dtype), Data: data, Size: int64(size), Strides: numbers(strides, rank)}, nil
}

// transfer reads or writes a section.
func transfer(move func(capi.Handle, int, capi.Section, capi.Buffer) error, a C.drx_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return call(func() error {
		s, err := section(rank, lo, hi, step)
		if err != nil {
			return err
		}
		b, err := buffer(rank, dtype, buf, size, strides)
		if err != nil {
			return err
		}
		return move(capi.Handle(a), int(rank), s, b)
	})
}

//export drxgo_read
func drxgo_read(a C.drx_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return transfer(capi.Read, a, rank, lo, hi, step, dtype, buf, size, strides)
}

//export drxgo_write
func drxgo_write(a C.drx_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, buf unsafe.Pointer, size C.int64_t, strides *C.drxc_numbers) C.int {
	return transfer(capi.Write, a, rank, lo, hi, step, dtype, buf, size, strides)
}

//export drxgo_fill
func drxgo_fill(a C.drx_array, rank C.int, lo, hi, step *C.drxc_numbers, dtype C.int, value unsafe.Pointer) C.int {
	return call(func() error {
		s, err := section(rank, lo, hi, step)
		if err != nil {
			return err
		}
		return capi.Fill(capi.Handle(a), int(rank), s, capi.Buffer{DType: typeOf(dtype), Data: value})
	})
}

// index returns an index of an element. The error wraps drx.ErrRank, or capi.ErrInvalid for NULL.
func index(rank C.int, p *C.drxc_numbers) ([]int64, error) {
	if err := checkRank(rank); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, errkind.Errorf(capi.ErrInvalid, "index is NULL")
	}
	return numbers(p, rank), nil
}

//export drxgo_get
func drxgo_get(a C.drx_array, rank C.int, at *C.drxc_numbers, dtype C.int, value unsafe.Pointer) C.int {
	return call(func() error {
		i, err := index(rank, at)
		if err != nil {
			return err
		}
		return capi.Get(capi.Handle(a), i, capi.Buffer{DType: typeOf(dtype), Data: value})
	})
}

//export drxgo_set
func drxgo_set(a C.drx_array, rank C.int, at *C.drxc_numbers, dtype C.int, value unsafe.Pointer) C.int {
	return call(func() error {
		i, err := index(rank, at)
		if err != nil {
			return err
		}
		return capi.Set(capi.Handle(a), i, capi.Buffer{DType: typeOf(dtype), Data: value})
	})
}

//export drxgo_gather
func drxgo_gather(a C.drx_array, rank C.int, n C.int64_t, indices *C.drxc_numbers, dtype C.int, buf unsafe.Pointer) C.int {
	return points(capi.Gather, a, rank, n, indices, dtype, buf)
}

//export drxgo_scatter
func drxgo_scatter(a C.drx_array, rank C.int, n C.int64_t, indices *C.drxc_numbers, dtype C.int, buf unsafe.Pointer) C.int {
	return points(capi.Scatter, a, rank, n, indices, dtype, buf)
}

// points gathers or scatters.
func points(
	f func(h capi.Handle, rank int, indices []int64, n int, b capi.Buffer) error,
	a C.drx_array, rank C.int, n C.int64_t, indices *C.drxc_numbers, dtype C.int, buf unsafe.Pointer,
) C.int {
	return call(func() error {
		if err := checkRank(rank); err != nil {
			return err
		}
		if n < 0 || n > math.MaxInt/(8*64) {
			return fmt.Errorf("%d elements: %w", n, drx.ErrOverflow)
		}
		var list []int64
		if indices != nil {
			list = unsafe.Slice((*int64)(unsafe.Pointer(indices)), int(n)*int(rank))
		}
		return f(capi.Handle(a), int(rank), list, int(n), capi.Buffer{DType: typeOf(dtype), Data: buf})
	})
}
