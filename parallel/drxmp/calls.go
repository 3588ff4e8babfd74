package drxmp

import (
	"cmp"

	"drx"
)

// A turn is a collective call on an array, from the ticket it gets to its end:
//
//	newTurn -> begin, which waits -> agree -> the work of the call -> end
type turn struct {
	array      *Array
	ticket     *callTicket
	background ticket // of beginExclusive
	exclusive  bool
}

// newTurn gets the ticket of the next call. It does not wait.
func (a *Array) newTurn() *turn { return &turn{array: a, ticket: a.calls.next()} }

// begin waits for the earlier calls.
func (t *turn) begin() { t.ticket.begin() }

// beginTurn takes a ticket and begins the call. The caller must call end.
func (a *Array) beginTurn() *turn {
	t := a.newTurn()
	t.begin()
	return t
}

// beginExclusive begins a call that changes the decomposition, the bounds or the attributes. It
// also waits for the calls in the background, and locks a.mu.
func (a *Array) beginExclusive() *turn {
	t := a.beginTurn()
	t.background, t.exclusive = a.background.next(), true
	t.background.begin()
	a.mu.Lock()
	return t
}

// end lets the next calls begin.
func (t *turn) end() {
	if t.exclusive {
		t.array.mu.Unlock()
		t.background.end()
	}
	t.ticket.end()
}

// agree returns nil if all procs make the same call, and each can make it: the array is usable, and
// err, the reason why this proc cannot take part, is nil.
func (t *turn) agree(what string, write bool, err error) error {
	a := t.array
	if a.closed {
		return a.errorf(what, drx.ErrClosed)
	}
	return t.ticket.agree(what, a.errorf(what, cmp.Or(a.usable(write), err)))
}

// agreeAfterWrites is agree for calls that need all elements in the file. If the array is open for
// writing, the procs then deliver their remote writes.
func (t *turn) agreeAfterWrites(what string) error {
	a := t.array
	if err := t.agree(what, a.options.Write, nil); err != nil || !a.options.Write {
		return err
	}
	return a.shareWrites()
}

// Refuse joins the next collective call on the array for a proc that cannot make the call: "read"
// for ReadAll, "write" for WriteAll. All procs return the error, see the function Refuse.
func (a *Array) Refuse(what string, err error) error {
	t := a.beginTurn()
	defer t.end()
	return t.agree(what, false, err)
}
