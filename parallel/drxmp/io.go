package drxmp

import (
	"iter"

	"drx"
	"drx/nd"
)

// ReadAllBytes is ReadAll for little-endian bytes, collective.
func (a *Array) ReadAllBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.readAll(sec, buf, order).run()
}

// WriteAllBytes is WriteAll for little-endian bytes, collective.
func (a *Array) WriteAllBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.writeAll(sec, buf, order).run()
}

// StartReadAllBytes is StartReadAll for little-endian bytes, collective.
func (a *Array) StartReadAllBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	return startRequest(a.readAll(sec, buf, order).run)
}

// StartWriteAllBytes is StartWriteAll for little-endian bytes, collective.
func (a *Array) StartWriteAllBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	return startRequest(a.writeAll(sec, buf, order).run)
}

// StartReadBytes is StartRead for little-endian bytes.
func (a *Array) StartReadBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	return a.startInBackground(func() error { return a.ReadBytes(sec, buf, order) })
}

// StartWriteBytes is StartWrite for little-endian bytes.
func (a *Array) StartWriteBytes(sec nd.Section, buf []byte, order nd.Order) *Request {
	return a.startInBackground(func() error { return a.WriteBytes(sec, buf, order) })
}

// startInBackground starts a call of this proc, which begins after the calls started before it.
func (a *Array) startInBackground(f func() error) *Request {
	t := a.background.next()
	return startRequest(func() error {
		t.begin()
		defer t.end()
		return f()
	})
}

// A sectionCall is a collective call that reads or writes a section. It has taken its ticket, so
// run may be called in the background.
type sectionCall struct {
	*turn
	write bool
	typed bool  // buf is in the byte order of the machine
	err   error // why this proc cannot take part
	sec   nd.Section
	buf   []byte
	order nd.Order
}

// readAll takes the ticket of a read.
func (a *Array) readAll(sec nd.Section, buf []byte, order nd.Order) *sectionCall {
	return &sectionCall{turn: a.newTurn(), sec: sec, buf: buf, order: order}
}

// writeAll takes the ticket of a write.
func (a *Array) writeAll(sec nd.Section, buf []byte, order nd.Order) *sectionCall {
	return &sectionCall{turn: a.newTurn(), write: true, sec: sec, buf: buf, order: order}
}

// run makes the call.
func (c *sectionCall) run() error {
	err := c.transfer()
	if c.typed && !c.write {
		c.array.dtype.ToLittle(c.buf) // also converts from it: the swap is the same
	}
	return err
}

func (c *sectionCall) transfer() error {
	c.begin()
	defer c.end()
	a, what := c.array, "read"
	if c.write {
		what = "write"
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	var s *selection
	err := c.err
	if err == nil {
		s, err = a.selection(c.write, c.sec, c.buf, c.order)
	}
	if err := c.agree(what, c.write, err); err != nil {
		return err
	}
	if c.write {
		return a.writeTogether(s)
	}
	return a.agree("end of read", a.readBy(a.engine, s))
}

// writeTogether writes the selections of all procs, with a.mu held.
func (a *Array) writeTogether(s *selection) error {
	own, remote, err := s.writes()
	if err := a.agree("parts of write", a.errorf("write", err)); err != nil {
		return err
	}
	if err := a.deliver(own, remote); err != nil {
		return err
	}
	return a.exchangeChanges()
}

// Parts divides a section into parts, see drx.Array.Parts. It is not collective. A walk over
// written chunks may miss what procs have written since the last Sync.
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
	a.engineWrites.RLock() // reading a chunk may make the pool write another one
	defer a.engineWrites.RUnlock()
	return a.readBy(direct{a.member.array}, s)
}

// readBy reads a selection with an engine, and overlays pending writes.
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
