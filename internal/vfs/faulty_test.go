package vfs_test

import (
	"errors"
	"testing"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// Each operation in turn fails, and no other does. A failed operation has no effect, except for the
// first half of a read or a write.
func TestFaultyFailsTheChosenOperationOnly(t *testing.T) {
	errFault := errors.New("injected")
	var chosen, asked vfstest.Op
	fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		asked = op
		if op == chosen {
			return errFault
		}
		return nil
	}}
	if _, err := fsys.Create("a"); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.Open("a", true)
	if err != nil {
		t.Fatal(err)
	}
	write(t, f, 0, "12345678")
	operations := map[vfstest.Op]func() error{
		vfstest.OpCreate:   func() error { _, err := fsys.Create("b"); return err },
		vfstest.OpOpen:     func() error { _, err := fsys.Open("a", false); return err },
		vfstest.OpSyncDir:  func() error { return fsys.SyncDir(".") },
		vfstest.OpRead:     func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
		vfstest.OpWrite:    func() error { _, err := f.WriteAt([]byte("abcd"), 2); return err },
		vfstest.OpSize:     func() error { _, err := f.Size(); return err },
		vfstest.OpTruncate: func() error { return f.Truncate(8) },
		vfstest.OpSync:     f.Sync,
		vfstest.OpLock:     f.Lock,
		vfstest.OpData:     func() error { _, _, err := f.Data(0); return err },
		vfstest.OpIdentity: func() error { _, err := f.Identity(); return err },
		vfstest.OpRemove:   func() error { return fsys.Remove("b") },
	}
	order := []vfstest.Op{vfstest.OpCreate, vfstest.OpOpen, vfstest.OpSyncDir, vfstest.OpRead, vfstest.OpWrite, vfstest.OpSize, vfstest.OpTruncate, vfstest.OpSync, vfstest.OpLock, vfstest.OpData, vfstest.OpIdentity, vfstest.OpRemove}
	for _, chosen = range order {
		for _, op := range order {
			err := operations[op]()
			if asked != op {
				t.Errorf("%s asked about %s", op, asked)
			}
			if fails := op == chosen; fails != errors.Is(err, errFault) {
				t.Errorf("%s chosen: %s gives %v", chosen, op, err)
			}
			if op == vfstest.OpCreate && chosen == vfstest.OpCreate {
				if _, err := fsys.FS.Open("b", false); err == nil {
					t.Error("the file was created all the same")
				}
				if _, err := fsys.FS.Create("b"); err != nil { // for OpRemove
					t.Error(err)
				}
			}
		}
		if chosen == vfstest.OpRemove {
			if _, err := fsys.FS.Open("b", false); err != nil {
				t.Error("the file was removed all the same")
			}
		}
	}
	chosen = vfstest.OpWrite
	if n, err := f.WriteAt([]byte("ABCD"), 4); n != 2 || !errors.Is(err, errFault) {
		t.Errorf("half a write: %d, %v", n, err)
	}
	chosen = vfstest.OpRead
	b := make([]byte, 8)
	if n, err := f.ReadAt(b, 0); n != 4 || !errors.Is(err, errFault) || string(b[:4]) != "12ab" {
		t.Errorf("half a read: %d, %v: %q", n, err, b)
	}
	chosen = vfstest.OpWrite
	if _, err := f.ReadAt(b, 0); err != nil || string(b) != "12abAB78" {
		t.Errorf("%q, %v", b, err)
	}
}
