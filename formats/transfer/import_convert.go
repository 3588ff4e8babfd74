package transfer

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// conversion returns how to turn the elements of a variable into those of an array to which they
// are appended: so that they mean what they meant in the file, see package meaning. Types must be
// the same unless the numbers are packed, or times, or --as makes them so. coordinate says that the
// array is a coordinate.
func (o *comparer) conversion(a *drx.Array, f *importFile, v formats.Info, coordinate bool) (c conversion, err error) {
	stored, parent := v.DType, parentOf(f, v)
	if o.Unscale {
		s, err := newScaling(v)
		if err != nil {
			return c, err
		}
		if s != nil {
			v = s.apply(v)
			c.addScaling(s)
		}
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
		return c, errkind.Of(drx.ErrDType, errorf("%v: %s has %v already, and what is appended becomes that: leave it out, or give %v", asType(o.to), a.Name(), a.DType(), asType(a.DType())))
	}
	between, err := o.between(a, v, parent, converts, coordinate)
	if refused := (*meaning.RefusedError)(nil); errors.As(err, &refused) {
		if refused.Kind == "type" && v.DType != a.DType() {
			return c, differentTypes(a, v, stored, coordinate)
		}
		if !coordinate && parent == nil {
			err = errorf("%w; %v takes the numbers as they are", err, option("as-stored"))
		}
	}
	if between != nil && err == nil {
		c.add(a.DType(), func(elements []byte) ([]byte, error) {
			out, err := between.Apply(elements)
			if err != nil && converts && !o.Clip {
				err = errorf("%w; %v", err, clipHint)
			}
			return out, err
		})
		o.noteConversion(a, f, v, between)
	}
	return c, err
}

// between compares the meanings of a variable and an array. It returns nil if they are the same.
func (o *comparer) between(a *drx.Array, v formats.Info, parent *formats.Info, converts, coordinate bool) (*meaning.Conversion, error) {
	rule := meaning.Exact
	switch {
	case converts && o.Clip:
		rule = meaning.Clip
	case converts:
		rule = meaning.Nearest
	case (coordinate || parent != nil) && !(a.DType().IsFloat() && v.DType.IsFloat()):
		rule = meaning.Values // other programs choose the type of times by their values
	}
	if o.AsStored && !coordinate && parent == nil {
		return asTheyAre(a, v, rule)
	}
	from, err := meaningOfVar(v, parent)
	if err != nil {
		return nil, err
	}
	to, err := meaningOfArray(a, o.parentHere(parent))
	if err != nil {
		return nil, err
	}
	plain := !from.IsPacked() && !to.IsPacked() && from.Times == nil && !coordinate && parent == nil
	if plain && !converts && v.DType != a.DType() {
		return nil, &meaning.RefusedError{Kind: "type", From: v.DType.String(), To: a.DType().String()}
	}
	return compare(a, from, to, rule)
}

// differentTypes returns the error for a variable that has another type than the array, and had
// type stored before --unscale.
func differentTypes(a *drx.Array, v formats.Info, stored dtype.DType, coordinate bool) error {
	hint := textf("; convert the values of the file")
	if _, err := dtype.NewConverter(v.DType, a.DType(), true, a.FillValue()); err == nil && !coordinate {
		hint = textf("; %v converts what is appended", asType(a.DType()))
	}
	if v.DType != stored {
		return errkind.Of(drx.ErrDType, errorf("%v makes %v, %s has %v%v", option("unscale"), v.DType, a.Name(), a.DType(), hint))
	}
	return errkind.Of(drx.ErrDType, errorf("has %v, %s has %v%v", v.DType, a.Name(), a.DType(), hint))
}

