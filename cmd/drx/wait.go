package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"drx"
)

// waitFlag is the value of --wait: whether, and how long, a verb waits for the lock of an array.
type waitFlag struct {
	given bool
	most  time.Duration // 0 is no limit
}

// noLimit is the text of --wait without a duration.
const noLimit = "forever"

// addWaitFlag adds the flag --wait to a verb that calls openToChange or waitForLock.
func addWaitFlag(cmd *cobra.Command) {
	f := cmd.Flags().VarPF(&waitFlag{}, "wait", "", "wait while another process has the array open for writing, at most this `duration`, as in --wait=10s")
	f.NoOptDefVal = noLimit
	f.DefValue = ""
}

// String implements pflag.Value.
func (w *waitFlag) String() string {
	switch {
	case !w.given:
		return ""
	case w.most == 0:
		return noLimit
	}
	return w.most.String()
}

// Type implements pflag.Value.
func (w *waitFlag) Type() string { return "duration" }

// Set implements pflag.Value.
func (w *waitFlag) Set(text string) (err error) {
	w.given, w.most = true, 0
	if text == noLimit {
		return nil
	}
	if w.most, err = time.ParseDuration(text); err == nil && w.most <= 0 {
		err = fmt.Errorf("%v is not above 0", w.most)
	}
	return err
}

// openToChange opens an array for writing, in the way that o says. With --wait it waits for the lock of another
// process.
func openToChange(cmd *cobra.Command, name string, o drx.Options) (a *drx.Array, err error) {
	err = waitForLock(cmd, name, func() error {
		a, err = drx.Open(name, o)
		return err
	})
	return a, err
}

const (
	firstWait   = 10 * time.Millisecond // between the first two attempts to get a lock
	longestWait = 250 * time.Millisecond
	waitNote    = time.Second // after which a verb says that it waits
)

// waitForLock calls f, which locks an array. With --wait it calls f again as long as another process has the
// lock, until the time is over or the program is interrupted.
func waitForLock(cmd *cobra.Command, name string, f func() error) error {
	w, begin, told := cmd.Flags().Lookup("wait").Value.(*waitFlag), time.Now(), false
	for pause := firstWait; ; pause = min(2*pause, longestWait) {
		err := f()
		if !errors.Is(err, drx.ErrLocked) {
			return err
		}
		waited := time.Since(begin)
		switch {
		case !w.given:
			return fmt.Errorf("%w; --wait waits for it", err)
		case w.most > 0 && waited >= w.most:
			return fmt.Errorf("%w; waited for %v", err, w.most)
		case w.most > 0:
			pause = min(pause, w.most-waited)
		}
		if !told && waited >= waitNote {
			told = true
			fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: waiting for another process that has it open for writing\n", printable(drx.BaseName(name)))
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-time.After(pause):
		}
	}
}
