package regrid

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/regrid/weights"
	"drx/dataset/stats"
	"drx/dtype"
	"drx/nd"
)

// planMixed plans a variable with weighted sums of old elements.
func (j *job) planMixed(v *dataset.Variable, m Method) error {
	a := v.Array()
	flagged := a.Attrs()["flag_values"] != nil || a.Attrs()["flag_masks"] != nil
	switch {
	case a.DType().IsComplex() || a.DType() == dtype.Bool:
		return j.leaveOut(v, "values of type "+a.DType().String()+" have no weighted mean: the method nearest takes them")
	case a.Attrs()["import.strings"] != nil:
		return j.leaveOut(v, "its values are strings, which have no weighted mean: the method nearest takes them")
	case flagged:
		return j.leaveOut(v, "its values are flags, which have no weighted mean: the method nearest takes them")
	case isEast(textOf(a, "units")):
		return j.leaveOut(v, "longitudes of several dimensions have no mean where they begin again")
	}
	spec, err := j.specOf(v)
	if err != nil {
		return err
	}
	if _, err := stats.NewReader(a); err != nil { // check only: each goroutine has its own later
		return err
	}
	if spec.DType != dtype.Float32 || a.Attrs()["scale_factor"] != nil || a.Attrs()["add_offset"] != nil {
		spec.DType = dtype.Float64
	}
	spec.FillValue = "NaN"
	attrs := stats.PlainAttrs(a)
	for _, name := range []string{"cell_measures", "formula_terms", "ancillary_variables"} {
		delete(attrs, name)
	}
	j.dropGeoreference(v, attrs)
	j.carryAttrs(v, attrs)
	if m == Mean {
		attrs["cell_methods"] = strings.TrimSpace(textOf(a, "cell_methods") + " " + j.changedDims(v) + "mean")
	}
	spec.Attrs = attrs
	j.report.Variables = append(j.report.Variables, v.Name())
	j.outputs[v.Name()] = output{spec, func(to *drx.Array) error { return j.fillMixed(v, to, m) }}
	return nil
}

// changedDims returns the names of a variable's dimensions that change, in the form of
// cell_methods.
func (j *job) changedDims(v *dataset.Variable) (text string) {
	for d, dim := range v.Dims() {
		if j.axes[dim] != nil {
			text += v.Array().Dims()[d] + ": "
		}
	}
	return text
}

// fillMixed computes the elements of a variable, block by block.
func (j *job) fillMixed(v *dataset.Variable, to *drx.Array, m Method) error {
	matrices, lows := make([]*weights.Matrix, len(v.Dims())), make([]int, len(v.Dims()))
	for d, dim := range v.Dims() {
		if x := j.axes[dim]; x != nil {
			matrices[d], lows[d] = x.matrix, x.old.Lo
		}
	}
	return j.eachBlock(to, func(block nd.Section) error {
		reader, err := stats.NewReader(v.Array())
		if err != nil {
			return err
		}
		mix := newMixer(matrices, lows, block)
		for _, x := range mix.source {
			if x.Len() == 0 { // outside of the source
				return to.WriteBytes(block, encode(to.DType(), mix.result(m)), nil)
			}
		}
		err = cube.Box(mix.source).Parts(nil, 1, partCells, func(part cube.Selection) error {
			sec, _ := part.Section() // of a section
			values, err := reader.Read(sec)
			if err == nil {
				mix.add(sec, values, m)
			}
			return err
		})
		if err != nil {
			return err
		}
		return to.WriteBytes(block, encode(to.DType(), mix.result(m)), nil)
	})
}

