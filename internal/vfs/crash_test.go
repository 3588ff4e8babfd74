package vfs_test

import (
	"testing"

	"drx/internal/vfs/vfstest"
)

// After a crash, a file with two names is still one file, and a link whose folder was not synced
// may be lost.
func TestCrashOfLink(t *testing.T) {
	disk := vfstest.NewCrash()
	write(t, create(t, disk, "a"), 0, "x")
	if err := disk.SyncDir("."); err != nil {
		t.Fatal(err)
	}
	if err := disk.Link("a", "b"); err != nil {
		t.Fatal(err)
	}
	policies := vfstest.Policies(0, 0)
	if _, err := disk.After(policies["no names"]).Identity("b"); err == nil {
		t.Error("the link is there although no name was kept")
	}
	after := disk.After(policies["all"])
	a, err := after.Identity("a")
	if b, bErr := after.Identity("b"); a != b || err != nil || bErr != nil {
		t.Errorf("identities %v and %v, %v, %v", a, b, err, bErr)
	}
}
