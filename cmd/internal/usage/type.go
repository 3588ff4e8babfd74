package usage

import (
	"fmt"
	"slices"
	"strings"

	"drx/dtype"
)

// typeAliases are names of types in C, NetCDF, NumPy and GDAL that mean one type; float is that of
// C and NetCDF.
var typeAliases = map[string]string{
	"float": "float32", "double": "float64", "single": "float32", "half": "float16", "short": "int16", "ushort": "uint16",
	"ubyte": "uint8", "boolean": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16",
	"u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
	"b1": "bool", "?": "bool", "cfloat32": "complex64", "cfloat64": "complex128",
	"long long": "int64", "longlong": "int64", "unsigned long long": "uint64", "ulonglong": "uint64",
	"signed char": "int8", "schar": "int8", "unsigned char": "uint8", "uchar": "uint8", "unsigned short": "uint16",
}

// otherTypeNames are names that mean different types in these, or types that DRX does not have,
// with those that hold their values.
var otherTypeNames = map[string]string{
	"int": "int32 or int64", "uint": "uint32 or uint64", "long": "int32 or int64", "ulong": "uint32 or uint64", "byte": "uint8 or int8", "char": "int8",
	"complex": "complex64 or complex128", "cint16": "complex64", "cint32": "complex128",
	"unsigned int": "uint32 or uint64", "unsigned long": "uint32 or uint64", "unsigned": "uint32 or uint64",
	"long double": "float64", "longdouble": "float64", "float128": "float64", "quad": "float64",
	"complex float": "complex64", "float complex": "complex64", "complex double": "complex128", "double complex": "complex128",
}

// TypeName returns the name that DRX has for a type, for a name of C, NetCDF, NumPy or GDAL such as
// f4, double or <u2; other names as they are. Elements in files are little-endian, so that names of
// big-endian types are no others.
func TypeName(name string) string {
	bare := strings.ToLower(strings.Join(strings.Fields(strings.TrimLeft(name, "<=|")), " "))
	if known := typeAliases[bare]; known != "" {
		return known
	}
	if slices.Contains(TypeNames(), bare) {
		return bare
	}
	return name
}

// TypeHint returns a question for the type that the name of none may mean, to be added to an error.
// It is empty if there is none.
func TypeHint(name string) string {
	if little, big := strings.CutPrefix(name, ">"); big {
		return fmt.Sprintf(" (elements are stored little-endian; did you mean %s?)", TypeName(little))
	}
	if known := otherTypeNames[strings.ToLower(strings.Join(strings.Fields(name), " "))]; known != "" {
		return fmt.Sprintf(" (did you mean %s?)", known)
	}
	return DidYouMean(name, TypeNames())
}

// TypeNames returns the names of the element types.
func TypeNames() (names []string) {
	for _, t := range dtype.All() {
		names = append(names, t.String())
	}
	return names
}
