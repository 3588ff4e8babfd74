package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path"

	"drx"
	"drx/convert"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/wording"
	"drx/nd"
)

// conversion returns how to turn the elements of a variable into those of an array to which they are appended: so that they mean
// what they meant in the file, see package meaning. Types must be the same unless the numbers are packed, or times, or --as makes
// them so. coordinate says that the array is a coordinate.
func (o *importer) conversion(a *drx.Array, f *importFile, v convert.Info, coordinate bool) (c conversion, err error) {
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
		return c, fmt.Errorf("--as %v: %s has %v already, and what is appended becomes that: leave out --as, or give --as %v: %w", o.to, a.Name(), a.DType(), a.DType(), drx.ErrDType)
	}
	between, err := o.between(a, v, parent, converts, coordinate)
	if refused := (*meaning.RefusedError)(nil); errors.As(err, &refused) {
		if refused.Kind == "type" && v.DType != a.DType() {
			return c, differentTypes(a, v, stored, coordinate)
		}
		if !coordinate && parent == nil {
			refused.Hint += "; --as-stored takes the numbers as they are"
		}
	}
	if between != nil && err == nil {
		c.add(a.DType(), func(elements []byte) ([]byte, error) {
			out, err := between.Apply(elements)
			if err != nil && converts && !o.Clip {
				err = fmt.Errorf("%w; %s", err, clipHint)
			}
			return out, err
		})
		o.noteConversion(a, f, v, between)
	}
	return c, err
}

// between compares the meanings of a variable and an array. It returns nil if they are the same.
func (o *importer) between(a *drx.Array, v convert.Info, parent *convert.Info, converts, coordinate bool) (*meaning.Conversion, error) {
	rule := meaning.Exact
	switch {
	case converts && o.Clip:
		rule = meaning.Clip
	case converts:
		rule = meaning.Nearest
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
	if plain := !from.IsPacked() && !to.IsPacked() && from.Times == nil; plain && !converts && v.DType != a.DType() {
		return nil, &meaning.RefusedError{Kind: "type", From: v.DType.String(), To: a.DType().String()}
	}
	return compare(a, from, to, rule)
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
	conv, err := o.conversion(a, f, v, true)
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
		if !sameNumber(a.DType(), got[i:i+size], want[i:i+size]) {
			return fmt.Errorf("coordinate %s: %svalue %d is %s, that of %s is %s%s: %w", wording.Printable(v.Name), howDifferent(a.DType(), want, got),
				i/size, elementText(a, got[i:i+size]), a.Name(), elementText(a, want[i:i+size]), hint, drx.ErrBounds)
		}
	}
	return nil
}

// sameNumber reports whether two elements of a coordinate are equal, but for the last digits of floating-point numbers, which
// depend on how they were computed.
func sameNumber(t dtype.DType, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if !t.IsFloat() {
		return false
	}
	digits := map[dtype.DType]float64{dtype.Float64: 1e-15, dtype.Float32: 1.2e-7, dtype.Float16: 1e-3, dtype.BFloat16: 8e-3}[t]
	x, y := t.Float64(a), t.Float64(b)
	return math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 4*digits*max(math.Abs(x), math.Abs(y))
}

// howDifferent says in words how as many values differ, if there are such words.
func howDifferent(t dtype.DType, want, got []byte) string {
	size, n := t.Size(), len(want)/t.Size()
	at := func(list []byte, i int) []byte { return list[i*size:][:size] }
	reversed, shifted := true, true
	by := t.Float64(at(got, 0)) - t.Float64(at(want, 0))
	step := math.Abs(t.Float64(at(want, n-1))-t.Float64(at(want, 0))) / float64(max(1, n-1))
	for i := range n {
		reversed = reversed && sameNumber(t, at(got, i), at(want, n-1-i))
		shifted = shifted && math.Abs(t.Float64(at(got, i))-t.Float64(at(want, i))-by) <= 1e-4*step
	}
	switch {
	case reversed:
		return "is reversed: "
	case shifted && n > 1:
		return fmt.Sprintf("is shifted by %.7g: ", by)
	}
	return ""
}

// parentOf returns the variable of a file whose bounds a variable has; nil if there is none.
func parentOf(f *importFile, v convert.Info) *convert.Info {
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
func (o *importer) parentHere(parent *convert.Info) *drx.Array {
	if o.into == nil || parent == nil {
		return nil
	}
	for _, name := range o.into.Variables() {
		v, err := o.into.Variable(name)
		if err != nil {
			continue
		}
		if source, err := o.nameInFile(v); err == nil && source == parent.Name {
			return v.Array()
		}
	}
	return nil
}

// noteConversion prints a note about numbers that are converted, once for a variable.
func (o *importer) noteConversion(a *drx.Array, f *importFile, v convert.Info, c *meaning.Conversion) {
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
