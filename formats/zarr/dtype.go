package zarr

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
)

// An elementType is the type of an array's elements in a chunk.
type elementType struct {
	dtype dtype.DType // of numbers; for strings Uint32, the indices into Info.Labels
	size  int         // bytes of an element in a chunk; 0 for strings of any length
	big   bool        // big-endian
	text  textKind
	units string // attribute units of a date or a duration
}

// A textKind is the form of strings in a chunk.
type textKind int

const (
	noText   textKind = iota
	fixed8            // bytes, filled up with zeros
	fixed32           // UTF-32, filled up with zeros
	variable          // each with its length before it
)

// names2 are the names of NumPy, without byte order.
var names2 = map[dtype.DType]string{
	dtype.Bool: "b1", dtype.Int8: "i1", dtype.Int16: "i2", dtype.Int32: "i4", dtype.Int64: "i8",
	dtype.Uint8: "u1", dtype.Uint16: "u2", dtype.Uint32: "u4", dtype.Uint64: "u8",
	dtype.Float16: "f2", dtype.BFloat16: "V2", dtype.Float32: "f4", dtype.Float64: "f8",
	dtype.Complex64: "c8", dtype.Complex128: "c16",
}

// name2 returns the name of a type in version 2, without byte order.
func name2(t dtype.DType) string {
	if t.Size() == 1 {
		return "|" + names2[t]
	}
	return "<" + names2[t]
}

// parseType2 parses the dtype of version 2.
func parseType2(raw json.RawMessage) (elementType, error) {
	var descr string
	if json.Unmarshal(raw, &descr) != nil {
		return elementType{}, fmt.Errorf("dtype %s is structured: %w; write each of its fields to an array of its own", short(raw), formats.ErrType)
	}
	if len(descr) < 2 || !strings.Contains("<>|", descr[:1]) {
		return elementType{}, errkind.Errorf(ErrFormat, "dtype %q: no such type", short(descr))
	}
	t := elementType{big: descr[0] == '>'}
	for d, code := range names2 {
		if code == descr[1:] {
			t.dtype, t.size, t.big = d, d.Size(), t.big && d != dtype.BFloat16
			return t, nil
		}
	}
	switch code := descr[1]; code {
	case 'O':
		t.dtype, t.text = dtype.Uint32, variable
		return t, nil
	case 'S', 'U':
		n, err := strconv.Atoi(descr[2:])
		if err != nil || n < 0 || n > math.MaxInt32/4 {
			return t, errkind.Errorf(ErrFormat, "dtype %q: no such type", short(descr))
		}
		t.dtype, t.text, t.size = dtype.Uint32, fixed8, n
		if code == 'U' {
			t.text, t.size = fixed32, 4*n
		}
		return t, nil
	case 'M', 'm':
		return t.dates(code, descr[2:])
	}
	return t, fmt.Errorf("dtype %q: %w; zarr-python's astype converts it to numbers", short(descr), formats.ErrType)
}

// cfUnits are CF's words for the units of NumPy's dates that have a fixed length.
var cfUnits = map[string]string{
	"W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds",
	"ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds",
}

var dateUnit = regexp.MustCompile(`^8\[(1?)([A-Za-z]+)\]$`)

// dates completes the type of dates (M) or durations (m). rest is the part of its name after the
// code, as in 8[ns].
func (t elementType) dates(code byte, rest string) (elementType, error) {
	parts := dateUnit.FindStringSubmatch(rest)
	if parts == nil || cfUnits[parts[2]] == "" {
		return t, fmt.Errorf("dates of type %q: %w: known are the units W, D, h, m, s, ms, us and ns", short(string(code)+rest), formats.ErrType)
	}
	t.dtype, t.size, t.units = dtype.Int64, 8, cfUnits[parts[2]]
	if code == 'M' {
		t.units += " since 1970-01-01"
	}
	return t, nil
}

// An extension is an extension point of version 3: a name with its configuration, or the name
// alone.
type extension struct {
	Name          string          `json:"name"`
	Configuration json.RawMessage `json:"configuration"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *extension) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &n.Name)
	}
	type plain extension
	if err := json.Unmarshal(raw, (*plain)(n)); err != nil {
		return err
	}
	if n.Name == "" {
		return fmt.Errorf("%s has no name", short(raw))
	}
	return nil
}

// config decodes the configuration into what value points to.
func (n extension) config(value any) error {
	if len(n.Configuration) == 0 || string(n.Configuration) == "null" {
		return nil
	}
	if err := json.Unmarshal(n.Configuration, value); err != nil {
		return errkind.Errorf(ErrFormat, "%s: configuration %s: %w", short(n.Name), short(n.Configuration), err)
	}
	return nil
}

// parseType3 parses the data_type of version 3. The codec bytes determines the byte order.
func parseType3(n extension) (t elementType, err error) {
	if d, err := dtype.Parse(n.Name); err == nil {
		return elementType{dtype: d, size: d.Size()}, nil
	}
	var c struct {
		LengthBytes int    `json:"length_bytes"`
		Unit        string `json:"unit"`
		ScaleFactor int    `json:"scale_factor"`
	}
	if err := n.config(&c); err != nil {
		return t, err
	}
	t.dtype = dtype.Uint32
	switch n.Name {
	case "string", "variable_length_utf8", "bytes", "variable_length_bytes":
		t.text = variable
	case "fixed_length_utf32":
		t.text, t.size = fixed32, c.LengthBytes
	case "null_terminated_bytes", "fixed_length_ascii":
		t.text, t.size = fixed8, c.LengthBytes
	case "numpy.datetime64", "numpy.timedelta64":
		code := byte('M')
		if n.Name == "numpy.timedelta64" {
			code = 'm'
		}
		if c.ScaleFactor > 1 {
			c.Unit = strconv.Itoa(c.ScaleFactor) + c.Unit
		}
		return t.dates(code, "8["+c.Unit+"]")
	default:
		return t, fmt.Errorf("data_type %q: %w; zarr-python's astype converts it to numbers", short(n.Name), formats.ErrType)
	}
	if t.size < 0 || t.size > math.MaxInt32 || t.text == fixed32 && t.size%4 != 0 {
		return t, errkind.Errorf(ErrFormat, "data_type %s of %d bytes: no such size", n.Name, t.size)
	}
	return t, nil
}
