package par

import (
	"fmt"

	"drx/dtype"
	"drx/internal/errkind"
)

// An Op combines two elements into one. The zero value is no operation.
type Op uint8

// The operations.
const (
	Sum  Op = iota + 1 // of all numbers; integers wrap around
	Prod               // of all numbers
	Min                // of real numbers; unspecified if one is no number (NaN)
	Max                // likewise
	And                // of bools, of the bits of integers
	Or                 // likewise
)

var opNames = [...]string{"no operation", "sum", "prod", "min", "max", "and", "or"}

// String returns the name in lower case.
func (o Op) String() string {
	if int(o) >= len(opNames) {
		return fmt.Sprintf("op(%d)", uint8(o))
	}
	return opNames[o]
}

// Check returns an error that wraps dtype.ErrDType if there is no such operation, or none on
// elements of type t. The 16-bit floats have none, because MPI does not know them.
func (o Op) Check(t dtype.DType) error {
	ok := false
	switch {
	case o < Sum || o > Or || !t.Valid() || t == dtype.Float16 || t == dtype.BFloat16:
	case t == dtype.Bool:
		ok = o >= And
	case t.IsComplex():
		ok = o <= Prod
	case t.IsFloat():
		ok = o <= Max
	default:
		ok = true
	}
	if !ok {
		return errkind.Errorf(dtype.ErrDType, "there is no %v of %v", o, t)
	}
	return nil
}

// CheckReduce checks an operation on a buffer of elements of type t. The error is that of Check, or
// wraps ErrSize if the buffer does not hold a whole number of elements. It is for implementations
// of Comm.
func (o Op) CheckReduce(t dtype.DType, buf []byte) error {
	if err := o.Check(t); err != nil {
		return err
	}
	if len(buf)%t.Size() != 0 {
		return errkind.Errorf(ErrSize, "%d bytes: not in elements of %v", len(buf), t)
	}
	return nil
}

// Number is the set of Go types that can be reduced and accumulated. Op.Check restricts the
// operations on each type.
type Number interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// AllReduce replaces the elements of v, which has the same length on all procs, by their sum, or
// another Op, over all procs: see Comm.AllReduce.
func AllReduce[T Number](c Comm, v []T, op Op) error {
	return c.AllReduce(dtype.Bytes(v), dtype.Of[T](), op)
}

// Accumulate combines the elements of a layout in the memory of a proc with the elements of v, in
// the same order: see Window.Accumulate.
func Accumulate[T Number](w Window, proc int, to Layout, v []T, op Op) error {
	b := dtype.Bytes(v)
	return w.Accumulate(proc, to, b, Contiguous(0, len(b)), dtype.Of[T](), op)
}