// sameStrings returns how to turn numbers of strings into those of an array's strings.
func sameStrings(a *drx.Array, v formats.Info) (func([]byte) ([]byte, error), error) {
	var known []*string // nil is missing text, which Python writes
	if found, err := a.Attr(stringsAttr, &known); err != nil || !found {
		return nil, errors.Join(err, errkind.Errorf(drx.ErrDType, "has strings, %s has numbers", a.Name()))
	}
	number := map[string]int{}
	for i, s := range known {
		if s != nil {
			number[*s] = i
		}
	}
	for _, s := range v.Labels {
		if _, has := number[s]; !has {
			number[s] = len(known)
			known = append(known, &s)
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
				return nil, fmt.Errorf("string %d of %d: %w", n, len(v.Labels), formats.ErrType)
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

// notedBytes is the size of a variable whose elements are compared with those of DST, at the most.
const notedBytes = 4096

// noteDifference prints a note if a variable that does not grow, and is no coordinate, differs from
// that of DST, for the first file in which it does. DST keeps its own.
func (o *comparer) noteDifference(a *drx.Array, f *importFile, v formats.Info) error {
	if n, err := v.Bytes(); err != nil || n > notedBytes || o.noted[v.Name] {
		return nil
	}
	elements, _ := nd.Product(a.Shape()...)
	if len(v.Shape) == 0 && elements == 1 || slices.Equal(v.Shape, a.Shape()) {
		err := o.sameElements(a, f, v)
		if !errors.Is(err, drx.ErrBounds) && !errors.Is(err, meaning.ErrRefused) {
			return err
		}
	}
	if o.noted == nil {
		o.noted = map[string]bool{}
	}
	o.noted[v.Name] = true
	if o.Note != nil {
		along := ""
		if o.Append != "" {
			along = "does not grow along " + wording.Printable(o.Append) + " and "
		}
		o.Note(fmt.Sprintf("%s: %s has other values; it %skeeps its own", wording.Printable(a.Name()), f.name, along))
	}
	return nil
}

// bothCoordinates returns the elements of a part of a coordinate of DST and, as elements of the
// same type, those of the file's, to compare them: one may have fewer digits than the other.
func (o *comparer) bothCoordinates(a *drx.Array, part nd.Range, f *importFile, v formats.Info) (have, got values, err error) {
	conv, err := o.comparable(a, f, v)
	if err != nil {
		return have, got, fmt.Errorf("coordinate %s: %w", wording.Printable(v.Name), err)
	}
	if have.m, err = Meaning(a); err != nil {
		return have, got, err
	}
	if v.DType.IsFloat() && a.DType().IsFloat() {
		have.digits = max(lastDigits[v.DType], lastDigits[a.DType()])
	}
	got = have
	elements, err := o.readWhole(f, v)
	if err != nil {
		return have, got, err
	}
	if got.elements, err = conv.apply(elements); err != nil {
		return have, got, fmt.Errorf("coordinate %s: %w", wording.Printable(v.Name), err)
	}
	have.elements = make([]byte, part.Len()*a.DType().Size())
	return have, got, a.ReadBytes(nd.Section{part}, have.elements, nil)
}

// comparable returns how to turn the values of a coordinate into those of one of another
// floating-point type, to compare them.
func (o *comparer) comparable(a *drx.Array, f *importFile, v formats.Info) (c conversion, err error) {
	if v.DType == a.DType() || !v.DType.IsFloat() || !a.DType().IsFloat() || o.Unscale {
		return o.conversion(a, f, v, true)
	}
	from, err := meaningOfVar(v, nil)
	if err != nil {
		return c, err
	}
	to, err := Meaning(a)
	if err != nil {
		return c, err
	}
	between, err := compare(a, from, to, meaning.Nearest)
	if between != nil {
		c.add(a.DType(), between.Apply)
		o.noteConversion(a, f, v, between)
	}
	return c, err
}

// sameCoordinate checks that a coordinate that does not grow is that of DST.
func (o *comparer) sameCoordinate(a *drx.Array, f *importFile, v formats.Info) error {
	return o.sameValues(a, a.Bounds()[0], f, v, textf("; %v lets %s grow to hold both", option("widen"), o.dst))
}

// sameValues checks that a coordinate of a file has the values of a part of that of DST. widen ends
// the error if they have values in common.
func (o *comparer) sameValues(a *drx.Array, part nd.Range, f *importFile, v formats.Info, widen Text) error {
	want, got, err := o.bothCoordinates(a, part, f, v)
	if err != nil {
		return err
	}
	if _, common := offsetOf(want, got); !common {
		widen = Text{}
	}
	return compareCoordinates(v.Name, a.Name(), want, got, widen)
}

// samePart is sameValues for the values of the file from number first on.
func (o *comparer) samePart(a *drx.Array, part nd.Range, f *importFile, v formats.Info, first int) error {
	want, got, err := o.bothCoordinates(a, part, f, v)
	if err != nil {
		return err
	}
	got.elements = got.elements[first*got.m.Type.Size():][:len(want.elements)]
	for i := range want.len() { // what has no value yet will get it
		if want.isMissing(i) {
			copy(want.at(i), got.at(i))
		}
	}
	return compareCoordinates(v.Name, a.Name(), want, got, Text{})
}

// compareCoordinates returns an error that says how the values of a coordinate of a file differ
// from those of an array.
func compareCoordinates(name, array string, want, got values, hint Text) error {
	if got.len() != want.len() {
		return errkind.Of(drx.ErrBounds, errorf("coordinate %s: has %d values, %s has %d%v", wording.Printable(name), got.len(), array, want.len(), hint))
	}
	limit := want.quarter()
	for i := range want.len() {
		if !want.same(i, got.at(i), limit) {
			return errkind.Of(drx.ErrBounds, errorf("coordinate %s: %svalue %d is %s, that of %s is %s%v", wording.Printable(name), howDifferent(want, got),
				i, got.text(i), array, want.text(i), hint))
		}
	}
	return nil
}

// howDifferent says in words how as many values differ, if there are such words.
func howDifferent(want, got values) string {
	n, limit := want.len(), want.quarter()
	number := func(v values, i int) float64 { return v.m.Value(v.at(i)) }
	reversed, shifted := n > 1, n > 1
	by := number(got, 0) - number(want, 0)
	step := math.Abs(number(want, n-1)-number(want, 0)) / float64(max(1, n-1))
	for i := range n {
		reversed = reversed && want.same(n-1-i, got.at(i), limit)
		shifted = shifted && math.Abs(number(got, i)-number(want, i)-by) <= 1e-4*step
	}
	switch {
	case reversed:
		return "is reversed: "
	case isPermuted(want, got):
		return "is permuted: "
	case shifted && want.m.Times != nil:
		return "is shifted: "
	case shifted:
		return fmt.Sprintf("is shifted by %.7g: ", by)
	}
	return ""
}

// isPermuted reports whether two lists have the same values in another order.
func isPermuted(want, got values) bool {
	sorted := func(v values) []int {
		order := make([]int, v.len())
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, k int) int { return v.m.Order(v.at(i), v.at(k)) })
		return order
	}
	w, g := sorted(want), sorted(got)
	if len(w) != len(g) {
		return false
	}
	limit := want.quarter()
	for i := range w {
		if !want.same(w[i], got.at(g[i]), limit) {
			return false
		}
	}
	return true
}

// parentOf returns the variable of a file whose bounds a variable has; nil if there is none.
func parentOf(f *importFile, v formats.Info) *formats.Info {
	for i, other := range f.content.Vars {
		for _, attr := range []string{"bounds", "climatology"} {
			if name, _ := other.Attrs[attr].(string); name != "" && path.Join(path.Dir(other.Name), name) == v.Name {
				return &f.content.Vars[i]
			}
		}
	}
	return nil
}

// parentHere returns the array of DST of which a variable of a file has the bounds there.
func (o *comparer) parentHere(parent *formats.Info) *drx.Array {
	if o.into == nil || parent == nil {
		return nil
	}
	for _, name := range o.into.Variables() {
		v, err := o.into.Variable(name)
		if err != nil {
			continue
		}
		if source, err := o.sourceOf(v); err == nil && source == parent.Name {
			return v.Array()
		}
	}
	return nil
}

// noteConversion prints a note about numbers that are converted, once for a variable.
func (o *comparer) noteConversion(a *drx.Array, f *importFile, v formats.Info, c *meaning.Conversion) {
	text := c.Describe()
	if text == "" || o.Note == nil || o.noted[v.Name] {
		return
	}
	if o.noted == nil {
		o.noted = map[string]bool{}
	}
	o.noted[v.Name] = true
	o.Note(fmt.Sprintf("%s: %s: %s", wording.Printable(a.Name()), f.name, text))
}

// noteValid prints a note, once for a variable of a file, if its valid range is not that of the
// array that gets its elements. A variable without attributes says nothing. parent and of are what
// both have the bounds of; nil for none.
func (o *comparer) noteValid(a, of *drx.Array, file string, v formats.Info, parent *formats.Info) error {
	said := v.Name + " valid"
	if o.Note == nil || o.AsStored || o.noted[said] || len(v.Attrs) == 0 || v.Labels != nil {
		return nil
	}
	if o.Unscale {
		s, err := newScaling(v)
		if err != nil {
			return err
		}
		v = s.apply(v)
	}
	from, err := meaningOfVar(v, parent)
	if err != nil {
		return err
	}
	to, err := meaningOfArray(a, of)
	if err != nil {
		return err
	}
	if text := meaning.DescribeValid(from, to, "the array"); text != "" {
		if o.noted == nil {
			o.noted = map[string]bool{}
		}
		o.noted[said] = true
		o.Note(fmt.Sprintf("%s: %s: %s", wording.Printable(a.Name()), file, text))
	}
	return nil
}
