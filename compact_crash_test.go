package drx

import (
	"context"
	"math/rand/v2"
	"testing"

	"drx/axial"
	"drx/internal/states"
	"drx/internal/vfs"
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

// runCompact is a session that compacts: with uncommitted changes, twice in a row, after a Shrink that left old
// values in the chunks at the bounds, and with a journal before and after.
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
	crashEverywhere(t, 60, 5_000, (*scriptedSession).runCompact)
}

// TestCompactCrashTwice crashes while the files of a Compact are put in their places, and again at every
// operation of the writer that opens the array next.
func TestCompactCrashTwice(t *testing.T) {
	all := states.Sampled(t, soak)
	for k := 0; ; k++ {
		fsys := vfs.NewCrash()
		fsys.CrashAfter(k)
		l := &scriptedSession{rng: rand.New(rand.NewPCG(1, 2))}
		err := l.runCompact(fsys)
		for _, name := range someTwice {
			left := fsys.After(vfs.Policies(1, uint64(k))[name])
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

// TestCrashAfterKill kills a writer at every operation, at odd ones with an array in one file. Then the machine crashes while the next writer
// completes what the first has left, which may not be durable.
func TestCrashAfterKill(t *testing.T) {
	all := states.Sampled(t, soak)
	for _, session := range []func(*scriptedSession, vfs.FS) error{
		func(l *scriptedSession, fsys vfs.FS) error { return l.run(fsys, DurabilityFull) }, (*scriptedSession).runCompact,
	} {
		for k, ended, before := 0, false, false; !ended || !before; k++ {
			fsys := vfs.NewCrash()
			fsys.CrashAfter(k)
			l := &scriptedSession{name: formOf("a", uint64(k)), rng: rand.New(rand.NewPCG(1, 2))}
			before, ended = ended, session(l, fsys) == nil
			if l.returned > 0 {
				l.crashAgain(t, fsys.Killed(), all)
			}
		}
	}
	all.Want(5_000)
}

// someTwice are the policies for two crashes in a row.
var someTwice = []string{"none", "all", "first half", "last only", "even", "random 0"}

// crashAgain also crashes the writer that opens the array after a crash.
func (l *scriptedSession) crashAgain(t *testing.T, left *vfs.Crash, all *states.Counter) {
	t.Helper()
	for k := 0; ; k++ {
		fsys := left.Killed()
		fsys.CrashAfter(k)
		_, err := Open("a", Options{fs: fsys, Write: true})
		for _, name := range someTwice {
			if !all.Try() {
				continue
			}
			if err := l.check(fsys.After(vfs.Policies(1, uint64(k))[name])); err != nil {
				t.Fatalf("second crash at operation %d, policy %s: %v", k, name, err)
			}
		}
		if err == nil {
			return
		}
	}
}
