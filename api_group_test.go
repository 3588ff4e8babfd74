package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/group"
	"drx/internal/growtest"
	"drx/internal/plan"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// A groupSession is a scriptedSession of several members of a group.
type groupSession struct {
	*scriptedSession
	leader    group.Leader
	followers []group.Follower
	members   []group.Member // all of them, the leader first
	arrays    []*Array       // of the members
}

// join opens the array, which the session has created, as the other members.
func (t *groupSession) join(fsys vfs.FS, procs int, d Durability) (err error) {
	if t.leader, err = leadGroup(t.a, procs); err != nil {
		return err
	}
	t.members, t.arrays = []group.Member{t.leader}, []*Array{t.a}
	log, err := t.leader.Log()
	if err != nil {
		return err
	}
	for p := 1; p < procs; p++ {
		a, m, err := joinGroup(fileset.Data(t.array()), Options{fs: fsys, Write: true, Cache: 2 * (32 + 256), Durability: d}, p, procs, log)
		if err != nil {
			return err
		}
		t.followers, t.members, t.arrays = append(t.followers, m), append(t.members, m), append(t.arrays, a)
	}
	return nil
}

// owner returns the array of the member that writes a chunk: another member after each commit.
func (t *groupSession) owner(q axial.Number) *Array {
	return t.arrays[(int(q)+len(t.commits))%len(t.arrays)]
}

// write lets each member write the part of a section that lies in its chunks, and checks that all
// members see it.
func (t *groupSession) write(sec nd.Section) error {
	s := t.a.state.Load()
	sec, err := sec.Resolve(s.Lo, s.Hi)
	if err != nil {
		return err
	}
	n, err := sec.Len()
	if err != nil {
		return err
	}
	data := randomBytes(t.rng, n*t.m.elem)
	strides := nd.RowMajor.Strides(sec.Shape())
	for d := range strides {
		strides[d] *= t.m.elem
	}
	err = plan.Each(s, sec, func(p *plan.Piece) error {
		part, at := slices.Clone(sec), 0
		for d := range part {
			lo := sec[d].Lo + p.Pos[d]
			part[d], at = nd.Span(lo, lo+p.Shape[d]), at+p.Pos[d]*strides[d]
		}
		return t.owner(p.Number).WriteStrided(part, data[at:], strides)
	})
	if err != nil {
		return err
	}
	t.m.write(sec, nil, data)
	return t.exchange()
}

