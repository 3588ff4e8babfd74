package array

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/errkind"
)

// Elements converts stored elements to the numbers of spectra. It does not apply scale_factor,
// which would not change the shape of a spectrum. It applies the sign of the attribute _Unsigned,
// and returns NaN for elements that attributes mark as missing.
type Elements struct {
	// Number is the type of the numbers.
	Number  dtype.DType
	convert *dtype.Converter // to float64; nil if the elements are float64
	missing []float64        // without a nonzero fill value, which is in scene.Options.NoData
}

// NewElements returns the conversion for elements of type t, with a fill value, or nil, and
// attributes. It is an error if no conversion to float64 exists, or if the attribute nodata has a
// different mark for each band.
func NewElements(t dtype.DType, fill []byte, attrs map[string]json.RawMessage) (*Elements, error) {
	attrs = maps.Clone(attrs)
	delete(attrs, "scale_factor")
	delete(attrs, "add_offset")
	m, err := meaning.Of(t, fill, attrs, nil)
	if err != nil {
		return nil, err
	}
	if m.DifferInMissing() {
		return nil, errkind.Errorf(dtype.ErrDType, "attribute nodata has another mark of missing values for each band: "+
			"import the scene with decoded values, which are NaN where they are missing")
	}
	e := &Elements{Number: m.Number()}
	for _, element := range m.Missing {
		if x := e.Number.Float64(element); x == 0 || !bytes.Equal(element, fill) {
			e.missing = append(e.missing, x)
		}
	}
	e.convert, err = dtype.NewConverter(e.Number, dtype.Float64, false, make([]byte, 8))
	return e, err
}

// Integers16 reports whether the numbers are integers of at most 16 bits.
func (e *Elements) Integers16() bool {
	return len(e.missing) == 0 && slices.Contains([]dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16}, e.Number)
}

// Decode converts little-endian elements to numbers. The elements may be the last bytes of the
// memory of the numbers. It is an error if a number does not fit in float64.
func (e *Elements) Decode(values []float64, stored []byte) error {
	memory := dtype.Bytes(values)
	if e.convert != nil {
		if err := e.convert.Apply(memory, stored); err != nil {
			return err
		}
	} else if &memory[0] != &stored[0] {
		copy(memory, stored)
	}
	swap(memory)
	if len(e.missing) > 0 {
		for i, x := range values {
			if slices.Contains(e.missing, x) {
				values[i] = math.NaN()
			}
		}
	}
	return nil
}

// swap converts little-endian float64 to the byte order of this machine, in place.
func swap(b []byte) {
	if little := dtype.Float64.Little(b); &little[0] != &b[0] {
		copy(b, little)
	}
}
