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

// otherTypeNames are names of types in C and NumPy.
var otherTypeNames = map[string]string{
	"float": "float32 or float64", "double": "float64", "single": "float32", "half": "float16", "int": "int32 or int64",
	"uint": "uint32 or uint64", "long": "int64", "short": "int16", "byte": "uint8", "char": "int8", "boolean": "bool",
	"complex": "complex64 or complex128", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16",
	"u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}

// ParseType parses the name of an element type, the value of --dtype.
func ParseType(name string) (dtype.DType, error) {
	t, err := dtype.Parse(name)
	if err != nil {
		hint := usage.DidYouMean(name, DtypeNames())
		if known := otherTypeNames[strings.ToLower(name)]; known != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", known)
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
