package drx

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// stopCompact shrinks the array "a" of 40 thick rows, and compacts it with a writer that dies at the first
// rename.
func stopCompact(t *testing.T) Options {
	t.Helper()
	o := thickRows(t, 40, Options{})
	a, err := Open("a", Options{Write: true, fs: vfs.Faulty{FS: o.fs, Fail: func(op vfs.Op, _ string) error {
		if op == vfs.OpRename {
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

// An older program, which does not know of presence maps, completes a Compact and leaves the new map. The next
// writer puts the map in its place.
func TestCompactFinishedWithoutPresence(t *testing.T) {
	for _, old := range []bool{true, false} { // whether there is a map to be replaced
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

// A Compact that dies before its files count leaves a map that does not replace the presence map.
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

// A reader opens the presence map while one Compact completes and the next one begins. It does not use the map
// that the second one is making.
func TestPresenceOfSecondCompact(t *testing.T) {
	o := stopCompact(t)
	want := slices.Clone(contentOf(t, o.fs, "a"+presenceExt+newExt))
	meanwhile := false
	fsys := vfs.Faulty{FS: o.fs, Fail: func(op vfs.Op, name string) error {
		if op != vfs.OpOpen || name != "a"+presenceExt+newExt || meanwhile {
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

// journals counts the journals that are open, and calls opened when one was opened.
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

// A Compact that is cancelled when all chunks are copied closes its journal.
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
