package cli

import (
	"github.com/spf13/cobra"

	"drx"
)

// A locksFlag is the value of --locks, which counts as soon as it is given.
type locksFlag struct{}

// addLocksFlag adds --locks, which all verbs have.
func addLocksFlag(root *cobra.Command) {
	drx.SetLocks(drx.LocksAuto)
	root.PersistentFlags().Var(locksFlag{}, "locks",
		"keep writers apart by the `kind` of locks: auto, the system's or, on NFS, FUSE and their like, lock files; system; file (see drx doctor)")
}

// String implements pflag.Value.
func (locksFlag) String() string { return drx.LocksAuto.String() }

// Type implements pflag.Value.
func (locksFlag) Type() string { return "kind" }

// Set implements pflag.Value.
func (locksFlag) Set(text string) error {
	l, err := drx.ParseLocks(text)
	if err == nil {
		drx.SetLocks(l)
	}
	return err
}
