package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"drx"
	"drx/convert"
	"drx/dataset/cftime"
	"drx/dtype"
	"drx/internal/wording"
	"drx/nd"
)

// conversion returns how to turn the elements of a variable into those of an array to which they are appended. The values must
// mean the same: times are converted to the units of the array; other numbers must have the same type, scale and offset, unless
// --unscale and --as make it so. coordinate says that the array is a coordinate.
func (o *importer) conversion(a *drx.Array, v convert.Info, coordinate bool) (c conversion, err error) {
	stored := v.DType
	if o.Unscale {
		s, err := newScaling(v)
		if err != nil {
			return c, err
		}
		if s != nil {
			v = s.apply(v)
			c.add(v.DType, s.elements)
		}
	}
	if err := sameScale(a, v); err != nil {
		return c, err
	}
	if v.Labels != nil {
		step, err := sameStrings(a, v)
		if err == nil {
			c.add(a.DType(), step)
		}
		return c, err
	}
	converts := o.converts(v, coordinate)
	if converts && a.DType() != o.to {
		return c, fmt.Errorf("--as %v: %s has %v already, and what is appended becomes that: leave out --as, or give --as %v: %w", o.to, a.Name(), a.DType(), a.DType(), drx.ErrDType)
	}
	if from, to, ok := timeUnits(a, v); ok && (a.DType() != v.DType || !reflect.DeepEqual(from, to)) {
		if from.Calendar != to.Calendar {
			return c, fmt.Errorf("the calendar is %v, that of %s is %v: %w", from.Calendar, a.Name(), to.Calendar, drx.ErrDType)
		}
		c.add(a.DType(), convertTimes(a, v.DType, from, to))
		return c, nil
	}
	if a.DType() == v.DType {
		return c, nil
	}
	if !converts {
		return c, differentTypes(a, v, stored, coordinate)
	}
	converter, err := dtype.NewConverter(v.DType, a.DType(), o.Clip, a.FillValue())
	if err == nil {
		c.add(a.DType(), typeStep(v.DType, a.DType(), converter))
	}
	return c, err
}

// differentTypes returns the error for a variable that has another type than the array, and had type stored before --unscale.
func differentTypes(a *drx.Array, v convert.Info, stored dtype.DType, coordinate bool) error {
	hint := ""
	if _, err := dtype.NewConverter(v.DType, a.DType(), true, a.FillValue()); err == nil && !coordinate {
		hint = fmt.Sprintf("; --as %v converts what is appended", a.DType())
	}
	if v.DType != stored {
		return fmt.Errorf("--unscale makes %v, %s has %v%s: %w", v.DType, a.Name(), a.DType(), hint, drx.ErrDType)
	}
	return fmt.Errorf("has %v, %s has %v%s: %w", v.DType, a.Name(), a.DType(), hint, drx.ErrDType)
}

// sameScale checks that elements of a variable and of an array have the same scale and offset.
func sameScale(a *drx.Array, v convert.Info) error {
	for _, attr := range []struct {
		name string
		none float64
	}{{"scale_factor", 1}, {"add_offset", 0}} {
		has, here := attr.none, attr.none
		if n, ok := asNumber(a.Attrs()[attr.name]); ok {
			has = n
		}
		if n, ok := asNumber(v.Attrs[attr.name]); ok {
			here = n
		}
		if has != here {
			return fmt.Errorf("%s is %v, that of %s is %v: import both with --unscale: %w", attr.name, here, a.Name(), has, drx.ErrDType)
		}
	}
	return nil
}

// sameStrings returns how to turn numbers of strings into those of an array's strings.
func sameStrings(a *drx.Array, v convert.Info) (func([]byte) ([]byte, error), error) {
	var known []string
	if found, err := a.Attr(stringsAttr, &known); err != nil || !found {
		return nil, errors.Join(err, fmt.Errorf("has strings, %s has numbers: %w", a.Name(), drx.ErrDType))
	}
	number := map[string]int{}
	for i, s := range known {
		number[s] = i
	}
	for _, s := range v.Labels {
		if _, has := number[s]; !has {
			number[s] = len(known)
			known = append(known, s)
		}
	}
	if err := a.SetAttr(stringsAttr, known); err != nil { // with the next commit
		return nil, err
	}
	return func(b []byte) ([]byte, error) {
		size := v.DType.Size()
		out := make([]byte, 0, len(b)/size*a.DType().Size())
		for ; len(b) > 0; b = b[size:] {
			n := int(v.DType.Float64(b[:size]))
			if n < 0 || n >= len(v.Labels) {
				return nil, fmt.Errorf("string %d of %d: %w", n, len(v.Labels), convert.ErrType)
			}
			element, err := a.DType().EncodeValue(uint64(number[v.Labels[n]]))
			if err != nil {
				return nil, err
			}
			out = append(out, element...)
		}
		return out, nil
	}, nil
}

