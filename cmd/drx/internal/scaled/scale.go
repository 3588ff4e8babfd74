package scaled

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dtype"
)

// IsPacked reports whether values are others than the stored numbers.
func (m Meaning) IsPacked() bool {
	return m.PerIndex() && m.of.IsPacked() || m.isScaled() || m.of != nil && m.of.OtherSign()
}

// NoteStored says that a kind of output has stored numbers where values are others, "" if they are
// the same.
func (m Meaning) NoteStored(kind string) string {
	var without []string
	if m.IsPacked() {
		without = append(without, "scale_factor, add_offset and _Unsigned")
	}
	if m.of != nil && m.of.MarksMissing() {
		without = append(without, "NaN for what _FillValue, missing_value and nodata call missing")
	}
	if without == nil {
		return ""
	}
	return fmt.Sprintf("%s has the numbers as they are stored, without %s; drx export to a .csv file writes values", kind, strings.Join(without, ", and "))
}

// isScaled reports whether the attributes scale_factor and add_offset change the values of an
// array.
func (m Meaning) isScaled() bool { return m.factor != 1 || m.offset != 0 }

// StoredOp returns the operation on stored values that gives op of the scaled ones: a negative
// factor turns their order.
func (m Meaning) StoredOp(op cube.Op) cube.Op {
	if m.factor < 0 || m.PerIndex() && m.of.IsPacked() && m.of.Scale[0] < 0 {
		switch op {
		case cube.Min:
			return cube.Max
		case cube.Max:
			return cube.Min
		}
	}
	return op
}

// OverBands returns an error if a reduction combines elements with different scales: scaling the
// sum of stored values would be wrong.
func (m Meaning) OverBands(a *drx.Array, sel cube.Selection, over cube.Over, op cube.Op) error {
	if !m.PerIndex() {
		return nil
	}
	name := cli.DimNames(a)[m.Dim]
	if m.of.DifferInMissing() && sel[m.Dim].Len() > 1 {
		return cli.Usagef("%s: missing values have another mark at each index of %s (nodata): choose one index with --at", a.Name(), name)
	}
	if op == cube.Count {
		return nil
	}
	if over.Dims == nil && sel[m.Dim].Len() > 1 || slices.Contains(over.Dims, m.Dim) && sel[m.Dim].Len() > 1 {
		return cli.Usagef("%s: scale_factor has a number for each index of %s: leave %s out of --over, or choose one index with --at", a.Name(), name, name)
	}
	signs := map[bool]bool{}
	for _, factor := range m.of.Scale {
		signs[factor < 0] = true
	}
	if len(signs) > 1 && (op == cube.Min || op == cube.Max) {
		return cli.Usagef("%s: scale_factor is positive and negative in %s: choose one index with --at", a.Name(), name)
	}
	return nil
}

// ScaleAll is scaleSums where each index of a dimension may have a scale of its own.
func (m Meaning) ScaleAll(r *cube.Result, op cube.Op) {
	k := slices.Index(r.Dims, m.Dim)
	if !m.PerIndex() || !m.of.IsPacked() || k < 0 {
		m.scaleSums(r, op)
		return
	}
	stride := 1
	for _, x := range r.Cells[k+1:] {
		stride *= x.Len()
	}
	r.Op = op
	data := make([]byte, 0, 8*len(r.Count))
	for i := 0; i < len(r.Count); i += stride {
		part := &cube.Result{DType: r.DType, Count: r.Count[i:][:stride], Data: r.Data[i*r.DType.Size():][:stride*r.DType.Size()]}
		one := m.At(r.Cells[k].At(i / stride % r.Cells[k].Len()))
		one.asFloats(part, op)
		data = append(data, part.Data...)
	}
	if op != cube.Count {
		r.DType, r.Data = dtype.Float64, data
	}
}

// scaleSums turns the result of storedOp(op) on stored values into the result of op on scaled
// values, which are float64. A value without cells becomes NaN.
func (m Meaning) scaleSums(r *cube.Result, op cube.Op) {
	r.Op = op
	if !m.isScaled() || op == cube.Count {
		return
	}
	m.asFloats(r, op)
}

// asFloats is scaleSums also for a scale of one.
func (m Meaning) asFloats(r *cube.Result, op cube.Op) {
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

// Texts returns a function that writes an element of an array in a table, with its index of the
// dimension that has a scale for each. Scaled values have 15 digits, which hide that 0.1 times 3 is
// not quite 0.3.
func (m Meaning) Texts(a *drx.Array) func(index int, b []byte) string {
	if !m.PerIndex() {
		text := m.text(a)
		return func(_ int, b []byte) string { return text(b) }
	}
	return func(index int, b []byte) string { return m.At(index).text(a)(b) }
}

// text is texts for one scale.
func (m Meaning) text(a *drx.Array) func([]byte) string {
	if m.of == nil {
		return a.DType().Format
	}
	if !m.isScaled() {
		says := m.of.MarksMissing() || m.of.OtherSign()
		return func(b []byte) string {
			if says && m.of.IsMissing(b) {
				return "NaN"
			}
			return m.of.Number().Format(b)
		}
	}
	return func(b []byte) string { return strconv.FormatFloat(m.Decode(b), 'g', 15, 64) }
}

// plainNaN are the bits of the NaN that DRX stores; math.NaN has others.
const plainNaN = 0x7ff8 << 48

// Over adds to the options of a reduction which elements are missing, and how they are read.
func (m Meaning) Over(a *drx.Array, o *cube.Over) {
	if m.of == nil {
		return
	}
	o.OtherSign = m.of.OtherSign()
	if len(m.of.Missing) > 0 {
		byFill := cube.EmptyCell(a.DType(), a.FillValue())
		o.Empty = func(cell []byte) bool { return m.of.IsMissing(cell) || byFill != nil && byFill(cell) }
	}
}