func (t *groupSession) exchange() error {
	for _, m := range t.members {
		changes, err := m.CollectChanges()
		for _, other := range t.members {
			if other != m && err == nil {
				err = other.ApplyRemote(changes)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *groupSession) extend(dim, by int, how axial.Side) error {
	if t.leader.Regrows() {
		return errors.New("not in this session")
	}
	for _, a := range t.arrays[1:] {
		if _, err := growtest.Extend(a, dim, by, how); err != nil {
			return err
		}
	}
	if err := t.scriptedSession.extend(dim, by, how); err != nil {
		return err
	}
	return t.leader.Cover()
}

func (t *groupSession) sync() error {
	t.begin()
	for _, m := range t.members {
		if err := m.Secure(); err != nil {
			return err
		}
	}
	if err := t.leader.Commit(); err != nil {
		return err
	}
	t.returned = len(t.commits)
	log, err := t.leader.Log()
	for _, m := range t.followers {
		if err == nil {
			err = m.Follow(log)
		}
	}
	return err
}

func (t *groupSession) close() error {
	var err error
	for _, m := range t.followers {
		err = errors.Join(err, m.Close())
	}
	return errors.Join(err, t.leader.Close())
}

// run is a session of a group: new chunks, parts of old chunks, whole old chunks, written by
// changing members.
func (t *groupSession) run(fsys vfs.FS, procs int, d Durability) error {
	if err := t.create(fsys, d); err != nil {
		return err
	}
	if err := t.join(fsys, procs, d); err != nil {
		return err
	}
	all := func() nd.Section { return nd.Box(t.m.lo, t.m.hi) }
	return t.steps(
		func() error { return t.write(nd.Sec(nd.Span(0, 3), nd.Span(0, 4))) },
		t.sync,
		func() error { return t.extend(1, 9, axial.High) },
		func() error { return t.write(all()) },
		func() error { return t.write(nd.Sec(nd.Span(0, 3), nd.Span(3, 10))) }, // again, before the commit
		t.sync,
		func() error { return t.write(nd.Sec(nd.At(1), nd.Span(2, 11))) }, // parts of committed chunks only
		func() error { return t.write(nd.Sec(nd.Span(0, 2), nd.At(9))) },
		t.sync,
		func() error { return t.extend(0, 3, axial.Low) },
		func() error { return t.write(nd.Sec(nd.Span(-3, 2), nd.At(5))) },
		t.sync,
		t.sync, // nothing to commit
		func() error { return t.extend(0, 2, axial.High) }, // the new chunks remain holes ...
		t.sync,
		func() error { return t.write(all()) }, // ... until they are written after a commit
		t.sync,
		t.close,
	)
}

// TestMemberCrash crashes the machine at every operation of several members.
func TestMemberCrash(t *testing.T) {
	crashEverywhere(t, 8, 2000, func(l *scriptedSession, fsys vfs.FS) error {
		return (&groupSession{scriptedSession: l}).run(fsys, 3, DurabilityFull)
	})
}

// TestMembers checks that the members write what a single writer would have written, with every
// durability, and that others see it after an exchange.
func TestMembers(t *testing.T) { inBothForms(t, testMembers) }

func testMembers(t *testing.T) {
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		for _, procs := range []int{1, 2, 5} {
			fsys := vfs.NewMem()
			l := &groupSession{scriptedSession: &scriptedSession{name: named(t, "a"), rng: rand.New(rand.NewPCG(uint64(procs), 1))}}
			if err := l.run(fsys, procs, d); err != nil {
				t.Fatal(err)
			}
			a, err := Open("a", Options{fs: fsys})
			if err != nil {
				t.Fatal(err)
			}
			if err := l.checkArray(a); err != nil {
				t.Errorf("durability %d, %d members: %v", d, procs, err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
			if _, err := fsys.Open(fileset.Journal(named(t, "a")), false); err == nil {
				t.Errorf("durability %d, %d members: the journal is left", d, procs)
			}
		}
	}
}

// TestMembersSeeChangesOfOthers checks that members see the writes of others after an exchange, and
// that the next commit completes one that failed.
func TestMembersSeeChangesOfOthers(t *testing.T) { inBothForms(t, testMembersSeeChangesOfOthers) }

func testMembersSeeChangesOfOthers(t *testing.T) {
	failing := false
	fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		if failing && op == vfstest.OpSync {
			return errors.New("no sync")
		}
		return nil
	}}
	l := &groupSession{scriptedSession: &scriptedSession{name: named(t, "a"), rng: rand.New(rand.NewPCG(3, 1))}}
	if err := errors.Join(l.create(fsys, DurabilityFull), l.join(fsys, 3, DurabilityFull)); err != nil {
		t.Fatal(err)
	}
	see := func(when string) {
		t.Helper()
		for p, a := range l.arrays {
			data := make([]byte, len(l.m.data))
			if err := a.ReadBytes(nil, data, nil); err != nil || !slices.Equal(data, l.m.data) {
				t.Errorf("%s, member %d: %x, want %x, %v", when, p, data, l.m.data, err)
			}
		}
	}
	all := nd.Sec(nd.All, nd.All)
	for round, when := range []string{"fresh", "again", "committed", "again"} {
		if err := l.write(all); err != nil {
			t.Fatal(err)
		}
		see(when)
		if round%2 == 0 {
			continue
		}
		failing = true
		if err := l.sync(); err == nil {
			t.Fatal("the commit did not fail")
		}
		see("after a failed commit")
		failing = false
		if err := l.sync(); err != nil {
			t.Fatal(err)
		}
		see("after a commit")
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
}

// TestMembersAfterCrash checks that after a crash all readers of a group see the same as their
// leader, also a commit that only the journal has, and the array as the next writer recovers it.
func TestMembersAfterCrash(t *testing.T) { inBothForms(t, testMembersAfterCrash) }

func testMembersAfterCrash(t *testing.T) {
	journaled, all := 0, enumtest.Of(t)
	for k := 0; ; k++ {
		fsys := vfstest.NewCrash()
		fsys.CrashAfter(k)
		l := &scriptedSession{name: named(t, "a"), rng: rand.New(rand.NewPCG(1, 2))}
		err := l.run(fsys, DurabilityFull)
		if err == nil {
			break
		}
		policies := vfstest.Policies(2, uint64(k))
		for _, name := range slices.Sorted(maps.Keys(policies)) {
			if !all.Try() {
				continue
			}
			after := fsys.After(policies[name])
			a, err := Open("a", Options{fs: after})
			if err != nil {
				continue // see TestCrash
			}
			if a.state.Load() != a.logged {
				journaled++
			}
			if err := followCrash(a, after); err != nil {
				t.Fatalf("crash at operation %d, policy %s: %v", k, name, err)
			}
		}
	}
	if journaled < all.Share(100) {
		t.Errorf("%d commits were in the journal alone", journaled)
	}
	all.Want(1000)
}

func followCrash(a *Array, fsys vfs.FS) error {
	leader, err := leadGroup(a, 2)
	if err != nil {
		return err
	}
	log, err := leader.Log()
	if err != nil {
		return err
	}
	b, m, err := joinGroup("a", Options{fs: fsys}, 1, 2, log)
	if err != nil {
		return err
	}
	if err := sameView(a, b); err != nil {
		return err
	}
	w, err := Open("a", Options{fs: fsys, Write: true})
	if err != nil {
		return err
	}
	if _, err := w.Extend(0, 1); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if replaced, err := leader.Refresh(); err != nil || replaced {
		return fmt.Errorf("replaced %v, %w", replaced, err)
	}
	if log, err = leader.Log(); err == nil {
		err = m.Follow(log)
	}
	if err != nil {
		return err
	}
	return sameView(a, b)
}

// sameView returns an error unless the arrays of leader and follower have the same contents.
func sameView(a, b *Array) error {
	x, y := make([]byte, a.elements()), make([]byte, b.elements())
	if err := errors.Join(a.ReadBytes(nil, x, nil), b.ReadBytes(nil, y, nil)); err != nil {
		return err
	}
	if !slices.Equal(a.Bounds(), b.Bounds()) || !slices.Equal(x, y) {
		return fmt.Errorf("%v with %x, the leader's is %v with %x", b.Bounds(), y, a.Bounds(), x)
	}
	return nil
}

// elements returns the bytes of all elements.
func (a *Array) elements() int {
	n, _ := a.Bounds().Len()
	return n * a.DType().Size()
}

// TestJoinElsewhere checks that files other than the leader's are refused.
func TestJoinElsewhere(t *testing.T) { inBothForms(t, testJoinElsewhere) }

func testJoinElsewhere(t *testing.T) {
	fsys, o := vfs.NewMem(), Options{}
	o.fs = fsys
	var log []byte
	for _, name := range []string{"b", "a"} {
		spec := Spec{DType: dtype.Int32, Shape: []int{9 + len(log)}, ChunkShape: []int{2}, Options: o}
		a, err := Create(named(t, name), spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := leadGroup(a, 2)
		if err != nil {
			t.Fatal(err)
		}
		if log, err = m.Log(); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := joinGroup("b", Options{fs: fsys, Write: true}, 1, 2, log); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a writer: %v", err)
	}
	_, m, err := joinGroup("b", Options{fs: fsys}, 1, 2, log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Current(); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a reader: %v", err)
	}
	if _, m, err = joinGroup("a", Options{fs: fsys}, 1, 2, log); err != nil {
		t.Fatal(err)
	}
	if ok, err := m.Current(); !ok || err != nil {
		t.Error(ok, err)
	}
}

// TestMembersKeepOut checks that a member excludes writers and sharers after the leader is gone.
func TestMembersKeepOut(t *testing.T) { inBothForms(t, testMembersKeepOut) }

func testMembersKeepOut(t *testing.T) {
	fsys := vfs.NewMem()
	l := &groupSession{scriptedSession: &scriptedSession{name: named(t, "a"), rng: rand.New(rand.NewPCG(3, 1))}}
	if err := errors.Join(l.create(fsys, DurabilityFull), l.join(fsys, 3, DurabilityFull)); err != nil {
		t.Fatal(err)
	}
	for _, m := range l.members {
		for _, o := range []Options{{fs: fsys, Write: true}, {fs: fsys, Write: true, Shared: true}} {
			if _, err := Open("a", o); !errors.Is(err, ErrLocked) {
				t.Errorf("shared %v: %v", o.Shared, err)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a, err := Open("a", Options{fs: fsys, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLeadGroupRefused checks that an array that is shared, or opened at an earlier commit, cannot
// have a group.
func TestLeadGroupRefused(t *testing.T) { inBothForms(t, testLeadGroupRefused) }

func testLeadGroupRefused(t *testing.T) {
	fsys := vfs.NewMem()
	spec := Spec{DType: dtype.Int32, Shape: []int{4}}
	spec.fs, spec.Shared = fsys, true
	shared, err := Create(named(t, "a"), spec)
	if err != nil {
		t.Fatal(err)
	}
	old, err := OpenAt("a", 1, Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*Array{shared, old} {
		if m, err := leadGroup(a, 2); m != nil || !errors.Is(err, ErrReadOnly) {
			t.Errorf("%v, %v", m, err)
		}
	}
}

// TestVerifyParts checks that VerifyRange over all ranges, together with VerifyLog, reports what
// Verify does.
func TestVerifyParts(t *testing.T) { inBothForms(t, testVerifyParts) }

func testVerifyParts(t *testing.T) {
	fsys := vfs.NewMem()
	spec := Spec{DType: dtype.Uint8, Shape: []int{10}, ChunkShape: []int{2}}
	spec.fs = fsys
	a, err := Create(named(t, "a"), spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(a, nd.Sec(nd.Span(2, 10)), uint8(7)), a.Close()); err != nil {
		t.Fatal(err)
	}
	data := member(t, fsys, dataExt)
	if _, err := data.WriteAt([]byte{1}, 6); err != nil { // in chunk 3
		t.Fatal(err)
	}
	if a, err = Open("a", Options{fs: fsys}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		from, to axial.Number
		written  int64
		damaged  int
	}{{0, 1, 0, 0}, {0, 3, 2, 0}, {3, 3, 0, 0}, {3, 4, 1, 1}, {4, 99, 1, 0}, {0, 5, 4, 1}} {
		progress := int64(0)
		r, err := a.VerifyRange(t.Context(), want.from, want.to, func(n int64) { progress = n })
		if err != nil || r.Chunks != 5 || r.Written != want.written || len(r.Damaged) != want.damaged || progress != r.Written {
			t.Errorf("chunks [%d, %d): %+v, progress %d, %v", want.from, want.to, r, progress, err)
		}
		if want.damaged > 0 && r.Damaged[0].Number != 3 {
			t.Errorf("chunks [%d, %d): damaged %+v", want.from, want.to, r.Damaged)
		}
	}
	if r, err := a.VerifyLog(); err != nil || !r.Good() || r.Written != 0 {
		t.Errorf("the log: %+v, %v", r, err)
	}
}
