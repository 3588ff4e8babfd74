package vfs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"drx/internal/vfs"
)

// askerEnv names the file whose lock a process is to examine, see TestAskerProcess.
const askerEnv = "DRX_TEST_ASK_FOR_LOCK"

// TestAskerProcess is not a test but another process: it prints whether a file is locked and the
// results of trying to lock it, exclusively and shared.
func TestAskerProcess(t *testing.T) {
	name := os.Getenv(askerEnv)
	if name == "" {
		t.Skip("for the tests that start it")
	}
	f, err := vfs.OS.Open(name, true)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("locked %t\n", f.Locked())
	fmt.Printf("lock %v\n", f.Lock())
	_ = f.Unlock()
	fmt.Printf("shared %v\n", f.LockShared())
}

// ask returns the lines that another process prints about a file.
func ask(t *testing.T, name string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAskerProcess$")
	// By default the race detector delays the end of every program by a second.
	cmd.Env = append(os.Environ(), askerEnv+"="+name, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) < 3 {
		t.Fatalf("%v: %s", err, out)
	}
	return lines[:3]
}

// Another process sees a lock, and its holder, for as long as it is held: also after the holder has
// closed another opening of the file, which drops the record locks of a process.
func TestLockSeenByAnotherProcess(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	holder := create(t, vfs.OS, name)
	free := []string{"locked false", "lock <nil>", "shared <nil>"}
	wantAnswer(t, "before", name, free)
	if err := holder.Lock(); err != nil {
		t.Fatal(err)
	}
	command, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	by := fmt.Sprintf("%s: locked by another writer, process %d (%s)", name, os.Getpid(), strings.TrimSpace(string(command)))
	held := []string{"locked true", "lock " + by, "shared " + by}
	wantAnswer(t, "locked", name, held)
	for _, write := range []bool{false, true} {
		second := open(t, vfs.OS, name, write)
		if err := second.Lock(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("this process (%d)", os.Getpid())) {
			t.Errorf("locked twice in this process: %v", err)
		}
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
		wantAnswer(t, "another opening closed", name, held)
	}
	if err := holder.Unlock(); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, "unlocked", name, free)
	if err := holder.LockShared(); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, "shared", name, []string{"locked true", "lock " + by, "shared <nil>"})
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, "closed", name, free)
}

func wantAnswer(t *testing.T, when, name string, want []string) {
	t.Helper()
	for i, line := range ask(t, name) {
		if line != want[i] {
			t.Errorf("%s: %q, want %q", when, line, want[i])
		}
	}
}

// The mark disappears with a killed process, like the lock.
func TestLockGoneWithProcess(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	f := create(t, vfs.OS, name)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolderProcess$")
	cmd.Env = append(os.Environ(), holderEnv+"="+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := out.Read(make([]byte, 1)); n != 1 {
		t.Error(err)
	}
	if !f.Locked() {
		t.Error("not locked while the holder lives")
	}
	wantError(t, f.Lock(), vfs.ErrLocked, fmt.Sprintf("process %d (", cmd.Process.Pid))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if f.Locked() {
		t.Error("locked by a process that is gone")
	}
	if err := f.Lock(); err != nil {
		t.Error(err)
	}
}

// descriptor returns the descriptor of a file of the system.
func descriptor(f vfs.File) uintptr { return f.(interface{ Fd() uintptr }).Fd() }

// Close releases the locks even if a process that is being started still has the descriptor.
func TestLockGoneWithClose(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	f := create(t, vfs.OS, name)
	if err := f.Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.LockRange(100, 10); err != nil {
		t.Fatal(err)
	}
	inherited, err := unix.Dup(int(descriptor(f)))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, vfs.OS, name, true)
	if second.Locked() {
		t.Error("the mark is still there")
	}
	if err := second.Lock(); err != nil {
		t.Error(err)
	}
	whole := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(descriptor(second), unix.F_OFD_SETLK, &whole); err != nil {
		t.Errorf("a range is still locked: %v", err)
	}
}

// holderEnv names the file that a process is to lock, see TestHolderProcess.
const holderEnv = "DRX_TEST_HOLD_LOCK"

// TestHolderProcess is not a test but another process, which locks a file, prints that, and waits
// to be killed.
func TestHolderProcess(t *testing.T) {
	name := os.Getenv(holderEnv)
	if name == "" {
		t.Skip("for the test that starts it")
	}
	f, err := vfs.OS.Open(name, true)
	if err == nil {
		err = f.Lock()
	}
	if err != nil {
		t.Fatal(err)
	}
	fmt.Print(".")
	select {}
}

// The error for a lock on a range of a file names a process that holds it, and not one that only
// shares the file's own lock.
func TestRangeHolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	holder := create(t, vfs.OS, name)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolderProcess$")
	cmd.Env = append(os.Environ(), holderEnv+"="+name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if n, err := out.Read(make([]byte, 1)); n != 1 {
		t.Fatal(err)
	}
	if err := holder.Locks(3).LockShared(); err != nil {
		t.Fatal(err)
	}
	second := open(t, vfs.OS, name, true)
	this := fmt.Sprintf("this process (%d)", os.Getpid())
	wantError(t, second.Locks(3).Lock(), vfs.ErrLocked, this)
	if err := second.Locks(2).Lock(); err != nil {
		t.Errorf("another lock: %v", err)
	}
	defer func(d time.Duration) { *vfs.RangeTimeout = d }(*vfs.RangeTimeout)
	*vfs.RangeTimeout = 30 * time.Millisecond
	unlock, err := holder.LockRange(100, 10)
	if err != nil {
		t.Fatal(err)
	}
	_, err = second.LockRange(109, 1)
	wantError(t, err, vfs.ErrLocked, this)
	wantError(t, err, vfs.ErrLocked, "waited 30ms for its lock on 1 bytes from 109")
	locked := second.Locks(3).Lock()
	if err := errors.Join(unlock(), second.Close()); err != nil {
		t.Fatal(err)
	}
	wantError(t, locked, vfs.ErrLocked, this) // also when the file is closed
}