// encode returns values as elements of float32 or float64.
func encode(t dtype.DType, values []float64) []byte {
	b := make([]byte, 0, len(values)*t.Size())
	for _, v := range values {
		if t == dtype.Float32 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// A mixer computes a block of weighted sums from parts of the source.
type mixer struct {
	matrices []*weights.Matrix // of each dimension, nil for one that stays
	lows     []int             // the index in the source of position 0 of each matrix
	block    nd.Section
	source   nd.Section // the range of the source that the block needs
	sums     []float64
	// shares are sums of weights: for Mean those of valid values, for Linear those of missing ones.
	shares []float64
}

func newMixer(matrices []*weights.Matrix, lows []int, block nd.Section) *mixer {
	n, _ := block.Len() // it is in memory
	x := &mixer{matrices: matrices, lows: lows, block: block, source: slices.Clone(block), sums: make([]float64, n), shares: make([]float64, n)}
	for d, m := range matrices {
		if m != nil {
			first, end := m.Span(block[d].Lo, block[d].Hi)
			x.source[d] = nd.Span(lows[d]+first, lows[d]+end).By(1)
		}
	}
	return x
}

// add adds the values of a part of the source.
func (x *mixer) add(part nd.Section, values []float64, m Method) {
	shares := make([]float64, len(values))
	for i, v := range values {
		missing := math.IsNaN(v)
		if missing {
			values[i] = 0
		}
		if missing == (m == Linear) {
			shares[i] = 1
		}
	}
	dims := x.order(part)
	x.addTo(x.sums, part, values, dims)
	x.addTo(x.shares, part, shares, dims)
}

// order returns the dimensions with a matrix. Those that shrink most come first, so that no
// intermediate result is larger than the part or the block.
func (x *mixer) order(part nd.Section) (dims []int) {
	for d, m := range x.matrices {
		if m != nil {
			dims = append(dims, d)
		}
	}
	slices.SortStableFunc(dims, func(d, e int) int {
		return cmp.Compare(x.block[d].Len()*part[e].Len(), x.block[e].Len()*part[d].Len())
	})
	return dims
}

// addTo adds the weighted sums of the elements of a part to those of the block.
func (x *mixer) addTo(sums []float64, part nd.Section, elements []float64, dims []int) {
	shape := part.Shape()
	for _, d := range dims {
		elements = x.apply(elements, shape, d, part[d])
		shape[d] = x.block[d].Len()
	}
	strides := nd.Order(nil).Strides(x.block.Shape())
	at := 0
	for d, m := range x.matrices {
		if m == nil {
			at += (part[d].Lo - x.block[d].Lo) * strides[d]
		}
	}
	last := len(shape) - 1
	index, lo := make([]int, last), make([]int, last)
	for from := 0; from < len(elements); from += shape[last] {
		to := at
		for d, i := range index {
			to += i * strides[d]
		}
		for i, v := range elements[from:][:shape[last]] {
			sums[to+i] += v
		}
		nd.Next(index, lo, shape[:last])
	}
}

// apply returns the weighted sums along dimension d of elements of the given shape, which have the
// indices r there.
func (x *mixer) apply(elements []float64, shape []int, d int, r nd.Range) []float64 {
	outer, _ := nd.Product(shape[:d]...)
	inner, _ := nd.Product(shape[d+1:]...)
	rows := x.block[d].Len()
	sums := make([]float64, outer*rows*inner)
	for i := range rows {
		positions, shares := x.matrices[d].Row(x.block[d].Lo + i)
		for k, p := range positions {
			p += x.lows[d]
			if p < r.Lo || p >= r.Hi {
				continue
			}
			w := shares[k]
			for o := range outer {
				to := sums[(o*rows+i)*inner:][:inner]
				for e, v := range elements[(o*shape[d]+p-r.Lo)*inner:][:inner] {
					to[e] += float64(w * v)
				}
			}
		}
	}
	return sums
}

// result returns the values of the block, NaN for missing ones.
func (x *mixer) result(m Method) []float64 {
	nan := math.Float64frombits(0x7ff8 << 48) // the NaN that arrays store
	if m == Mean {
		for i, share := range x.shares {
			if x.sums[i] /= share; share == 0 {
				x.sums[i] = nan
			}
		}
		return x.sums
	}
	index, lo, shape := make([]int, len(x.block)), make([]int, len(x.block)), x.block.Shape()
	for i, missing := range x.shares {
		if missing > 0 || !x.covers(index) {
			x.sums[i] = nan
		}
		nd.Next(index, lo, shape)
	}
	return x.sums
}

// covers reports whether the source covers an element of the block.
func (x *mixer) covers(index []int) bool {
	for d, m := range x.matrices {
		if m == nil {
			continue
		}
		if positions, _ := m.Row(x.block[d].Lo + index[d]); len(positions) == 0 {
			return false
		}
	}
	return true
}
