package exchange

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"drx/convert"
	"drx/dataset/meaning"
	"drx/dtype"
)

// A scaling turns stored values into what they mean.
type scaling struct {
	m   *meaning.Meaning
	buf []byte
}

// newScaling returns the scaling of a variable's attributes, nil if it has none. The error wraps dtype.ErrDType.
func newScaling(v convert.Info) (*scaling, error) {
	if v.DType.IsComplex() || v.DType == dtype.Bool || v.Labels != nil {
		return nil, nil // they have no scale
	}
	m, err := meaningOfVar(v, nil)
	if err != nil || !m.IsPacked() && !m.Unsigned() {
		return nil, err
	}
	if len(m.Scale) > 1 {
		return nil, &meaning.RefusedError{Kind: "scale_factor", From: "a list", To: "one number", Hint: "unpack it by another program", Target: "an array without packing"}
	}
	return &scaling{m: m}, nil
}

// apply returns the description of a variable of which the elements are what the stored ones mean. s may be nil: nothing is scaled.
func (s *scaling) apply(v convert.Info) convert.Info {
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

// unpackValid makes the valid range, which is one of stored numbers, that of what they mean.
func (s *scaling) unpackValid(attrs map[string]any) {
	if s.m.Scale == nil {
		return
	}
	for _, name := range []string{"valid_min", "valid_max", "valid_range"} {
		raw, err := convert.EncodeAttr(attrs[name])
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

// elements returns what elements mean, as float64. The result is valid until the next call.
func (s *scaling) elements(stored []byte) ([]byte, error) {
	size := s.m.Type.Size()
	n := len(stored) / size
	s.buf = slices.Grow(s.buf[:0], 8*n)[:0]
	for i := range n {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, math.Float64bits(s.m.Value(stored[i*size:][:size])))
	}
	return s.buf, nil
}

// plainNaN are the bits of the NaN that DRX stores, which is not that of math.NaN.
const plainNaN = 0x7ff8 << 48
