package exchange

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"drx/convert"
	"drx/dtype"
)

// A scaling turns stored values into what they mean: x * factor + offset.
type scaling struct {
	from           dtype.DType
	factor, offset float64
	missing        [][]byte // stored elements that are no values
	buf            []byte
}

// newScaling returns the scaling of a variable's attributes. The error wraps dtype.ErrDType for elements that are no
// real numbers.
func newScaling(v convert.Info) (*scaling, error) {
	if v.DType.IsComplex() || v.DType == dtype.Bool || v.Labels != nil {
		return nil, nil // they have no scale
	}
	s := &scaling{from: v.DType, factor: 1}
	scaled := false
	for _, attr := range []struct {
		name string
		to   *float64
	}{{"scale_factor", &s.factor}, {"add_offset", &s.offset}} {
		if value, has := v.Attrs[attr.name]; has {
			n, ok := asNumber(value)
			if !ok {
				return nil, fmt.Errorf("attribute %s is %v: want a number", attr.name, value)
			}
			*attr.to, scaled = n, true
		}
	}
	if !scaled {
		return nil, nil
	}
	if v.Fill != nil {
		s.missing = append(s.missing, v.Fill)
	}
	if n, ok := asNumber(v.Attrs["missing_value"]); ok {
		if b, err := v.DType.EncodeValue(n); err == nil { // otherwise no element has it
			s.missing = append(s.missing, b)
		}
	}
	return s, nil
}

// apply returns the description of a variable of which the elements are what the stored ones mean. s may be nil: nothing is scaled.
func (s *scaling) apply(v convert.Info) convert.Info {
	if s == nil {
		return v
	}
	v.DType, v.Attrs = dtype.Float64, maps.Clone(v.Attrs)
	v.Fill = binary.LittleEndian.AppendUint64(nil, plainNaN)
	for _, name := range []string{"scale_factor", "add_offset", "_FillValue", "missing_value"} {
		delete(v.Attrs, name)
	}
	return v
}

// elements returns what elements mean, as float64. The result is valid until the next call.
func (s *scaling) elements(stored []byte) ([]byte, error) {
	size := s.from.Size()
	n := len(stored) / size
	s.buf = slices.Grow(s.buf[:0], 8*n)[:0]
	for i := range n {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, math.Float64bits(s.value(stored[i*size:][:size])))
	}
	return s.buf, nil
}

// plainNaN are the bits of the NaN that DRX stores, which is not that of math.NaN.
const plainNaN = 0x7ff8 << 48

// value returns what one element means: NaN if it is no value.
func (s *scaling) value(stored []byte) float64 {
	for _, m := range s.missing {
		if bytes.Equal(stored, m) {
			return math.Float64frombits(plainNaN)
		}
	}
	return s.from.Float64(stored)*s.factor + s.offset
}
