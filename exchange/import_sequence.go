package exchange

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"drx"
	"drx/convert"
	"drx/dataset/cftime"
	"drx/dtype"
	"drx/internal/wording"
	"drx/nd"
)

// A sequence checks that the values of a coordinate that grows go on in the direction that they have, so that a file is not
// appended twice, nor at the wrong end.
type sequence struct {
	a           *drx.Array // the coordinate, nil if there is none
	source      string     // its name in the files
	first, last []byte     // elements, nil as long as there is none
}

// newSequence returns the sequence of the coordinate of the dimension along which DST grows.
func (o *importer) newSequence(t *target) (s sequence, err error) {
	if t.d == nil || o.AnyOrder {
		return s, nil
	}
	dim, err := t.d.Dim(o.Append)
	if err != nil || !dim.HasCoordinate {
		return s, nil //nolint:nilerr // that there is no such dimension is said elsewhere
	}
	a, err := t.array(o.Append)
	if err != nil || a.DType().IsComplex() || a.DType() == dtype.Bool || dim.Bounds.Len() == 0 {
		return s, err
	}
	var known []string
	if isText, err := a.Attr(stringsAttr, &known); isText || err != nil {
		return s, err
	}
	variable, err := t.d.Variable(o.Append)
	if err == nil {
		s.source, err = o.nameInFile(variable)
	}
	if err != nil {
		return s, err
	}
	s.a = a
	if s.first, err = element(a, dim.Bounds.Lo); err == nil {
		s.last, err = element(a, dim.Bounds.Hi-1)
	}
	return s, err
}

func element(a *drx.Array, i int) ([]byte, error) {
	buf := make([]byte, a.DType().Size())
	return buf, a.ReadBytes(nd.Section{nd.At(i)}, buf, nil)
}

// add checks the coordinate of a file and appends it to the sequence.
func (s *sequence) add(o *importer, f *importFile) error {
	i := slices.IndexFunc(f.content.Vars, func(v convert.Info) bool { return v.Name == s.source })
	if s.a == nil || i < 0 || slices.Contains(f.content.Vars[i].Shape, 0) {
		return nil
	}
	v := f.content.Vars[i]
	conv, err := o.conversion(s.a, f, v, true)
	if err != nil {
		return err
	}
	if err := o.noneMissing(f, v); err != nil {
		return err
	}
	first, last, err := o.endsOf(f, v)
	if err == nil {
		if first, err = conv.apply(first); err == nil {
			first = bytes.Clone(first)
			last, err = conv.apply(last)
		}
	}
	if err != nil {
		return err
	}
	last = bytes.Clone(last)
	if err := s.check(o, v.Name, first, last); err != nil {
		return cmp.Or(s.known(o, f, v, conv), err)
	}
	if o.Low {
		s.first = first
	} else {
		s.last = last
	}
	return nil
}

// check returns an error unless the elements first to last of a file go on where the sequence ends.
func (s *sequence) check(o *importer, name string, first, last []byte) error {
	value := s.a.DType().Float64
	way := direction(value(s.first), value(s.last))
	if own := direction(value(first), value(last)); way == 0 {
		way = own
	}
	from, to := s.last, first
	if o.Low {
		from, to = last, s.first
	}
	step := direction(value(from), value(to))
	if way == 0 { // one value here, one there
		way = step
		if _, isTime := timesOf(s.a); isTime {
			way = 1
		}
	}
	if step == way && step != 0 || step == 0 && !bytes.Equal(from, to) { // integers that are the same as float64, or NaN
		return nil
	}
	verb := map[bool]string{false: "follow", true: "precede"}[o.Low]
	return fmt.Errorf("coordinate %s: %s .. %s does not %s %s .. %s of %s, so the file may have been imported before; --low grows at the other end, and --any-order does not check this: %w",
		wording.Printable(name), elementText(s.a, first), elementText(s.a, last), verb, elementText(s.a, s.first), elementText(s.a, s.last), s.a.Name(), drx.ErrBounds)
}

