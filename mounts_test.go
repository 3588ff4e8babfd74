package drx

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/remote"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// A testClock is the clock of all machines of a test. It advances when a machine waits.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A testMachine is a machine with a mount of a server.
type testMachine struct {
	*vfstest.Mount
	fs *remote.FS
}

// newMachine returns a machine that cannot see the processes of others.
func newMachine(server vfs.FS, host string, clock *testClock) *testMachine {
	m := &testMachine{Mount: vfstest.NewMount(server)}
	m.fs = fileset.Remote(m.Mount, &remote.Host{
		Self:  func() remote.Owner { return remote.Owner{Host: host, PID: 7} },
		Alive: func(remote.Owner) (alive, known bool) { return false, false },
		Now:   clock.Now, Sleep: clock.Sleep,
	})
	return m
}

func (m *testMachine) options(write bool) Options { return Options{fs: m.fs, Write: write} }

// newMachines returns two machines with an array of rows of 4 elements that one of them has
// created. Row i has the elements i.
func newMachines(t *testing.T, rows int) (one, two *testMachine, clock *testClock) {
	t.Helper()
	clock = &testClock{now: time.Unix(1e9, 0)}
	server := vfs.NewMem()
	one, two = newMachine(server, "one", clock), newMachine(server, "two", clock)
	a, err := Create("a", Spec{DType: dtype.Int32, Shape: []int{0, 4}, ChunkShape: []int{2, 4}, Options: one.options(true)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := addRow(a, int32(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return one, two, clock
}

// addRow appends a row with the given elements.
func addRow(a *Array, v int32) error {
	n := a.Bounds().Shape()[0]
	if _, err := a.Extend(0, 1); err != nil {
		return err
	}
	return Write(a, nd.Box([]int{n, 0}, []int{n + 1, 4}), []int32{v, v, v, v})
}

// mountRows returns the first elements of the rows, or the error of reading them.
func mountRows(a *Array) (rows []int32, err error) {
	buf, err := Read[int32](a, a.Bounds())
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(buf); i += 4 {
		rows = append(rows, buf[i])
	}
	return rows, nil
}

// wantMountRows opens the array on a machine that has cached nothing of it, verifies it and
// compares it.
func wantMountRows(t *testing.T, server vfs.FS, want []int32, what ...any) {
	t.Helper()
	a, err := Open("a", newMachine(server, "check", &testClock{now: time.Unix(2e9, 0)}).options(false))
	if err != nil {
		t.Fatal(what, err)
	}
	defer a.Close()
	rows, err := mountRows(a)
	if err != nil || fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Fatal(what, rows, err, "want", want)
	}
}

// Of two machines whose locks do not exclude each other only one can write at a time. The other one
// gets an error that names the first.
func TestMountsLock(t *testing.T) {
	one, two, _ := newMachines(t, 3)
	a, err := Open("a", one.options(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open("a", two.options(true)); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "process 7 on one") {
		t.Error(err)
	}
	if err := errors.Join(addRow(a, 3), a.Close()); err != nil {
		t.Fatal(err)
	}
	a, err = Open("a", two.options(true))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(addRow(a, 4), a.Close()); err != nil {
		t.Fatal(err)
	}
	wantMountRows(t, one.FS, []int32{0, 1, 2, 3, 4})
	if _, err := one.FS.Identity("a.xlk"); err == nil {
		t.Error("the lock file is left")
	}
}

// Processes cannot share an array if single chunks cannot be locked for all; the error says why.
func TestMountsShared(t *testing.T) {
	one, _, _ := newMachines(t, 3)
	_, err := Open("a", Options{fs: one.fs, Shared: true})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "testfs") {
		t.Error(err)
	}
}

// After Refresh a reader sees what another machine has committed, whatever it has cached before,
// and never contents that no commit had.
func TestMountsRefresh(t *testing.T) {
	for _, codec := range []string{"", "zstd"} {
		one, two, _ := newMachines(t, 3)
		r, err := Open("a", two.options(false))
		if err != nil {
			t.Fatal(codec, err)
		}
		want := []int32{0, 1, 2}
		for i := range int32(20) {
			if rows, err := mountRows(r); err != nil || fmt.Sprint(rows) != fmt.Sprint(want) {
				t.Fatal(i, rows, err, "want", want)
			}
			a, err := Open("a", one.options(true))
			if err != nil {
				t.Fatal(err)
			}
			// The last row shares its chunk with the new one, or is overwritten.
			want[len(want)-1] += 100
			v := want[len(want)-1]
			n := len(want)
			err = Write(a, nd.Box([]int{n - 1, 0}, []int{n, 4}), []int32{v, v, v, v})
			if err = errors.Join(err, addRow(a, i), a.Close()); err != nil {
				t.Fatal(err)
			}
			want = append(want, i)
			if _, err := r.Refresh(); err != nil {
				t.Fatal(i, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A damaged chunk is reported as damaged, even if the file system may return old bytes.
func TestMountsDamaged(t *testing.T) {
	one, two, _ := newMachines(t, 4)
	f, err := one.FS.Open("a.xta", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{99}, 5); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", two.options(false))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := mountRows(a); !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrStale) {
		t.Error(err)
	}
}

// A file system that keeps returning old bytes is not reported as damage while others commit.
func TestMountsDeaf(t *testing.T) {
	one, two, _ := newMachines(t, 4)
	r, err := Open("a", two.options(false))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := mountRows(r); err != nil {
		t.Fatal(err)
	}
	two.Deaf = true
	// The page of the data is cached; the entry of the table is beyond the cached part.
	go func() {
		for i := range int32(6) {
			a, err := Open("a", one.options(true))
			if err == nil {
				err = errors.Join(Write(a, nd.Box([]int{0, 0}, []int{1, 4}), []int32{i, i, i, i}), addRow(a, i), a.Close())
			}
			if err != nil {
				t.Error(err)
			}
			two.ForgetFile("a.xck")
			two.ForgetFile("a.xmd")
			time.Sleep(300 * time.Millisecond)
		}
	}()
	time.Sleep(100 * time.Millisecond)
	if _, err := r.Refresh(); err != nil {
		t.Fatal(err)
	}
	if _, err := mountRows(r); !errors.Is(err, ErrStale) || errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

// A writer that is suspended after any of its operations, while another one takes over its lock and
// commits, writes nothing more: the array stays as the other one has left it. A machine cannot
// distinguish a suspended process from a killed one, so the other writer does not wait for it.
func TestMountsFencedBetweenOperations(t *testing.T) {
	states := enumtest.Of(t)
	for at, done := 0, false; !done; at++ {
		if states.Try() || at > 1000 {
			done = fenceAfter(t, at)
		}
	}
	states.Want(25)
}

// fenceAfter suspends a writer after an operation. done reports whether it had fewer operations.
func fenceAfter(t *testing.T, at int) (done bool) {
	one, two, clock := newMachines(t, 3)
	n, slept := 0, false
	var want []int32
	one.After = func(op vfstest.Op, name string) {
		if n++; n-1 != at {
			return
		}
		slept = true
		clock.Sleep(time.Minute)
		b, err := Open("a", two.options(true))
		if err != nil {
			t.Fatal(at, op, name, err)
		}
		rows, err := mountRows(b)
		if err = errors.Join(err, addRow(b, 50), b.Close()); err != nil {
			t.Fatal(at, op, name, err)
		}
		want = append(rows, 50)
	}
	a, err := Open("a", one.options(true))
	if err == nil {
		err = errors.Join(Write(a, nd.Box([]int{1, 0}, []int{2, 4}), []int32{9, 9, 9, 9}), addRow(a, 3), a.Sync())
		if slept && err == nil {
			err = addRow(a, 4) // with nothing left to write, Sync may succeed
			err = errors.Join(err, a.Sync())
		}
		if closeErr := a.Close(); !slept && closeErr != nil {
			t.Fatal(at, closeErr)
		}
	}
	one.After = nil
	switch {
	case !slept:
		wantMountRows(t, one.FS, []int32{0, 9, 2, 3}, at)
		return true
	case err == nil && want[1] == 1: // suspended before it had the lock
		want = append(want, 3, 4)
		want[1] = 9
	case err == nil: // suspended after its last operation
		if len(want) != 5 && len(want) != 6 {
			t.Fatal(at, want)
		}
	case !errors.Is(err, ErrFenced) && !errors.Is(err, ErrLocked):
		t.Fatal(at, err)
	}
	wantMountRows(t, one.FS, want, at, err)
	return false
}
