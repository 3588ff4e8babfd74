package fileset

import (
	"errors"
	"strings"
	"testing"
	"time"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// The error of who has waited for a lock in vain says for how long and for which lock.
func TestLockSoonSaysWhatItWaitedFor(t *testing.T) {
	defer func(d time.Duration) { lockTimeout = d }(lockTimeout)
	lockTimeout = 20 * time.Millisecond
	fsys := FS{vfs.NewMem()}
	want := func(err error, lock string) {
		t.Helper()
		if !errors.Is(err, vfs.ErrLocked) || !strings.Contains(err.Error(), "waited 20ms for the lock of "+lock) {
			t.Errorf("%v, want the wait for the lock of %s", err, lock)
		}
	}
	log, err := fsys.Create("a.xmd")
	if err != nil {
		t.Fatal(err)
	}
	second, err := fsys.Open("a.xmd", true)
	if err = errors.Join(err, log.Lock()); err != nil {
		t.Fatal(err)
	}
	want(LockSoon(second), "the log")
	array, err := fsys.Create("w.drx/a.drx")
	if err != nil {
		t.Fatal(err)
	}
	if err := array.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := fsys.FS.Open("w.drx", true)
	if err = errors.Join(err, file.Lock()); err != nil {
		t.Fatal(err)
	}
	_, err = fsys.Open("w.drx/a.drx", true)
	want(err, "the file with several arrays")
	_, err = fsys.Create("w.drx/b.drx")
	want(err, "the file with several arrays")
	want(fsys.Rename("w.drx/a.drx", "w.drx/c.drx"), "the file with several arrays")
	want(fsys.Remove("w.drx/a.drx"), "the file with several arrays")
}

// Wherever a removal is interrupted, also by a power cut, a journal with anything in it keeps the
// name from a new array: one of the first two is there as long as any.
func TestCrashOfRemoveKeepsFirstJournals(t *testing.T) {
	kept, free := 0, 0
	for _, name := range []string{"a", "a.drx", "w.drx/a.drx"} {
		for k := 0; ; k++ {
			disk := vfstest.NewCrash()
			makeJournaled(t, FS{disk}, name)
			disk.CrashAfter(k)
			err := Remove(FS{disk}, name)
			for policy, p := range vfstest.Policies(5, uint64(k)) {
				after := FS{disk.After(p)}
				if exists, err := Exists(after, name); exists || err != nil {
					continue
				}
				left := 0
				for _, file := range namesButLog(name)[:maxJournals] {
					if f, err := after.Open(file, false); err == nil {
						size, _ := f.Size()
						left += int(size)
						_ = f.Close()
					}
				}
				files, claimErr := Claim(after, name, nil)
				if claimErr == nil {
					files.Close()
				}
				if left > 0 && claimErr == nil || claimErr != nil && !strings.Contains(claimErr.Error(), "drx rm") {
					t.Fatalf("%s, operation %d, policy %s: journals of %d bytes, then claimed: %v", name, k, policy, left, claimErr)
				}
				if left > 0 {
					kept++
				} else {
					free++
				}
			}
			if err == nil {
				break
			}
		}
	}
	if kept < 100 || free < 20 {
		t.Errorf("%d times there were journals, %d times none", kept, free)
	}
}

const maxJournals = 65

// makeJournaled makes an array without a commit to look at, and journals of sharers that have died.
func makeJournaled(t *testing.T, fsys vfs.FS, name string) {
	t.Helper()
	files, err := Claim(fsys, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Format(64, 1, false); err != nil {
		t.Fatal(err)
	}
	for _, f := range files.all()[:3] {
		if _, err := f.WriteAt([]byte("something\n"), 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	files.Close()
	for _, journal := range namesButLog(name)[:6] {
		f, err := fsys.Create(journal)
		if err == nil {
			_, err = f.WriteAt([]byte("a commit"), 0)
		}
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := syncDir(fsys, name); err != nil {
		t.Fatal(err)
	}
}
