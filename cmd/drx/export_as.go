package main

import (
	"bytes"
	"fmt"
	"slices"

	"drx/cmd/internal/usage"
	"drx/dtype"
	"drx/nd"
)

// parseType returns the element type of --as, 0 for none.
func (o *exporting) parseType() (dtype.DType, error) {
	if o.asText == "" {
		if o.clip {
			return 0, usagef("export: --clip needs --as")
		}
		return 0, nil
	}
	t, err := dtype.Parse(o.asText)
	if err != nil {
		var names []string
		for _, known := range dtype.All() {
			names = append(names, known.String())
		}
		return 0, usagef("--as %q: no such element type%s: want %s", o.asText, usage.DidYouMean(o.asText, names), orList(names))
	}
	return t, nil
}

// convertVars makes variables be written as elements of the type of --as, except coordinates and strings.
func (o *exporting) convertVars(vars []exportVar) error {
	for i := range vars {
		v := &vars[i]
		if o.as == 0 || v.optional || v.elements != nil || v.info.Labels != nil || v.info.DType == o.as {
			continue
		}
		if err := v.convertTo(o.as, o.clip); err != nil {
			return fmt.Errorf("%s: --as %v: %w", printable(v.info.Name), o.as, err)
		}
	}
	return nil
}

// convertTo makes a variable be written as elements of another type. The error wraps dtype.ErrDType if the types or the
// fill value cannot be converted.
func (v *exportVar) convertTo(to dtype.DType, clip bool) error {
	from := v.info.DType
	fill := make([]byte, to.Size())
	if v.info.Fill != nil {
		c, err := dtype.NewConverter(from, to, clip, fill)
		if err == nil {
			err = c.Apply(fill, slices.Clone(v.info.Fill))
		}
		if err != nil {
			return fmt.Errorf("fill value: %w; --clip takes the nearest value", err)
		}
		v.info.Fill = bytes.Clone(fill)
	}
	c, err := dtype.NewConverter(from, to, clip, fill)
	if err != nil {
		return err
	}
	v.info.DType, v.conversion = to, &typeConversion{Converter: c, from: from}
	return nil
}

// A typeConversion converts elements while they are exported.
type typeConversion struct {
	*dtype.Converter
	from   dtype.DType
	stored []byte // the elements of a section, used again
}

// read reads a section with read, which returns stored elements, and converts these to buf.
func (c *typeConversion) read(sec nd.Section, buf []byte, read func(buf []byte) error) error {
	n := 1
	for _, r := range sec {
		n *= r.Len()
	}
	n *= c.from.Size()
	c.stored = slices.Grow(c.stored[:0], n)[:n]
	if err := read(c.stored); err != nil {
		return err
	}
	if err := c.Apply(buf, c.stored); err != nil {
		return fmt.Errorf("section %v: %w; --clip takes the nearest value", sec, err)
	}
	return nil
}
