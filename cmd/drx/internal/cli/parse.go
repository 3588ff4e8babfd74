package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cmd/internal/usage"
	"drx/dtype"
)

// ParseInts reads a comma-separated list of integers; flag names it in errors.
func ParseInts(flag, text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var ints []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if errors.Is(err, strconv.ErrRange) {
			return nil, Usagef("%s %q: %s is too large for a 64-bit integer", flag, text, field)
		}
		if err != nil {
			return nil, Usagef("%s %q: %q is not a 64-bit integer; write integers with commas, as in 3,4", flag, text, field)
		}
		ints = append(ints, n)
	}
	return ints, nil
}

// typeAliases are names of types in C, NetCDF, NumPy and GDAL that have a single meaning; float is
// the type of that name in C and NetCDF.
var typeAliases = map[string]string{
	"float": "float32", "double": "float64", "single": "float32", "half": "float16", "short": "int16", "ushort": "uint16",
	"ubyte": "uint8", "boolean": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16",
	"u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
	"b1": "bool", "?": "bool", "cfloat32": "complex64", "cfloat64": "complex128",
}

// otherTypeNames are names whose meaning depends on the program or the machine, with their possible
// meanings.
var otherTypeNames = map[string]string{
	"int": "int32 or int64", "uint": "uint32 or uint64", "long": "int32 or int64", "ulong": "uint32 or uint64", "byte": "uint8 or int8", "char": "int8",
	"complex": "complex64 or complex128",
}

// TypeName returns DRX's name of a type, given its name in C, NetCDF, NumPy or GDAL, such as f4,
// double or <u2. It returns unknown names unchanged; among them are names of big-endian types,
// because elements in files are little-endian.
func TypeName(name string) string {
	bare := strings.ToLower(strings.TrimLeft(name, "<=|"))
	if known := typeAliases[bare]; known != "" {
		return known
	}
	if slices.Contains(DtypeNames(), bare) {
		return bare
	}
	return name
}

// typeFlag is a flag whose value is the name of a type, also as other programs call it.
type typeFlag struct{ name *string }

func (f typeFlag) String() string {
	if f.name == nil {
		return ""
	}
	return *f.name
}

func (f typeFlag) Set(text string) error {
	*f.name = TypeName(text)
	return nil
}

func (typeFlag) Type() string { return "string" }

// ParseType parses the name of an element type, the value of --dtype.
func ParseType(name string) (dtype.DType, error) {
	t, err := dtype.Parse(TypeName(name))
	if err != nil {
		hint := usage.DidYouMean(name, DtypeNames())
		if known := otherTypeNames[strings.ToLower(name)]; known != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", known)
		}
		if little := TypeName(strings.TrimPrefix(name, ">")); strings.HasPrefix(name, ">") {
			hint = fmt.Sprintf(" (elements are stored little-endian; did you mean %s?)", little)
		}
		return t, Usagef("--dtype %q: no such type%s: known are %s", name, hint, strings.Join(DtypeNames(), ", "))
	}
	return t, nil
}

// ParseBytes parses a number of bytes: 4096, 64KiB, 1MiB. Empty text is 0.
func ParseBytes(flag, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	number, shift := text, 0
	for i, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			number, shift = rest, 10*i
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32+1)
	if err != nil || n < 1 || n > math.MaxInt>>shift {
		return 0, Usagef("%s %q is not a positive number of bytes, KiB, MiB or GiB", flag, text)
	}
	return int(n) << shift, nil
}

// ElementOrders are the possible orders of the elements inside a chunk.
var ElementOrders = []string{string(drx.RowOrder), string(drx.ColOrder), string(drx.MortonOrder), string(drx.HilbertOrder)}

// CheckElementOrder checks the value of --order.
func CheckElementOrder(order string) error {
	if !slices.Contains(ElementOrders, order) {
		return Usagef("--order %q: want %s", order, OrList(ElementOrders))
	}
	return nil
}

// ParseCodec reads the value of --codec, see drx.ParseCodec. An empty one stays empty.
func ParseCodec(text string) (codec string, err error) {
	if text == "" {
		return "", nil
	}
	if codec, err = drx.ParseCodec(text); err != nil {
		return "", Usagef("--codec: %w", err)
	}
	return codec, nil
}

// ParseCodecOrAuto is ParseCodec for verbs that have elements to choose a codec by: it leaves
// drx.AutoCodec as it is.
func ParseCodecOrAuto(text string) (codec string, err error) {
	if text == drx.AutoCodec {
		return text, nil
	}
	return ParseCodec(text)
}

// DtypeNames returns the names of all element types.
func DtypeNames() []string {
	var names []string
	for _, t := range dtype.All() {
		names = append(names, t.String())
	}
	return names
}
