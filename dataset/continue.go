package dataset

import (
	"fmt"
	"math"
	"math/big"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// ContinueCoordinate sets the values of new indices of a dimension, as returned by Extend or
// ExtendLow, so that they continue the coordinate in even steps: 50, 50.1, 50.2 continue with 50.3.
// Steps that are decimal fractions stay decimal. The values become durable with the next Sync.
//
// The error wraps ErrDim if there is no such dimension or it has no coordinate; drx.ErrBounds if
// the indices are not the lowest or the highest ones; ErrValue if there are fewer than two other
// values or they are not evenly spaced (integers exactly, floating-point numbers to a thousandth of
// a step or the precision of their type); drx.ErrDType if the type cannot hold a new value or is
// not of real numbers. Otherwise it is that of reading and writing.
func (d *Dataset) ContinueCoordinate(dim string, added nd.Range) error {
	if err := d.check(true); err != nil {
		return err
	}
	known, err := d.scan.dim(d.folder, dim)
	if err != nil {
		return err
	}
	if !known.HasCoordinate {
		return errkind.Errorf(ErrDim, "%s: dimension %s has no coordinate: no variable of rank 1 has its name", d.folder, dim)
	}
	v, err := d.Variable(dim)
	if err != nil {
		return err
	}
	if err := continueIn(v.a, added); err != nil {
		return fmt.Errorf("%s: continue the coordinate: %w", v.a.Name(), err)
	}
	return nil
}

// continueIn writes the values of new indices of a coordinate.
func continueIn(a *drx.Array, added nd.Range) error {
	t, all := a.DType(), a.Bounds()[0]
	if t.IsComplex() || t == dtype.Bool {
		return errkind.Errorf(drx.ErrDType, "%v are no real numbers", t)
	}
	var before nd.Range
	switch {
	case added.Lo > all.Lo && added.Hi == all.Hi:
		before = nd.Span(all.Lo, added.Lo)
	case added.Lo == all.Lo && added.Hi < all.Hi:
		before = nd.Span(added.Hi, all.Hi)
	default:
		return errkind.Errorf(drx.ErrBounds, "indices %v of %v: want the new ones, at one end, beside two others or more", added, all)
	}
	line, err := lineThrough(a, before)
	if err != nil {
		return err
	}
	const atOnce = 4096
	for lo := added.Lo; lo < added.Hi; lo += atOnce {
		sec := nd.Section{nd.Span(lo, min(lo+atOnce, added.Hi))}
		buf := make([]byte, 0, sec[0].Len()*t.Size())
		for i := sec[0].Lo; i < sec[0].Hi; i++ {
			b, err := encodeRat(t, line.at(i))
			if err != nil {
				return fmt.Errorf("index %d: %w", i, err)
			}
			buf = append(buf, b...)
		}
		if err := a.WriteBytes(sec, buf, nil); err != nil {
			return err
		}
	}
	return nil
}

// A line maps indices to evenly spaced values. Values are rational, because binary fractions would
// drift away from decimal steps.
type line struct {
	first       int
	start, step *big.Rat
}

func (l line) at(i int) *big.Rat {
	steps := new(big.Rat).SetInt64(int64(i) - int64(l.first))
	return steps.Add(l.start, steps.Mul(steps, l.step))
}

// lineThrough returns the line through the elements of a coordinate at the indices r.
func lineThrough(a *drx.Array, r nd.Range) (l line, err error) {
	t := a.DType()
	if r.Len() < 2 {
		return l, errkind.Errorf(ErrValue, "it has %d values: two are needed for a step", r.Len())
	}
	buf := make([]byte, r.Len()*t.Size())
	if err := a.ReadBytes(nd.Section{r}, buf, nil); err != nil {
		return l, err
	}
	elements := make([][]byte, r.Len())
	for i := range elements {
		elements[i] = buf[i*t.Size():][:t.Size()]
		if x := t.Float64(elements[i]); math.IsNaN(x) || math.IsInf(x, 0) || x != 0 && string(elements[i]) == string(a.FillValue()) {
			return l, errkind.Errorf(ErrValue, "index %d has no value: it is %s", r.Lo+i, t.Format(elements[i]))
		}
	}
	if i := firstUneven(t, elements); i >= 0 {
		return l, errkind.Errorf(ErrValue, "its values are not evenly spaced, see index %d, which has %s: write the new ones", r.Lo+i, t.Format(elements[i]))
	}
	start, ok := new(big.Rat).SetString(t.Format(elements[0]))
	end, isNumber := new(big.Rat).SetString(t.Format(elements[r.Len()-1]))
	if !ok || !isNumber {
		return l, errkind.Errorf(ErrValue, "from %s to %s: want numbers", t.Format(elements[0]), t.Format(elements[r.Len()-1]))
	}
	step := end.Sub(end, start)
	if step.Sign() == 0 {
		return l, errkind.Errorf(ErrValue, "its first and last values are equal, so there is no step")
	}
	return line{r.Lo, start, step.Quo(step, new(big.Rat).SetInt64(int64(r.Len()-1)))}, nil
}

// firstUneven returns the index of the first element that is not evenly spaced, or -1.
func firstUneven(t dtype.DType, elements [][]byte) int {
	if t.IsFloat() {
		return firstUnevenFloat(t, elements)
	}
	step := wrapped(t, elements[1]) - wrapped(t, elements[0])
	for i := 2; i < len(elements); i++ {
		if wrapped(t, elements[i])-wrapped(t, elements[i-1]) != step {
			return i
		}
	}
	return -1
}

// digits are the binary digits of the floating-point types.
var digits = map[dtype.DType]int{dtype.Float16: 11, dtype.BFloat16: 8, dtype.Float32: 24, dtype.Float64: 53}

func firstUnevenFloat(t dtype.DType, elements [][]byte) int {
	n := len(elements) - 1
	from, to := t.Float64(elements[0]), t.Float64(elements[n])
	step := to/float64(n) - from/float64(n)
	most := max(math.Abs(step)/1000, math.Ldexp(max(math.Abs(from), math.Abs(to)), 2-digits[t]))
	for i, b := range elements {
		if math.Abs(t.Float64(b)-(from+float64(i)*step)) > most {
			return i
		}
	}
	return -1
}

// encodeRat returns the element nearest to x. The error wraps drx.ErrDType.
func encodeRat(t dtype.DType, x *big.Rat) ([]byte, error) {
	switch {
	case t == dtype.Float32:
		f, _ := x.Float32()
		return t.EncodeValue(f)
	case t.IsFloat():
		f, _ := x.Float64()
		return t.EncodeValue(f)
	}
	return t.Encode(x.RatString())
}
