package arrays

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
)

// OpenToChange opens an array with options that lock it. With --wait it waits while another process
// holds the lock.
func OpenToChange(cmd *cobra.Command, name string, o drx.Options) (a *drx.Array, err error) {
	err = WaitForLock(cmd, name, func() error {
		a, err = drx.Open(name, o)
		return err
	})
	return a, err
}

const (
	FirstWait   = 10 * time.Millisecond // between the first two attempts to get a lock
	longestWait = 250 * time.Millisecond
	waitNote    = time.Second // a verb that waits longer says so
)

// WaitForLock calls f, which locks an array. With --wait it calls f again while another process
// holds the lock, until the time is over or the program is interrupted. It polls, with pauses that
// double from FirstWait to longestWait: a short lock is noticed at once, and a long wait costs
// little.
func WaitForLock(cmd *cobra.Command, name string, f func() error) error {
	w, begin, noted := cmd.Flags().Lookup("wait").Value.(*cli.WaitFlag), time.Now(), false
	for pause := FirstWait; ; pause = min(2*pause, longestWait) {
		err := f()
		if !errors.Is(err, drx.ErrLocked) {
			return err
		}
		waited := time.Since(begin)
		switch {
		case !w.Given:
			return fmt.Errorf("%w; --wait waits for it", err)
		case w.Most > 0 && waited >= w.Most:
			return fmt.Errorf("%w; waited for %v", err, w.Most)
		case w.Most > 0:
			pause = min(pause, w.Most-waited)
		}
		if !noted && waited >= waitNote {
			noted = true
			fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: waiting for another process that has it open for writing\n", cli.Printable(drx.BaseName(name)))
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-time.After(pause):
		}
	}
}
