//go:build matio && cgo

package mat

// #include "bridge.h"
import "C"

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/nd"
)

// A variable is an array of a file, or a field of a struct.
type variable struct {
	info   formats.Info
	handle *C.matvar_t
	part   dtype.DType // of the real and the imaginary part; the type of the elements if they are real
	dims   []int       // as MATLAB counts; those of characters too
	top    int         // index in the file of the enclosing top-level variable
	err    error       // why it cannot be read
}

// Describe implements cformat.Variable.
func (v *variable) Describe() (*formats.Info, error) { return &v.info, v.err }

// classes maps the classes of arrays to element types.
var classes = map[C.enum_matio_classes]dtype.DType{
	C.MAT_C_DOUBLE: dtype.Float64, C.MAT_C_SINGLE: dtype.Float32, C.MAT_C_INT8: dtype.Int8, C.MAT_C_UINT8: dtype.Uint8,
	C.MAT_C_INT16: dtype.Int16, C.MAT_C_UINT16: dtype.Uint16, C.MAT_C_INT32: dtype.Int32, C.MAT_C_UINT32: dtype.Uint32,
	C.MAT_C_INT64: dtype.Int64, C.MAT_C_UINT64: dtype.Uint64,
}

// others are the classes that DRX cannot read, with advice on each.
var others = map[C.enum_matio_classes]string{
	C.MAT_C_CELL:     "a cell array: save the cells as variables of their own, or cell2mat of it",
	C.MAT_C_OBJECT:   "an object: save its properties as variables, or struct(x)",
	C.MAT_C_OPAQUE:   "an object: save its properties as variables; of a table or a string, table2array or char of it",
	C.MAT_C_FUNCTION: "a function handle: save the values that it returns",
	C.MAT_C_SPARSE:   "a sparse matrix: save full(x), or the three columns of find(x)",
	C.MAT_C_EMPTY:    "of no class that libmatio finds: leave it out if it is empty, read a file of MATLAB 7.3 in format hdf5",
}

// maxElements is the largest number of elements that the library can count, with an int.
const maxElements = math.MaxInt32

// maxDepth is the largest depth of nested structs.
const maxDepth = 32

// addVariable adds a variable, or the fields of a struct.
func (f *file) addVariable(h *C.matvar_t, name string) {
	v := &variable{info: formats.Info{Name: f.unique(name)}, handle: h, top: len(f.handles) - 1}
	if h == nil {
		v.err = cformat.Refuse(formats.ErrType, "an empty field: leave it out")
	} else if v.err = v.setDims(); v.err == nil {
		if h.class_type == C.MAT_C_STRUCT {
			if v.err = f.addFields(h, name, v.dims); v.err == nil {
				return
			}
		} else if v.err = v.describe(); h.compression != C.MAT_COMPRESSION_NONE {
			v.info.Codec.Name = "gzip"
		}
	}
	if v.err == nil && v.top < len(f.top) {
		v.err = f.top[v.top].err
	}
	f.Add(v)
	f.names[v.info.Name] = true
}

// unique returns a name that no other variable has, in the same folder.
func (f *file) unique(name string) string {
	name = strings.ReplaceAll(name, "/", "_")
	if strings.Trim(name, ".") == "" {
		name = "unnamed"
	}
	unique := name
	for n := 2; f.names[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	return unique
}

// addFields adds the fields of a struct.
func (f *file) addFields(h *C.matvar_t, name string, dims []int) error {
	fields := int(C.Mat_VarGetNumberOfFields(h))
	switch n, err := nd.Product(dims...); {
	case err != nil || n != 1:
		return cformat.Refuse(formats.ErrType, fmt.Sprintf("a struct array of %v elements: save the fields of each as variables, for example [x.field]", dims))
	case strings.Count(name, ".") >= maxDepth:
		return cformat.Refuse(formats.ErrType, fmt.Sprintf("a struct in %d others: save its fields as variables", maxDepth))
	case fields == 0:
		return cformat.Refuse(formats.ErrType, "a struct without fields: leave it out")
	}
	for i := range fields {
		if field := C.drxmat_field_name(h, C.size_t(i)); field != nil {
			f.addVariable(C.drxmat_field(h, C.size_t(i)), name+"."+formats.Text(C.GoString(field)))
		}
	}
	return nil
}

// setDims sets the extents.
func (v *variable) setDims() error {
	if v.handle.rank < 0 || v.handle.rank > 0 && v.handle.dims == nil {
		return cformat.Refuse(formats.ErrType, "has no dimensions: the file is damaged")
	}
	for _, n := range unsafe.Slice(v.handle.dims, v.handle.rank) {
		if n > math.MaxInt {
			return cformat.Refuse(formats.ErrType, fmt.Sprintf("an extent of %d: the file is damaged", uint64(n)))
		}
		v.dims = append(v.dims, int(n))
	}
	return nil
}

// describe fills in the description of an array. The error is the reason why it cannot be read.
func (v *variable) describe() error {
	h := v.handle
	if n, err := nd.Product(v.dims...); err != nil || n > maxElements {
		return cformat.Refuse(formats.ErrType, fmt.Sprintf("shape %v: libmatio counts at most %d elements: save it in parts", v.dims, maxElements))
	}
	v.info.Shape = v.dims
	typ, known := classes[h.class_type]
	switch {
	case h.class_type == C.MAT_C_CHAR:
		return v.describeText()
	case !known:
		reason, ok := others[h.class_type]
		if !ok {
			reason = fmt.Sprintf("of class %d, which is unknown here", h.class_type)
		}
		return cformat.Refuse(formats.ErrType, reason)
	case h.isComplex != 0 && (typ == dtype.Int64 || typ == dtype.Uint64):
		return cformat.Refuse(formats.ErrType, "complex integers of 64 bits, which complex128 cannot hold: save real(x) and imag(x)")
	}
	v.part, v.info.DType = typ, typ
	switch {
	case h.isComplex != 0 && typ == dtype.Float32:
		v.info.DType = dtype.Complex64
	case h.isComplex != 0:
		v.info.DType = dtype.Complex128
	case h.isLogical != 0 && typ == dtype.Uint8:
		v.info.DType = dtype.Bool
	}
	v.info.Order = nd.ColMajor(len(v.dims))
	if _, err := v.info.Bytes(); err != nil {
		return cformat.Refuse(formats.ErrType, err.Error())
	}
	return nil
}

// describeText sets what is known of characters: the second dimension is the length of the strings.
func (v *variable) describeText() error {
	if len(v.dims) < 2 {
		return cformat.Refuse(formats.ErrType, "characters of less than two dimensions: the file is damaged")
	}
	v.info.Shape = append([]int{v.dims[0]}, v.dims[2:]...)
	v.info.DType, v.info.Labels = dtype.Uint32, []string{}
	v.info.Order = nd.ColMajor(len(v.info.Shape))
	return nil
}
