package par

import (
	"fmt"
	"slices"
)

// A letter is a message that was sent and not received yet.
type letter struct {
	from, tag int
	data      []byte
}

func (l letter) fits(from, tag int) bool {
	return (from == Any || from == l.from) && (tag == Any || tag == l.tag)
}

// Send adds a copy of the message to the mail of a proc, see Comm. It never waits.
func (c *comm) Send(data []byte, to, tag int) error {
	if err := CheckMessage(to, tag, len(c.members), false); err != nil {
		return err
	}
	l := letter{c.proc, tag, slices.Clone(data)}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if err := c.usable(); err != nil {
		return err
	}
	c.mail[to] = append(c.mail[to], l)
	c.w.cond.Broadcast()
	return nil
}

// Recv takes the first message that matches out of this proc's mail, see Comm.
func (c *comm) Recv(buf []byte, from, tag int) (Message, error) {
	if err := CheckMessage(from, tag, len(c.members), true); err != nil {
		return Message{}, err
	}
	l, err := c.take(from, tag)
	if err != nil {
		return Message{}, err
	}
	m := Message{From: l.from, Tag: l.tag, Len: len(l.data)}
	if m.Len > len(buf) {
		return m, fmt.Errorf("message of %d bytes from proc %d: %w: the buffer has %d", m.Len, m.From, ErrSize, len(buf))
	}
	copy(buf, l.data)
	return m, nil
}

// take waits for the first letter that matches, and removes it from the mail.
func (c *comm) take(from, tag int) (letter, error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	at := -1
	arrived := func() bool {
		at = slices.IndexFunc(c.mail[c.proc], func(l letter) bool { return l.fits(from, tag) })
		return at >= 0 || c.closed.Load()
	}
	if err := c.usable(); err != nil {
		return letter{}, err
	}
	what := fmt.Sprintf("receive from proc %d with tag %d", from, tag)
	if err := c.w.wait(c.members[c.proc], what, arrived, func() (int, bool) { return c.senderGone(from) }); err != nil {
		return letter{}, err
	}
	if at < 0 {
		return letter{}, c.usable()
	}
	l := c.mail[c.proc][at]
	c.mail[c.proc] = slices.Delete(c.mail[c.proc], at, at+1)
	return l, nil
}

// usable returns an error if nothing can be sent or received any more. The lock of the world must
// be held.
func (c *comm) usable() error {
	if c.closed.Load() {
		return fmt.Errorf("group %w", ErrClosed)
	}
	return c.w.failure()
}

// senderGone reports whether all procs that could send the message have ended, and returns one of
// them. This proc does not count as a sender, unless it is the only one asked for.
func (c *comm) senderGone(from int) (int, bool) {
	if from != Any {
		return c.members[from], c.w.ended[c.members[from]]
	}
	gone, any := 0, false
	for p, member := range c.members {
		if p == c.proc {
			continue
		}
		if !c.w.ended[member] {
			return 0, false
		}
		gone, any = member, true
	}
	return gone, any
}
