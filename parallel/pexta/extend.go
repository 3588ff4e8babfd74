package pexta

import (
	"fmt"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/par"
)

// Extend makes an array larger, collective. increments has the number of elements to add along each
// dimension; order lists the dimensions in the order in which they are extended; negative entries
// are ignored. A dimension that is not listed keeps its extent. The new elements are 0. This
// program sees them at once; the extension is committed when the request is done. Global arrays
// keep their extents, see IRead. The error wraps ErrHandle, drx.ErrReadOnly, drx.ErrRank,
// drx.ErrBounds or drx.ErrOverflow, and then the array is as it was; or it is that of
// drxmp.Array.Extend, and some of the dimensions may be extended.
func (s *Session) Extend(h Handle, increments, order []int) (Request, error) {
	a, err := s.array("extend", h)
	if err != nil {
		return 0, err
	}
	what := fmt.Sprintf("extend by %v in the order %v", increments, order)
	if err := a.agree(what, a.checkExtension(increments, order)); err != nil {
		return 0, err
	}
	for _, r := range s.of(a) { // they keep the owners of their chunks
		s.drain(r)
	}
	a.changes++
	r := &request{patch: &patch{array: a}, op: "extend", change: a.changes}
	for _, d := range order {
		if d < 0 || increments[d] == 0 {
			continue
		}
		if _, err := a.disk.Extend(d, increments[d]); err != nil {
			return 0, err
		}
	}
	return s.begin(r), nil
}

// checkExtension returns an error for an invalid extension.
func (a *array) checkExtension(increments, order []int) error {
	if err := a.mode.allows(true); err != nil {
		return err
	}
	shape := a.disk.Shape()
	if err := nd.CheckRank("increments", len(increments), len(shape)); err != nil {
		return err
	}
	if err := nd.CheckRank("dimensions in the order", len(order), len(shape)); err != nil {
		return err
	}
	listed := make([]bool, len(shape))
	for _, d := range order {
		switch {
		case d < 0:
			continue
		case d >= len(shape):
			return errkind.Errorf(drx.ErrRank, "dimension %d in the order %v: want 0 to %d, or negative for none", d, order, len(shape)-1)
		case listed[d]:
			return errkind.Errorf(par.ErrArgument, "dimension %d is twice in the order %v", d, order)
		case increments[d] < 0:
			return nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrBounds, "increment %d: want at least 0", increments[d]))
		}
		listed[d] = true
		n, ok := nd.Add(shape[d], increments[d])
		if !ok {
			return nd.DimErrorf(d, "extent %d and increment %d: %w", shape[d], increments[d], drx.ErrOverflow)
		}
		shape[d] = n
	}
	n, err := nd.Product(shape...)
	if _, ok := nd.Mul(n, a.disk.DType().Size()); err != nil || !ok {
		return fmt.Errorf("extents %v: %w", shape, drx.ErrOverflow)
	}
	return nil
}

// IRead reads a whole disk array into a global array, collective, as Read does, but first refreshes
// the disk array, and grows the global array if the disk array is larger in some dimension. The old
// values of a growing global array are lost at once. The error, after which there is no request, is
// that of ReadSection; it wraps drx.ErrBounds if the global array is larger than the disk array.
func (s *Session) IRead(g GlobalArray, h Handle) (Request, error) {
	a, err := s.array("read and grow", h)
	if err != nil {
		return 0, err
	}
	if err := a.refresh(); err != nil {
		return 0, err
	}
	shape := a.disk.Shape()
	grows, err := a.checkRegrowth(g, shape)
	if err := a.agree(fmt.Sprintf("read and grow %v to", g.Shape()), err); err != nil {
		return 0, err
	}
	if grows {
		for _, r := range s.pending {
			if r.g != nil && r.g.Handle() == g.Handle() {
				s.drain(r)
			}
		}
		err := g.Sync()
		if err := a.agree("sync before growth", err); err != nil {
			return 0, err
		}
		if err := a.agree(fmt.Sprintf("growth of a global array to %v for", shape), g.Regrow(shape)); err != nil {
			return 0, err
		}
	}
	return s.read("read and grow", false, g, nil, h, nil)
}

// checkRegrowth reports whether a global array must grow to have the given extents.
func (a *array) checkRegrowth(g GlobalArray, shape []int) (grows bool, err error) {
	if err := a.mode.allows(false); err != nil {
		return false, err
	}
	if g.Type() != a.disk.DType() {
		return false, errkind.Errorf(drx.ErrDType, "elements %v, global array %d has %v", a.disk.DType(), g.Handle(), g.Type())
	}
	now := g.Shape()
	if err := nd.CheckRank(fmt.Sprintf("dimensions of global array %d", g.Handle()), len(now), len(shape)); err != nil {
		return false, err
	}
	for d, n := range now {
		if n > shape[d] {
			return false, nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrBounds, "extent %d of global array %d: the disk array has %d", n, g.Handle(), shape[d]))
		}
		grows = grows || n < shape[d]
	}
	return grows, nil
}
