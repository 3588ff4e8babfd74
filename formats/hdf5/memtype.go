//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"unsafe"

	"drx/dtype"
	"drx/formats/cformat"
)

// standard returns the library's type for elements in buffers, which are little-endian on every
// machine. A bool is one byte. The caller closes the handle.
func standard(t dtype.DType) handle {
	switch t {
	case dtype.Bool, dtype.Int8:
		return handle(C.H5Tcopy(C.H5T_STD_I8LE))
	case dtype.Int16:
		return handle(C.H5Tcopy(C.H5T_STD_I16LE))
	case dtype.Int32:
		return handle(C.H5Tcopy(C.H5T_STD_I32LE))
	case dtype.Int64:
		return handle(C.H5Tcopy(C.H5T_STD_I64LE))
	case dtype.Uint8:
		return handle(C.H5Tcopy(C.H5T_STD_U8LE))
	case dtype.Uint16:
		return handle(C.H5Tcopy(C.H5T_STD_U16LE))
	case dtype.Uint32:
		return handle(C.H5Tcopy(C.H5T_STD_U32LE))
	case dtype.Uint64:
		return handle(C.H5Tcopy(C.H5T_STD_U64LE))
	case dtype.Float16:
		return half(10, 5, 15)
	case dtype.BFloat16:
		return half(7, 8, 127)
	case dtype.Float32:
		return handle(C.H5Tcopy(C.H5T_IEEE_F32LE))
	case dtype.Float64:
		return handle(C.H5Tcopy(C.H5T_IEEE_F64LE))
	case dtype.Complex64:
		return pair("r", "i", dtype.Float32)
	case dtype.Complex128:
		return pair("r", "i", dtype.Float64)
	}
	return -1
}

// half returns a floating-point type of 16 bits. H5Tset_fields requires that the mantissa fits
// before the size is reduced.
func half(mantissa, exponent, bias int) handle {
	t := C.H5Tcopy(C.H5T_IEEE_F32LE)
	if C.H5Tset_fields(t, 15, C.size_t(mantissa), C.size_t(exponent), 0, C.size_t(mantissa)) < 0 ||
		C.H5Tset_size(t, 2) < 0 || C.H5Tset_ebias(t, C.size_t(bias)) < 0 {
		C.H5Tclose(t)
		return -1
	}
	return handle(t)
}

// pair returns a compound of two members of the same type.
func pair(re, im string, of dtype.DType) handle {
	part := standard(of)
	defer part.close()
	t := handle(C.H5Tcreate(C.H5T_COMPOUND, C.size_t(2*of.Size())))
	for i, name := range []string{re, im} {
		cname, free := cstring(name)
		C.H5Tinsert(t.id(), cname, C.size_t(i*of.Size()), part.id())
		free()
	}
	return t
}

// inMemory returns the type as which a member of a file's type is read: elements as DRX has them,
// dense. It is not ok if the library refuses. The caller closes it.
func inMemory(file handle, m *member) handle {
	if len(m.path) == 0 {
		return m.elem.inMemory(file)
	}
	for i := range int(C.H5Tget_nmembers(file.id())) {
		if memberName(file, i) == m.path[0] {
			return insideCompound(file, i, m)
		}
	}
	return -1
}

// insideCompound returns a compound that contains only member number i of a file's compound.
func insideCompound(file handle, i int, m *member) handle {
	part := handle(C.H5Tget_member_type(file.id(), C.uint(i)))
	defer part.close()
	inner := inMemory(part, &member{path: m.path[1:], elem: m.elem})
	if !inner.ok() {
		return inner
	}
	defer inner.close()
	name := C.H5Tget_member_name(file.id(), C.uint(i))
	defer C.H5free_memory(unsafe.Pointer(name))
	t := handle(C.H5Tcreate(C.H5T_COMPOUND, C.H5Tget_size(inner.id())))
	C.H5Tinsert(t.id(), name, 0, inner.id())
	return t
}

func (e *element) inMemory(file handle) handle {
	switch class := C.H5Tget_class(file.id()); {
	case class == C.H5T_ARRAY:
		base := handle(C.H5Tget_super(file.id()))
		defer base.close()
		n := int(C.H5Tget_array_ndims(file.id()))
		of := (&element{dtype: e.dtype, inner: e.inner[n:]}).inMemory(base)
		defer of.close()
		return handle(C.H5Tarray_create2(of.id(), C.uint(n), cformat.First(cformat.Sizes[C.hsize_t](e.inner[:n]))))
	case e.text:
		return handle(C.H5Tcopy(file.id()))
	case class == C.H5T_BITFIELD:
		return bits(e.dtype)
	case e.dtype.IsComplex():
		part := dtype.Float32
		if e.dtype == dtype.Complex128 {
			part = dtype.Float64
		}
		return complexLike(file, part)
	}
	return standard(e.dtype)
}

// complexLike returns a complex type whose parts have the names of those in file.
func complexLike(file handle, part dtype.DType) handle {
	return pair(memberName(file, 0), memberName(file, 1), part)
}

func bits(t dtype.DType) handle {
	switch t {
	case dtype.Uint8:
		return handle(C.H5Tcopy(C.H5T_STD_B8LE))
	case dtype.Uint16:
		return handle(C.H5Tcopy(C.H5T_STD_B16LE))
	case dtype.Uint32:
		return handle(C.H5Tcopy(C.H5T_STD_B32LE))
	}
	return handle(C.H5Tcopy(C.H5T_STD_B64LE))
}

// textType returns the type of UTF-8 strings of size bytes. The caller closes it.
func textType(size C.size_t) handle {
	t := handle(C.H5Tcopy(C.H5T_C_S1))
	C.H5Tset_size(t.id(), size)
	C.H5Tset_cset(t.id(), C.H5T_CSET_UTF8)
	if size != C.H5T_VARIABLE {
		C.H5Tset_strpad(t.id(), C.H5T_STR_NULLPAD)
	}
	return t
}

// enumType returns the type of an enumeration whose elements are of type t. The caller closes it.
func enumType(t dtype.DType, e *cformat.Enum) handle {
	base := standard(t)
	defer base.close()
	of := handle(C.H5Tenum_create(base.id()))
	for i, name := range e.Meanings {
		cname, free := cstring(name)
		status := C.H5Tenum_insert(of.id(), cname, unsafe.Pointer(cformat.First(e.Element(i))))
		free()
		if status < 0 {
			of.close()
			return -1
		}
	}
	return of
}

// boolType returns the enumeration that h5py writes for bools. The caller closes it.
func boolType() handle {
	t := handle(C.H5Tenum_create(C.H5T_STD_I8LE))
	for i, name := range []string{"FALSE", "TRUE"} {
		value := C.int8_t(i)
		cname, free := cstring(name)
		C.H5Tenum_insert(t.id(), cname, unsafe.Pointer(&value))
		free()
	}
	return t
}
