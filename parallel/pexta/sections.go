package pexta

import (
	"fmt"
	"slices"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// A patch is a section of a global array together with the corresponding section of a disk array.
type patch struct {
	g          GlobalArray
	array      *array
	transposed bool
	memory     nd.Section // of g
	section    nd.Section // of the disk array, in the indices of its file
}

// newPatch checks the arguments of a call. nil sections are whole arrays. The sections of the
// result have steps of 0.
func newPatch(transposed bool, g GlobalArray, memory nd.Section, a *array, section nd.Section) (*patch, error) {
	if g.Type() != a.disk.DType() {
		return nil, errkind.Errorf(drx.ErrDType, "elements %v, global array %d has %v", a.disk.DType(), g.Handle(), g.Type())
	}
	shape := a.disk.Shape()
	if err := nd.CheckRank(fmt.Sprintf("dimensions of global array %d", g.Handle()), len(g.Shape()), len(shape)); err != nil {
		return nil, err
	}
	p := &patch{g: g, array: a, transposed: transposed}
	var err error
	if p.memory, err = box(memory, g.Shape()); err != nil {
		return nil, fmt.Errorf("section %v of global array %d: %w", memory, g.Handle(), err)
	}
	if p.section, err = box(section, shape); err != nil {
		return nil, fmt.Errorf("section %v of the disk array: %w", section, err)
	}
	there := p.section.Shape()
	if transposed {
		slices.Reverse(there)
	}
	for d, n := range p.memory.Shape() {
		if n != there[d] {
			return nil, nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrSize, "%d elements of global array %d, %d of the disk array%s: must be equal",
				n, g.Handle(), there[d], map[bool]string{true: ", transposed"}[transposed]))
		}
	}
	lo, _ := a.disk.Bounds().Bounds()
	for d := range p.section {
		p.section[d].Lo += lo[d]
		p.section[d].Hi += lo[d]
	}
	return p, nil
}

// box checks a section without steps and returns it; nil means the whole array.
func box(sec nd.Section, shape []int) (nd.Section, error) {
	sec, err := sec.Resolve(make([]int, len(shape)), shape)
	if err != nil {
		return nil, err
	}
	for d, r := range sec {
		if r.Step != 1 {
			return nil, nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrBounds, "step %d: sections have no steps", r.Step))
		}
		if r.Lo == r.Hi {
			return nil, nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrBounds, "range %d:%d is empty", r.Lo, r.Hi))
		}
		sec[d] = nd.Span(r.Lo, r.Hi)
	}
	return sec, nil
}

// order returns the order of the disk array's dimensions in a buffer of the global array.
func (p *patch) order() nd.Order {
	if p.transposed {
		return nd.ColMajor(len(p.section))
	}
	return nd.RowMajor
}

// inMemory returns the part of the global array for a part of the section.
func (p *patch) inMemory(part nd.Section) nd.Section {
	return translate(part, p.section, p.memory, p.transposed)
}

// onDisk returns the part of the disk array for a part of the memory.
func (p *patch) onDisk(part nd.Section) nd.Section {
	return translate(part, p.memory, p.section, p.transposed)
}

// translate maps a part of the section from to the corresponding part of the section to.
func translate(part, from, to nd.Section, transposed bool) nd.Section {
	other := make(nd.Section, len(part))
	for d, r := range part {
		e := d
		if transposed {
			e = len(part) - 1 - d
		}
		move := to[e].Lo - from[d].Lo
		other[e] = nd.Span(r.Lo+move, r.Hi+move)
	}
	return other
}
