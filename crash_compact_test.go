package drx

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"drx/axial"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

func (l *scriptedSession) compact() error {
	l.begin()
	err := l.a.Compact(context.Background(), nil)
	if err == nil {
		l.returned = len(l.commits)
	}
	return err
}

// runCompact is a session that compacts: with uncommitted changes, twice in a row, after a Shrink
// that left old values in the chunks at the bounds, and with a journal before and after.
func (l *scriptedSession) runCompact(fsys vfs.FS) error {
	if err := l.create(fsys, DurabilityFull); err != nil {
		return err
	}
	all := func() nd.Section { return nd.Box(l.m.lo, l.m.hi) }
	return l.steps(
		func() error { return l.write(all()) },
		l.sync,
		func() error { return l.extend(0, 3, axial.Low) },
		func() error { return l.extend(1, 9, axial.High) },
		func() error { return l.write(nd.Sec(nd.Span(-2, 2), nd.Span(3, 6))) },
		func() error { return l.a.SetAttr("note", "kept") },
		l.compact,
		func() error { return l.write(nd.Sec(nd.Span(-1, 3), nd.Span(0, 13))) }, // old chunks and new ones
		l.sync,
		func() error { return l.shrink(1, 3, axial.High) },
		func() error { return l.shrink(0, 1, axial.Low) },
		func() error { return l.write(nd.Sec(nd.At(0), nd.At(1))) },
		l.compact,
		l.compact,
		func() error { return l.write(nd.Sec(nd.At(1), nd.Span(2, 9))) },
		func() error { return l.extend(1, 2, axial.High) },
		func() error { l.begin(); return l.a.Close() },
	)
}

// TestCompactCrash crashes in a session that compacts.
func TestCompactCrash(t *testing.T) {
	enumtest.Single(t)
	crashEverywhere(t, 60, 5_000, (*scriptedSession).runCompact)
}

// TestCompactCrashTwice crashes while the new files of a Compact replace the old ones, and again at
// every operation of the writer that opens the array next.
func TestCompactCrashTwice(t *testing.T) {
	enumtest.Single(t)
	all := enumtest.Sampled(t, soak)
	for k := 0; ; k++ {
		fsys := vfstest.NewCrash()
		fsys.CrashAfter(k)
		l := &scriptedSession{rng: rand.New(rand.NewPCG(1, 2))}
		restore := useTurn(k)
		err := l.runCompact(fsys)
		restore()
		for _, name := range someTwice {
			left := fsys.After(vfstest.Policies(1, uint64(k))[name])
			if mark, err := identityOf(left, "a"+markExt); err != nil || mark == nil {
				continue
			}
			l.crashAgain(t, left, all)
		}
		if err == nil {
			break
		}
	}
	all.Want(1_000)
}

// TestCrashAfterKill kills a writer at every operation, at odd ones with an array in one file. Then
// the machine crashes while the next writer recovers, when the first one's writes may not be
// durable yet.
func TestCrashAfterKill(t *testing.T) {
	enumtest.Single(t)
	all := enumtest.Sampled(t, soak)
	for _, session := range []func(*scriptedSession, vfs.FS) error{
		func(l *scriptedSession, fsys vfs.FS) error { return l.run(fsys, DurabilityFull) }, (*scriptedSession).runCompact,
	} {
		for k, ended, before := 0, false, false; !ended || !before; k++ {
			fsys := vfstest.NewCrash()
			fsys.CrashAfter(k)
			l := &scriptedSession{name: formOf("a", uint64(k)), rng: rand.New(rand.NewPCG(1, 2))}
			restore := useTurn(k / 2)
			before, ended = ended, session(l, fsys) == nil
			if l.returned > 0 {
				l.crashAgain(t, fsys.Killed(), all)
			}
			restore()
		}
	}
	all.Want(5_000)
}

// someTwice are the policies for two crashes in a row.
var someTwice = []string{"none", "all", "first half", "last only", "even", "random 0"}

// crashAgain also crashes the writer that opens the array after a crash.
func (l *scriptedSession) crashAgain(t *testing.T, left *vfstest.Crash, all *enumtest.Counter) {
	t.Helper()
	for k := 0; ; k++ {
		fsys := left.Killed()
		fsys.CrashAfter(k)
		_, err := Open("a", Options{fs: fsys, Write: true})
		for _, name := range someTwice {
			if !all.Try() {
				continue
			}
			if err := l.check(fsys.After(vfstest.Policies(1, uint64(k))[name])); err != nil {
				t.Fatalf("second crash at operation %d, policy %s: %v", k, name, err)
			}
		}
		if err == nil {
			return
		}
	}
}

