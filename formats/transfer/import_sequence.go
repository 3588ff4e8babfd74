package transfer

import (
	"bytes"
	"fmt"
	"slices"

	"drx"
	"drx/dtype"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// A sequence checks that the values of a coordinate that grows continue in their direction, so that
// a file is not appended twice, nor at the wrong end.
type sequence struct {
	a      *drx.Array // the coordinate, nil if there is none
	source string     // its name in the files
	low    bool
	begin  int // index of the first value in known
	known  values
}

// newSequence returns the sequence of the coordinate of the dimension along which DST grows.
func (o *comparer) newSequence(t *target) (s sequence, err error) {
	if t.d == nil || o.AnyOrder {
		return s, nil
	}
	dim, err := t.d.Dim(o.Append)
	if err != nil || !dim.HasCoordinate {
		return s, nil //nolint:nilerr // planFile reports that there is no such dimension
	}
	variable, err := t.d.Variable(o.Append)
	if err != nil {
		return s, err
	}
	source, err := o.sourceOf(dstVar{headerOf(variable.Array()), variable.Name(), variable.Dims(), true}, o.dst)
	if err != nil {
		return s, err
	}
	return o.sequenceOf(variable.Array(), source, dim.Bounds, o.Low)
}

// sequenceOf returns the sequence of a coordinate within bounds. The coordinate is called source in
// files, and grows at its low end if low.
func (o *comparer) sequenceOf(a *drx.Array, source string, bounds nd.Range, low bool) (s sequence, err error) {
	var known []string
	if isText, err := a.Attr(stringsAttr, &known); isText || err != nil || a.DType().IsComplex() || a.DType() == dtype.Bool {
		return s, err
	}
	s = sequence{a: a, source: source, low: low, begin: bounds.Lo}
	if s.known.m, err = Meaning(a); err != nil {
		return s, err
	}
	size, n := a.DType().Size(), bounds.Len()
	if n*size > o.memory/4 { // too large: the end at which it grows suffices
		if n = o.memory / 4 / size; !low {
			s.begin = bounds.Hi - n
		}
	}
	s.known.elements = make([]byte, n*size)
	return s, a.ReadBytes(nd.Section{nd.Span(s.begin, s.begin+n)}, s.known.elements, nil)
}

// add checks the coordinate of a file and appends it to the sequence.
func (s *sequence) add(o *comparer, f *importFile) error {
	i := slices.IndexFunc(f.content.Vars, func(v formats.Info) bool { return v.Name == s.source })
	if s.a == nil || i < 0 || slices.Contains(f.content.Vars[i].Shape, 0) || f.content.Vars[i].Labels != nil {
		return nil
	}
	return s.addVar(o, f, f.content.Vars[i])
}

// addVar is add for a variable of the file.
func (s *sequence) addVar(o *comparer, f *importFile, v formats.Info) error {
	conv, err := o.conversionNow(s.a, f, v)
	if err != nil {
		return err
	}
	stored, err := o.coordinateOf(f, v)
	if err != nil {
		return err
	}
	if stored, err = conv.apply(stored); err != nil {
		return fmt.Errorf("coordinate %s: %w", wording.Printable(v.Name), err)
	}
	got := values{m: s.known.m, elements: bytes.Clone(stored)}
	if reason, kind := s.known.checkFollows(got, s.low, s.begin, s.a.Name()); reason != "" {
		return &OrderError{v.Name, reason, kind}
	}
	if s.low {
		s.known.elements = slices.Concat(got.elements, s.known.elements)
		s.begin -= got.len()
	} else {
		s.known.elements = append(s.known.elements, got.elements...)
	}
	return nil
}

// coordinateOf reads a coordinate that grows, and returns an error if a value is missing. If it
// does not fit into memory, it reads only the ends.
func (o *comparer) coordinateOf(f *importFile, v formats.Info) ([]byte, error) {
	if n, err := v.Bytes(); err != nil || n > o.memory/4 {
		first, last, err := o.files.endsOf(f, v)
		return slices.Concat(first, last), err
	}
	got, err := o.files.readWhole(f, v)
	if err != nil {
		return nil, err
	}
	m, err := meaningOfVar(v, nil)
	if err != nil {
		return nil, err
	}
	all := values{m: m, elements: got}
	for i := range all.len() {
		if all.isMissing(i) {
			return nil, &OrderError{v.Name, fmt.Sprintf("value %d is missing (%s): every index that is appended needs a value", i, v.DType.Format(all.at(i))), Missing}
		}
	}
	return got, nil
}
