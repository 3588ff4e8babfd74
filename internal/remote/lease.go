package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"drx/internal/errkind"
	"drx/internal/vfs"
)

// The times of the protocol. A lock without a sign of life for takeoverAfter may be taken over. Its
// owner stops writing when its last renewal is validFor ago. The difference covers a write that
// hangs, and clocks that run at different rates.
const (
	beatEvery     = 2 * time.Second
	validFor      = 12 * time.Second
	takeoverAfter = 30 * time.Second
	observeFor    = 7 * time.Second // watch time of a lock that seems old: clocks may disagree
	// After staleFor, every file system shows the new file under a name, and not the one it has
	// replaced. An old lock is read twice, this long apart, before it is taken over, and so is this
	// process's own before it counts as lost.
	staleFor = 1500 * time.Millisecond
)

// ErrFenced is returned to a writer that another writer has replaced: it must not write any more.
var ErrFenced = errors.New("another writer has taken over")

// A FencedError reports how a writer lost its lock. It wraps ErrFenced.
type FencedError struct {
	Lock string // the name of the lock file
	By   Owner  // the writer that has the lock now; without a token if there is none
	// Committed reports that the other writer has changed the array.
	Committed bool
}

// Error names the other writer and says what to do.
func (e *FencedError) Error() string {
	by := "another writer"
	if e.By.Token != "" {
		by += ", " + e.By.String() + ","
	}
	if e.Committed {
		return fmt.Sprintf("%s: %s has committed meanwhile; nothing more was written: open the array again", e.Lock, by)
	}
	return fmt.Sprintf("%s: %s has taken the lock over meanwhile, because this one gave no sign of life; nothing more was written: open the array again", e.Lock, by)
}

// Is reports that the error is ErrFenced.
func (e *FencedError) Is(target error) bool { return target == ErrFenced }

// A heldError says that a living process has the lock. It wraps vfs.ErrLocked.
type heldError struct {
	lock string
	by   Owner
}

func (e *heldError) Error() string {
	sign := "that is just beginning"
	if e.by.Token != "" {
		sign = "whose last sign of life was at " + e.by.Time.Format(time.RFC3339)
	}
	return fmt.Sprintf("%s: %v, %v, %s", e.lock, vfs.ErrLocked, e.by, sign)
}

func (e *heldError) Unwrap() error { return vfs.ErrLocked }

// A lease is one lock file that this process has. Its protocol needs only two properties of the
// file system: link, exclusive creation and rename are atomic, and a file that is opened anew shows
// its current contents.
//
//	get       link a file with the owner to the name, which fails if the name exists
//	renew     every two seconds: read the file; if it is still this owner's, count up and write it
//	check     before each write: renewed in the last 12 seconds, or renew now; else ErrFenced
//	release   if it was renewed in the last 12 seconds, remove the file
//	take over the lock of a process that is dead, or has not renewed it for 30 seconds: link a file
//	          with the new owner to the name "lock-TOKEN", with the token of the dead owner, so that
//	          only one process can follow it (if that process dies too, "lock-TOKEN" is the lock
//	          that is taken over); if the lock is still that of the dead owner, rename a file with
//	          the new owner to the name of the lock. "lock-TOKEN" stays until the lock is released.
//	          Unless the owner is known to be dead, wait 12 seconds before the first write. A file
//	          without an owner is taken over if it stays so for 12 seconds.
type lease struct {
	fsys   vfs.FS
	path   string
	host   *Host
	own    Owner
	report func(text string) // reports a long wait
	joined bool              // another process got the lock, and this one helps to keep it
	claims []string          // files to remove with the lock

	mu      sync.Mutex // held during a renewal
	renewed atomic.Pointer[time.Time]
	lost    atomic.Bool   // never reset
	by      Owner         // the new owner; written before lost is
	stop    chan struct{} // ends the renewals
}

