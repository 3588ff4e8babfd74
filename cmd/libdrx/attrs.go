package main

// #include "internal.h"
import "C"

import "drx/cmd/internal/capi"

//export drxgo_attrs
func drxgo_attrs(a C.drx_array, json **C.char) C.int {
	return call(func() error {
		attrs, err := capi.Attrs(capi.Handle(a))
		return setText(json, attrs, err)
	})
}

//export drxgo_attr
func drxgo_attr(a C.drx_array, name *C.drxc_text, json **C.char) C.int {
	return call(func() error {
		n, err := text("name", name)
		if err != nil {
			return setText(json, "", err)
		}
		v, err := capi.Attr(capi.Handle(a), n)
		return setText(json, v, err)
	})
}

//export drxgo_attr_int
func drxgo_attr_int(a C.drx_array, name *C.drxc_text, value *C.int64_t) C.int {
	return withText("name", name, func(n string) error {
		v, err := capi.AttrInt(capi.Handle(a), n)
		if err == nil && value != nil {
			*value = C.int64_t(v)
		}
		return err
	})
}

//export drxgo_attr_double
func drxgo_attr_double(a C.drx_array, name *C.drxc_text, value *C.double) C.int {
	return withText("name", name, func(n string) error {
		v, err := capi.AttrDouble(capi.Handle(a), n)
		if err == nil && value != nil {
			*value = C.double(v)
		}
		return err
	})
}

//export drxgo_attr_text
func drxgo_attr_text(a C.drx_array, name *C.drxc_text, value **C.char) C.int {
	return call(func() error {
		n, err := text("name", name)
		if err != nil {
			return setText(value, "", err)
		}
		v, err := capi.AttrText(capi.Handle(a), n)
		return setText(value, v, err)
	})
}

//export drxgo_set_attr
func drxgo_set_attr(a C.drx_array, name, json *C.drxc_text) C.int {
	return withText("name", name, func(n string) error {
		v, err := text("json", json)
		if err != nil {
			return err
		}
		return capi.SetAttr(capi.Handle(a), n, v)
	})
}

//export drxgo_set_attr_int
func drxgo_set_attr_int(a C.drx_array, name *C.drxc_text, value C.int64_t) C.int {
	return withText("name", name, func(n string) error { return capi.SetAttrInt(capi.Handle(a), n, int64(value)) })
}

//export drxgo_set_attr_double
func drxgo_set_attr_double(a C.drx_array, name *C.drxc_text, value C.double) C.int {
	return withText("name", name, func(n string) error { return capi.SetAttrDouble(capi.Handle(a), n, float64(value)) })
}

//export drxgo_set_attr_text
func drxgo_set_attr_text(a C.drx_array, name, value *C.drxc_text) C.int {
	return withText("name", name, func(n string) error {
		v, err := text("value", value)
		if err != nil {
			return err
		}
		return capi.SetAttrText(capi.Handle(a), n, v)
	})
}

//export drxgo_delete_attr
func drxgo_delete_attr(a C.drx_array, name *C.drxc_text) C.int {
	return withText("name", name, func(n string) error { return capi.DeleteAttr(capi.Handle(a), n) })
}
