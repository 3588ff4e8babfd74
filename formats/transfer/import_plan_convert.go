package transfer

import (
	"errors"
	"fmt"
	"path"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
)

// conversion returns the conversion of a variable's elements for the array to which they are
// appended, so that they keep their meaning, see package meaning. Types must be the same, except
// for packed numbers and times, or if the option As converts them. coordinate says that the array
// is a coordinate. there describes all of DST; nil if it does not exist.
func (o *planner) conversion(a arrayHeader, there *dstState, f *importFile, v formats.Info, coordinate bool) (c conversion, err error) {
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
		return c, c.addStrings(a, v)
	}
	converts := o.converts(v, coordinate)
	if converts && a.dtype != o.to {
		return c, errkind.Of(drx.ErrDType, errorf("%v: %s has %v already, and what is appended becomes that: leave it out, or give %v", asType(o.to), a.name, a.dtype, asType(a.dtype)))
	}
	between, err := o.between(a, o.parentHere(there, parent), v, parent, converts, coordinate)
	if refused := (*meaning.RefusedError)(nil); errors.As(err, &refused) {
		if refused.Kind == "type" && v.DType != a.dtype {
			return c, o.differentTypes(a, v, stored, coordinate)
		}
		if !coordinate && parent == nil {
			err = errorf("%w; %v takes the numbers as they are", err, option("as-stored"))
		}
	}
	if between != nil && err == nil {
		c.add(a.dtype, func(elements []byte) ([]byte, error) {
			out, err := between.Apply(elements)
			if err != nil && converts && !o.Clip {
				err = errorf("%w; %v", err, clipHint)
			}
			return out, err
		})
		c.note = conversionNote(a.name, f, between)
	}
	return c, err
}

// between returns the conversion between the meanings of a variable and an array, nil if they are
// the same. If v is the bounds of a coordinate, parent is that coordinate in the file and of the
// one in DST.
func (o *planner) between(a arrayHeader, of *arrayHeader, v formats.Info, parent *formats.Info, converts, coordinate bool) (*meaning.Conversion, error) {
	rule := meaning.Exact
	switch {
	case converts && o.Clip:
		rule = meaning.Clip
	case converts:
		rule = meaning.Nearest
	case (coordinate || parent != nil) && !(a.dtype.IsFloat() && v.DType.IsFloat()):
		rule = meaning.Values // other programs choose the type of times by their values
	}
	if o.AsStored && !coordinate && parent == nil {
		return asTheyAre(a, v, rule)
	}
	from, err := meaningOfVar(v, parent)
	if err != nil {
		return nil, err
	}
	to, err := a.meaning(of)
	if err != nil {
		return nil, err
	}
	plain := !from.IsPacked() && !to.IsPacked() && from.Times == nil && !coordinate && parent == nil
	if plain && !converts && v.DType != a.dtype {
		return nil, &meaning.RefusedError{Kind: "type", From: v.DType.String(), To: a.dtype.String()}
	}
	return compare(a.name, from, to, rule)
}

// differentTypes returns the error for a variable whose type differs from the array's. stored is
// its type before the option Unscale.
func (o *planner) differentTypes(a arrayHeader, v formats.Info, stored dtype.DType, coordinate bool) error {
	hint := textf("; convert the values of the file")
	if o.Append == "" { // in Write, which has no option for it
		hint = textf("; convert the values of the file, or write this variable alone, which takes a type whose values the array has")
	} else if _, err := dtype.NewConverter(v.DType, a.dtype, true, a.fill); err == nil && !coordinate {
		hint = textf("; %v converts what is appended", asType(a.dtype))
	}
	if v.DType != stored {
		return errkind.Of(drx.ErrDType, errorf("%v makes %v, %s has %v%v", option("unscale"), v.DType, a.name, a.dtype, hint))
	}
	return errkind.Of(drx.ErrDType, errorf("has %v, %s has %v%v", v.DType, a.name, a.dtype, hint))
}

// conversionNote returns a note that numbers are converted, or an empty one if the conversion needs
// no mention.
func conversionNote(array string, f *importFile, c *meaning.Conversion) string {
	if text := c.Describe(); text != "" {
		return fmt.Sprintf("%s: %s: %s", wording.Printable(array), f.name, text)
	}
	return ""
}

// addStrings adds a step that renumbers strings: from indices into the file's list to indices into
// the array's, to which it adds new strings.
func (c *conversion) addStrings(a arrayHeader, v formats.Info) error {
	var known []*string // nil is a missing string, as Python writes them
	if found, err := a.attr(stringsAttr, &known); err != nil || !found {
		return errors.Join(err, errkind.Errorf(drx.ErrDType, "has strings, %s has numbers", a.name))
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
	c.strings = known
	c.add(a.dtype, func(b []byte) ([]byte, error) {
		size := v.DType.Size()
		out := make([]byte, 0, len(b)/size*a.dtype.Size())
		for ; len(b) > 0; b = b[size:] {
			n := int(v.DType.Float64(b[:size]))
			if n < 0 || n >= len(v.Labels) {
				return nil, fmt.Errorf("string %d of %d: %w", n, len(v.Labels), formats.ErrType)
			}
			element, err := a.dtype.EncodeValue(uint64(number[v.Labels[n]]))
			if err != nil {
				return nil, err
			}
			out = append(out, element...)
		}
		return out, nil
	})
	return nil
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

// parentHere returns the array that was made from a variable of a file; nil if there is none.
func (o *planner) parentHere(there *dstState, parent *formats.Info) *arrayHeader {
	if there == nil || there.isArray || parent == nil {
		return nil
	}
	for _, v := range there.vars {
		if source, err := o.sourceOf(v, there.dst); err == nil && source == parent.Name {
			return &v.arrayHeader
		}
	}
	return nil
}

// validNote returns a note if the valid range of a variable differs from that of the array that
// gets its elements, else "". A variable without attributes is not compared. If v is the bounds of
// a coordinate, parent is that coordinate in the file and of the one in DST; nil otherwise.
func (o *planner) validNote(a arrayHeader, of *arrayHeader, file string, v formats.Info, parent *formats.Info) (string, error) {
	if o.AsStored || len(v.Attrs) == 0 || v.Labels != nil {
		return "", nil
	}
	if o.Unscale {
		s, err := newScaling(v)
		if err != nil {
			return "", err
		}
		v = s.apply(v)
	}
	from, err := meaningOfVar(v, parent)
	if err != nil {
		return "", err
	}
	to, err := a.meaning(of)
	if err != nil {
		return "", err
	}
	if text := meaning.DescribeValid(from, to, "the array"); text != "" {
		return fmt.Sprintf("%s: %s: %s", wording.Printable(a.name), file, text), nil
	}
	return "", nil
}

// aboutValid is the subject of validNote, so that the note is printed once for a variable.
func aboutValid(v formats.Info) string { return v.Name + " valid" }
