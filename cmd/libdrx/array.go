package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
)

//export drxgo_open
func drxgo_open(name *C.drxc_text, mode C.int, options *C.drxc_text, a *C.drx_array) C.int {
	return newHandle(unsafe.Pointer(a), "name", name, func(n string) (capi.Handle, error) {
		return capi.Open(n, capi.Mode(mode), optional(options))
	})
}

//export drxgo_create
func drxgo_create(name *C.drxc_text, dtype, rank C.int, shape *C.drxc_numbers, options *C.drxc_text, a *C.drx_array) C.int {
	return newHandle(unsafe.Pointer(a), "name", name, func(n string) (capi.Handle, error) {
		extents, err := shapeOf(rank, shape)
		if err != nil {
			return 0, err
		}
		return capi.Create(n, typeOf(dtype), extents, optional(options))
	})
}

//export drxgo_sync
func drxgo_sync(a C.drx_array) C.int {
	return call(func() error { return capi.Sync(capi.Handle(a)) })
}

//export drxgo_close
func drxgo_close(a C.drx_array) C.int {
	return call(func() error { return capi.Close(capi.Handle(a)) })
}

//export drxgo_discard
func drxgo_discard(a C.drx_array) C.int {
	return call(func() error { return capi.Discard(capi.Handle(a)) })
}

//export drxgo_rank
func drxgo_rank(a C.drx_array, rank *C.int) C.int {
	return call(func() error {
		n, err := capi.Rank(capi.Handle(a))
		return setInt(rank, n, err)
	})
}

//export drxgo_dtype
func drxgo_dtype(a C.drx_array, dtype *C.int) C.int {
	return call(func() error {
		t, err := capi.DType(capi.Handle(a))
		return setInt(dtype, t, err)
	})
}

//export drxgo_mode
func drxgo_mode(a C.drx_array, mode *C.int) C.int {
	return call(func() error {
		m, err := capi.OpenMode(capi.Handle(a))
		return setInt(mode, m, err)
	})
}

//export drxgo_bounds
func drxgo_bounds(a C.drx_array, rank C.int, lo, hi *C.int64_t) C.int {
	return call(func() error {
		if err := checkRank(rank); err != nil {
			return err
		}
		return capi.Bounds(capi.Handle(a), int(rank), numbers(lo, rank), numbers(hi, rank))
	})
}

//export drxgo_chunk
func drxgo_chunk(a C.drx_array, rank C.int, chunk *C.int64_t) C.int {
	return call(func() error {
		if err := checkRank(rank); err != nil {
			return err
		}
		return capi.ChunkShape(capi.Handle(a), int(rank), numbers(chunk, rank))
	})
}

//export drxgo_dim
func drxgo_dim(a C.drx_array, name *C.drxc_text, dim *C.int) C.int {
	return withText("name", name, func(n string) error {
		d, err := capi.Dim(capi.Handle(a), n)
		return setInt(dim, d, err)
	})
}

//export drxgo_dim_name
func drxgo_dim_name(a C.drx_array, dim C.int, name **C.char) C.int {
	return call(func() error {
		n, err := capi.DimName(capi.Handle(a), int(dim))
		return setText(name, n, err)
	})
}

//export drxgo_name
func drxgo_name(a C.drx_array, name **C.char) C.int {
	return call(func() error {
		n, err := capi.Name(capi.Handle(a))
		return setText(name, n, err)
	})
}

//export drxgo_fill_value
func drxgo_fill_value(a C.drx_array, dtype C.int, value unsafe.Pointer) C.int {
	return call(func() error { return capi.FillValue(capi.Handle(a), capi.Buffer{DType: typeOf(dtype), Data: value}) })
}

//export drxgo_info
func drxgo_info(a C.drx_array, json **C.char) C.int {
	return call(func() error {
		i, err := capi.Info(capi.Handle(a))
		return setText(json, i, err)
	})
}

//export drxgo_history
func drxgo_history(a C.drx_array, json **C.char) C.int {
	return call(func() error {
		h, err := capi.History(capi.Handle(a))
		return setText(json, h, err)
	})
}

//export drxgo_snapshot
func drxgo_snapshot(a C.drx_array, text **C.char) C.int {
	return call(func() error {
		s, err := capi.Snapshot(capi.Handle(a))
		return setText(text, s, err)
	})
}

//export drxgo_labels
func drxgo_labels(a C.drx_array, dim C.int, json **C.char) C.int {
	return call(func() error {
		l, err := capi.Labels(capi.Handle(a), int(dim))
		return setText(json, l, err)
	})
}

//export drxgo_set_labels
func drxgo_set_labels(a C.drx_array, dim C.int, json *C.drxc_text) C.int {
	return withText("json", json, func(list string) error { return capi.SetLabels(capi.Handle(a), int(dim), list) })
}

//export drxgo_select
func drxgo_select(a C.drx_array, conditions *C.drxc_text, method C.int, json **C.char) C.int {
	return call(func() error {
		s, err := capi.Select(capi.Handle(a), optional(conditions), int(method))
		return setText(json, s, err)
	})
}

//export drxgo_select_points
func drxgo_select_points(a C.drx_array, conditions *C.drxc_text, method C.int, json **C.char) C.int {
	return call(func() error {
		s, err := capi.SelectPoints(capi.Handle(a), optional(conditions), int(method))
		return setText(json, s, err)
	})
}
