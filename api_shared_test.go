package drx

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

var errKilled = errors.New("the process is dead")

// dyingFS is the file system of a process that is killed: once that is requested, the next write to
// the principal array is done by half, and then every operation fails.
type dyingFS struct {
	vfstest.Faulty
	dying, dead *atomic.Bool
}

func newDyingFS(fsys vfs.FS) dyingFS {
	m := dyingFS{dying: new(atomic.Bool), dead: new(atomic.Bool)}
	entry := false // was written: in one file, a chunk follows its entry
	m.Faulty = vfstest.Faulty{FS: fsys, Fail: func(op vfstest.Op, name string) error {
		if ext := filepath.Ext(name); m.dying.Load() && op == vfstest.OpWrite && (ext == dataExt || ext == OneFileExt) {
			m.dead.Store(ext == dataExt || entry)
			entry = true
		}
		if m.dead.Load() {
			return errKilled
		}
		return nil
	}}
	return m
}

// mustShare opens the array "a" in shared mode and reserves rows of it.
func mustShare(t *testing.T, fsys vfs.FS, file string, rows int) (*Array, nd.Section) {
	t.Helper()
	a, err := Open(file, Options{Shared: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	sec, err := a.Reserve(0, rows)
	if err != nil {
		t.Fatal(err)
	}
	return a, sec
}

// die kills a process while it sets its section to v.
func (m dyingFS) die(t *testing.T, a *Array, sec nd.Section, v int64) {
	t.Helper()
	m.dying.Store(true)
	if err := Fill(a, sec, v); !errors.Is(err, errKilled) {
		t.Fatalf("the process did not die: %v", err)
	}
	_ = a.Discard() // releases its locks
}

// Several processes are killed one after the other while they change the same chunk. Values that
// were written in between are kept.
func TestSharersDieInOneChunk(t *testing.T) { inAllForms(t, testSharersDieInOneChunk) }

func testSharersDieInOneChunk(t *testing.T) {
	fsys := vfs.NewMem()
	w := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{0, 4}, ChunkShape: []int{16, 4}, FillValue: -1, Options: Options{fs: fsys}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	first, second, third := newDyingFS(fsys), newDyingFS(fsys), newDyingFS(fsys)
	name := named(t, "a")
	a, aSec := mustShare(t, first, name, 3)
	b, bSec := mustShare(t, second, name, 3)
	c, cSec := mustShare(t, third, name, 3)
	d, dSec := mustShare(t, fsys, name, 3)
	want := func(a *Array, sec nd.Section, v int64) {
		t.Helper()
		got, err := Read[int64](a, sec)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range got {
			if x != v {
				t.Fatalf("section %v is %v, want %d", sec, got, v)
			}
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(Fill(b, bSec, int64(1)))
	first.die(t, a, aSec, 10)
	want(d, aSec, 10) // it was in its journal
	must(Fill(d, dSec, int64(2)))
	must(Fill(b, bSec, int64(3)))
	second.die(t, b, bSec, 4)
	must(Fill(d, dSec, int64(5)))
	third.die(t, c, cSec, 6)
	r, err := Open(name, Options{fs: fsys})
	must(err)
	for _, x := range []*Array{r, d} {
		want(x, aSec, 10)
		want(x, bSec, 4)
		want(x, cSec, 6)
		want(x, dSec, 5)
	}
	must(r.Close())
	must(d.Close())
	w, err = Open(name, Options{Write: true, fs: fsys})
	must(err)
	want(w, bSec, 4)
	if report, err := w.Verify(context.Background(), nil); err != nil || !report.Good() {
		t.Errorf("%+v, %v", report, err)
	}
	must(w.Close())
	for i := range 4 {
		if _, err := fsys.Identity(journalNamed(name) + string(rune('0'+i))); err == nil {
			t.Errorf("journal %d is left", i)
		}
	}
}

// Goroutines of several sharing processes repeatedly overwrite their reservations, commit, and read
// those of the others, while readers read. The part of a section in one chunk always has values of
// one version.
func TestSharersOverwrite(t *testing.T) { inBothForms(t, testSharersOverwrite) }

func testSharersOverwrite(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		t.Run(name, func(t *testing.T) {
			file := named(t, "a")
			if fsys == vfs.OS {
				file = filepath.Join(t.TempDir(), named(t, "a"))
			}
			w, err := Create(file, Spec{DType: dtype.Int64, Shape: []int{0, 64}, ChunkShape: []int{4, 64}, Options: Options{fs: fsys}})
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			// Sections of 6 rows: each has one whole chunk and shares others.
			a, aSec := mustShare(t, fsys, file, 6)
			b, bSec := mustShare(t, fsys, file, 6)
			r, err := Open(file, Options{fs: fsys})
			if err != nil {
				t.Fatal(err)
			}
			var writers, readers sync.WaitGroup
			var done atomic.Bool
			for _, x := range []struct {
				a   *Array
				sec nd.Section
			}{{a, aSec}, {b, bSec}} {
				// One goroutine for the upper rows of the section, one for the lower.
				for half := range 2 {
					rows := nd.Sec(nd.Span(x.sec[0].Lo+3*half, x.sec[0].Lo+3*half+3), nd.All)
					writers.Go(func() {
						for v := range 40 {
							err := Fill(x.a, rows, int64(v))
							if err == nil && v%3 == half {
								err = x.a.Sync()
							}
							if err != nil {
								t.Error(err)
								return
							}
						}
					})
				}
			}
			for _, x := range []*Array{a, b, r} {
				readers.Go(func() {
					for !done.Load() {
						for _, row := range []int{0, 3, 5, 6, 9, 11} {
							if row >= x.Shape()[0] {
								continue // reserved later than x's section
							}
							got, err := Read[int64](x, nd.Sec(nd.At(row), nd.All))
							if err != nil {
								t.Error(err)
								return
							}
							for _, v := range got {
								if v != got[0] {
									t.Errorf("row %d is of several versions: %v", row, got)
									return
								}
							}
						}
					}
				})
			}
			writers.Wait()
			done.Store(true)
			readers.Wait()
			for _, x := range []*Array{a, b, r} {
				if err := x.Close(); err != nil {
					t.Error(err)
				}
			}
			if w, err = Open(file, Options{Write: true, fs: fsys}); err != nil {
				t.Fatal(err)
			}
			wantSection(t, w, nil, slices.Repeat([]int64{39}, 12*64))
			if report, err := w.Verify(context.Background(), nil); err != nil || !report.Good() {
				t.Errorf("%+v, %v", report, err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// If a sharer could not make chunks durable at once, the next Sync sets their presence bytes.
func TestPresenceBytesAfterAFailedSync(t *testing.T) {
	inBothForms(t, testPresenceBytesAfterAFailedSync)
}

func testPresenceBytesAfterAFailedSync(t *testing.T) {
	o := thickRows(t, 16, Options{})
	failed := map[string]int{} // by failed operation
	for k := 0; ; k++ {
		left, what := -1, "" // operations before the failing one
		fsys := &vfstest.Faulty{FS: o.fs, Fail: func(op vfstest.Op, name string) error {
			if left < 0 || op != vfstest.OpSync && op != vfstest.OpWrite {
				return nil
			}
			if left--; left >= 0 {
				return nil
			}
			what = fmt.Sprint(op, " ", name)
			return errKilled
		}}
		a, sec := mustShare(t, fsys, "a", 32)
		if err := errors.Join(Fill(a, sec, uint8(7)), a.pool.Flush()); err != nil {
			t.Fatal(err)
		}
		left = k
		err := a.Sync()
		left = -1
		if errors.Is(err, errKilled) != (what != "") {
			t.Fatalf("operation %d, %s: %v", k, what, err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
		mustClose(t, a)
		first := 64 + sec[0].Lo/16
		if now := memberBytes(t, o.fs, presenceExt); len(now) < first+2 || slices.Contains(now[first:first+2], 0) {
			t.Errorf("operation %d, %s: presence bytes of chunks %d and %d are missing: %v", k, what, first-64, first-63, now[64:])
		}
		if what == "" {
			break
		}
		failed[what]++
	}
	t.Log(failed)
}
