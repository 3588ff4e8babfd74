package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
)

//export drxgo_meaning_compare
func drxgo_meaning_compare(from, to, options *C.drxc_text, json **C.char) C.int {
	_ = setText(json, "", capi.ErrInvalid)
	return twoMeanings(from, to, func(f, t string) error {
		answer, err := capi.MeaningCompare(f, t, optional(options))
		return setText(json, answer, err)
	})
}

//export drxgo_meaning_convert
func drxgo_meaning_convert(from, to, options *C.drxc_text, n C.int64_t, elements, converted unsafe.Pointer) C.int {
	return twoMeanings(from, to, func(f, t string) error {
		return capi.MeaningConvert(f, t, optional(options), int64(n), capi.Buffer{Data: elements}, capi.Buffer{Data: converted})
	})
}

// twoMeanings calls f with two descriptions.
func twoMeanings(from, to *C.drxc_text, f func(from, to string) error) C.int {
	return call(func() error {
		a, err := text("from", from)
		if err != nil {
			return err
		}
		b, err := text("to", to)
		if err != nil {
			return err
		}
		return f(a, b)
	})
}