// timeUnits returns the units of a variable and of an array, if both have times.
func timeUnits(a *drx.Array, v convert.Info) (from, to cftime.Units, ok bool) {
	units, _ := v.Attrs["units"].(string) // what is no text is no unit
	calendar, _ := v.Attrs["calendar"].(string)
	from, isTime := parseTimes(units, calendar)
	to, isTimeHere := timesOf(a)
	return from, to, isTime && isTimeHere && !v.DType.IsComplex()
}

// convertTimes returns a function that converts times of type t to those of an array. A time that the type of the array
// cannot hold exactly is an error, if that is an integer type.
func convertTimes(a *drx.Array, t dtype.DType, from, to cftime.Units) func([]byte) ([]byte, error) {
	return func(b []byte) ([]byte, error) {
		out := make([]byte, 0, len(b)/t.Size()*a.DType().Size())
		for ; len(b) > 0; b = b[t.Size():] {
			x, err := from.Time(t.Float64(b[:t.Size()]))
			if err != nil {
				return nil, err
			}
			element, err := a.DType().EncodeValue(to.Value(x))
			if err != nil {
				return nil, fmt.Errorf("%s is no whole number in the units of %s: %w", from.Calendar.Format(x), a.Name(), err)
			}
			out = append(out, element...)
		}
		return out, nil
	}
}

// notedBytes is the size of a variable whose elements are compared with those of DST, at the most.
const notedBytes = 4096

// noteDifference prints a note if a variable that does not grow, and is no coordinate, differs from that of DST, for the first file
// in which it does. DST keeps its own.
func (o *importer) noteDifference(a *drx.Array, f *importFile, v convert.Info) error {
	if n, err := v.Bytes(); err != nil || n > notedBytes || o.noted[v.Name] || v.DType != a.DType() {
		return nil
	}
	got, err := o.readWhole(f, v)
	if err != nil {
		return err
	}
	want := make([]byte, len(got))
	if n, _ := nd.Product(a.Shape()...); n*a.DType().Size() == len(want) {
		if err := a.ReadBytes(nil, want, nil); err != nil {
			return err
		}
		if bytes.Equal(got, want) {
			return nil
		}
	}
	if o.noted == nil {
		o.noted = map[string]bool{}
	}
	o.noted[v.Name] = true
	if o.Note != nil {
		o.Note(fmt.Sprintf("%s: %s has other values; it does not grow along %s and keeps its own", wording.Printable(a.Name()), f.name, wording.Printable(o.Append)))
	}
	return nil
}

// bothCoordinates returns the elements of a coordinate of DST and, as elements of the same type, those of the file's.
func (o *importer) bothCoordinates(a *drx.Array, f *importFile, v convert.Info) (have, got []byte, err error) {
	conv, err := o.conversion(a, v, true)
	if err != nil {
		return nil, nil, fmt.Errorf("coordinate %s: %w", wording.Printable(v.Name), err)
	}
	got, err = o.readWhole(f, v)
	if err == nil {
		got, err = conv.apply(got)
	}
	if err != nil {
		return nil, nil, err
	}
	have = make([]byte, a.Shape()[0]*a.DType().Size())
	return have, got, a.ReadBytes(nil, have, nil)
}

// sameCoordinate checks that a coordinate that does not grow is that of DST.
func (o *importer) sameCoordinate(a *drx.Array, f *importFile, v convert.Info) error {
	want, got, err := o.bothCoordinates(a, f, v)
	if err != nil {
		return err
	}
	size := a.DType().Size()
	hint := ""
	if _, common := offsetOf(want, got, size); common {
		hint = "; --widen lets " + o.dst + " grow to hold both"
	}
	if len(got) != len(want) {
		return fmt.Errorf("coordinate %s: has %d values, %s has %d%s: %w", wording.Printable(v.Name), len(got)/size, a.Name(), len(want)/size, hint, drx.ErrBounds)
	}
	for i := 0; i < len(want); i += size {
		if !bytes.Equal(got[i:i+size], want[i:i+size]) {
			return fmt.Errorf("coordinate %s: value %d is %s, that of %s is %s%s: %w",
				wording.Printable(v.Name), i/size, a.DType().Format(got[i:i+size]), a.Name(), a.DType().Format(want[i:i+size]), hint, drx.ErrBounds)
		}
	}
	return nil
}