// known returns an error if a coordinate of a file has a value that DST has already, nil if it has none, or if it cannot be told.
func (s *sequence) known(o *importer, f *importFile, v convert.Info, conv conversion) error {
	got, err := o.readWhole(f, v)
	if err == nil {
		got, err = conv.apply(got)
	}
	begin, size := s.a.Bounds()[0].Lo, s.a.DType().Size()
	have := make([]byte, s.a.Bounds()[0].Len()*size)
	if err != nil || len(have) > o.memory/4 || s.a.ReadBytes(nil, have, nil) != nil {
		return nil //nolint:nilerr // the caller has an error already
	}
	at := map[string]int{}
	for i := range len(have) / size {
		at[string(have[i*size:][:size])] = begin + i
	}
	for i := range len(got) / size {
		value := got[i*size:][:size]
		if k, has := at[string(value)]; has {
			return fmt.Errorf("coordinate %s: %s is in %s already, at index %d: leave the file out if it was imported before, or give --any-order to have the value twice: %w",
				wording.Printable(v.Name), elementText(s.a, value), s.a.Name(), k, drx.ErrBounds)
		}
	}
	return nil
}

// endsOf reads the first and the last element of a coordinate, or of a scalar.
func (o *importer) endsOf(f *importFile, v convert.Info) (first, last []byte, err error) {
	r, err := o.reader(f, v.Name)
	if err != nil {
		return nil, nil, err
	}
	size := v.DType.Size()
	first, last = make([]byte, size), make([]byte, size)
	if len(v.Shape) == 0 {
		err = r.ReadSection(nil, first)
		copy(last, first)
	} else {
		n := v.Shape[0]
		err = errors.Join(r.ReadSection(nd.Section{nd.Span(0, 1)}, first), r.ReadSection(nd.Section{nd.Span(n-1, n)}, last))
	}
	return first, last, errors.Join(err, r.Close())
}

// timesOf returns the units of an array whose elements are times.
func timesOf(a *drx.Array) (u cftime.Units, ok bool) {
	var units, calendar string
	_, _ = a.Attr("units", &units) // what is no text is no unit
	_, _ = a.Attr("calendar", &calendar)
	return parseTimes(units, calendar)
}

// parseTimes returns the units of times, if the attributes units and calendar are those of times.
func parseTimes(units, calendar string) (u cftime.Units, ok bool) {
	if !cftime.IsTime(units) {
		return u, false
	}
	u, err := cftime.ParseUnits(units, calendar)
	return u, err == nil
}

// elementText returns an element of a coordinate for errors: a time or a number.
func elementText(a *drx.Array, element []byte) string {
	if u, ok := timesOf(a); ok {
		if t, err := u.Time(a.DType().Float64(element)); err == nil {
			return u.Calendar.Format(t)
		}
	}
	return a.DType().Format(element)
}

// endsText returns the first and the last element of a coordinate for errors.
func endsText(a *drx.Array, elements []byte) string {
	size := a.DType().Size()
	if len(elements) < size {
		return "no value"
	}
	return elementText(a, elements[:size]) + " .. " + elementText(a, elements[len(elements)-size:])
}

// noneMissing returns an error if a value of a coordinate that grows is missing: nothing could find what belongs to it.
func (o *importer) noneMissing(f *importFile, v convert.Info) error {
	m, err := meaningOfVar(v, nil)
	if n, sizeErr := v.Bytes(); err != nil || sizeErr != nil || int64(n) > int64(o.memory)/4 || v.Labels != nil {
		return err
	}
	got, err := o.readWhole(f, v)
	if err != nil {
		return err
	}
	size := v.DType.Size()
	for i := range len(got) / size {
		if e := got[i*size:][:size]; m.IsMissing(e) || math.IsNaN(m.Value(e)) {
			return fmt.Errorf("coordinate %s: value %d is missing (%s): every index that is appended needs a value; --any-order takes it all the same: %w",
				wording.Printable(v.Name), i, v.DType.Format(e), drx.ErrDType)
		}
	}
	return nil
}
