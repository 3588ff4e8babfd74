package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
	"drx/internal/errkind"
	"drx/nd"
)

//export drxgo_dataset_create
func drxgo_dataset_create(folder, options *C.drxc_text, d *C.drx_dataset) C.int {
	return newHandle(unsafe.Pointer(d), "folder", folder, func(f string) (capi.Handle, error) {
		return capi.CreateDataset(f, optional(options))
	})
}

//export drxgo_dataset_open
func drxgo_dataset_open(folder *C.drxc_text, mode C.int, options *C.drxc_text, d *C.drx_dataset) C.int {
	return newHandle(unsafe.Pointer(d), "folder", folder, func(f string) (capi.Handle, error) {
		return capi.OpenDataset(f, capi.Mode(mode), optional(options))
	})
}

//export drxgo_dataset_sync
func drxgo_dataset_sync(d C.drx_dataset) C.int {
	return call(func() error { return capi.SyncDataset(capi.Handle(d)) })
}

//export drxgo_dataset_close
func drxgo_dataset_close(d C.drx_dataset) C.int {
	return call(func() error { return capi.CloseDataset(capi.Handle(d)) })
}

//export drxgo_dataset_discard
func drxgo_dataset_discard(d C.drx_dataset) C.int {
	return call(func() error { return capi.DiscardDataset(capi.Handle(d)) })
}

//export drxgo_dataset_refresh
func drxgo_dataset_refresh(d C.drx_dataset) C.int {
	return call(func() error { return capi.RefreshDataset(capi.Handle(d)) })
}

//export drxgo_dataset_prepare
func drxgo_dataset_prepare(d C.drx_dataset) C.int {
	return call(func() error { return capi.PrepareDataset(capi.Handle(d)) })
}

//export drxgo_dataset_release
func drxgo_dataset_release(d C.drx_dataset) C.int {
	return call(func() error { return capi.ReleaseDataset(capi.Handle(d)) })
}

//export drxgo_dataset_info
func drxgo_dataset_info(d C.drx_dataset, json **C.char) C.int {
	return call(func() error {
		i, err := capi.DatasetInfo(capi.Handle(d))
		return setText(json, i, err)
	})
}

//export drxgo_dataset_variable
func drxgo_dataset_variable(d C.drx_dataset, name *C.drxc_text, a *C.drx_array) C.int {
	return newHandle(unsafe.Pointer(a), "name", name, func(n string) (capi.Handle, error) {
		return capi.Variable(capi.Handle(d), n)
	})
}

//export drxgo_dataset_create_variable
func drxgo_dataset_create_variable(d C.drx_dataset, name *C.drxc_text, dtype, rank C.int, shape *C.drxc_numbers, options *C.drxc_text, a *C.drx_array) C.int {
	var unwanted C.drx_array
	if a == nil {
		a = &unwanted
	}
	return newHandle(unsafe.Pointer(a), "name", name, func(n string) (capi.Handle, error) {
		extents, err := shapeOf(rank, shape)
		if err != nil {
			return 0, err
		}
		return capi.CreateVariable(capi.Handle(d), n, typeOf(dtype), extents, optional(options))
	})
}

//export drxgo_dataset_create_group
func drxgo_dataset_create_group(d C.drx_dataset, group *C.drxc_text) C.int {
	return withText("group", group, func(g string) error { return capi.CreateGroup(capi.Handle(d), g) })
}

// setRange stores indices of a dimension at lo and hi, unless there was an error.
func setRange(lo, hi *C.int64_t, r nd.Range, err error) error {
	if err == nil && lo != nil {
		*lo = C.int64_t(r.Lo)
	}
	if err == nil && hi != nil {
		*hi = C.int64_t(r.Hi)
	}
	return err
}

//export drxgo_dataset_extend
func drxgo_dataset_extend(d C.drx_dataset, dim *C.drxc_text, by C.int64_t, side C.int, lo, hi *C.int64_t) C.int {
	return withText("dim", dim, func(n string) error {
		count, err := capi.Int(int64(by))
		if err != nil {
			return err
		}
		r, err := capi.ExtendDataset(capi.Handle(d), n, count, int(side))
		return setRange(lo, hi, r, err)
	})
}

//export drxgo_dataset_dim
func drxgo_dataset_dim(d C.drx_dataset, dim *C.drxc_text, lo, hi *C.int64_t) C.int {
	return withText("dim", dim, func(n string) error {
		r, err := capi.DatasetDim(capi.Handle(d), n)
		return setRange(lo, hi, r, err)
	})
}

//export drxgo_dataset_rename
func drxgo_dataset_rename(d C.drx_dataset, name, newName *C.drxc_text) C.int {
	return twoNames(name, newName, func(from, to string) error { return capi.RenameInDataset(capi.Handle(d), from, to) })
}

// indices returns the arguments of the functions on coordinates.
func indices(dim *C.drxc_text, lo, hi C.int64_t) (name string, from, to int, err error) {
	if name, err = text("dim", dim); err != nil {
		return "", 0, 0, err
	}
	if from, err = capi.Int(int64(lo)); err == nil {
		to, err = capi.Int(int64(hi))
	}
	return name, from, to, err
}

//export drxgo_dataset_coordinate
func drxgo_dataset_coordinate(d C.drx_dataset, dim *C.drxc_text, lo, hi C.int64_t, values *C.double) C.int {
	return call(func() error {
		name, from, to, err := indices(dim, lo, hi)
		if err != nil {
			return err
		}
		if values == nil && from < to {
			return errkind.Errorf(capi.ErrInvalid, "the place for the values is NULL")
		}
		return capi.Coordinate(capi.Handle(d), name, from, to, func(n int) []float64 {
			return unsafe.Slice((*float64)(values), n)
		})
	})
}

//export drxgo_dataset_coordinate_text
func drxgo_dataset_coordinate_text(d C.drx_dataset, dim *C.drxc_text, lo, hi C.int64_t, json **C.char) C.int {
	return call(func() error {
		name, from, to, err := indices(dim, lo, hi)
		if err != nil {
			return setText(json, "", err)
		}
		list, err := capi.CoordinateText(capi.Handle(d), name, from, to)
		return setText(json, list, err)
	})
}

//export drxgo_dataset_attrs
func drxgo_dataset_attrs(d C.drx_dataset, group *C.drxc_text, json **C.char) C.int {
	return call(func() error {
		attrs, err := capi.DatasetAttrs(capi.Handle(d), optional(group))
		return setText(json, attrs, err)
	})
}

//export drxgo_dataset_set_attr
func drxgo_dataset_set_attr(d C.drx_dataset, group, name, json *C.drxc_text) C.int {
	return withText("name", name, func(n string) error {
		v, err := text("json", json)
		if err != nil {
			return err
		}
		return capi.SetDatasetAttr(capi.Handle(d), optional(group), n, v)
	})
}

//export drxgo_dataset_delete_attr
func drxgo_dataset_delete_attr(d C.drx_dataset, group, name *C.drxc_text) C.int {
	return withText("name", name, func(n string) error {
		return capi.DeleteDatasetAttr(capi.Handle(d), optional(group), n)
	})
}
