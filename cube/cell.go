package cube

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"drx/dtype"
	"drx/internal/errkind"
)

// A number is a Go type that holds the elements of several types exactly.
type number interface{ int64 | uint64 | float64 }

// signed returns a function that decodes an int8 to int64.
func signed(t dtype.DType) func(cell []byte) int64 {
	shift := 64 - 8*t.Size()
	raw := unsigned(t)
	return func(cell []byte) int64 { return int64(raw(cell)<<shift) >> shift }
}

// unsigned returns a function that decodes the bits of an element of at most eight bytes.
func unsigned(t dtype.DType) func(cell []byte) uint64 {
	switch t.Size() {
	case 1:
		return func(cell []byte) uint64 { return uint64(cell[0]) }
	case 2:
		return func(cell []byte) uint64 { return uint64(binary.LittleEndian.Uint16(cell)) }
	case 4:
		return func(cell []byte) uint64 { return uint64(binary.LittleEndian.Uint32(cell)) }
	}
	return binary.LittleEndian.Uint64
}

// float returns a function that decodes a float16 to float64.
func float(t dtype.DType) func(cell []byte) float64 {
	raw := unsigned(t)
	switch t {
	case dtype.Float16:
		return func(cell []byte) float64 { return dtype.F16(raw(cell)).Float64() }
	case dtype.BFloat16:
		return func(cell []byte) float64 { return dtype.BF16(raw(cell)).Float64() }
	case dtype.Float32:
		return func(cell []byte) float64 { return float64(math.Float32frombits(uint32(raw(cell)))) }
	}
	return func(cell []byte) float64 { return math.Float64frombits(raw(cell)) }
}

// sumType returns the type of sums of elements of type t. The error wraps dtype.ErrDType for
// complex types, which have no order.
func sumType(t dtype.DType) (dtype.DType, error) {
	switch t {
	case dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64:
		return dtype.Int64, nil
	case dtype.Bool, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64:
		return dtype.Uint64, nil
	case dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64:
		return dtype.Float64, nil
	}
	return 0, errkind.Errorf(dtype.ErrDType, "sums of %v: want real numbers", t)
}

// sum adds two numbers and reports whether the sum fits the type.
func sum[A number](a, b A) (A, bool) {
	s := a + b
	return s, (b < 0) == (s < a) || hasFractions[A]()
}

func hasFractions[A number]() bool { return A(1)/2 != 0 }

// EmptyCell returns a function that reports whether a cell is empty in an array of the given type
// and fill value. It returns nil if the fill value is zero, so that no cell counts as empty.
func EmptyCell(t dtype.DType, fill []byte) func(cell []byte) bool {
	switch {
	case len(bytes.Trim(fill, "\x00")) == 0:
		return nil
	case t.IsFloat() && math.IsNaN(float(t)(fill)):
		value := float(t)
		return func(cell []byte) bool { return math.IsNaN(value(cell)) }
	}
	return func(cell []byte) bool { return bytes.Equal(cell, fill) }
}

// adder returns a function that adds an element to a cell. If the sum does not fit the type, that
// function leaves the cell unchanged and its error wraps dtype.ErrDType.
func adder(t dtype.DType) (func(cell, by []byte) error, error) {
	k, err := sumType(t)
	if err != nil {
		return nil, err
	}
	switch {
	case t == dtype.Bool:
		return nil, errkind.Errorf(dtype.ErrDType, "sums of %v do not fit cells of that type", t)
	case k == dtype.Int64:
		return addFunc(t, signed(t)), nil
	case k == dtype.Uint64:
		return addFunc(t, unsigned(t)), nil
	}
	return addFunc(t, float(t)), nil
}

func addFunc[A number](t dtype.DType, value func(cell []byte) A) func(cell, by []byte) error {
	return func(cell, by []byte) error {
		a, b := value(cell), value(by)
		s, ok := sum(a, b)
		if !ok {
			return errkind.Errorf(dtype.ErrDType, "%v + %v: the sum does not fit %v", a, b, t)
		}
		encoded, err := t.EncodeValue(s)
		if err != nil {
			return fmt.Errorf("%v + %v: %w", a, b, err)
		}
		copy(cell, encoded)
		return nil
	}
}
