package dataset

import (
	"fmt"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// Shrink removes the highest by indices of a dimension from every variable that has it. It commits
// all changes so far and then the removal. Readers see it at once, because the coordinate is
// committed first. If the writer dies after that, the next one completes the removal.
//
// The error wraps ErrDim if there is no such dimension or a variable extends beyond its bounds,
// drx.ErrBounds if by is less than 1 or more than the extent, or drx.ErrReadOnly; otherwise it is
// that of drx.Open or of drx.Array.Sync for a variable.
func (d *Dataset) Shrink(dim string, by int) error { return d.shrink(dim, by, false) }

// ShrinkLow is like Shrink but removes the lowest indices. Every other element keeps its index.
func (d *Dataset) ShrinkLow(dim string, by int) error { return d.shrink(dim, by, true) }

func (d *Dataset) shrink(name string, by int, low bool) error {
	if err := d.tryShrink(name, by, low); err != nil {
		return fmt.Errorf("%s: shrink dimension %s by %d: %w", d.folder, name, by, err)
	}
	return nil
}

func (d *Dataset) tryShrink(name string, by int, low bool) error {
	if err := d.check(true); err != nil {
		return err
	}
	vars, err := d.variablesOf(name)
	if err != nil {
		return err
	}
	from := d.scan.dims[name].Bounds // after the variables were opened: nobody else changes them now
	if by < 1 || by > from.Len() {
		return errkind.Errorf(drx.ErrBounds, "it has %d indices: want 1 to %d", from.Len(), from.Len())
	}
	for _, v := range vars {
		if r := d.scan.boundsIn(v.name, name); overlap(r, from) != r && r.Len() > 0 {
			return errkind.Errorf(ErrDim, "variable %s has %v, which is beyond the bounds %v; shrink it alone first", v.name, r, from)
		}
	}
	to := nd.Span(from.Lo, from.Hi-by)
	if low {
		to = nd.Span(from.Lo+by, from.Hi)
	}
	if err := d.Sync(); err != nil {
		return err
	}
	d.grown[name] = growth{From: ends(from), To: ends(to)}
	err = d.announce()
	delete(d.grown, name)
	if err != nil {
		return err
	}
	if err := trim(vars, name, to); err != nil {
		return err
	}
	return d.forgetIntent()
}
