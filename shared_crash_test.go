package drx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/states"
	"drx/internal/vfs"
	"drx/nd"
)

// Rows of the shared array of the crash tests. A row is one and a half sectors, so that a chunk that
// was written in part can be told; a chunk is four rows, in which reservations meet.
const (
	sharedRow   = 768
	sharedRows  = 4
	sharedBlank = 9
)

// A sharedLife is a session of several Arrays that append to one, beside its model: what each row may
// be after a crash. All of a row has one value.
type sharedLife struct {
	fsys   vfs.FS
	open   []*Array
	values byte
	may    [][]byte // of each row; the last value is the present one
	rows   int      // whose reservation has returned
}

// A sharer is one of the Arrays, with the rows that it has reserved.
type sharer struct {
	life *sharedLife
	a    *Array
	own  []nd.Range
}

// newSharedLife makes an empty array, all of it durable.
func newSharedLife(t *testing.T) (*sharedLife, *vfs.Crash) {
	t.Helper()
	disk := vfs.NewCrash()
	a := mustCreate(t, Spec{
		DType: dtype.Uint8, Shape: []int{0, sharedRow}, ChunkShape: []int{sharedRows, sharedRow}, FillValue: sharedBlank, Options: Options{fs: disk},
	})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return &sharedLife{fsys: disk}, disk
}

func (l *sharedLife) share() (*sharer, error) {
	a, err := Open("a", Options{Shared: true, fs: l.fsys})
	if err != nil {
		return nil, err
	}
	l.open = append(l.open, a)
	return &sharer{life: l, a: a}, nil
}

// die gives up what the processes of a life hold: they are dead.
func (l *sharedLife) die() {
	for _, a := range l.open {
		_ = a.Discard()
	}
}

func (s *sharer) reserve(n int) func() error {
	return func() error {
		for range n {
			s.life.may = append(s.life.may, []byte{sharedBlank})
		}
		sec, err := s.a.Reserve(0, n)
		if err != nil {
			return err
		}
		s.life.rows = sec[0].Hi
		s.own = append(s.own, sec[0])
		return nil
	}
}

// write gives all rows of reservation i a new value. Those in chunks that are not the sharer's alone
// are durable when it returns.
func (s *sharer) write(i int) func() error {
	return func() error {
		l, own := s.life, s.own[i]
		l.values++
		for row := own.Lo; row < own.Hi; row++ {
			l.may[row] = append(l.may[row], 10+l.values)
		}
		if err := Fill(s.a, nd.Sec(nd.Span(own.Lo, own.Hi), nd.All), 10+l.values); err != nil {
			return err
		}
		for row := own.Lo; row < own.Hi; row++ {
			if chunk := row / sharedRows * sharedRows; chunk < own.Lo || chunk+sharedRows > own.Hi {
				l.settle(row)
			}
		}
		return nil
	}
}

// settle notes that the present value of a row is durable.
func (l *sharedLife) settle(row int) { l.may[row] = l.may[row][len(l.may[row])-1:] }

// commit syncs or closes.
func (s *sharer) commit(f func() error) func() error {
	return func() error {
		if err := f(); err != nil {
			return err
		}
		for _, own := range s.own {
			for row := own.Lo; row < own.Hi; row++ {
				s.life.settle(row)
			}
		}
		return nil
	}
}

