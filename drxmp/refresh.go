package drxmp

import (
	"drx"
	"drx/dtype"
)

// Refresh sees what a writer outside of the group has committed, and reports whether the bounds have
// changed, collective: see drx.Array.Refresh. All procs see the same commit. The zones are others
// then; a new dimension is not cut. If files that have replaced the old ones cannot be opened the
// array is closed. While the group has the array open for writing there is no such writer.
func (a *Array) Refresh() (changed bool, err error) {
	err = a.exclusively("refresh", false, func() error {
		if a.options.Write {
			return nil
		}
		before := a.array().Bounds().String()
		if err := a.refresh(); err != nil {
			return err
		}
		changed = a.array().Bounds().String() != before
		return a.distribute(a.zones.Distribution().widened(a.array().Rank()))
	})
	return changed, err
}

func (a *Array) refresh() error {
	replaced := []bool{false}
	var err error
	if a.comm.Proc() == 0 {
		replaced[0], err = a.member.Refresh()
	}
	if err := a.agree("refresh", err); err != nil {
		return err
	}
	if err := a.comm.Broadcast(dtype.Bytes(replaced), 0); err != nil {
		return err
	}
	if !replaced[0] {
		return a.follow()
	}
	return a.renew()
}

// renew goes on with the files that have replaced those that are open, or closes the array.
func (a *Array) renew() error {
	old := a.member
	err := a.reopen()
	if err != nil {
		a.lose(old)
	}
	return err
}

// lose closes an array whose files cannot be opened again; what the old ones said is still known.
func (a *Array) lose(old member) {
	a.forget()
	_ = a.engine.close()
	if a.member != nil && a.member != old {
		_ = a.member.Close()
	}
	a.member = old
	a.abandon()
}

// reopen opens the files that have replaced those that are open: proc 0 has them.
func (a *Array) reopen() error {
	var err error
	if a.comm.Proc() != 0 {
		err = a.member.Close()
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
		a.engine, err = a.newEngine()
	}
	return err
}
