package drxmp

import (
	"bytes"

	"drx"
	"drx/dtype"
	"drx/internal/group"
)

// Sync makes all changes so far, of all procs, durable and visible to whoever opens the array, in
// one commit, collective. From then on all procs see what all have written. If the commit fails,
// the changes are kept and the next Sync tries again; nothing can be written until it succeeds.
func (a *Array) Sync() error {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agree("sync", false, nil); err != nil {
		return err
	}
	if !a.options.Write {
		return a.errorf("sync", drx.ErrReadOnly)
	}
	return a.sync()
}

func (a *Array) sync() error {
	if a.uncommitted != nil {
		if err := a.commit(); err != nil {
			return err
		}
	}
	if err := a.shareWrites(); err != nil {
		return err
	}
	return a.commit()
}

// commit commits the changes of all procs on proc 0. The others follow.
func (a *Array) commit() error {
	if err := a.engine.sync(); err != nil {
		return err
	}
	if err := a.agree("secure", a.member.Secure()); err != nil {
		return err
	}
	if a.uncommitted = a.onLeader("commit", group.Leader.Commit); a.uncommitted != nil {
		return a.uncommitted
	}
	return a.follow()
}

// onLeader calls f on proc 0 and returns its error on all procs, collective.
func (a *Array) onLeader(what string, f func(leader group.Leader) error) error {
	var err error
	if leader := a.member.leader; leader != nil {
		err = f(leader)
	}
	return a.agree(what, err)
}

// follow updates the other procs to the log of proc 0.
func (a *Array) follow() error {
	err := a.shareLog()
	if follower := a.member.follower; err == nil && follower != nil {
		err = follower.Follow(a.log)
	}
	return a.agree("follow", err)
}

// shareLog sends the log of proc 0 to all procs: the part that they lack, or all of it.
func (a *Array) shareLog() error {
	var log []byte
	var err error
	if a.comm.Proc() == 0 {
		log, err = a.member.leader.Log()
	}
	if err := a.agree("log", err); err != nil {
		return err
	}
	same := 0
	if bytes.HasPrefix(log, a.log) {
		same = len(a.log)
	}
	sizes := []int64{int64(same), int64(len(log) - same)}
	if err := a.comm.Broadcast(dtype.Bytes(sizes), 0); err != nil {
		return err
	}
	more := make([]byte, sizes[1])
	copy(more, log[same:])
	if err := a.comm.Broadcast(more, 0); err != nil {
		return err
	}
	a.log = append(a.log[:sizes[0]], more...)
	return nil
}
