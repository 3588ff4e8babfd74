package drxmp

import (
	"bytes"
	"encoding/binary"

	"drx"
)

// collective is the shape of all collective calls on an array: each waits for its turn; all agree that
// they make the same call, and that each of them may, which check says; then f does it.
func (a *Array) collective(what string, write bool, check func() error, f func() error) error {
	return a.place().do(func() error { return a.agreed(what, write, check, f) })
}

func (a *Array) agreed(what string, write bool, check func() error, f func() error) error {
	if a.closed {
		return a.errorf(what, drx.ErrClosed)
	}
	err := a.usable(write)
	if err == nil && check != nil {
		err = check()
	}
	if err := a.meet(what, a.errorf(what, err)); err != nil {
		return err
	}
	return f()
}

// agree is how all procs learn of the error of one.
func (a *Array) agree(what string, err error) error {
	return a.comm.Agree(what+" of "+a.name, err)
}

func (a *Array) usable(write bool) error {
	switch {
	case a.closed:
		return drx.ErrClosed
	case write && !a.options.Write:
		return drx.ErrReadOnly
	case write && a.uncovered != nil:
		return a.uncovered
	case write:
		return a.uncommitted
	}
	return nil
}

// exclusively is collective for calls that change zones or bounds.
func (a *Array) exclusively(what string, write bool, f func() error) error {
	return a.alone(func() error { return a.agreed(what, write, nil, f) })
}

// alone calls f in turn, and while this proc does nothing else with the array.
func (a *Array) alone(f func() error) error {
	return a.place().do(func() error {
		return a.own.take().do(func() error {
			a.mu.Lock()
			defer a.mu.Unlock()
			return f()
		})
	})
}

// Sync makes every change so far, of all procs, durable and visible to whoever opens the array, in
// one commit, collective. What they have written is seen by all of them from then on. After an
// error of the commit the changes are kept, and the next Sync tries again; nothing can be written
// until it has succeeded.
func (a *Array) Sync() error {
	return a.exclusively("sync", false, func() error {
		if !a.options.Write {
			return a.errorf("sync", drx.ErrReadOnly)
		}
		return a.sync()
	})
}

func (a *Array) sync() error {
	if a.uncommitted != nil {
		if err := a.commit(); err != nil {
			return err
		}
	}
	if err := a.settle(); err != nil {
		return err
	}
	return a.commit()
}

// settle brings what was written to its owners, and makes known to all what has changed.
func (a *Array) settle() error {
	if err := a.deliver(nil, make([][]box, a.comm.Procs())); err != nil {
		return err
	}
	return a.exchange()
}

// exchange makes known to all procs what each has changed.
func (a *Array) exchange() error {
	changes, err := a.member.Stage()
	if err := a.agree("stage", err); err != nil {
		return err
	}
	all, err := a.comm.AllGather(changes)
	if err != nil {
		return err
	}
	for p, changes := range all {
		if p != a.comm.Proc() && err == nil {
			err = a.member.Adopt(changes)
		}
	}
	return a.agree("exchange", err)
}

// commit commits on proc 0; the others follow.
func (a *Array) commit() error {
	if err := a.engine.sync(); err != nil {
		return err
	}
	if err := a.agree("secure", a.member.Secure()); err != nil {
		return err
	}
	var err error
	if a.comm.Proc() == 0 {
		err = a.member.Commit()
	}
	if a.uncommitted = a.agree("commit", err); a.uncommitted != nil {
		return a.uncommitted
	}
	return a.follow()
}

// follow gives the others the log that proc 0 has.
func (a *Array) follow() error {
	err := a.shareLog()
	if err == nil && a.comm.Proc() != 0 {
		err = a.member.Follow(a.log)
	}
	return a.agree("follow", err)
}

// shareLog gives all procs the log that proc 0 has: what is new, or all of it.
func (a *Array) shareLog() error {
	var log []byte
	var err error
	if a.comm.Proc() == 0 {
		log, err = a.member.Log()
	}
	if err := a.agree("log", err); err != nil {
		return err
	}
	same := 0
	if bytes.HasPrefix(log, a.log) {
		same = len(a.log)
	}
	sizes := make([]byte, 16)
	binary.LittleEndian.PutUint64(sizes, uint64(same))
	binary.LittleEndian.PutUint64(sizes[8:], uint64(len(log)-same))
	if err := a.comm.Broadcast(sizes, 0); err != nil {
		return err
	}
	more := make([]byte, binary.LittleEndian.Uint64(sizes[8:]))
	copy(more, log[same:])
	if err := a.comm.Broadcast(more, 0); err != nil {
		return err
	}
	a.log = append(a.log[:binary.LittleEndian.Uint64(sizes)], more...)
	return nil
}
