package endmember

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
)

// Indices has one value per pixel, mostly 0. As text, a JSON string, it is the base64 of: the
// number of values, 8 bytes; one bit per value, lowest bit first, set for values other than +0; and
// these values as float64; all little-endian. For a large scene, a JSON list would take longer to
// write and to read than an update to compute.
type Indices []float64

// MarshalText returns the values as text. It has no errors.
func (x Indices) MarshalText() ([]byte, error) {
	le := binary.LittleEndian
	data := le.AppendUint64(nil, uint64(len(x)))
	marks := len(data)
	data = append(data, make([]byte, (len(x)+7)/8)...)
	for i, v := range x {
		if b := math.Float64bits(v); b != 0 {
			data[marks+i/8] |= 1 << (i % 8)
			data = le.AppendUint64(data, b)
		}
	}
	return base64.StdEncoding.AppendEncode(nil, data), nil
}

// UnmarshalText parses the text of MarshalText. The error describes what is wrong in the text.
func (x *Indices) UnmarshalText(text []byte) error {
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	if len(data) < 8 {
		return fmt.Errorf("%d bytes are no values of pixels", len(data))
	}
	n, rest := le.Uint64(data), data[8:]
	if n > 8*uint64(len(rest)) {
		return fmt.Errorf("%d bytes are not the values of %d pixels", len(data), n)
	}
	marks, values := rest[:(n+7)/8], rest[(n+7)/8:]
	all := make(Indices, n)
	for i := range all {
		if marks[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if len(values) < 8 {
			return fmt.Errorf("%d bytes lack values of %d pixels", len(data), n)
		}
		all[i], values = math.Float64frombits(le.Uint64(values)), values[8:]
	}
	if len(values) > 0 {
		return fmt.Errorf("%d bytes after the values of %d pixels", len(values), n)
	}
	*x = all
	return nil
}
