package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"drx"
)

// lockNames are the values of --locks, in the order of drx.Locks.
var lockNames = []string{"auto", "system", "file"}

// A locksFlag is the value of --locks, which counts as soon as it is given.
type locksFlag struct{}

// addLocksFlag adds --locks, which all verbs have.
func addLocksFlag(root *cobra.Command) {
	drx.SetLocks(drx.LocksAuto)
	root.PersistentFlags().Var(locksFlag{}, "locks",
		"keep writers apart by the `kind` of locks: auto, the system's or, on NFS, FUSE and their like, lock files; system; file (see drx doctor)")
}

// String implements pflag.Value.
func (locksFlag) String() string { return lockNames[drx.LocksAuto] }

// Type implements pflag.Value.
func (locksFlag) Type() string { return "kind" }

// Set implements pflag.Value.
func (locksFlag) Set(text string) error {
	i := slices.Index(lockNames, text)
	if i < 0 {
		return fmt.Errorf("%q is not auto, system or file", text)
	}
	drx.SetLocks(drx.Locks(i))
	return nil
}