// stopCompact shrinks the array "a" of 40 thick rows, and compacts it with a writer that is killed
// at the first rename.
func stopCompact(t *testing.T) Options {
	t.Helper()
	o := thickRows(t, 40, Options{})
	a, err := Open("a", Options{Write: true, fs: vfstest.Faulty{FS: o.fs, Fail: func(op vfstest.Op, _ string) error {
		if op == vfstest.OpRename {
			return errKilled
		}
		return nil
	}}})
	if err == nil {
		err = a.Shrink(0, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Compact(context.Background(), nil); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	_, _ = a.store.Close(true), a.file.Close()
	return o
}

// An older program, which does not know of presence maps, completes a Compact and leaves the new
// map. The next writer renames the map.
func TestCompactFinishedWithoutPresence(t *testing.T) {
	for _, old := range []bool{true, false} { // whether there is a map to replace
		o := stopCompact(t)
		want := slices.Clone(contentOf(t, o.fs, "a"+presenceExt+newExt))
		for _, ext := range []string{dataExt, tableExt, logExt} {
			if err := o.fs.Rename("a"+ext+newExt, "a"+ext); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.fs.Remove("a" + markExt); err != nil {
			t.Fatal(err)
		}
		if !old {
			if err := o.fs.Remove("a" + presenceExt); err != nil {
				t.Fatal(err)
			}
		}
		a, err := Open("a", o)
		if err != nil {
			t.Fatalf("with an old map %t: %v", old, err)
		}
		wantRows(t, a, 39)
		if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
			t.Errorf("with an old map %t: %+v, %v", old, r, err)
		}
		mustClose(t, a)
		if now := contentOf(t, o.fs, "a"+presenceExt); !slices.Equal(now, want) {
			t.Errorf("with an old map %t: presence map %v, want %v", old, now, want)
		}
		if id, err := identityOf(o.fs, "a"+presenceExt+newExt); err != nil || id != nil {
			t.Errorf("with an old map %t: the new one is still there, %v", old, err)
		}
	}
}

// If a Compact is killed before its new files count, its map does not replace the presence map.
func TestCompactKilledBeforeMark(t *testing.T) {
	o := stopCompact(t)
	if err := o.fs.Remove("a" + markExt); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(contentOf(t, o.fs, "a"+presenceExt))
	a, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	wantRows(t, a, 39)
	mustClose(t, a)
	if now := contentOf(t, o.fs, "a"+presenceExt); !slices.Equal(now, want) {
		t.Errorf("presence map %v, want %v", now, want)
	}
}

// A reader opens the presence map while one Compact ends and the next one begins. It does not use
// the map that the second one is writing.
func TestPresenceOfSecondCompact(t *testing.T) {
	o := stopCompact(t)
	want := slices.Clone(contentOf(t, o.fs, "a"+presenceExt+newExt))
	meanwhile := false
	fsys := vfstest.Faulty{FS: o.fs, Fail: func(op vfstest.Op, name string) error {
		if op != vfstest.OpOpen || name != "a"+presenceExt+newExt || meanwhile {
			return nil
		}
		meanwhile = true
		return errors.Join(fileset.PutInPlace(o.fs, "a"), makeFile(o.fs, name, nil))
	}}
	log, err := fsys.Open("a"+logExt+newExt, false)
	if err != nil {
		t.Fatal(err)
	}
	f := fileset.LazyPresence(fsys, "a", log)
	size, err := f.Size()
	if err != nil || int(size) != len(want) || !meanwhile {
		t.Errorf("a presence map of %d bytes, want %d, %v", size, len(want), err)
	}
	if err := errors.Join(f.Close(), log.Close()); err != nil {
		t.Error(err)
	}
}

// journals counts the open journals, and calls opened after each opening.
type journals struct {
	vfs.FS
	open   *atomic.Int64
	opened func()
}

type openJournal struct {
	vfs.File
	open *atomic.Int64
}

func (j journals) OpenNoFollow(name string, write bool) (vfs.File, error) {
	f, err := j.FS.OpenNoFollow(name, write)
	if err != nil || !strings.HasSuffix(filepath.Ext(name), journalExt) {
		return f, err
	}
	j.open.Add(1)
	j.opened()
	return openJournal{f, j.open}, nil
}

func (f openJournal) Close() error {
	f.open.Add(-1)
	return f.File.Close()
}

// A Compact that is cancelled after all chunks were copied closes its journal.
func TestCompactCancelledAtTheEnd(t *testing.T) {
	o := thickRows(t, 3, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var open atomic.Int64
	compacting := false
	a, err := Open("a", Options{Write: true, fs: journals{o.fs, &open, func() {
		if compacting {
			cancel()
		}
	}}})
	if err == nil {
		err = errors.Join(Set(a, uint8(9), 0, 0), a.Sync()) // the journal exists from now on
	}
	if err != nil {
		t.Fatal(err)
	}
	compacting = true
	before := open.Load()
	if err := a.Compact(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if now := open.Load(); now != before {
		t.Errorf("%d journals are open, %d were before", now, before)
	}
	if err := errors.Join(Set(a, uint8(1), 0, 0), a.Sync()); err != nil {
		t.Fatal(err)
	}
	wantRows(t, a, 3)
	mustClose(t, a)
}