// getLease gets the lock, or joins the process that has it if join is set. previous is the dead
// owner from which the lock was taken over, without a token if there was none. The error wraps
// vfs.ErrLocked if another process has the lock. A wait of more than a second is reported to say.
func getLease(fsys vfs.FS, path string, host *Host, join bool, report func(text string)) (l *lease, previous Owner, err error) {
	l = &lease{fsys: fsys, path: path, host: host, own: host.Self(), report: report, stop: make(chan struct{})}
	l.own.Token, l.own.Since = newToken(), host.Now()
	for range 100 { // retries while others get and release the lock between two steps
		began := host.Now()
		err = l.createAs(path)
		other, text, readErr := Owner{}, "", error(nil)
		if errors.Is(err, fs.ErrExist) {
			other, text, readErr = readOwner(fsys, path)
		}
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			continue
		case readErr != nil:
			return nil, previous, readErr
		case err == nil || other.Token == l.own.Token: // the server's first answer got lost
			if err == nil {
				previous = Owner{} // it was released after all
			}
			l.renewed.Store(&began)
			return l, previous, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, previous, err
		case join && other.Token != "":
			l.own, l.joined = other, true
			l.renewed.Store(&began)
			return l, previous, nil
		case !l.isAbandoned(path, other, text):
			return nil, previous, &heldError{path, other}
		}
		if err := l.follow(other); err != nil {
			return nil, previous, err
		}
		previous = other
	}
	return nil, previous, err
}

// record returns the contents of this owner's lock file, with the current time.
func (l *lease) record() []byte {
	l.own.Time = l.host.Now()
	return l.own.encode()
}

// createAs creates a file with this owner under a name that must not exist. It links a finished
// file to the name, so others never see it empty. Only on file systems without hard links does it
// create the file directly.
func (l *lease) createAs(name string) error {
	next := l.path + "-" + l.own.Token + ".new"
	if err := l.create(next); err != nil {
		return err
	}
	err := l.fsys.Link(next, name)
	_ = l.fsys.Remove(next)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, cannot := range []error{errors.ErrUnsupported, syscall.EPERM, syscall.EMLINK, syscall.EACCES, syscall.EINVAL} {
		if errors.Is(err, cannot) {
			return l.create(name)
		}
	}
	return err
}

// create creates a file with this owner. On an error it removes the file.
func (l *lease) create(name string) error {
	f, err := l.fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(l.record(), 0)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = l.fsys.Remove(name)
	}
	return err
}

// isAbandoned reports whether the owner of a lock is dead, or cannot write any more. Of a process
// of this machine that is known at once, and one that is only stopped is not dead. Of others it is
// assumed if the lock seems not to have been renewed for a while, by the clocks of two machines,
// and is not renewed while it is watched. A file without an owner, as a process has left it that
// died between creating and writing it, is watched for validFor: its owner, should it live, must
// then renew the lock before it writes, and finds that it has lost it.
func (l *lease) isAbandoned(path string, o Owner, text string) bool {
	if alive, known := l.host.Alive(o); known && o.Token != "" {
		return !alive
	}
	if o.Token != "" && l.host.Now().Sub(o.Time) < takeoverAfter {
		return false
	}
	wait := observeFor
	if o.Token == "" { // there is no time in it
		wait = validFor
	}
	reported := false
	for end := l.host.Now().Add(wait); l.host.Now().Before(end); {
		l.host.Sleep(beatEvery / 2)
		if _, now, err := readOwner(l.fsys, path); err != nil || now != text {
			return false
		}
		if !reported {
			reported = true
			l.reportWait(path, o, wait+staleFor+validFor)
		}
	}
	return true
}

// reportWait reports that this process waits for another one, unless that gives a sign of life.
func (l *lease) reportWait(path string, o Owner, most time.Duration) {
	of := o.String() + " has given no sign of life for long"
	if o.Token == "" {
		of = "it does not say whose it is, as after a crash"
	}
	l.report(fmt.Sprintf("%s: waiting, for at most %v, before the lock is taken over: %s", path, most.Round(time.Second), of))
}

