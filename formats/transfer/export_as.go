package transfer

import (
	"slices"

	"drx/dtype"
	"drx/internal/wording"
	"drx/nd"
)

// convertVars gives variables the element type of the option As, except for coordinates and
// strings.
func (o *exporter) convertVars(vars []exportVar) error {
	for i := range vars {
		v := &vars[i]
		if o.to == 0 || v.optional || v.elements != nil || v.info.Labels != nil || v.info.DType == o.to {
			continue
		}
		if err := v.convertTo(o.to, o.Clip); err != nil {
			return errorf("%s: %v: %w", wording.Printable(v.info.Name), asType(o.to), err)
		}
	}
	return nil
}

// convertTo sets the conversion of a variable to another element type. It returns the error of
// changeType.
func (v *exportVar) convertTo(to dtype.DType, clip bool) error {
	from := v.info.DType
	c, err := changeType(&v.info, to, clip)
	if err == nil {
		v.conversion = &typeConversion{Converter: c, from: from}
	}
	return err
}

// A typeConversion converts elements while they are exported.
type typeConversion struct {
	*dtype.Converter
	from   dtype.DType
	stored []byte // the elements of a section, used again
}

// read reads the stored elements of a section with the function read, and converts them into buf.
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
		return errorf("section %v: %w; %v", sec, err, clipHint)
	}
	return nil
}
