package cli

import (
	"errors"
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

// typeFlag is a flag whose value is a type, with names of other programs.
type typeFlag struct{ name *string }

func (f typeFlag) String() string {
	if f.name == nil {
		return ""
	}
	return *f.name
}

func (f typeFlag) Set(text string) error {
	*f.name = usage.TypeName(text)
	return nil
}

func (typeFlag) Type() string { return "string" }

// ParseType parses the name of an element type, the value of --dtype.
func ParseType(name string) (dtype.DType, error) {
	t, err := dtype.Parse(usage.TypeName(name))
	if err != nil {
		return t, Usagef("--dtype %q: no such type%s: known are %s", name, usage.TypeHint(name), strings.Join(DtypeNames(), ", "))
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
func DtypeNames() []string { return usage.TypeNames() }
