package drxmp

import (
	"iter"

	"drx"
	"drx/nd"
)

// ReadAllBytes is ReadAll for little-endian bytes, collective.
func (a *Array) ReadAllBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.startReadAll(nil, sec, buf, order)()
}

// StartReadAllBytes is StartReadAll for little-endian bytes, collective.
func (a *Array) StartReadAllBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	return startRequest(a.startReadAll(nil, sec, buf, order))
}

// StartWriteAllBytes is StartWriteAll for little-endian bytes, collective.
func (a *Array) StartWriteAllBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	return startRequest(a.startWriteAll(nil, sec, buf, order))
}

// StartReadBytes is StartRead for little-endian bytes.
func (a *Array) StartReadBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	t := a.background.take()
	return startRequest(func() error { return t.do(func() error { return a.ReadBytes(sec, buf, order) }) })
}

// StartWriteBytes is StartWrite for little-endian bytes.
func (a *Array) StartWriteBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	t := a.background.take()
	return startRequest(func() error { return t.do(func() error { return a.WriteBytes(sec, buf, order) }) })
}

// startReadAll takes the ticket of a call, and returns a function that makes the call. err says why this proc
// cannot take part.
func (a *Array) startReadAll(err error, sec nd.Section, buf []byte, order nd.Order) func() error {
	return a.startAll("read", false, err, sec, buf, order, func(s *selection) error {
		return a.agree("end of read", a.readBy(a.engine, s))
	})
}

// WriteAllBytes is WriteAll for little-endian bytes, collective.
func (a *Array) WriteAllBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.startWriteAll(nil, sec, buf, order)()
}

func (a *Array) startWriteAll(err error, sec nd.Section, buf []byte, order nd.Order) func() error {
	return a.startAll("write", true, err, sec, buf, order, func(s *selection) error {
		own, remote, err := s.writes()
		if err := a.agree("parts of write", a.errorf("write", err)); err != nil {
			return err
		}
		if err := a.deliver(own, remote); err != nil {
			return err
		}
		return a.exchangeChanges()
	})
}

// startAll takes the ticket of a collective call that reads or writes, and returns a function that makes it.
func (a *Array) startAll(
	what string, write bool, err error, sec nd.Section, buf []byte, order nd.Order, f func(*selection) error,
) func() error {
	t := a.calls.take()
	return func() error {
		return t.do(func() error {
			a.mu.RLock()
			defer a.mu.RUnlock()
			var s *selection
			check := func() error {
				if err == nil {
					s, err = a.selection(write, sec, buf, order)
				}
				return err
			}
			return a.checkedCall(what, write, check, func() error { return f(s) })
		})
	}
}

// Parts divides a section into parts, see drx.Array.Parts. It is independent. What procs have written since the last Sync may be
// missing from a walk over written chunks.
func (a *Array) Parts(w drx.Walk) iter.Seq2[drx.Part, error] { return a.now().Parts(w) }

// ReadBytes is Read for little-endian bytes.
func (a *Array) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	s, err := a.selection(false, sec, buf, order)
	if err != nil {
		return a.errorf("read", err)
	}
	return a.readAlone(s)
}

// readAlone reads a selection without the other procs, with a.mu held.
func (a *Array) readAlone(s *selection) error {
	a.engineWrites.RLock() // to read a chunk the pool may write another one
	defer a.engineWrites.RUnlock()
	return a.readBy(direct{a.member.array}, s)
}

// readBy reads a selection by an engine, with what is pending.
func (a *Array) readBy(e engine, s *selection) error {
	jobs := s.reads()
	err := e.read(jobs)
	for _, j := range jobs {
		a.pending.overlay(j, s.elem)
	}
	return err
}

// WriteBytes is Write for little-endian bytes.
func (a *Array) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	s, err := a.selection(true, sec, buf, order)
	if err != nil {
		return a.errorf("write", err)
	}
	return a.writeAlone(s)
}

// writeAlone writes a selection without the other procs, with a.mu held.
func (a *Array) writeAlone(s *selection) error {
	own, remote, err := s.writes()
	if err != nil {
		return a.errorf("write", err)
	}
	a.engineWrites.RLock()
	defer a.engineWrites.RUnlock()
	if err := (direct{a.member.array}).write(own); err != nil {
		return err
	}
	a.pending.add(remote)
	return nil
}
