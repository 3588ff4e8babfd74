package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"drx"
	"drx/dataset/cftime"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// A Coordinate holds the values of a dimension in memory: numbers or times. Stored numbers are
// scaled by the attributes scale_factor and add_offset, and unsigned if _Unsigned says so. An
// element equal to a fill value other than zero, or to the attribute missing_value, or NaN, has no
// value.
type Coordinate struct {
	name   string
	dtype  dtype.DType
	scaled bool
	first  int
	values []value
	units  *cftime.Units // nil for numbers
	texts  map[string]string
	// refused explains why the units are invalid although they have the form of units of time; nil
	// if they are valid.
	refused error
}

// A value is a number or a time. For numbers, whole is the nearest float64 and rest the difference;
// for times, whole is the day and rest the nanoseconds of the day. whole is NaN if there is no
// value.
type value struct {
	whole float64
	rest  int64
}

func (v value) missing() bool { return math.IsNaN(v.whole) }

// compare compares two values, neither of which is missing.
func (v value) compare(w value) int {
	switch {
	case v.whole < w.whole || v.whole == w.whole && v.rest < w.rest:
		return -1
	case v == w:
		return 0
	}
	return 1
}

func valueOfTime(t cftime.Time) value { return value{float64(t.Day), t.Nanos} }

// valueOfInt returns the value of an integer: the nearest float64, and the difference to it.
func valueOfInt(i int64) value {
	if f := float64(i); f < 1<<63 {
		return value{f, i - int64(f)}
	}
	return value{1 << 63, i - math.MaxInt64 - 1}
}

func valueOfUint(u uint64) value {
	if f := float64(u); f < 1<<64 {
		return value{f, int64(u - uint64(f))}
	}
	return value{1 << 64, int64(u)} // u - 2^64
}

// Coordinate reads the coordinate of a dimension, within the bounds of the dimension. The error
// wraps ErrDim if there is no such dimension or it has no coordinate, drx.ErrDType if the
// coordinate is not of real numbers; otherwise it is that of drx.Open or of reading.
func (d *Dataset) Coordinate(dim string) (*Coordinate, error) {
	known, err := d.scan.dim(d.folder, dim)
	if err != nil {
		return nil, err
	}
	if !known.HasCoordinate {
		return nil, errkind.Errorf(ErrDim, "%s: dimension %s has no coordinate: no variable of rank 1 has its name", d.folder, dim)
	}
	v, err := d.Variable(dim)
	if err != nil {
		return nil, err
	}
	return newCoordinate(v.a, d.scan.dims[dim].Bounds)
}

// newCoordinate reads the part of a coordinate within the given bounds.
func newCoordinate(a *drx.Array, bounds nd.Range) (*Coordinate, error) {
	t := a.DType()
	if t.IsComplex() || t == dtype.Bool {
		return nil, errkind.Errorf(drx.ErrDType, "%s: a coordinate of %v: want real numbers", a.Name(), t)
	}
	c := &Coordinate{name: a.Name(), dtype: t}
	r := overlap(bounds, a.Bounds()[0])
	c.first = r.Lo
	buf := make([]byte, r.Len()*t.Size())
	if err := a.ReadBytes(nd.Section{r}, buf, nil); err != nil {
		return nil, err
	}
	scale, offset, err := c.attrs(a)
	if err != nil {
		return nil, err
	}
	m, err := meaning.Of(t, a.FillValue(), a.Attrs(), nil)
	if err != nil {
		return nil, errkind.InFile(a.Name(), err)
	}
	c.dtype = m.Number()
	c.values = make([]value, r.Len())
	for i := range c.values {
		b := buf[i*t.Size():][:t.Size()]
		if m.IsMissing(b) {
			c.values[i] = value{whole: math.NaN()}
		} else if c.values[i], err = c.decode(b, scale, offset); err != nil {
			return nil, fmt.Errorf("%s: element %d: %w", a.Name(), r.Lo+i, err)
		}
	}
	return c, nil
}

// attrs reads the attributes that define the meaning of the elements.
func (c *Coordinate) attrs(a *drx.Array) (scale, offset float64, err error) {
	scale = 1
	has := [2]bool{}
	for i, attr := range []struct {
		name string
		to   *float64
	}{{"scale_factor", &scale}, {"add_offset", &offset}} {
		if has[i], err = attrOf(a, attr.name, attr.to); err != nil {
			return 0, 0, errkind.Errorf(drx.ErrCorrupt, "%w: want a number", err)
		}
	}
	c.scaled = has[0] || has[1]
	c.texts = map[string]string{}
	for name := range a.Attrs() {
		var text string
		if ok, err := attrOf(a, name, &text); ok && err == nil { // other types are no units
			c.texts[name] = text
		}
	}
	units, calendar := c.texts["units"], c.texts["calendar"]
	if cftime.IsTime(units) {
		if u, err := cftime.ParseUnits(units, calendar); err != nil {
			c.refused = err
		} else {
			c.units = &u
		}
	}
	return scale, offset, nil
}

