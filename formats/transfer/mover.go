package transfer

import (
	"fmt"

	"drx"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// A mover writes boxes of a variable to an array.
type mover struct {
	a        *drx.Array
	file     string
	info     formats.Info
	at       []int // index of the variable's first element in the array
	sliceDim int   // dimension of the array that the variable, a slice, does not have; -1 for none
	conv     conversion
}

// write writes one box.
func (m *mover) write(sec nd.Section, buf []byte) error {
	stored := sec
	to := make(nd.Section, 0, len(m.at))
	for d, lo := range m.at {
		if d == m.sliceDim {
			to = append(to, nd.At(lo))
			continue
		}
		r := sec[0]
		sec = sec[1:]
		to = append(to, nd.Span(lo+r.Lo, lo+r.Hi))
	}
	buf, err := m.conv.applyTo(stored, buf)
	if err != nil {
		return conversionError(m.file, m.info, stored, err)
	}
	return m.a.WriteBytes(to, buf, m.order())
}

// order returns the order of the variable's elements, with the array's dimensions.
func (m *mover) order() nd.Order {
	if m.sliceDim < 0 {
		return m.info.Order
	}
	order := nd.Order{m.sliceDim} // of extent one, so any position does
	for _, d := range m.info.Order.Dims(len(m.info.Shape)) {
		if d >= m.sliceDim {
			d++
		}
		order = append(order, d)
	}
	return order
}

// conversionError is the error of a conversion of a section of a variable.
func conversionError(file string, v formats.Info, sec nd.Section, err error) error {
	name := ""
	if v.Name != "" { // the only variable of a picture has none
		name = "variable " + wording.Printable(v.Name) + ": "
	}
	return readError{fmt.Errorf("%s: %ssection %v: %w", file, name, sec, err)}
}
