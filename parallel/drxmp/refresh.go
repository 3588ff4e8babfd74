package drxmp

import (
	"drx"
	"drx/dtype"
	"drx/internal/group"
)

// Refresh updates the array to the last commit of a writer outside of the group and reports whether
// the bounds have changed, collective: see drx.Array.Refresh. All procs see the same commit. The
// decomposition changes with the bounds; a new dimension has one proc along it. If files have
// replaced the old ones and cannot be opened, the array is closed. While the group has the array
// open for writing, nobody else can write and Refresh changes nothing.
func (a *Array) Refresh() (changed bool, err error) {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agree("refresh", false, nil); err != nil || a.options.Write {
		return false, err
	}
	before := a.member.array.Bounds().String()
	if err := a.refresh(); err != nil {
		return false, err
	}
	changed = a.member.array.Bounds().String() != before
	return changed, a.distribute(a.decomposition.Distribution().widened(a.member.array.Rank()))
}

func (a *Array) refresh() error {
	replaced := []bool{false}
	err := a.onLeader("refresh", func(leader group.Leader) (err error) {
		replaced[0], err = leader.Refresh()
		return err
	})
	if err != nil {
		return err
	}
	if err := a.comm.Broadcast(dtype.Bytes(replaced), 0); err != nil {
		return err
	}
	if !replaced[0] {
		return a.follow()
	}
	return a.reopenOrClose()
}

// reopenOrClose opens the files that have replaced the open ones. After an error it closes the
// array.
func (a *Array) reopenOrClose() error {
	old := a.member
	err := a.reopen()
	if err != nil {
		a.closeLost(old)
	}
	return err
}

// reopen opens the new files on all procs but proc 0, which has them open.
func (a *Array) reopen() error {
	var err error
	if follower := a.member.follower; follower != nil {
		err = follower.Close()
	}
	if err := a.agree("close of old files", err); err != nil {
		return err
	}
	again, err := a.join()
	if err == nil && again {
		err = a.open(func() (*drx.Array, error) { return drx.Open(a.name, a.options.Options) })
	}
	if err == nil {
		err = a.engine.close()
	}
	if err == nil {
		a.engine, err = openEngine(a.member, a.options)
	}
	return err
}

// closeLost closes an array whose new files cannot be opened. Shape, Bounds and the like keep the
// values of the old files.
func (a *Array) closeLost(old *membership) {
	a.markClosed()
	_ = a.engine.close()
	if a.member != nil && a.member != old {
		_ = a.member.Close()
	}
	a.member = old
	a.abandon()
}
