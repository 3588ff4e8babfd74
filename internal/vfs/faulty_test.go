package vfs

import (
	"errors"
	"testing"
)

// Each operation in turn fails and no other does; what failed was not done, but for the
// first half of a read or a write.
func TestFaultyFailsTheChosenOperationOnly(t *testing.T) {
	errFault := errors.New("injected")
	var chosen, asked Op
	fsys := Faulty{NewMem(), func(op Op, name string) error {
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
	operations := map[Op]func() error{
		OpCreate:   func() error { _, err := fsys.Create("b"); return err },
		OpOpen:     func() error { _, err := fsys.Open("a", false); return err },
		OpSyncDir:  func() error { return fsys.SyncDir(".") },
		OpRead:     func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
		OpWrite:    func() error { _, err := f.WriteAt([]byte("abcd"), 2); return err },
		OpSize:     func() error { _, err := f.Size(); return err },
		OpTruncate: func() error { return f.Truncate(8) },
		OpSync:     f.Sync,
		OpLock:     f.Lock,
		OpData:     func() error { _, _, err := f.Data(0); return err },
		OpIdentity: func() error { _, err := f.Identity(); return err },
		OpRemove:   func() error { return fsys.Remove("b") },
	}
	order := []Op{OpCreate, OpOpen, OpSyncDir, OpRead, OpWrite, OpSize, OpTruncate, OpSync, OpLock, OpData, OpIdentity, OpRemove}
	for _, chosen = range order {
		for _, op := range order {
			err := operations[op]()
			if asked != op {
				t.Errorf("%s asked about %s", op, asked)
			}
			if fails := op == chosen; fails != errors.Is(err, errFault) {
				t.Errorf("%s chosen: %s gives %v", chosen, op, err)
			}
			if op == OpCreate && chosen == OpCreate {
				if _, err := fsys.FS.Open("b", false); err == nil {
					t.Error("the file was created all the same")
				}
				if _, err := fsys.FS.Create("b"); err != nil { // for OpRemove
					t.Error(err)
				}
			}
		}
		if chosen == OpRemove {
			if _, err := fsys.FS.Open("b", false); err != nil {
				t.Error("the file was removed all the same")
			}
		}
	}
	chosen = OpWrite
	if n, err := f.WriteAt([]byte("ABCD"), 4); n != 2 || !errors.Is(err, errFault) {
		t.Errorf("half a write: %d, %v", n, err)
	}
	chosen = OpRead
	b := make([]byte, 8)
	if n, err := f.ReadAt(b, 0); n != 4 || !errors.Is(err, errFault) || string(b[:4]) != "12ab" {
		t.Errorf("half a read: %d, %v: %q", n, err, b)
	}
	chosen = OpWrite
	if _, err := f.ReadAt(b, 0); err != nil || string(b) != "12abAB78" {
		t.Errorf("%q, %v", b, err)
	}
}
