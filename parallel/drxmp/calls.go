package drxmp

import "drx"

// collective makes a collective call on an array: it waits for the calls before, and is checkedCall then.
func (a *Array) collective(what string, write bool, check, f func() error) error {
	return a.calls.take().do(func() error { return a.checkedCall(what, write, check, f) })
}

// Refuse takes part in the next collective call on the array for a proc that cannot make the call: "read" for ReadAll,
// "write" for WriteAll. All procs return the error, see the function Refuse.
func (a *Array) Refuse(what string, err error) error {
	return a.collective(what, false, func() error { return err }, func() error { return nil })
}

// checkedCall calls f after all procs have agreed that they make the same call, and that the call is possible
// on each: usable and check, if not nil, have no error.
func (a *Array) checkedCall(what string, write bool, check, f func() error) error {
	if a.closed {
		return a.errorf(what, drx.ErrClosed)
	}
	err := a.usable(write)
	if err == nil && check != nil {
		err = check()
	}
	if err := a.calls.agree(what, a.errorf(what, err)); err != nil {
		return err
	}
	return f()
}

// exclusively is collective for calls that change the decomposition, the bounds or the attributes.
func (a *Array) exclusively(what string, write bool, f func() error) error {
	return a.exclusive(func() error { return a.checkedCall(what, write, nil, f) })
}

// afterWrites is exclusively for calls that need all elements in the file, if the array is open for writing.
func (a *Array) afterWrites(what string, f func() error) error {
	return a.exclusively(what, a.options.Write, func() error {
		if a.options.Write {
			if err := a.shareWrites(); err != nil {
				return err
			}
		}
		return f()
	})
}

// exclusive waits for the calls before and for those in the background, and calls f with a.mu held.
func (a *Array) exclusive(f func() error) error {
	return a.calls.take().do(func() error {
		return a.background.take().do(func() error {
			a.mu.Lock()
			defer a.mu.Unlock()
			return f()
		})
	})
}
