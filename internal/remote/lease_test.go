package remote

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// A process that uses lock files and processes of the same machine that use the system's locks
// exclude each other.
func TestBothKindsOfLocks(t *testing.T) {
	mem := vfs.NewMem()
	made, err := mem.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	fsys := Over(mem, Names{Lock: func(string) string { return "lock" }, Checked: func(string) bool { return false }}, newWorld().host("one", 0))
	fsys.SetMode(File)
	ours, err := fsys.Open("a", true)
	if err != nil {
		t.Fatal(err)
	}
	locks := map[string]func(vfs.File) (func() error, error){
		"file":   func(f vfs.File) (func() error, error) { return f.Unlock, f.Lock() },
		"number": func(f vfs.File) (func() error, error) { return f.Locks(3).Unlock, f.Locks(3).Lock() },
		"range":  func(f vfs.File) (func() error, error) { return f.TryLockRange(5, 2, false) },
	}
	for name, lock := range locks {
		for _, files := range [][2]vfs.File{{ours, made}, {made, ours}} {
			unlock, err := lock(files[0])
			if err != nil {
				t.Fatal(name, err)
			}
			if _, err := lock(files[1]); !errors.Is(err, vfs.ErrLocked) {
				t.Errorf("%s: the other kind of lock: %v, want ErrLocked", name, err)
			}
			if name == "file" && !files[1].Locked() {
				t.Errorf("%s: the other kind does not see it", name)
			}
			if err := unlock(); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	if err := errors.Join(ours.Close(), made.Close()); err != nil {
		t.Error(err)
	}
}

// A world has the clock of several machines, and which of their processes are known to be dead or
// alive.
type world struct {
	mu    sync.Mutex
	now   time.Time
	alive map[string]bool // by host; others are unknown
	each  func()          // called whenever a machine sleeps
}

func newWorld() *world { return &world{now: time.Unix(1e9, 0), alive: map[string]bool{}} }

func (w *world) host(name string, skew time.Duration) *Host {
	return &Host{
		Self: func() Owner { return Owner{Host: name, PID: 1} },
		Alive: func(o Owner) (alive, known bool) {
			alive, known = w.alive[o.Host]
			return alive, known
		},
		Now: func() time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.now.Add(skew)
		},
		Sleep: func(d time.Duration) {
			w.pass(d)
			if w.each != nil {
				w.each()
			}
		},
	}
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// mustGet acquires the lock.
func mustGet(t *testing.T, fsys vfs.FS, host *Host) (*lease, Owner) {
	t.Helper()
	l, took, err := getLease(fsys, "lock", host, false, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return l, took
}

// mustNotGet fails the test unless the lock is held, with an error that contains words.
func mustNotGet(t *testing.T, fsys vfs.FS, host *Host, words string) {
	t.Helper()
	if _, _, err := getLease(fsys, "lock", host, false, func(string) {}); !errors.Is(err, vfs.ErrLocked) || !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want a lock of %s", err, words)
	}
}

// wantFenced fails the test unless the lock is lost to a host.
func wantFenced(t *testing.T, l *lease, by string) {
	t.Helper()
	fenced := (*FencedError)(nil)
	if err := l.check(); !errors.Is(err, ErrFenced) || !errors.As(err, &fenced) || fenced.By.Host != by {
		t.Errorf("%v, want the lock to be lost to %q", err, by)
	}
}

// wantFiles fails the test unless exactly the named files are left.
func wantFiles(t *testing.T, fsys vfs.FS, want ...string) {
	t.Helper()
	files, _, err := fsys.List(".")
	if len(want) == 0 && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if strings.Join(files, " ") != strings.Join(want, " ") {
		t.Errorf("%q are left, want %q", files, want)
	}
}

func TestLeaseExcludes(t *testing.T) {
	w, fsys := newWorld(), vfs.NewMem()
	a, _ := mustGet(t, fsys, w.host("a", 0))
	mustNotGet(t, fsys, w.host("b", 0), "process 1 on a")
	w.pass(20 * time.Second)
	if err := a.check(); err != nil { // renews it
		t.Error(err)
	}
	w.pass(20 * time.Second)
	mustNotGet(t, fsys, w.host("b", 0), "process 1 on a")
	if err := a.check(); err != nil {
		t.Error(err)
	}
	a.release()
	wantFiles(t, fsys)
	mustGet(t, fsys, w.host("b", 0))
}

// The lock of a process that is known to be dead is taken over at once, that of a process known to
// be alive never.
func TestLeaseOfKnownProcess(t *testing.T) {
	w, fsys := newWorld(), vfs.NewMem()
	mustGet(t, fsys, w.host("a", 0))
	w.alive["a"] = true
	w.pass(time.Hour)
	mustNotGet(t, fsys, w.host("b", 0), "on a")
	w.alive["a"] = false
	before := w.now
	if _, took := mustGet(t, fsys, w.host("b", 0)); took.Host != "a" || w.now.Sub(before) > staleFor {
		t.Error(took, w.now.Sub(before))
	}
}

// A lock that is not renewed is taken over, after a time after which its owner cannot write any
// more. The old owner is fenced when it returns, even after the release.
func TestLeaseTakeover(t *testing.T) {
	w, fsys := newWorld(), vfs.NewMem()
	a, _ := mustGet(t, fsys, w.host("a", 0))
	w.pass(takeoverAfter + time.Second)
	before := w.now
	b, took := mustGet(t, fsys, w.host("b", 0))
	if took.Host != "a" || w.now.Sub(before) < observeFor+validFor {
		t.Error(took, w.now.Sub(before))
	}
	wantFenced(t, a, "b")
	a.release()
	mustNotGet(t, fsys, w.host("c", 0), "on b")
	b.release()
	wantFenced(t, a, "b")
	wantFiles(t, fsys)
}

func TestLeaseLostWithoutTrace(t *testing.T) {
	w, fsys := newWorld(), vfs.NewMem()
	a, _ := mustGet(t, fsys, w.host("a", 0))
	w.pass(time.Minute)
	b, _ := mustGet(t, fsys, w.host("b", 0))
	b.release()
	wantFenced(t, a, "")
}

// Different clocks can only delay a takeover: a lock that is renewed is not taken over.
func TestLeaseClocks(t *testing.T) {
	for _, skew := range []time.Duration{-time.Hour, time.Hour} {
		w, fsys := newWorld(), vfs.NewMem()
		a, _ := mustGet(t, fsys, w.host("a", 0))
		w.each = func() {
			if err := a.renew(); err != nil {
				t.Error(err)
			}
		}
		mustNotGet(t, fsys, w.host("b", skew), "on a")
		w.each = nil
		w.pass(2*time.Hour + takeoverAfter)
		mustGet(t, fsys, w.host("b", skew))
		wantFenced(t, a, "b")
	}
}

// If two processes find an abandoned lock, one gets it, whatever the other does while one of them
// waits. If that one dies during its takeover, the next one succeeds it.
func TestLeaseTwoTakers(t *testing.T) {
	w, fsys := newWorld(), vfs.NewMem()
	mustGet(t, fsys, w.host("a", 0))
	w.pass(time.Minute)
	got := 0
	w.each = func() {
		w.each = nil
		if _, _, err := getLease(fsys, "lock", w.host("c", 0), false, func(string) {}); err == nil {
			got++
		}
	}
	if _, _, err := getLease(fsys, "lock", w.host("b", 0), false, func(string) {}); err == nil {
		got++
	}
	if got != 1 {
		t.Errorf("%d have the lock", got)
	}
}

// A process may die after any step of a takeover; then another one can take the lock over.
func TestLeaseTakerDies(t *testing.T) {
	for at := range 12 {
		w, mount := newWorld(), vfstest.NewMount(vfs.NewMem())
		mustGet(t, mount, w.host("a", 0))
		w.pass(time.Minute)
		n := 0
		mount.After = func(vfstest.Op, string) {
			if n++; n-1 == at {
				panic("dies")
			}
		}
		func() {
			defer func() { _ = recover() }()
			_, _, _ = getLease(mount, "lock", w.host("b", 0), false, func(string) {})
		}()
		mount.After = nil
		w.pass(time.Minute)
		c, took := mustGet(t, mount, w.host("c", 0))
		if took.Host == "" {
			t.Error(at, took)
		}
		mustNotGet(t, mount, w.host("d", 0), "on c")
		c.release()
		for _, file := range []string{"lock", "lock-"} {
			if _, err := mount.FS.Identity(file); err == nil {
				t.Error(at, file)
			}
		}
		mustGet(t, mount, w.host("d", 0))
	}
}

// An unreadable lock file counts as held until it was watched for takeoverAfter.
func TestLeaseUnknown(t *testing.T) {
	for _, text := range []string{"", "{", strings.Repeat(" ", recordBytes)} {
		w, fsys := newWorld(), vfs.NewMem()
		f, err := fsys.Create("lock")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteAt([]byte(text), 0)
		w.each = func() { _, _ = f.WriteAt([]byte{'{', byte(w.now.Unix())}, 0) }
		mustNotGet(t, fsys, w.host("b", 0), "unknown")
		w.each = nil
		begin, said := w.now, ""
		b, _, err := getLease(fsys, "lock", w.host("b", 0), false, func(text string) {
			if took := w.now.Sub(begin); took > 2*time.Second {
				t.Errorf("the wait is reported after %v", took)
			}
			said += text
		})
		if err != nil {
			t.Fatal(err)
		}
		if took := w.now.Sub(begin); took < 2*validFor || took > 28*time.Second || !strings.HasPrefix(said, "lock: waiting, for at most 26s, ") {
			t.Errorf("took %v, and said %q", took, said)
		}
		b.release()
		wantFiles(t, fsys)
	}
}

// A process that creates the lock file, but writes into it only after another one has waited for
// that and taken the lock over, does not assume that it has the lock.
func TestLeaseOfLateWriter(t *testing.T) {
	w, mem := newWorld(), vfs.NewMem()
	b := (*lease)(nil)
	late := &lateWrites{noLinks: noLinks{mem}, before: func() {
		if b == nil {
			b, _ = mustGet(t, noLinks{mem}, w.host("b", 0))
		}
	}}
	a, _, err := getLease(late, "lock", w.host("a", 0), false, func(string) {})
	if err == nil {
		err = a.check()
	}
	if !errors.Is(err, ErrFenced) && !errors.Is(err, vfs.ErrLocked) {
		t.Errorf("the late one: %v", err)
	}
	if err := b.check(); err != nil {
		t.Error(err)
	}
}

// lateWrites is a file system where before is called between the creation of the lock and the first
// write.
type lateWrites struct {
	noLinks
	before func()
}

func (l *lateWrites) Create(name string) (vfs.File, error) {
	f, err := l.noLinks.Create(name)
	if err == nil && name == "lock" {
		l.before()
	}
	return f, err
}

// noLinks is a file system where files have one name each.
type noLinks struct{ vfs.FS }

func (noLinks) Link(_, to string) error {
	return &fs.PathError{Op: "link", Path: to, Err: errors.ErrUnsupported}
}

func TestLeaseWithoutLinks(t *testing.T) {
	w, fsys := newWorld(), noLinks{vfs.NewMem()}
	a, _ := mustGet(t, fsys, w.host("a", 0))
	mustNotGet(t, fsys, w.host("b", 0), "on a")
	w.pass(time.Minute)
	b, _ := mustGet(t, fsys, w.host("b", 0))
	wantFenced(t, a, "b")
	b.release()
	wantFiles(t, fsys)
}

// Processes that joined a lock help to renew it, and leave the release to the one that acquired it.
func TestLeaseJoin(t *testing.T) {
	w, fsys := newWorld(), vfs.NewMem()
	a, _ := mustGet(t, fsys, w.host("a", 0))
	b, _, err := getLease(fsys, "lock", w.host("b", 0), true, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute)
	if err := errors.Join(b.check(), a.check()); err != nil {
		t.Error(err)
	}
	mustNotGet(t, fsys, w.host("c", 0), "on a")
	b.release()
	mustNotGet(t, fsys, w.host("c", 0), "on a")
	a.release()
	wantFiles(t, fsys)
}

// A lock that cannot be renewed is not lost, but nothing can be written in the meantime.
func TestLeaseCannotRenew(t *testing.T) {
	w, mem := newWorld(), vfs.NewMem()
	failing := error(nil)
	fsys := vfstest.Faulty{FS: mem, Fail: func(vfstest.Op, string) error { return failing }}
	a, _ := mustGet(t, fsys, w.host("a", 0))
	failing = errors.New("no connection")
	if err := a.check(); err != nil {
		t.Error(err)
	}
	w.pass(validFor)
	if err := a.check(); !errors.Is(err, failing) || errors.Is(err, ErrFenced) {
		t.Error(err)
	}
	failing = nil
	if err := a.check(); err != nil {
		t.Error(err)
	}
}

// The system knows that this process lives, and that a process with the same number but another
// start time is another one. It knows nothing about other boots.
func TestThisHost(t *testing.T) {
	o := self()
	if o.Boot == "" {
		t.Skip("the system has no boot id")
	}
	if o.PID != os.Getpid() || o.Host == "" {
		t.Error(o)
	}
	for _, c := range []struct {
		change       func(*Owner)
		alive, known bool
	}{
		{func(*Owner) {}, true, true},
		{func(o *Owner) { o.Start += "0" }, false, true},
		{func(o *Owner) { o.PID = 1 << 30 }, false, true},
		{func(o *Owner) { o.Boot = "other" }, false, false},
	} {
		other := o
		c.change(&other)
		if alive, known := isAlive(other); alive != c.alive || known != c.known {
			t.Error(other, alive, known)
		}
	}
}

// vague is a file system that first reports that some files are not regular.
type vague struct {
	vfs.FS
	times *int
}

func (v vague) OpenNoFollow(name string, write bool) (vfs.File, error) {
	if *v.times--; *v.times >= 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: vfs.ErrNotRegular}
	}
	return v.FS.OpenNoFollow(name, write)
}

func TestLeaseOfVagueFile(t *testing.T) {
	w, times := newWorld(), 0
	fsys := vague{vfs.NewMem(), &times}
	a, _ := mustGet(t, fsys, w.host("a", 0))
	times = 3
	mustNotGet(t, fsys, w.host("b", 0), "on a")
	w.pass(validFor)
	times = 3
	if err := a.check(); err != nil {
		t.Error(err)
	}
}
