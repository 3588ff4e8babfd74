package partest

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"drx/dtype"
	"drx/parallel/par"
)

func bytesOf[T dtype.Element](v ...T) []byte { return slices.Clone(dtype.Bytes(v)) }

func testReduce(t *testing.T, launch Launch) {
	program(t, launch, "integers", func(c par.Comm) error {
		return errors.Join(
			reduceAll[int8](c, 8, true), reduceAll[int16](c, 16, true), reduceAll[int32](c, 32, true), reduceAll[int64](c, 64, true),
			reduceAll[uint8](c, 8, false), reduceAll[uint16](c, 16, false), reduceAll[uint32](c, 32, false), reduceAll[uint64](c, 64, false))
	})
	program(t, launch, "floats", func(c par.Comm) error {
		return errors.Join(reduceAll[float32](c, 0, true), reduceAll[float64](c, 0, true))
	})
	program(t, launch, "complex", func(c par.Comm) error {
		return errors.Join(reduceComplex[complex64](c), reduceComplex[complex128](c))
	})
	program(t, launch, "bools", reduceBools)
	program(t, launch, "sizes", reduceSizes)
	program(t, launch, "refused", reduceRefused)
}

type realNumber interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// small returns element i of a proc: one of few values, so that products of floats are exact.
func small(proc, i int) int64 { return int64((proc*5+i*3)%4 + 1) }

// reduceAll compares all operations on small numbers with those of math/big. bits is the size of
// integers, 0 for floats.
func reduceAll[T realNumber](c par.Comm, bits uint, signed bool) error {
	ops := []par.Op{par.Sum, par.Prod, par.Min, par.Max}
	if bits > 0 {
		ops = append(ops, par.And, par.Or)
	}
	for _, op := range ops {
		v := make([]T, 37)
		for i := range v {
			v[i] = T(small(c.Proc(), i))
		}
		if err := par.AllReduce(c, v, op); err != nil {
			return err
		}
		for i := range v {
			if want := T(model(c.Procs(), i, op, bits, signed)); v[i] != want {
				return fmt.Errorf("%v of %T: element %d: got %v, want %v", op, v[i], i, v[i], want)
			}
		}
	}
	return nil
}

// model computes without overflow, and wraps around then.
func model(procs, i int, op par.Op, bits uint, signed bool) int64 {
	x := big.NewInt(small(0, i))
	for p := 1; p < procs; p++ {
		y := big.NewInt(small(p, i))
		switch {
		case op == par.Sum:
			x.Add(x, y)
		case op == par.Prod:
			x.Mul(x, y)
		case op == par.And:
			x.And(x, y)
		case op == par.Or:
			x.Or(x, y)
		case (x.Cmp(y) > 0) == (op == par.Min):
			x = y
		}
	}
	if bits == 0 || bits == 64 {
		return x.Int64()
	}
	unit := new(big.Int).Lsh(big.NewInt(1), bits)
	x.Mod(x, unit)
	if signed && x.Bit(int(bits-1)) == 1 {
		x.Sub(x, unit)
	}
	return x.Int64()
}

func reduceComplex[T complex64 | complex128](c par.Comm) error {
	sum, prod := T(0), T(1)
	for p := range c.Procs() {
		x := T(complex(float64(p%2+1), float64(p%3-1)))
		sum += x
		prod *= x
	}
	x := T(complex(float64(c.Proc()%2+1), float64(c.Proc()%3-1)))
	s, p := []T{x, x}, []T{x, x, x}
	return errors.Join(par.AllReduce(c, s, par.Sum), par.AllReduce(c, p, par.Prod),
		equal("sum", s[1], sum), equal("prod", p[2], prod))
}

func reduceBools(c par.Comm) error {
	first := c.Proc() == 0
	and, or := []bool{true, first, false}, []bool{true, first, false}
	err := errors.Join(par.AllReduce(c, and, par.And), par.AllReduce(c, or, par.Or))
	return errors.Join(err, equal("and", [3]bool(and), [3]bool{true, c.Procs() == 1, false}),
		equal("or", [3]bool(or), [3]bool{true, true, false}))
}

// reduceSizes: no elements, fewer than procs, and many, also in unaligned memory.
func reduceSizes(c par.Comm) error {
	for _, n := range []int{0, 1, 2, 5, 20_011} {
		askew := make([]byte, 8*n+1)[1:]
		for i := range n {
			copy(askew[8*i:], bytesOf(int64(c.Proc()*1000+i)))
		}
		if err := c.AllReduce(askew, dtype.Int64, par.Sum); err != nil {
			return err
		}
		for i := range n {
			procs := c.Procs()
			want := int64(procs*(procs-1)/2*1000 + procs*i)
			if err := same(fmt.Sprintf("element %d of %d", i, n), askew[8*i:8*i+8], bytesOf(want)); err != nil {
				return err
			}
		}
	}
	return nil
}

func reduceRefused(c par.Comm) error {
	var errs []error
	for _, t := range dtype.All() {
		for op := par.Op(0); op < 9; op++ {
			err := c.AllReduce(make([]byte, 16), t, op)
			if op.Check(t) == nil {
				errs = append(errs, err)
			} else {
				errs = append(errs, is(fmt.Sprintf("%v of %v", op, t), err, dtype.ErrDType))
			}
		}
	}
	errs = append(errs, is("part of an element", c.AllReduce(make([]byte, 12), dtype.Int64, par.Sum), par.ErrSize))
	return errors.Join(errs...)
}
