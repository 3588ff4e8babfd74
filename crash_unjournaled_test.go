package drx

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// killWriter leaves the files of a writer as they are, without its locks.
func killWriter(t *testing.T, a *Array, fsys vfs.FS) {
	t.Helper()
	var err error
	for _, f := range []vfs.File{a.file, a.store.Table().File()} {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	unlockData(t, fsys)
}

// writeUncommitted grows an array of three rows by two and writes them, without a commit.
func writeUncommitted(t *testing.T, a *Array) {
	t.Helper()
	added, err := a.Extend(0, 2)
	if err == nil {
		err = errors.Join(Fill(a, added, uint8(99)), a.pool.Flush(), a.committer.Prepare())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Elements that a writer without journal wrote beyond the committed bounds never become visible,
// whatever it did before it was killed and whoever opens the array next.
func TestUnjournaledWriterDies(t *testing.T) { inBothForms(t, testUnjournaledWriterDies) }

func testUnjournaledWriterDies(t *testing.T) {
	unjournaled := Options{Durability: DurabilityNoJournal}
	die := func(t *testing.T, before func(a *Array) error) Options {
		o := thickRows(t, 3, unjournaled)
		a, err := Open("a", o)
		if err == nil {
			err = before(a)
		}
		if err != nil {
			t.Fatal(err)
		}
		writeUncommitted(t, a)
		killWriter(t, a, o.fs)
		return Options{fs: o.fs, Write: true}
	}
	nothing := func(*Array) error { return nil }
	for what, left := range map[string]func(t *testing.T) Options{
		"a writer": func(t *testing.T) Options { return die(t, nothing) },
		"after Compact": func(t *testing.T) Options {
			return die(t, func(a *Array) error { return a.Compact(context.Background(), nil) })
		},
		"a process sharing": func(t *testing.T) Options { o := die(t, nothing); o.Shared = true; return o },
		"accepting a loss": func(t *testing.T) Options {
			o := die(t, nothing)
			if err := acceptLoss(t.Context(), "a", o); err != nil {
				t.Fatal(err)
			}
			return o
		},
		"a group that gives up": func(t *testing.T) Options {
			o := thickRows(t, 3, unjournaled)
			a, err := Open("a", o)
			if err != nil {
				t.Fatal(err)
			}
			m, err := leadGroup(a, 1)
			if err == nil {
				_, err = a.Extend(0, 2)
			}
			if err == nil {
				err = m.Cover()
			}
			if err == nil {
				err = a.WriteStrided(nd.Sec(nd.Span(3, 5), nd.All), slices.Repeat([]byte{99}, 8), []int{4, 1})
			}
			if err == nil {
				_, err = m.CollectChanges()
			}
			if err = errors.Join(err, m.Close()); err != nil {
				t.Fatal(err)
			}
			return Options{fs: o.fs, Write: true}
		},
	} {
		t.Run(what, func(t *testing.T) {
			o := left(t)
			a, err := Open("a", o)
			if err != nil {
				t.Fatal(err)
			}
			grow := a.Extend
			if o.Shared {
				grow = a.Reserve
			}
			if _, err := grow(0, 2); err != nil {
				t.Fatal(err)
			}
			wantRows(t, a, 3)
			mustClose(t, a)
		})
	}
}

// A power cut may lose presence bytes that were not synced. A sharer that opens the array next does
// not restore them; the next exclusive writer does, even if the array has never grown.
func TestPresenceBytesLostInAPowerCut(t *testing.T) {
	o := thickRows(t, 3, Options{})
	before := contentOf(t, o.fs, "a"+presenceExt)
	a, err := Open("a", o)
	if err == nil {
		_, err = a.Extend(0, 16)
	}
	if err = errors.Join(err, Fill(a, nil, uint8(7))); err != nil {
		t.Fatal(err)
	}
	mustClose(t, a)
	replaceFile(t, o.fs, "a"+presenceExt, before)
	if a, err = Open("a", Options{fs: o.fs, Shared: true}); err == nil {
		_, err = a.Reserve(0, 16)
	}
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, a)
	wantPresence(t, o.fs, 2)

	o = Options{fs: vfs.NewMem(), Write: true}
	a, err = Create(named(t, "a"), Spec{DType: dtype.Uint8, Shape: []int{64, 4}, ChunkShape: []int{16, 4}, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	before = contentOf(t, o.fs, "a"+presenceExt)
	if err = errors.Join(Fill(a, nil, uint8(1)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	killWriter(t, a, o.fs)
	replaceFile(t, o.fs, "a"+presenceExt, before)
	wantPresence(t, o.fs, 4)
}

func replaceFile(t *testing.T, fsys vfs.FS, name string, content []byte) {
	t.Helper()
	if err := fsys.Remove(name); err != nil {
		t.Fatal(err)
	}
	mustMakeFile(t, fsys, name, slices.Clone(content))
}

// wantPresence opens an array for writing and checks that its first chunks have presence bytes
// then.
func wantPresence(t *testing.T, fsys vfs.FS, chunks int) {
	t.Helper()
	a, err := Open("a", Options{fs: fsys, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, a)
	now := contentOf(t, fsys, "a"+presenceExt)
	if len(now) < 64+chunks || slices.Contains(now[64:64+chunks], 0) {
		t.Errorf("presence bytes %v, want %d that are set", now[min(64, len(now)):], chunks)
	}
}

// Verify has no effects while the same Array reserves.
func TestVerifyBesideReserve(t *testing.T) { inBothForms(t, testVerifyBesideReserve) }

func testVerifyBesideReserve(t *testing.T) {
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{0, 4}, ChunkShape: []int{16, 4}, FillValue: 200, Options: Options{Shared: true}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		for range 100 {
			if _, err := a.Reserve(0, 1); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 100 {
		if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
			t.Error(r, err)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	mustClose(t, a)
}
