package drxmp

import (
	"fmt"
	"sync"

	"drx/par"
)

// A desk is where the procs meet first in every collective call on an array, one desk for all arrays
// that were opened with the same group: so they notice when some call something on one array and
// others on another one, where each would wait for the others for ever.
//
// # Invariants
//
//  1. Calls come to the desk in the order in which they began, which is the same on all procs, also if
//     they go on in the background: both turns of a call, at its array and at the desk, are taken
//     under one lock.
//  2. A call that has its turn at the desk waits for nothing but earlier calls on its array, which
//     have been at the desk before it: some call always goes on.
type desk struct {
	group par.Comm // that arrays are opened with
	comm  par.Comm // of its own

	mu     sync.Mutex
	calls  queue
	users  int            // arrays that are open or being opened
	opened map[string]int // how often arrays were opened, by name
	arrays []*Array       // that are open, in the order of opening
}

// desks has those in use.
var desks = struct {
	sync.Mutex
	of map[par.Comm]*desk
}{of: map[par.Comm]*desk{}}

// deskOf returns the desk of a group, collective, for one more user.
func deskOf(group par.Comm) (*desk, error) {
	desks.Lock()
	d := desks.of[group]
	desks.Unlock()
	if d == nil {
		comm, err := group.Split(0, group.Proc())
		if err != nil {
			return nil, err
		}
		d = &desk{group: group, comm: comm, opened: map[string]int{}}
		desks.Lock()
		desks.of[group] = d
		desks.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users++
	return d, nil
}

// leave is the end of a user, collective.
func (d *desk) leave() error {
	if !d.left() {
		return nil
	}
	return d.comm.Close()
}

// left is leave when nobody meets any more; last says that there is no user left.
func (d *desk) left() (last bool) {
	d.mu.Lock()
	d.users--
	last = d.users == 0
	d.mu.Unlock()
	if last {
		desks.Lock()
		delete(desks.of, d.group)
		desks.Unlock()
	}
	return last
}

// split returns a group for an array, after all agree that they open the same one, and what tells it from
// others of the same name, collective.
func (d *desk) split(what, name string, err error) (comm par.Comm, label string, _ error) {
	d.mu.Lock()
	t := d.calls.take()
	d.mu.Unlock()
	err = t.do(func() error {
		if err := d.comm.Agree(what, err); err != nil {
			return err
		}
		label = d.label(name)
		comm, err = d.comm.Split(0, d.comm.Proc())
		return err
	})
	return comm, label, err
}

// label returns the name of an array that is being opened, with how often it was opened before.
func (d *desk) label(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened[name]++
	if n := d.opened[name]; n > 1 {
		return fmt.Sprintf("%s, opening %d", name, n)
	}
	return name
}

// add and remove say which arrays Terminate closes.
func (d *desk) add(a *Array) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.arrays = append(d.arrays, a)
}

func (d *desk) remove(a *Array) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.arrays {
		if d.arrays[i] == a {
			d.arrays = append(d.arrays[:i:i], d.arrays[i+1:]...)
			return
		}
	}
}

// A place is that of a collective call on an array: its turn there, and at the desk.
type place struct {
	a           *Array
	there, desk turn
}

// place returns the next one. It does not wait.
func (a *Array) place() place {
	a.desk.mu.Lock()
	defer a.desk.mu.Unlock()
	return place{a, a.calls.take(), a.desk.calls.take()}
}

// do calls f, which may meet the others once at the desk, when it is this call's turn.
func (p place) do(f func() error) error {
	return p.there.do(func() error {
		met := false
		p.a.meet = func(what string, err error) error {
			met = true
			return p.desk.do(func() error { return p.a.desk.comm.Agree(what+" of "+p.a.label, err) })
		}
		err := f()
		if !met {
			return p.desk.do(func() error { return err })
		}
		return err
	})
}

// Terminate closes all arrays that were opened with a group and are still open, in the order in which
// they were opened, collective. It returns the first error.
func Terminate(c par.Comm) error {
	desks.Lock()
	d := desks.of[c]
	desks.Unlock()
	if d == nil {
		return nil
	}
	d.mu.Lock()
	arrays := append([]*Array(nil), d.arrays...)
	d.mu.Unlock()
	var first error
	for _, a := range arrays {
		if err := a.Close(); first == nil {
			first = err
		}
	}
	return first
}
