package drx

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// discard closes the array without a commit, so that it equals the last commit, and opens it again.
func (l *scriptedSession) discard(fsys vfs.FS) error {
	if err := l.a.Discard(); err != nil {
		return err
	}
	m := l.commits[len(l.commits)-1]
	m.data = slices.Clone(m.data)
	l.m = &m
	var err error
	l.a, err = Open(l.array(), Options{fs: fsys, Write: true, Cache: 2 * (32 + 256), patchCost: 1})
	return err
}

// runDiscard is a session that discards new chunks in and beyond the grid of the last commit,
// images and patches of committed chunks, and a Shrink, and then writes and commits at the same
// indices.
func (l *scriptedSession) runDiscard(fsys vfs.FS) error {
	if err := l.create(fsys, DurabilityFull); err != nil {
		return err
	}
	all := func() nd.Section { return nd.Box(l.m.lo, l.m.hi) }
	discard := func() error { return l.discard(fsys) }
	return l.steps(
		func() error { return l.write(nd.Sec(nd.Span(0, 3), nd.Span(0, 4))) },
		func() error { return l.extend(1, 12, axial.High) }, // the new chunks are committed but not written
		l.sync,
		func() error { return l.extend(0, 4, axial.High) },
		func() error { return l.write(all()) },
		discard,
		func() error { return l.write(nd.Sec(nd.At(1), nd.Span(2, 14))) },
		l.sync,
		func() error { return l.extend(0, 3, axial.Low) },
		func() error { return l.write(nd.Sec(nd.Span(-3, 2), nd.At(5))) },
		func() error { return l.write(nd.Sec(nd.At(0), nd.Span(0, 13))) },
		discard,
		func() error { return l.extend(0, 2, axial.High) },
		func() error { return l.write(all()) },
		l.sync,
		func() error { return l.shrink(1, 9, axial.High) },
		func() error { return l.write(all()) },
		discard,
		func() error { return l.write(nd.Sec(nd.At(4), nd.Span(0, 16))) },
		func() error { l.begin(); return l.a.Close() },
	)
}

// TestDiscardCrash crashes in a session that discards changes and continues.
func TestDiscardCrash(t *testing.T) {
	enumtest.Single(t)
	crashEverywhere(t, 100, 10_000, (*scriptedSession).runDiscard)
}

// TestDiscardKilled kills the process at every operation of such a session, at odd ones with an
// array in one file. Then the machine crashes while the next writer recovers.
func TestDiscardKilled(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	for k, ended, before := 0, false, false; !ended || !before; k++ {
		fsys := vfstest.NewCrash()
		fsys.CrashAfter(k)
		l := &scriptedSession{name: formOf("a", uint64(k)), rng: rand.New(rand.NewPCG(1, 2))}
		restore := useTurn(k / 2)
		before, ended = ended, l.runDiscard(fsys) == nil
		if l.returned > 0 {
			l.crashAgain(t, fsys.Killed(), all)
		}
		restore()
	}
	all.Want(2_000)
}

// TestDiscardFaults makes every write fail from some write on, as on a full disk, until Discard.
// Discard must leave exactly the last commit, or the complete next one if that was made before.
func TestDiscardFaults(t *testing.T) {
	enumtest.Single(t)
	all := enumtest.Sampled(t, soak)
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		undone := 0
		for k, full := 1, true; full; k++ {
			var made bool
			if full, made = discardWhenFull(t, d, k); full && !made {
				undone++
			}
			all.Try()
		}
		if undone < 5 {
			t.Errorf("%v: %d failures before the commit was made", d, undone)
		}
	}
}

// discardWhenFull overwrites and extends an array on a disk that is full from the k-th write on,
// discards, and checks the files. It reports whether the disk was ever full, and whether the commit
// was made nevertheless.
func discardWhenFull(t *testing.T, d Durability, k int) (full, made bool) {
	t.Helper()
	mem, left := vfs.NewMem(), -1
	errFull := errors.New("no space")
	fsys := vfstest.Faulty{FS: mem, Fail: func(op vfstest.Op, _ string) error {
		if op != vfstest.OpWrite || left < 0 {
			return nil
		}
		if left = max(0, left-1); left == 0 {
			return errFull
		}
		return nil
	}}
	l := &scriptedSession{rng: rand.New(rand.NewPCG(1, 2))}
	if err := errors.Join(l.create(fsys, d), l.write(nd.Sec(nd.Span(0, 3), nd.Span(0, 4))), l.sync()); err != nil {
		t.Fatal(err)
	}
	before := sizesOf(t, mem)
	left = k
	l.begin()
	err := l.extend(1, 30, axial.High)
	if err == nil {
		err = l.write(nd.Box(l.m.lo, l.m.hi))
	}
	l.begin()
	if err == nil {
		err = l.a.Sync()
	}
	if full = left == 0; full != (err != nil) {
		t.Fatalf("%v, full from write %d on: %v", d, k, err)
	}
	if err := l.a.Discard(); err != nil {
		t.Errorf("%v, full from write %d on: %v", d, k, err)
	}
	left = -1
	after := sizesOf(t, mem)
	a, err := Open("a", Options{fs: mem})
	if err != nil {
		t.Fatal(err)
	}
	made = a.Shape()[1] == 34
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for name, size := range after {
		if was, ok := before[name]; !made && (!ok || size > was) {
			t.Errorf("%v, full from write %d on: %s has %d bytes, before %d", d, k, name, size, was)
		}
	}
	if d == DurabilityFull { // the others overwrite in place
		if err := l.check(mem); err != nil {
			t.Errorf("full from write %d on: %v", k, err)
		}
	}
	return full, made
}

// sizesOf returns the sizes of the files of array a, in bytes.
func sizesOf(t *testing.T, fsys vfs.FS) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	for _, ext := range []string{".xmd", ".xta", ".xck", ".xpm", ".xjl"} {
		f, err := fsys.Open("a"+ext, false)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if sizes[ext], err = f.Size(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return sizes
}
