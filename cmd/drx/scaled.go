package main

import (
	"encoding/binary"
	"math"
	"strconv"

	"drx"
	"drx/cube"
	"drx/dtype"
)

// isScaled reports whether the attributes scale_factor and add_offset change the values of an array.
func (m meaning) isScaled() bool { return m.factor != 1 || m.offset != 0 }

// storedOp returns the operation on stored values that gives op of the scaled ones: a negative factor turns their order.
func (m meaning) storedOp(op cube.Op) cube.Op {
	if m.factor < 0 {
		switch op {
		case cube.Min:
			return cube.Max
		case cube.Max:
			return cube.Min
		}
	}
	return op
}

// scaleSums makes the result of storedOp(op) on stored values that of op on the scaled ones, which are float64. A value without
// cells becomes NaN.
func (m meaning) scaleSums(r *cube.Result, op cube.Op) {
	r.Op = op
	if !m.isScaled() || op == cube.Count {
		return
	}
	data := make([]byte, 0, 8*len(r.Count))
	for i, n := range r.Count {
		v := math.Float64frombits(plainNaN)
		if n > 0 {
			offset := m.offset
			if op == cube.Sum {
				offset *= float64(n)
			}
			v = r.DType.Float64(r.Data[i*r.DType.Size():])*m.factor + offset
		}
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	r.DType, r.Data = dtype.Float64, data
}

// texts returns a function that writes an element of an array in a table. Scaled values have 15 digits, which hide that
// 0.1 times 3 is not quite 0.3.
func (m meaning) texts(a *drx.Array) func([]byte) string {
	if !m.isScaled() {
		if m.of == nil || !m.of.Unsigned() {
			return a.DType().Format
		}
		return func(b []byte) string { return strconv.FormatFloat(m.of.Value(b), 'f', -1, 64) }
	}
	return func(b []byte) string { return strconv.FormatFloat(m.decode(b), 'g', 15, 64) }
}

// plainNaN are the bits of the NaN that DRX stores, which is not that of math.NaN.
const plainNaN = 0x7ff8 << 48

// over adds to the options of a reduction which elements are missing, and how they are read.
func (m meaning) over(a *drx.Array, o *cube.Over) {
	if m.of == nil {
		return
	}
	o.Unsigned = m.of.Unsigned()
	if len(m.of.Missing) > 0 {
		byFill := cube.EmptyCell(a.DType(), a.FillValue())
		o.Empty = func(cell []byte) bool { return m.of.IsMissing(cell) || byFill != nil && byFill(cell) }
	}
}
