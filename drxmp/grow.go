package drxmp

import (
	"fmt"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
)

// Extend grows dimension dim by so many elements above its highest index and returns the section that is new, collective:
// see drx.Array.Extend. It becomes durable, and visible to others, with the next Sync, together with
// what is written to it before. The zones are others then. If the file system has no room for the
// chunk table the array has grown, but nothing can be written to it any more. Where the array was
// shrunk before, Extend commits, and an error half way closes the array without a further commit.
func (a *Array) Extend(dim, by int) (nd.Section, error) {
	return a.extend(fmt.Sprintf("extend dimension %d by %d", dim, by), func(file *drx.Array) (nd.Section, error) {
		return file.Extend(dim, by)
	})
}

// ExtendLow is Extend below the lowest index: see drx.Array.ExtendLow.
func (a *Array) ExtendLow(dim, by int) (nd.Section, error) {
	return a.extend(fmt.Sprintf("extend dimension %d by %d on the low side", dim, by), func(file *drx.Array) (nd.Section, error) {
		return file.ExtendLow(dim, by)
	})
}

// ExtendCubical is Extend or, with axial.Low, ExtendLow, until all extents are equal: see
// drx.Array.ExtendCubical.
func (a *Array) ExtendCubical(dim, by int, side axial.Side) (nd.Section, error) {
	return a.extend(fmt.Sprintf("extend dimension %d by %d, cubical, side %d", dim, by, side), func(file *drx.Array) (nd.Section, error) {
		return file.ExtendCubical(dim, by, side)
	})
}

// extend calls grow with the array, on all procs alike or, where that changes chunks, on proc 0 alone.
// The text of op is compared between the procs: all must have called the same.
func (a *Array) extend(op string, grow func(file *drx.Array) (nd.Section, error)) (nd.Section, error) {
	var added nd.Section
	err := a.exclusively(op, true, func() (err error) {
		if err := a.settle(); err != nil {
			return err
		}
		if a.member.Regrows() {
			added, err = a.regrow(grow)
		} else {
			added, err = a.grow(grow)
		}
		if err != nil {
			return err
		}
		if err := a.distribute(a.zones.Distribution()); err != nil {
			return err
		}
		return a.uncovered
	})
	return added, err
}

// grow extends the array on all procs alike.
func (a *Array) grow(grow func(file *drx.Array) (nd.Section, error)) (nd.Section, error) {
	added, err := grow(a.array())
	if err := a.agree("extend", err); err != nil {
		return nil, err
	}
	if a.comm.Proc() == 0 {
		err = a.member.Cover()
	}
	a.uncovered = a.agree("cover", err)
	return added, nil
}

// regrow extends on proc 0, where that changes chunks, and commits: all have the same before and
// after. If it fails when only proc 0 has grown the array is closed.
func (a *Array) regrow(grow func(file *drx.Array) (nd.Section, error)) (nd.Section, error) {
	if err := a.commit(); err != nil {
		return nil, err
	}
	var added nd.Section
	var err error
	if a.comm.Proc() == 0 {
		added, err = grow(a.array())
	}
	if err := a.agree("extend", err); err != nil {
		return nil, err
	}
	if a.comm.Proc() == 0 {
		err = a.member.Cover()
	}
	if err = a.agree("cover", err); err == nil {
		err = a.sync()
	}
	if err != nil {
		return nil, a.end(err)
	}
	return a.shareSection(added)
}

// shareSection gives all procs a section that proc 0 has.
func (a *Array) shareSection(sec nd.Section) (nd.Section, error) {
	flat := make([]int64, 2*a.array().Rank())
	for d, r := range sec {
		flat[2*d], flat[2*d+1] = int64(r.Lo), int64(r.Hi)
	}
	if err := a.comm.Broadcast(dtype.Bytes(flat), 0); err != nil {
		return nil, err
	}
	sec = nil
	for d := 0; d < len(flat); d += 2 {
		sec = append(sec, nd.Span(int(flat[d]), int(flat[d+1])))
	}
	return sec, nil
}

// Redistribute gives the chunks other owners, collective. Nothing is moved in the file. Memory
// keeps the zones that it has until its own Follow.
func (a *Array) Redistribute(d Distribution) error {
	return a.exclusively(fmt.Sprintf("redistribute as %v", d), a.options.Write, func() error {
		if a.options.Write {
			if err := a.settle(); err != nil {
				return err
			}
		}
		return a.distribute(d)
	})
}
