package transfer

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// A scaling turns stored values into the float64 values that they stand for.
type scaling struct {
	m     *meaning.Meaning
	dim   int // the dimension with a scale for each index; -1 if there is one for all
	order nd.Order
	sec   nd.Section // section of the elements that are scaled next
	buf   []byte
}

// newScaling returns the scaling of a variable's attributes, nil if it has none. The error wraps
// dtype.ErrDType.
func newScaling(v formats.Info) (*scaling, error) {
	if v.DType.IsComplex() || v.DType == dtype.Bool || v.Labels != nil {
		return nil, nil // these types have no scale
	}
	m, err := meaningOfVar(v, nil)
	if err != nil || !m.IsPacked() && !m.OtherSign() && !m.DifferInMissing() {
		return nil, err
	}
	s := &scaling{m: m, dim: m.Dim(v.Shape, v.Dims), order: v.Order, sec: whole(v.Shape)}
	if m.Indices() > 0 && s.dim < 0 {
		return nil, errkind.Errorf(dtype.ErrDType, "scale_factor or nodata has %d numbers, and no dimension of %s has as many indices: correct the attribute, or leave the variable out",
			m.Indices(), DescribeShape(v.Dims, v.Shape))
	}
	return s, nil
}

// apply returns the description of a variable after its elements were scaled. A nil s changes
// nothing.
func (s *scaling) apply(v formats.Info) formats.Info {
	if s == nil {
		return v
	}
	v.DType, v.Attrs = dtype.Float64, maps.Clone(v.Attrs)
	v.Fill = binary.LittleEndian.AppendUint64(nil, plainNaN)
	for _, name := range packedAttrs {
		delete(v.Attrs, name)
	}
	s.unpackValid(v.Attrs)
	return v
}

// unpackValid scales the valid range, which CF gives in stored numbers, to values.
func (s *scaling) unpackValid(attrs map[string]any) {
	if s.m.Scale == nil {
		return
	}
	if s.dim >= 0 { // one range of stored numbers is a different range of values at each index
		for _, name := range validAttrs {
			delete(attrs, name)
		}
		return
	}
	for _, name := range validAttrs {
		raw, err := formats.EncodeAttr(attrs[name])
		var list []float64
		if err != nil || attrs[name] == nil {
			continue
		}
		if json.Unmarshal(raw, &list) != nil {
			list = make([]float64, 1)
			if json.Unmarshal(raw, &list[0]) != nil {
				continue
			}
		}
		for i := range list {
			list[i] = list[i]*s.m.Scale[0] + s.m.Offset[0]
		}
		if attrs[name] = list; len(list) == 1 {
			attrs[name] = list[0]
		}
	}
}

// elements returns the values of stored elements as float64. The result is valid until the next
// call.
func (s *scaling) elements(stored []byte) ([]byte, error) {
	size := s.m.Type.Size()
	n := len(stored) / size
	s.buf = slices.Grow(s.buf[:0], 8*n)[:0]
	run := s.run()
	for i := 0; i < n; i += run {
		m := s.at(i / run)
		for j := range min(run, n-i) {
			s.buf = binary.LittleEndian.AppendUint64(s.buf, math.Float64bits(m.Value(stored[(i+j)*size:][:size])))
		}
	}
	return s.buf, nil
}

// run returns the number of consecutive elements of the section that share one scale.
func (s *scaling) run() int {
	n := 1
	dims := s.order.Dims(len(s.sec))
	for k := len(dims) - 1; k >= 0 && dims[k] != s.dim; k-- {
		n *= s.sec[dims[k]].Len()
	}
	return max(1, n)
}

// at returns the meaning of the elements of a run, by its number in the section.
func (s *scaling) at(run int) *meaning.Meaning {
	if s.dim < 0 {
		return s.m
	}
	r := s.sec[s.dim]
	return s.m.At(r.Lo + run%r.Len())
}

var validAttrs = []string{"valid_min", "valid_max", "valid_range"}

// plainNaN are the bits of the NaN that DRX stores, which is not that of math.NaN.
const plainNaN = 0x7ff8 << 48
