package main

// #include "internal.h"
import "C"

import (
	"fmt"
	"unsafe"

	"drx/cmd/internal/capi"
	"drx/internal/errkind"
)

//export drxgo_import
func drxgo_import(dst *C.drxc_text, n C.int, files **C.drxc_text, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	return call(func() error {
		to, err := text("dst", dst)
		if err != nil {
			return setText(json, "", err)
		}
		if n < 1 || files == nil {
			return setText(json, "", errkind.Errorf(capi.ErrInvalid, "n is %d and files %v: want at least one file", n, files))
		}
		var names []string
		for i, file := range unsafe.Slice(files, n) {
			name, err := text(fmt.Sprintf("files[%d]", i), file)
			if err != nil {
				return setText(json, "", err)
			}
			names = append(names, name)
		}
		made, err := capi.Import(to, names, optional(options), progressOf(progress, user))
		return setText(json, made, err)
	})
}

//export drxgo_export
func drxgo_export(src, dst, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	_ = setText(json, "", capi.ErrInvalid)
	return call(func() error {
		from, err := text("src", src)
		if err != nil {
			return err
		}
		to, err := text("dst", dst)
		if err != nil {
			return err
		}
		done, err := capi.Export(from, to, optional(options), progressOf(progress, user))
		return setText(json, done, err)
	})
}

//export drxgo_map
func drxgo_map(format, file, variable, name *C.drxc_text, a *C.drx_array) C.int {
	return newHandle(unsafe.Pointer(a), "name", name, func(n string) (capi.Handle, error) {
		f, err := text("file", file)
		if err != nil {
			return 0, err
		}
		v, err := text("variable", variable)
		if err != nil {
			return 0, err
		}
		return capi.Map(C.GoString(format), f, v, n)
	})
}

//export drxgo_write_mapped
func drxgo_write_mapped(a C.drx_array, format, file, variable *C.drxc_text) C.int {
	return call(func() error {
		f, err := text("file", file)
		if err != nil {
			return err
		}
		v, err := text("variable", variable)
		if err != nil {
			return err
		}
		return capi.WriteMapped(capi.Handle(a), C.GoString(format), f, v)
	})
}