// attrOf is a.Attr that also accepts a list of one value, which HDF5 writes.
func attrOf[T any](a *drx.Array, name string, value *T) (found bool, err error) {
	var list []T
	if found, err := a.Attr(name, &list); err == nil && found && len(list) == 1 {
		*value = list[0]
		return true, nil
	}
	return a.Attr(name, value)
}

// decode returns the value of an element.
func (c *Coordinate) decode(b []byte, scale, offset float64) (value, error) {
	x := c.dtype.Float64(b)
	if math.IsNaN(x) {
		return value{whole: x}, nil
	}
	exact := !c.scaled && !c.dtype.IsFloat()
	v := value{whole: scale*x + offset}
	if exact {
		v = integer(c.dtype, b)
	}
	if c.units == nil {
		return v, nil
	}
	var t cftime.Time
	var err error
	if n := int64(v.whole) + v.rest; exact && v.whole < 1<<63 {
		t, err = c.units.TimeOf(n)
	} else {
		t, err = c.units.Time(v.whole)
	}
	return valueOfTime(t), err
}

// integer returns the value of an element of an integer type.
func integer(t dtype.DType, b []byte) value {
	u := wrapped(t, b)
	if strings.HasPrefix(t.String(), "u") {
		return valueOfUint(u)
	}
	return valueOfInt(int64(u))
}

// wrapped returns an integer element modulo 2^64.
func wrapped(t dtype.DType, b []byte) uint64 {
	var bits [8]byte
	copy(bits[:], b)
	u := binary.LittleEndian.Uint64(bits[:])
	if strings.HasPrefix(t.String(), "u") {
		return u
	}
	unused := 64 - 8*t.Size()
	return uint64(int64(u<<unused) >> unused)
}

// IsTime reports whether the values are times.
func (c *Coordinate) IsTime() bool { return c.units != nil }

// Units returns the units and the calendar of times.
func (c *Coordinate) Units() (units cftime.Units, ok bool) {
	if c.units == nil {
		return units, false
	}
	return *c.units, true
}

// Attr returns a text attribute of the coordinate, such as units or long_name; "" if it does not
// exist or is no text.
func (c *Coordinate) Attr(name string) string { return c.texts[name] }

// Bounds returns the indices that have values.
func (c *Coordinate) Bounds() nd.Range { return nd.Span(c.first, c.first+len(c.values)) }

// Float64 returns the value of an index, NaN if it has none. For a time it is the number in the
// units of the coordinate.
func (c *Coordinate) Float64(index int) float64 {
	v := c.at(index)
	if c.units != nil && !v.missing() {
		return c.units.Value(v.time())
	}
	return v.whole + float64(v.rest)
}

// Time returns the time of an index, or false if the values are no times or the index has none.
func (c *Coordinate) Time(index int) (t cftime.Time, ok bool) {
	v := c.at(index)
	if c.units == nil || v.missing() {
		return t, false
	}
	return v.time(), true
}

func (v value) time() cftime.Time { return cftime.Time{Day: int64(v.whole), Nanos: v.rest} }

// at returns the value of an index; outside of the coordinate it is missing.
func (c *Coordinate) at(index int) value {
	if r := c.Bounds(); index < r.Lo || index >= r.Hi {
		return value{whole: math.NaN()}
	}
	return c.values[index-c.first]
}

// Text returns the value of an index as text that Select accepts: a number with the digits that its
// type needs, or a date. It is empty if there is no value.
func (c *Coordinate) Text(index int) string { return c.text(c.at(index)) }

func (c *Coordinate) text(v value) string {
	switch {
	case v.missing():
		return ""
	case c.units != nil:
		return c.units.Calendar.Format(v.time())
	case c.scaled:
		return strconv.FormatFloat(v.whole, 'g', -1, 64)
	case c.dtype.IsFloat():
		b, _ := c.dtype.EncodeValue(v.whole) // no error: the value was read from an element
		return c.dtype.Format(b)
	}
	whole, _ := big.NewFloat(v.whole).Int(nil) // an integer type
	return whole.Add(whole, big.NewInt(v.rest)).String()
}
