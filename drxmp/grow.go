package drxmp

import (
	"fmt"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// Extend grows dimension dim by so many elements and returns the section that is new, collective:
// see drx.Array.Extend. It becomes durable, and visible to others, with the next Sync, together with
// what is written to it before. The zones are others then. If the file system has no room for the
// chunk table the array has grown, but nothing can be written to it any more. Where the array was
// shrunk before, Extend commits, and an error half way closes the array without a further commit.
func (a *Array) Extend(dim, by int, how ...drx.Growth) (nd.Section, error) {
	var added nd.Section
	err := a.exclusively(fmt.Sprintf("extend dimension %d by %d %v", dim, by, how), true, func() (err error) {
		if err := a.settle(); err != nil {
			return err
		}
		if a.member.Regrows() {
			added, err = a.regrow(dim, by, how)
		} else {
			added, err = a.grow(dim, by, how)
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
func (a *Array) grow(dim, by int, how []drx.Growth) (nd.Section, error) {
	added, err := a.array().Extend(dim, by, how...)
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
func (a *Array) regrow(dim, by int, how []drx.Growth) (nd.Section, error) {
	if err := a.commit(); err != nil {
		return nil, err
	}
	var added nd.Section
	var err error
	if a.comm.Proc() == 0 {
		added, err = a.array().Extend(dim, by, how...)
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
