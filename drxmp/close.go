package drxmp

// Close commits what was changed, as Sync does, and closes the files, collective. After an error
// of the commit the array is closed all the same, as it was at the last Sync that returned nil or
// with that commit as a whole; so are the files of a proc that closes where others call something
// else. A second Close returns drx.ErrClosed.
func (a *Array) Close() error {
	return a.closing("close", func() error {
		var err error
		if a.options.Write {
			err = a.sync()
		}
		return a.end(err)
	})
}

// Discard closes the files without a commit, collective: what was changed since the last Sync is
// gone.
func (a *Array) Discard() error {
	return a.closing("discard", func() error { return a.end(nil) })
}

// closing is exclusively for the last call. When there is nobody to agree with, or others call
// something else, it closes the files of this proc.
func (a *Array) closing(what string, f func() error) error {
	return a.alone(func() error {
		err := a.agreed(what, false, nil, f)
		if err != nil && !a.closed {
			a.forget()
			_ = a.member.Close()
		}
		return err
	})
}

// end closes the files, on proc 0 last, and returns err or else the first error.
func (a *Array) end(err error) error {
	a.forget()
	next := func(e error) {
		if err == nil {
			err = e
		}
	}
	next(a.engine.close())
	for _, leader := range []bool{false, true} {
		var mine error
		if leader == (a.comm.Proc() == 0) {
			mine = a.member.Close()
		}
		next(a.agree("close", mine))
	}
	next(a.comm.Close())
	next(a.desk.leave())
	return err
}
