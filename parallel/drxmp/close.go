package drxmp

// Close commits all changes, as Sync does, and closes the files, collective. If the commit fails,
// the array is closed anyway: the files are as after the last successful Sync, or have that commit
// as a whole. A proc that calls Close while others make another call closes its files, too. A
// second Close returns drx.ErrClosed.
func (a *Array) Close() error {
	t := a.beginExclusive()
	defer t.end()
	err := t.agreeToClose("close")
	if err != nil {
		return err
	}
	if a.options.Write {
		err = a.sync()
	}
	return a.closeAll(err)
}

// Discard closes the files without a commit, collective: changes since the last Sync are lost.
func (a *Array) Discard() error {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agreeToClose("discard"); err != nil {
		return err
	}
	return a.closeAll(nil)
}

// agreeToClose is agree for the last call on the array. If the procs do not agree it closes the
// files of this proc.
func (t *turn) agreeToClose(what string) error {
	a := t.array
	err := t.agree(what, false, nil)
	if err != nil && !a.closed {
		a.markClosed()
		_ = a.member.Close()
	}
	return err
}

// closeAll closes the files, on proc 0 last. It returns err, or else the first error.
func (a *Array) closeAll(err error) error {
	a.markClosed()
	next := func(e error) {
		if err == nil {
			err = e
		}
	}
	next(a.engine.close())
	for _, leader := range []bool{false, true} {
		var own error
		if leader == (a.comm.Proc() == 0) {
			own = a.member.Close()
		}
		next(a.agree("close", own))
	}
	next(a.comm.Close())
	next(a.calls.sequencer.leave())
	return err
}

// markClosed records that the array is closed, or about to be.
func (a *Array) markClosed() {
	a.closed = true
	a.calls.sequencer.remove(a)
	a.cancelAtEnd()
}

// closeAtEnd closes the files of an array that is still open at the end of the program, which has
// therefore failed.
func (a *Array) closeAtEnd() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.markClosed()
	a.calls.sequencer.removeUser()
	_ = a.member.Close()
}

// abandon closes the open files of an array whose Open failed; all procs know the error.
func (a *Array) abandon() {
	if a.member != nil {
		_ = a.member.Close()
	}
	_ = a.comm.Close()
	_ = a.calls.sequencer.leave()
}
