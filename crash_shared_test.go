package drx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// Rows of the shared array of the crash tests. A row is one and a half sectors, so that a chunk
// that was written in part is recognisable. A chunk is four rows, which reservations share.
const (
	sharedRow   = 768
	sharedRows  = 4
	sharedBlank = 9
)

// A sharedSession is a session of several Arrays that append to one array, with a model: the values
// that each row may have after a crash. All elements of a row have the same value.
type sharedSession struct {
	fsys    vfs.FS
	open    []*Array
	values  byte
	allowed [][]byte // for each row, its possible values; the last one is the present value
	rows    int      // the number of rows whose reservation has returned
}

// A sharer is one of the Arrays, with the rows that it has reserved.
type sharer struct {
	session *sharedSession
	a       *Array
	own     []nd.Range
}

// newSharedSession creates an empty array, completely durable.
func newSharedSession(t *testing.T, name string) (*sharedSession, *vfstest.Crash) {
	t.Helper()
	disk := vfstest.NewCrash()
	a := mustCreateAt(t, name, Spec{
		DType: dtype.Uint8, Shape: []int{0, sharedRow}, ChunkShape: []int{sharedRows, sharedRow}, FillValue: sharedBlank, Options: Options{fs: disk},
	})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return &sharedSession{fsys: disk}, disk
}

func (l *sharedSession) share() (*sharer, error) {
	a, err := Open("a", Options{Shared: true, fs: l.fsys})
	if err != nil {
		return nil, err
	}
	l.open = append(l.open, a)
	return &sharer{session: l, a: a}, nil
}

// die releases what the processes of a session hold, as if they had been killed.
func (l *sharedSession) die() {
	for _, a := range l.open {
		_ = a.Discard()
	}
}

func (s *sharer) reserve(n int) func() error {
	return func() error {
		for range n {
			s.session.allowed = append(s.session.allowed, []byte{sharedBlank})
		}
		sec, err := s.a.Reserve(0, n)
		if err != nil {
			return err
		}
		s.session.rows = sec[0].Hi
		s.own = append(s.own, sec[0])
		return nil
	}
}

// write gives all rows of reservation i a new value. Rows in chunks that the sharer does not have
// alone are durable when write returns.
func (s *sharer) write(i int) func() error {
	return func() error {
		l, own := s.session, s.own[i]
		l.values++
		for row := own.Lo; row < own.Hi; row++ {
			l.allowed[row] = append(l.allowed[row], 10+l.values)
		}
		if err := Fill(s.a, nd.Sec(nd.Span(own.Lo, own.Hi), nd.All), 10+l.values); err != nil {
			return err
		}
		for row := own.Lo; row < own.Hi; row++ {
			if chunk := row / sharedRows * sharedRows; chunk < own.Lo || chunk+sharedRows > own.Hi {
				l.markDurable(row)
			}
		}
		return nil
	}
}

// anywhere gives rows a new value, whoever has reserved them. They are durable when it returns.
func (s *sharer) anywhere(from, to int) func() error {
	return func() error {
		l := s.session
		l.values++
		for row := from; row < to; row++ {
			l.allowed[row] = append(l.allowed[row], 10+l.values)
		}
		if err := Fill(s.a, nd.Sec(nd.Span(from, to), nd.All), 10+l.values); err != nil {
			return err
		}
		for row := from; row < to; row++ {
			l.markDurable(row)
		}
		return nil
	}
}

// markDurable records that the present value of a row is durable.
func (l *sharedSession) markDurable(row int) { l.allowed[row] = l.allowed[row][len(l.allowed[row])-1:] }

// commit calls Sync or Close.
func (s *sharer) commit(f func() error) func() error {
	return func() error {
		if err := f(); err != nil {
			return err
		}
		for _, own := range s.own {
			for row := own.Lo; row < own.Hi; row++ {
				s.session.markDurable(row)
			}
		}
		return nil
	}
}

// run is a session of three sharers. Their sections share chunks, which they write in turns and
// repeatedly, and one sharer starts after another one has ended.
func (l *sharedSession) run() error {
	a, err := l.share()
	if err != nil {
		return err
	}
	b, err := l.share()
	if err != nil {
		return err
	}
	c := &sharer{session: l}
	return allOf(
		a.reserve(3), a.write(0), // the first change of an existing chunk, through a.xjl0
		b.reserve(3), b.write(0),
		a.write(0),
		a.reserve(10), a.write(1), // with chunks that only this sharer uses
		b.write(0),
		a.commit(a.a.Sync),
		a.write(1), a.write(0),
		a.commit(a.a.Close),
		b.write(0),
		func() (err error) { c, err = l.share(); return err },
		func() error { return c.reserve(2)() },
		func() error { return c.write(0)() },
		b.write(0),
		func() error { return c.anywhere(0, 11)() }, // rows of others, and unreserved ones
		b.commit(b.a.Close),
		func() error { return c.commit(c.a.Close)() },
	)
}

