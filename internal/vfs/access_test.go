package vfs

import (
	"io/fs"
	"testing"
)

// If a file gets another group than requested, that group gets only the permissions of all users.
func TestModeForAnotherGroup(t *testing.T) {
	for mode, want := range map[fs.FileMode]fs.FileMode{0o660: 0o600, 0o664: 0o644, 0o644: 0o644, 0o646: 0o646, 0o600: 0o600, 0o640: 0o600, 0o670: 0o600} {
		if got := (Access{Mode: mode, GID: 1}).modeFor(Access{Mode: 0o600, GID: 2}); got != want {
			t.Errorf("%o: %o, want %o", mode, got, want)
		}
	}
}