// run is a session of three: their sections meet in chunks, they write them in turns and again, and
// one comes when another has left.
func (l *sharedLife) run() error {
	a, err := l.share()
	if err != nil {
		return err
	}
	b, err := l.share()
	if err != nil {
		return err
	}
	c := &sharer{life: l}
	return allOf(
		a.reserve(3), a.write(0), // the first change of a chunk that is not new: through a.xjl0
		b.reserve(3), b.write(0),
		a.write(0),
		a.reserve(10), a.write(1), // with chunks that are its own
		b.write(0),
		a.commit(a.a.Sync),
		a.write(1), a.write(0),
		a.commit(a.a.Close),
		b.write(0),
		func() (err error) { c, err = l.share(); return err },
		func() error { return c.reserve(2)() },
		func() error { return c.write(0)() },
		b.write(0),
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

// goOn is what comes after a crash: one more process that shares the array, or the only writer.
func (l *sharedLife) goOn(shared bool) error {
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
	l.may = l.may[:min(d.a.Bounds()[0].Hi, len(l.may))] // what was begun was not reserved
	return allOf(d.reserve(3), d.write(0), d.commit(d.a.Close))
}

// check opens what a crash left in all ways and compares it with what it may be.
func (l *sharedLife) check(left *vfs.Crash) error {
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

func (l *sharedLife) checkOpened(o Options) error {
	a, err := Open("a", o)
	if err != nil {
		return err
	}
	defer func() { _ = a.Discard() }() // as another crash would
	r, err := a.Verify(context.Background(), nil)
	if err != nil || !r.Good() {
		return fmt.Errorf("verify: %w, %v, log: %v", err, r.Damaged, r.LogDamage)
	}
	rows := a.Bounds()[0].Hi
	if rows < l.rows || rows > len(l.may) {
		return fmt.Errorf("%d rows, want %d to %d", rows, l.rows, len(l.may))
	}
	data, err := Read[uint8](a, nil)
	if err != nil {
		return err
	}
	for row := range rows {
		got := data[row*sharedRow : (row+1)*sharedRow]
		if !slices.Contains(l.may[row], got[0]) || !bytes.Equal(got, bytes.Repeat(got[:1], sharedRow)) {
			return fmt.Errorf("row %d begins with %d and ends with %d, want one of %d", row, got[0], got[sharedRow-1], l.may[row])
		}
	}
	return nil
}

// crashShared runs a life until operation k, and returns it with its disk, and whether it came to its end.
func crashShared(t *testing.T, k int) (l *sharedLife, disk *vfs.Crash, ended bool) {
	t.Helper()
	l, disk = newSharedLife(t)
	disk.CrashAfter(k)
	err := l.run()
	if err != nil && !errors.Is(err, vfs.ErrCrashed) {
		t.Fatalf("operation %d: %v", k, err)
	}
	l.die()
	return l, disk, err == nil
}

// TestSharedCrash crashes in a session of several processes, at every operation and with every policy,
// of what the directory has too.
func TestSharedCrash(t *testing.T) {
	all := states.Of(t)
	for k, ended := 0, false; !ended; k++ {
		var l *sharedLife
		var disk *vfs.Crash
		l, disk, ended = crashShared(t, k)
		policies := vfs.Policies(20, uint64(k))
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

// TestSharedCrashTwice crashes again, at every operation, while another process goes on with what a crash
// left, or with what processes left that were killed, of which nothing need be durable.
func TestSharedCrashTwice(t *testing.T) {
	all := states.Of(t)
	for k, ended := 0, false; !ended; k++ {
		var l *sharedLife
		var disk *vfs.Crash
		l, disk, ended = crashShared(t, k)
		again := func(what string, left *vfs.Crash, shared bool) {
			if err := l.crashAgain(left, shared, all); err != nil {
				t.Fatalf("%s at operation %d; going on, shared %t: %v", what, k, shared, err)
			}
		}
		again("killed", disk.Killed(), true)
		again("killed", disk.Killed(), false)
		if k%4 == 0 {
			again("crash", disk.After(vfs.Policies(0, 0)["even"]), true)
		}
	}
	all.Want(5000)
}

func (l *sharedLife) crashAgain(left *vfs.Crash, shared bool, all *states.Counter) error {
	for k := 0; ; k++ {
		fsys := left.Killed()
		fsys.CrashAfter(k)
		next := &sharedLife{fsys: fsys, values: l.values, rows: l.rows}
		for _, may := range l.may {
			next.may = append(next.may, slices.Clone(may))
		}
		err := next.goOn(shared)
		if err != nil && !errors.Is(err, vfs.ErrCrashed) {
			return err
		}
		next.die()
		for _, name := range []string{"none", "even", "no names"} {
			if !all.Try() {
				continue
			}
			if err := next.check(fsys.After(vfs.Policies(0, 0)[name])); err != nil {
				return fmt.Errorf("second crash at operation %d, policy %s: %w", k, name, err)
			}
		}
		if err == nil {
			return nil
		}
	}
}
