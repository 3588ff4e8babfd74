package drxmp

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// Reduce applies an operation to the elements of a section, each proc to those in its zone,
// collective. All procs give the same section and operation; a nil section is the whole array. All
// get the same result, which has one value. As in cube.Cube.Reduce, elements with the fill value
// are ignored unless it is zero. Reduce sees what all procs have written. Sums of floating-point
// numbers depend on the zones, because they are added zone by zone.
//
// The error is that of ctx, or wraps drx.ErrRank, ErrBounds, ErrDType, ErrCorrupt, or ErrOverflow
// for a sum that does not fit.
func (a *Array) Reduce(ctx context.Context, sec nd.Section, op cube.Op) (*cube.Result, error) {
	what := fmt.Sprintf("%v of section %v", op, sec)
	t := a.beginExclusive()
	defer t.end()
	if err := t.agreeAfterWrites(what); err != nil {
		return nil, err
	}
	r, err := a.reduceZone(ctx, sec, op)
	if err := a.agree(what, a.errorf(what, err)); err != nil {
		return nil, err
	}
	all, err := a.comm.AllGather(append(binary.LittleEndian.AppendUint64(nil, uint64(r.Count[0])), r.Data...))
	if err != nil {
		return nil, err
	}
	if err := mergeResults(r, op, all); err != nil {
		return nil, a.errorf(what, err)
	}
	return r, nil
}

// reduceZone reduces the part of a section that lies in the zone of this proc. For a mean the
// result is the sum.
func (a *Array) reduceZone(ctx context.Context, sec nd.Section, op cube.Op) (*cube.Result, error) {
	file := a.member.array
	sec, err := sec.Resolve(file.Bounds().Bounds())
	if err != nil {
		return nil, err
	}
	c, err := cube.Of(file)
	if err != nil {
		return nil, err
	}
	if op == cube.Mean {
		op = cube.Sum
	}
	return c.Reduce(ctx, a.zone().selection(sec), op, cube.Over{})
}

// selection returns the part of a resolved section in the zone, as a selection.
func (z *Zone) selection(sec nd.Section) cube.Selection {
	sel := make(cube.Selection, len(sec))
	for d, r := range sec {
		for _, p := range partsAlong(z.spans[d], r) {
			sel[d] = append(sel[d], p.sec[0])
		}
	}
	return sel
}

// mergeResults replaces r, the result of one proc, by the result of all. A message holds the number
// of cells and the value of one proc.
func mergeResults(r *cube.Result, op cube.Op, messages [][]byte) error {
	switch r.DType {
	case dtype.Int64:
		return mergeValues(r, op, messages, func(bits uint64) int64 { return int64(bits) })
	case dtype.Uint64:
		return mergeValues(r, op, messages, func(bits uint64) uint64 { return bits })
	}
	return mergeValues(r, op, messages, math.Float64frombits)
}

func mergeValues[T int64 | uint64 | float64](r *cube.Result, op cube.Op, messages [][]byte, decode func(bits uint64) T) error {
	var value T
	cells := int64(0)
	for _, message := range messages {
		n := int64(binary.LittleEndian.Uint64(message))
		if n == 0 { // then the value is undefined
			continue
		}
		v := decode(binary.LittleEndian.Uint64(message[8:]))
		switch {
		case cells == 0:
			value = v
		case op == cube.Min:
			value = min(value, v)
		case op == cube.Max:
			value = max(value, v)
		default:
			sum := value + v
			if r.DType != dtype.Float64 && (v < 0) != (sum < value) {
				return fmt.Errorf("sum of %v and %v: %w", value, v, drx.ErrOverflow)
			}
			value = sum
		}
		cells += n
	}
	r.Op, r.Count[0] = op, cells
	var exact any = value
	switch {
	case op == cube.Mean:
		r.DType, exact = dtype.Float64, float64(value)/float64(cells) // NaN without cells
	case cells == 0 && r.DType == dtype.Float64:
		exact = math.NaN()
	}
	var err error
	r.Data, err = r.DType.EncodeValue(exact)
	return err
}
