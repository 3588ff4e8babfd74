package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
)

//export drxgo_exists
func drxgo_exists(name *C.drxc_text, exists *C.int) C.int {
	return withText("name", name, func(n string) error {
		found, err := capi.Exists(n)
		return setBool(exists, found, err)
	})
}

//export drxgo_remove
func drxgo_remove(name *C.drxc_text) C.int {
	return withText("name", name, capi.Remove)
}

// twoNames calls f with two names.
func twoNames(oldName, newName *C.drxc_text, f func(oldName, newName string) error) C.int {
	return call(func() error {
		from, err := text("name", oldName)
		if err != nil {
			return err
		}
		to, err := text("new_name", newName)
		if err != nil {
			return err
		}
		return f(from, to)
	})
}

//export drxgo_rename
func drxgo_rename(oldName, newName *C.drxc_text) C.int {
	return twoNames(oldName, newName, capi.Rename)
}

//export drxgo_copy_files
func drxgo_copy_files(oldName, newName *C.drxc_text, progress C.drx_progress, user unsafe.Pointer) C.int {
	return twoNames(oldName, newName, func(from, to string) error {
		return capi.CopyFiles(from, to, progressOf(progress, user))
	})
}

//export drxgo_list
func drxgo_list(folder *C.drxc_text, json **C.char) C.int {
	return call(func() error {
		f, err := text("folder", folder)
		if err != nil {
			return setText(json, "", err)
		}
		list, err := capi.List(f)
		return setText(json, list, err)
	})
}

//export drxgo_recover
func drxgo_recover(name, newName *C.drxc_text, unchecked C.int, progress C.drx_progress, user unsafe.Pointer, report **C.char) C.int {
	_ = setText(report, "", capi.ErrInvalid)
	return twoNames(name, newName, func(from, to string) error {
		text, err := capi.Recover(from, to, unchecked != 0, progressOf(progress, user))
		return setText(report, text, err)
	})
}

//export drxgo_accept_loss
func drxgo_accept_loss(name *C.drxc_text) C.int {
	return withText("name", name, capi.AcceptLoss)
}

//export drxgo_set_memory
func drxgo_set_memory(bytes C.int64_t, before *C.int64_t) C.int {
	return call(func() error {
		was, err := capi.SetMemory(int64(bytes))
		if err == nil && before != nil {
			*before = C.int64_t(was)
		}
		return err
	})
}

//export drxgo_set_locks
func drxgo_set_locks(kind *C.drxc_text) C.int { return withText("kind", kind, capi.SetLocks) }

// withTwo calls f with two names, and returns the JSON of f.
func withTwo(src, dst *C.drxc_text, json **C.char, f func(src, dst string) (string, error)) C.int {
	_ = setText(json, "", capi.ErrInvalid)
	return twoNames(src, dst, func(from, to string) error {
		text, err := f(from, to)
		return setText(json, text, err)
	})
}

//export drxgo_cut
func drxgo_cut(src, dst, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	return withTwo(src, dst, json, func(from, to string) (string, error) {
		return capi.Cut(from, to, optional(options), progressOf(progress, user))
	})
}

//export drxgo_sort
func drxgo_sort(src, dst, by, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	return withTwo(src, dst, json, func(from, to string) (string, error) {
		dim, err := text("by", by)
		if err != nil {
			return "", err
		}
		return capi.Sort(from, to, dim, optional(options), progressOf(progress, user))
	})
}

//export drxgo_coarsen
func drxgo_coarsen(src, dst, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	return withTwo(src, dst, json, func(from, to string) (string, error) {
		return capi.Coarsen(from, to, optional(options), progressOf(progress, user))
	})
}

//export drxgo_regrid
func drxgo_regrid(src, dst, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	return withTwo(src, dst, json, func(from, to string) (string, error) {
		return capi.Regrid(from, to, optional(options), progressOf(progress, user))
	})
}

//export drxgo_diff
func drxgo_diff(first, second, options *C.drxc_text, progress C.drx_progress, user unsafe.Pointer, json **C.char) C.int {
	return withTwo(first, second, json, func(a, b string) (string, error) {
		return capi.Diff(a, b, optional(options), progressOf(progress, user))
	})
}
