package drxmp

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"drx/parallel/par"
)

// A sequencer orders the collective calls on all arrays that were opened with the same group. Every
// call first agrees with the other procs at the sequencer. Thus procs notice if some make a call on
// one array and others on another one, where they would otherwise wait for each other for ever.
//
// # Invariants
//
//  1. Calls pass the sequencer in the order in which they began, which is the same on all procs,
//     also if they go on in the background: a call takes its two tickets, that of its array and
//     that of the sequencer, under one lock.
//  2. A call whose ticket at the sequencer is due waits only for earlier calls on its array. They
//     have passed the sequencer before it, so some call can always go on.
type sequencer struct {
	group par.Comm // the group with which arrays are opened
	comm  par.Comm // used by the sequencer only

	mu     sync.Mutex
	calls  queue
	users  int            // arrays that are open or being opened
	opened map[string]int // number of times that each name was opened
	arrays []io.Closer    // the open ones, in the order of opening
}

// sequencers has one sequencer per group in use.
var sequencers sync.Map

// sequencerOf returns the sequencer of a group and counts one more user, collective.
func sequencerOf(group par.Comm) (*sequencer, error) {
	found, _ := sequencers.Load(group)
	s, ok := found.(*sequencer)
	if !ok {
		comm, err := group.Split(0, group.Proc())
		if err != nil {
			return nil, err
		}
		s = &sequencer{group: group, comm: comm, opened: map[string]int{}}
		sequencers.Store(group, s)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return s, nil
}

// leave ends one use of the sequencer, collective. The last user closes its group.
func (s *sequencer) leave() error {
	if last := s.removeUser(); !last {
		return nil
	}
	return s.comm.Close()
}

// removeUser is leave for a failed program, where the procs no longer make collective calls. It
// reports whether this was the last user.
func (s *sequencer) removeUser() (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		sequencers.Delete(s.group)
	}
	return s.users == 0
}

// Refuse joins the next collective call on the arrays of a group, or the next Open or Create, for a
// proc whose arguments are invalid. Otherwise the other procs would wait for this one for ever.
// what names the call. Refuse returns the error that all procs get.
func Refuse(c par.Comm, what string, err error) error {
	s, e := sequencerOf(c)
	if e != nil {
		return e
	}
	s.mu.Lock()
	t := s.calls.next()
	s.mu.Unlock()
	err = s.agree(t, what, err)
	_ = s.leave()
	return err
}

// split lets all procs agree that they open the same array, collective. It returns a group for that
// array and the sequence of its calls. err, if not nil, is the reason why this proc cannot take
// part.
func (s *sequencer) split(what, name string, err error) (comm par.Comm, calls *callSequence, _ error) {
	s.mu.Lock()
	t := s.calls.next()
	s.mu.Unlock()
	t.begin()
	defer t.end()
	if err := s.comm.Agree(what, err); err != nil {
		return nil, nil, err
	}
	calls = &callSequence{sequencer: s, label: s.newLabel(name)}
	comm, err = s.comm.Split(0, s.comm.Proc())
	return comm, calls, err
}

// agree lets all procs agree on the same call, when the ticket is due.
func (s *sequencer) agree(t ticket, what string, err error) error {
	t.begin()
	defer t.end()
	return s.comm.Agree(what, err)
}

// newLabel returns the name of an array being opened, with a number if it was opened before.
func (s *sequencer) newLabel(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened[name]++
	if n := s.opened[name]; n > 1 {
		return fmt.Sprintf("%s, opening %d", name, n)
	}
	return name
}

// add records an open array for Terminate.
func (s *sequencer) add(a io.Closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrays = append(s.arrays, a)
}

func (s *sequencer) remove(a io.Closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrays = slices.DeleteFunc(s.arrays, func(b io.Closer) bool { return b == a })
}

// A callSequence orders the collective calls on one array.
type callSequence struct {
	sequencer *sequencer
	label     string // distinguishes arrays of the same name
	calls     queue
}

// A callTicket is the position of a collective call among those on its array, and at the sequencer.
type callTicket struct {
	of            *callSequence
	array, common ticket
	agreed        bool
}

// next returns the next ticket. It does not wait.
func (c *callSequence) next() *callTicket {
	c.sequencer.mu.Lock()
	defer c.sequencer.mu.Unlock()
	return &callTicket{of: c, array: c.calls.next(), common: c.sequencer.calls.next()}
}

// begin waits for the previous calls on the same array.
func (t *callTicket) begin() { t.array.begin() }

// agree is the first step of a collective call that has begun: all procs agree at the sequencer
// that they make the same call. It is called once at most.
func (t *callTicket) agree(what string, err error) error {
	t.agreed = true
	return t.of.sequencer.agree(t.common, what+" of "+t.of.label, err)
}

// end lets the next calls begin, on the array and, if the procs have not agreed, at the sequencer.
func (t *callTicket) end() {
	if !t.agreed {
		t.common.begin()
		t.common.end()
	}
	t.array.end()
}

// Terminate closes all arrays that were opened with a group and are still open, in the order in
// which they were opened, collective. It returns the first error.
func Terminate(c par.Comm) error {
	found, _ := sequencers.Load(c)
	s, ok := found.(*sequencer)
	if !ok {
		return nil
	}
	s.mu.Lock()
	arrays := slices.Clone(s.arrays)
	s.mu.Unlock()
	var first error
	for _, a := range arrays {
		if err := a.Close(); first == nil {
			first = err
		}
	}
	return first
}
