//go:build matio && cgo

package mat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
	"drx/nd"
)

// A varDef defines a variable to be created.
type varDef struct {
	info  formats.Info
	name  string // in info.Name if MATLAB has such names
	dims  []int  // as MATLAB counts
	part  dtype.DType
	text  [][]uint16 // of labels: their characters
	width int        // of the longest label
	head  []byte     // everything from the variable's tag to its first element
	real  int64      // bytes from the beginning of the variable to its (real) elements
	imag  int64      // where the imaginary parts begin
	size  int64      // of the variable with its tag
}

// kinds maps types to the class of an array and the type of its elements in a file.
var kinds = map[dtype.DType]struct{ class, element uint32 }{
	dtype.Float64: {6, miDOUBLE}, dtype.Float32: {7, miSINGLE}, dtype.Int8: {8, miINT8}, dtype.Uint8: {9, miUINT8}, dtype.Int16: {10, miINT16},
	dtype.Uint16: {11, miUINT16}, dtype.Int32: {12, miINT32}, dtype.Uint32: {13, miUINT32}, dtype.Int64: {14, miINT64}, dtype.Uint64: {15, miUINT64},
}

const (
	charClass   = 4
	logicalFlag = 0x200
	complexFlag = 0x800
	maxName     = 63        // characters
	maxVariable = 1<<31 - 1 // bytes: MATLAB reads no larger ones
)

// define checks the content of a file and lays out its variables.
func define(c formats.Content) ([]varDef, error) {
	if err := cformat.CheckDeflate(&c); err != nil {
		return nil, err
	}
	if len(c.Vars) == 0 {
		return nil, errors.New("no variable")
	}
	var vars []varDef
	names, given := map[string]bool{}, map[string]bool{}
	for _, info := range c.Vars {
		if given[info.Name] {
			return nil, fmt.Errorf("%s: two variables have this name", info.Name)
		}
		given[info.Name] = true
		v := varDef{info: info, name: matlabName(info.Name, names)}
		names[v.name] = true
		if err := v.layOut(); err != nil {
			return nil, fmt.Errorf("%s: %w", info.Name, err)
		}
		vars = append(vars, v)
	}
	return vars, nil
}

// matlabName returns a name that is not taken and that MATLAB allows: letters, digits and _, with a
// letter first.
func matlabName(name string, used map[string]bool) string {
	clean := strings.Map(func(c rune) rune {
		if c < 128 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return c
		}
		return '_'
	}, name)
	switch {
	case clean == "":
		clean = "data"
	case clean[0] == '_' || clean[0] >= '0' && clean[0] <= '9':
		clean = "x" + clean
	}
	clean = clean[:min(len(clean), maxName)]
	unique := clean
	for n := 2; used[unique]; n++ {
		end := fmt.Sprintf("_%d", n)
		unique = clean[:min(len(clean), maxName-len(end))] + end
	}
	return unique
}

// layOut checks that MATLAB can store a variable, and makes its head.
func (v *varDef) layOut() error {
	if _, err := v.info.Bytes(); err != nil {
		return err
	}
	if err := v.info.Order.Check(len(v.info.Shape)); err != nil {
		return err
	}
	v.dims = append(v.dims, v.info.Shape...)
	for len(v.dims) < 2 {
		v.dims = append(v.dims, 1)
	}
	var flags, element uint32
	if v.info.Labels != nil {
		if err := v.layOutText(); err != nil {
			return err
		}
		flags, element = charClass, miUTF16
	} else {
		t := v.info.DType
		v.part = t
		switch t {
		case dtype.Complex64:
			v.part, flags = dtype.Float32, complexFlag
		case dtype.Complex128:
			v.part, flags = dtype.Float64, complexFlag
		case dtype.Bool:
			v.part, flags = dtype.Uint8, logicalFlag
		}
		kind, ok := kinds[v.part]
		if !ok {
			return errkind.Errorf(formats.ErrType, "%v: MATLAB has integers, float32 and float64; copy the array to float32, or export it as float32",
				t)
		}
		flags, element = flags|kind.class, kind.element
	}
	return v.makeHead(flags, element)
}

// layOutText makes the length of the strings the second dimension.
func (v *varDef) layOutText() error {
	if v.info.DType.IsFloat() || v.info.DType.IsComplex() || v.info.DType == dtype.Bool {
		return errkind.Errorf(formats.ErrType, "labels: indices of %v are no integers", v.info.DType)
	}
	v.text = [][]uint16{}
	for _, label := range v.info.Labels {
		units := utf16.Encode([]rune(label))
		v.text = append(v.text, units)
		v.width = max(v.width, len(units))
	}
	dims := []int{1, v.width}
	if shape := v.info.Shape; len(shape) > 0 {
		dims = append([]int{shape[0], v.width}, shape[1:]...)
	}
	v.dims, v.part = dims, dtype.Uint16
	return nil
}

// makeHead makes everything before the elements, little-endian.
func (v *varDef) makeHead(flags, element uint32) error {
	n, err := nd.Product(v.dims...)
	if err != nil {
		return err
	}
	bytes := int64(0)
	if n > 0 {
		bytes = int64(v.part.Size()) * min(int64(n), maxVariable+1)
	}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, miMATRIX)
	b = le.AppendUint32(b, 0) // the size, below
	b = le.AppendUint32(b, miUINT32)
	b = le.AppendUint32(b, 8)
	b = le.AppendUint32(b, flags)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, miINT32)
	b = le.AppendUint32(b, uint32(4*len(v.dims)))
	for _, d := range v.dims {
		if d > math.MaxInt32 {
			return errkind.Errorf(formats.ErrSize, "shape %v: MATLAB's limit is %d", v.info.Shape, math.MaxInt32)
		}
		b = le.AppendUint32(b, uint32(d))
	}
	b = padded(b)
	b = le.AppendUint32(b, miINT8)
	b = le.AppendUint32(b, uint32(len(v.name)))
	b = padded(append(b, v.name...))
	b = le.AppendUint32(b, element)
	b = le.AppendUint32(b, uint32(bytes))
	v.real = int64(len(b))
	v.size = v.real + (bytes+7)/8*8
	if flags&complexFlag != 0 {
		v.imag = v.size + tagSize
		v.size = v.imag + (bytes+7)/8*8
	}
	if v.size > maxVariable || bytes > maxVariable {
		return errkind.Errorf(formats.ErrSize, "shape %v of %v: a variable of a file of MATLAB 5 has at most %d bytes; export sections of the array, or to HDF5",
			v.info.Shape, v.info.DType, maxVariable)
	}
	le.PutUint32(b[4:], uint32(v.size-tagSize))
	v.head = b
	return nil
}

// padded returns b padded with zeros to a multiple of 8 bytes.
func padded(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}