func allOf(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// continueAfterCrash continues after a crash, as another sharer or as the only writer.
func (l *sharedSession) continueAfterCrash(shared bool) error {
	if !shared {
		a, err := Open("a", Options{Write: true, fs: l.fsys})
		if err == nil {
			err = a.Close()
		}
		return err
	}
	d, err := l.share()
	if err != nil {
		return err
	}
	l.allowed = l.allowed[:min(d.a.Bounds()[0].Hi, len(l.allowed))] // an incomplete reservation does not count
	return allOf(d.reserve(3), d.write(0), d.commit(d.a.Close))
}

// check opens the array after a crash, in all ways, and compares it with the model.
func (l *sharedSession) check(left *vfstest.Crash) error {
	for _, how := range [][]Options{{{}, {Write: true}, {}}, {{Shared: true}, {}, {Shared: true}, {Write: true}}} {
		fsys := left.Killed()
		for _, o := range how {
			o.fs = fsys
			if err := l.checkOpened(o); err != nil {
				return fmt.Errorf("opened with write %t, shared %t: %w", o.Write, o.Shared, err)
			}
		}
	}
	return nil
}

func (l *sharedSession) checkOpened(o Options) error {
	a, err := Open("a", o)
	if err != nil {
		return err
	}
	defer func() { _ = a.Discard() }() // without a commit, like another crash
	r, err := a.Verify(context.Background(), nil)
	if err != nil || !r.Good() {
		return fmt.Errorf("verify: %w, %v, log: %v", err, r.Damaged, r.LogDamage)
	}
	rows := a.Bounds()[0].Hi
	if rows < l.rows || rows > len(l.allowed) {
		return fmt.Errorf("%d rows, want %d to %d", rows, l.rows, len(l.allowed))
	}
	data, err := Read[uint8](a, nil)
	if err != nil {
		return err
	}
	for row := range rows {
		got := data[row*sharedRow : (row+1)*sharedRow]
		if !slices.Contains(l.allowed[row], got[0]) || !bytes.Equal(got, bytes.Repeat(got[:1], sharedRow)) {
			return fmt.Errorf("row %d begins with %d and ends with %d, want one of %d", row, got[0], got[sharedRow-1], l.allowed[row])
		}
	}
	return nil
}

// crashShared runs a session until operation k/2: for even k on an array in several files, for odd
// k on one in one file, alternately compressed and not. It returns the session, its disk, and
// whether the session was complete.
func crashShared(t *testing.T, k int) (l *sharedSession, disk *vfstest.Crash, ended bool) {
	t.Helper()
	defer useTurn(k / len(bothForms))()
	l, disk = newSharedSession(t, bothForms[k%len(bothForms)])
	disk.CrashAfter(k / len(bothForms))
	err := l.run()
	if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
		t.Fatalf("operation %d: %v", k, err)
	}
	l.die()
	return l, disk, err == nil
}

// TestSharedCrash crashes in a session of several processes, at every operation, with every policy
// for the data and names that reach the disk.
func TestSharedCrash(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	for k, ended, before := 0, false, false; !ended || !before; k++ {
		var l *sharedSession
		var disk *vfstest.Crash
		before = ended
		l, disk, ended = crashShared(t, k)
		policies := vfstest.Policies(20, uint64(k))
		for _, name := range slices.Sorted(maps.Keys(policies)) {
			if !all.Try() {
				continue
			}
			if err := l.check(disk.After(policies[name])); err != nil {
				t.Fatalf("crash at operation %d, policy %s: %v", k, name, err)
			}
		}
		if err := l.check(disk.Killed()); err != nil {
			t.Fatalf("killed at operation %d: %v", k, err)
		}
	}
	all.Want(3000)
}

// TestSharedCrashTwice crashes again, at every operation, while another process continues after a
// crash, or after processes were killed whose writes may not be durable.
func TestSharedCrashTwice(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	for k, ended, before := 0, false, false; !ended || !before; k++ {
		var l *sharedSession
		var disk *vfstest.Crash
		before = ended
		l, disk, ended = crashShared(t, k)
		again := func(what string, left *vfstest.Crash, shared bool) {
			if err := l.crashAgain(left, shared, all); err != nil {
				t.Fatalf("%s at operation %d; going on, shared %t: %v", what, k, shared, err)
			}
		}
		again("killed", disk.Killed(), true)
		again("killed", disk.Killed(), false)
		if k%4 == 0 {
			again("crash", disk.After(vfstest.Policies(0, 0)["even"]), true)
		}
	}
	all.Want(5000)
}

// crashAgain crashes at every operation after a crash, and at none. It continues only for the
// states that are to be tried.
func (l *sharedSession) crashAgain(left *vfstest.Crash, shared bool, all *enumtest.Counter) error {
	whole, err := l.goOn(left, shared, math.MaxInt)
	if err != nil {
		return err
	}
	for k := range whole.fsys.(*vfstest.Crash).Ops() + 1 {
		var next *sharedSession
		for _, name := range []string{"none", "even", "no names"} {
			if !all.Try() {
				continue
			}
			if next == nil {
				if next, err = l.goOn(left, shared, k); err != nil {
					return err
				}
			}
			if err := next.check(next.fsys.(*vfstest.Crash).After(vfstest.Policies(0, 0)[name])); err != nil {
				return fmt.Errorf("second crash at operation %d, policy %s: %w", k, name, err)
			}
		}
	}
	return nil
}

// goOn returns a session that continues after a crash and crashes again after k operations.
func (l *sharedSession) goOn(left *vfstest.Crash, shared bool, k int) (*sharedSession, error) {
	fsys := left.Killed()
	fsys.CrashAfter(k)
	next := &sharedSession{fsys: fsys, values: l.values, rows: l.rows}
	for _, may := range l.allowed {
		next.allowed = append(next.allowed, slices.Clone(may))
	}
	if err := next.continueAfterCrash(shared); err != nil && !errors.Is(err, vfstest.ErrCrashed) {
		return nil, err
	}
	next.die()
	return next, nil
}
