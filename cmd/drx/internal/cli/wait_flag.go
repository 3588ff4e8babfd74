package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// WaitFlag is the value of --wait: whether a verb waits for the lock of an array, and for how long.
type WaitFlag struct {
	Given bool
	Most  time.Duration // 0 means no limit
}

// noLimit is the text of --wait without a duration.
const noLimit = "forever"

// AddWaitFlag adds the flag --wait to a verb that calls OpenToChange or WaitForLock.
func AddWaitFlag(cmd *cobra.Command) {
	f := cmd.Flags().VarPF(&WaitFlag{}, "wait", "", "wait while another process has the array open for writing, at most this `duration`, as in --wait=10s")
	f.NoOptDefVal = noLimit
	f.DefValue = ""
}

// String implements pflag.Value.
func (w *WaitFlag) String() string {
	switch {
	case !w.Given:
		return ""
	case w.Most == 0:
		return noLimit
	}
	return w.Most.String()
}

// Type implements pflag.Value.
func (w *WaitFlag) Type() string { return "duration" }

// Set implements pflag.Value.
func (w *WaitFlag) Set(text string) (err error) {
	w.Given, w.Most = true, 0
	if text == noLimit {
		return nil
	}
	if w.Most, err = time.ParseDuration(text); err == nil && w.Most <= 0 {
		err = fmt.Errorf("%v is not above 0", w.Most)
	}
	return err
}
