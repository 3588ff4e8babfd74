package capi

import (
	"fmt"

	"drx/nd"
	"drx/parallel/drxmp"
)

// A Call describes a parallel read or write.
type Call struct {
	Writing, Collective bool
	// Zone moves the zone of this process; otherwise the section of the call is moved.
	Zone bool
}

// direction returns the direction of a call.
func (c Call) direction() direction { return direction(c.Writing) }

// A selection is a section that a call moves, nil for the zone, and its elements.
type selection struct {
	sec nd.Section
	*denseBuffer
}

// selects checks the section and the buffer of a call.
func (a *mpArray) selects(c Call, rank int, s Section, b Buffer) (*selection, error) {
	var sec nd.Section
	shape := a.Zone().Shape()
	if !c.Zone {
		var err error
		if sec, err = a.section(rank, s); err != nil {
			return nil, err
		}
		shape = sec.Shape()
	}
	d, err := newDense(a.DType(), b, shape, c.direction())
	if err != nil {
		return nil, err
	}
	return &selection{sec, d}, nil
}

// refusal returns the error of a call with wrong arguments. If the call is collective, the other
// processes get the error, too.
func (a *mpArray) refusal(c Call, err error) error {
	if c.Collective {
		return a.Refuse(c.direction().String(), err)
	}
	return fmt.Errorf("%s: %v: %w", a.Name(), c.direction(), err)
}

// section returns a section of the host, within the bounds of the array.
func (a *mpArray) section(rank int, s Section) (nd.Section, error) {
	return resolve(a.Bounds(), rank, s)
}

// resolve returns a section of the host within bounds. The error wraps drx.ErrRank or
// drx.ErrBounds.
func resolve(bounds nd.Section, rank int, s Section) (nd.Section, error) {
	if err := nd.CheckRank("ranges", rank, len(bounds)); err != nil {
		return nil, err
	}
	sec := make(nd.Section, rank)
	for d := range sec {
		var err error
		if sec[d], err = s.at(d, bounds); err != nil {
			return nil, &nd.DimError{Dim: d, Err: err}
		}
	}
	return sec.Resolve(bounds.Bounds())
}

// MPMove reads or writes a section, or the zone of this process.
func MPMove(h Handle, c Call, rank int, s Section, b Buffer) error {
	if c.Collective {
		return collective(h, c.direction().String(), func(a *mpArray) error { return a.moveAll(c, rank, s, b) })
	}
	a, err := mpArrays.get(h)
	if err != nil {
		return err
	}
	m, err := a.selects(c, rank, s, b)
	if err != nil {
		return a.refusal(c, err)
	}
	if c.Writing {
		return a.WriteBytes(m.sec, m.bytes, nil)
	}
	if err := a.ReadBytes(m.sec, m.bytes, nil); err != nil {
		return err
	}
	return m.copyOut()
}

// moveAll is MPMove as a collective call. Errors of the arguments reach all processes.
func (a *mpArray) moveAll(c Call, rank int, s Section, b Buffer) error {
	m, err := a.selects(c, rank, s, b)
	if err != nil {
		return a.refusal(c, err)
	}
	if c.Writing {
		return a.WriteAllBytes(m.sec, m.bytes, nil)
	}
	if err := a.ReadAllBytes(m.sec, m.bytes, nil); err != nil {
		return err
	}
	return m.copyOut()
}

// An mpCall is a call in the background.
type mpCall struct {
	*drxmp.Request
	selected *selection
	reading  bool
}

var mpCalls = table[*mpCall]{kind: mpCallKind}

// MPStart is MPMove in the background and returns the handle of the call. MPWait ends it.
func MPStart(h Handle, c Call, rank int, s Section, b Buffer) (Handle, error) {
	a, err := mpArrays.get(h)
	if err != nil {
		if c.Collective {
			err = refused(c.direction().String(), err)
		}
		return 0, err
	}
	m, err := a.selects(c, rank, s, b)
	if err != nil {
		return 0, a.refusal(c, err)
	}
	started := &mpCall{selected: m, reading: !c.Writing}
	switch {
	case c.Collective && c.Writing:
		started.Request = a.StartWriteAllBytes(m.sec, m.bytes, nil)
	case c.Collective:
		started.Request = a.StartReadAllBytes(m.sec, m.bytes, nil)
	case c.Writing:
		started.Request = a.StartWriteBytes(m.sec, m.bytes, nil)
	default:
		started.Request = a.StartReadBytes(m.sec, m.bytes, nil)
	}
	return mpCalls.add(started)
}

// MPWait waits for the end of a call in the background, and returns its error.
func MPWait(h Handle) error {
	c, err := mpCalls.remove(h)
	if err != nil {
		return err
	}
	if err := c.Wait(); err != nil {
		return err
	}
	if c.reading {
		return c.selected.copyOut()
	}
	return nil
}

// MPTest reports whether a call in the background is over.
func MPTest(h Handle) (bool, error) {
	c, err := mpCalls.get(h)
	if err != nil {
		return false, err
	}
	return c.Test(), nil
}