// follow takes over the lock of an abandoned owner: from dead, or from a process that had begun to
// take it over from dead, or from another such process, and died. It returns nil also if the lock
// has changed meanwhile, and has to be looked at again.
func (l *lease) follow(dead Owner) error {
	for last := dead; ; {
		claim := l.claimOf(last)
		err := l.createAs(claim)
		next, text, readErr := Owner{}, "", error(nil)
		if errors.Is(err, fs.ErrExist) {
			next, text, readErr = readOwner(l.fsys, claim)
		}
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			return nil
		case readErr != nil:
			return readErr
		case err == nil || next.Token == l.own.Token: // the answer to the first request was lost
			l.claims = append(l.claims, claim)
			return l.replace(dead)
		case !errors.Is(err, fs.ErrExist):
			return err
		case !l.isAbandoned(claim, next, text):
			return &heldError{claim, next}
		case next.Token == "": // nobody can follow it
			return l.fsys.Remove(claim)
		}
		l.claims = append(l.claims, claim)
		last = next
	}
}

// claimOf returns the name of the file that the successor of an owner creates.
func (l *lease) claimOf(o Owner) string {
	if o.Token == "" {
		return l.path + "-unknown"
	}
	return l.path + "-" + o.Token
}

// replace makes this owner, who alone may do so, the successor of a dead one, unless the lock has
// changed since. If the dead owner is only presumed dead, replace waits until that one can no
// longer write, even if it has just renewed the lock.
func (l *lease) replace(dead Owner) error {
	l.host.Sleep(staleFor)
	now, _, err := readOwner(l.fsys, l.path)
	if err != nil || now.Token != dead.Token {
		l.removeClaims()
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	next := l.path + "-" + l.own.Token + ".new"
	if err = l.create(next); err == nil {
		err = l.fsys.Rename(next, l.path)
	}
	if _, known := l.host.Alive(dead); err == nil && !known {
		l.host.Sleep(validFor)
	}
	return err
}

func (l *lease) removeClaims() {
	for _, claim := range l.claims {
		_ = l.fsys.Remove(claim)
	}
	l.claims = nil
}

// age returns the time since the lock was renewed. The monotonic clock stops while the machine
// sleeps, and the wall clock can be set, so the larger difference counts.
func (l *lease) age() time.Duration {
	now, then := l.host.Now(), *l.renewed.Load()
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}

// check returns nil if no other process can have the lock, a FencedError if one has, and otherwise
// the error that keeps this process from knowing.
func (l *lease) check() error {
	if !l.lost.Load() && l.age() < validFor {
		return nil
	}
	return l.renew()
}

// renew writes a sign of life into the lock file, unless another process has the lock.
func (l *lease) renew() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost.Load() {
		return &FencedError{Lock: l.path, By: l.by}
	}
	began := l.host.Now()
	f, err := openLock(l.fsys, l.path, true)
	if err == nil {
		defer f.Close() // Sync has reported its error
		err = l.renewIn(f)
	}
	fenced := (*FencedError)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l.fence(Owner{})
	case errors.As(err, &fenced):
		return l.fence(fenced.By)
	case err != nil:
		return errkind.InFile(l.path, fmt.Errorf("the lock cannot be renewed: %w", err))
	}
	l.renewed.Store(&began)
	return nil
}

// renewIn is renew in the open lock file.
func (l *lease) renewIn(f vfs.File) error {
	now, _, err := ownerIn(f)
	if err == nil && now.Token != l.own.Token {
		l.host.Sleep(staleFor)
		now, _, err = readOwner(l.fsys, l.path)
	}
	if err != nil {
		return err
	}
	if now.Token != l.own.Token {
		return &FencedError{Lock: l.path, By: now}
	}
	l.own.Beat = now.Beat + 1
	if _, err := f.WriteAt(l.record(), 0); err != nil {
		return err
	}
	return f.Sync()
}

// fence records that the lock is lost to by, and returns the error for that. The caller holds l.mu.
func (l *lease) fence(by Owner) error {
	l.by = by
	l.lost.Store(true)
	return &FencedError{Lock: l.path, By: by}
}

// outrun is fence for a process that has found the array changed by an unknown writer.
func (l *lease) outrun() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.fence(Owner{})
}

// keep renews the lock until release. An error is not reported: check tries again.
func (l *lease) keep() {
	ticks := time.NewTicker(beatEvery)
	defer ticks.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-ticks.C:
			_ = l.renew()
		}
	}
}

// release gives the lock back. If another process may have it, its files stay.
func (l *lease) release() {
	close(l.stop)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.joined || l.lost.Load() || l.age() >= validFor {
		return
	}
	l.removeClaims()
	_ = l.fsys.Remove(l.path)
}
