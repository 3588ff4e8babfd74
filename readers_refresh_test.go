package drx

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// A reader keeps its bounds until Refresh, and then sees what was committed.
func TestRefresh(t *testing.T) { inBothForms(t, testRefresh) }

func testRefresh(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		t.Run(name, func(t *testing.T) {
			file := named(t, "a")
			if fsys == vfs.OS {
				file = filepath.Join(t.TempDir(), named(t, "a"))
			}
			w, err := Create(file, Spec{DType: dtype.Int32, Shape: []int{2, 3}, ChunkShape: []int{2, 2}, Options: Options{fs: fsys}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Open(file, Options{fs: fsys})
			if err != nil {
				t.Fatal(err)
			}
			for i := range int32(20) {
				if _, err := growtest.Extend(w, int(i)%2, 1, axial.Side(i%3%2)); err != nil {
					t.Fatal(err)
				}
				if i == 11 {
					if err := w.Shrink(0, 3); err != nil {
						t.Fatal(err)
					}
				}
				if err := Fill(w, nil, i); err != nil {
					t.Fatal(err)
				}
				old := r.Bounds()
				if changed, err := r.Refresh(); err != nil || changed || !slices.Equal(r.Bounds(), old) {
					t.Fatalf("step %d: refresh before sync: %v, %v, bounds %v, were %v", i, changed, err, r.Bounds(), old)
				}
				if err := w.Sync(); err != nil {
					t.Fatal(err)
				}
				if changed, err := r.Refresh(); err != nil || !changed || !slices.Equal(r.Bounds(), w.Bounds()) {
					t.Fatalf("step %d: refresh: %v, %v, bounds %v, want %v", i, changed, err, r.Bounds(), w.Bounds())
				}
				got, err := Read[int32](r, nil)
				if err != nil || slices.Min(got) != i || slices.Max(got) != i {
					t.Fatalf("step %d: read %v, %v", i, got, err)
				}
			}
			if changed, err := w.Refresh(); err != nil || changed {
				t.Errorf("refresh of the writer: %v, %v", changed, err)
			}
		})
	}
}

// Earlier versions have the bounds and attributes that they had at that time.
func TestHistoryAndOpenAt(t *testing.T) { inBothForms(t, testHistoryAndOpenAt) }

func testHistoryAndOpenAt(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{2}, ChunkShape: []int{4}, Options: o})
	steps := []func() error{
		func() error { _, err := a.Extend(0, 3); return err },
		func() error { return a.SetAttr("n", 1) },
		func() error { return a.ShrinkLow(0, 2) },
		func() error { _, err := a.AddDim("time"); return err },
		func() error { _, err := a.Extend(1, 2); return err },
	}
	bounds := []nd.Section{a.Bounds()}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
		bounds = append(bounds, a.Bounds())
	}
	changes, err := a.History()
	if err != nil || len(changes) != len(bounds) {
		t.Fatalf("history %v, %v", changes, err)
	}
	kinds := []ChangeKind{Created, Extended, Attrs, Shrunk, AddedDim, Extended}
	for i, c := range changes {
		if c.Commit != i+1 || c.Kind != kinds[i] || !slices.Equal(c.Bounds, bounds[i]) {
			t.Errorf("change %d: %+v", i, c)
		}
		v, err := OpenAt("a", i+1, o)
		if err != nil || !slices.Equal(v.Bounds(), bounds[i]) || len(v.Attrs()) != map[bool]int{true: 1}[i >= 2] {
			t.Errorf("version %d: %v, bounds %v, want %v", i+1, err, v.Bounds(), bounds[i])
		}
	}
	for _, commit := range []int{-1, 0, 7} {
		if _, err := OpenAt("a", commit, o); !errors.Is(err, ErrBounds) {
			t.Errorf("version %d: %v", commit, err)
		}
	}
}

// Follow reports every committed change once, in order.
func TestFollow(t *testing.T) { inBothForms(t, testFollow) }

func testFollow(t *testing.T) {
	file := filepath.Join(t.TempDir(), named(t, "a"))
	w, err := Create(file, Spec{DType: dtype.Int32, Shape: []int{0, 3}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	enough := errors.New("enough")
	followed := make(chan error)
	var commits []int
	go func() {
		followed <- r.Follow(ctx, func(c Change) error {
			if c.Kind != Extended || !slices.Equal(c.Bounds, r.Bounds()) && c.Bounds[0].Hi > r.Bounds()[0].Hi {
				return errors.New("a change that is not there")
			}
			if commits = append(commits, c.Commit); len(commits) == 30 {
				return enough
			}
			return nil
		})
	}()
	for range 30 {
		if _, err := w.Extend(0, 1); err != nil {
			t.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-followed; !errors.Is(err, enough) {
		t.Fatal(err)
	}
	for i, c := range commits {
		if c != i+2 {
			t.Fatalf("commits %v", commits)
		}
	}
	ctx, cancel = context.WithCancel(ctx)
	cancel()
	if err := r.Follow(ctx, func(Change) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("follow: %v", err)
	}
	if err := w.Follow(ctx, func(Change) error { return nil }); err == nil {
		t.Error("a writer follows itself")
	}
}

// A reader that sees new bounds also sees the new elements, even if it had cached the old contents
// of the chunk.
func TestRefreshBesideReads(t *testing.T) { inBothForms(t, testRefreshBesideReads) }

func testRefreshBesideReads(t *testing.T) {
	const chunks, steps = 2000, 40
	o := Options{fs: vfs.NewMem(), Durability: DurabilityNone}
	w, err := Create(named(t, "a"), Spec{DType: dtype.Int32, Shape: []int{1, chunks}, ChunkShape: []int{steps + 1, 1}, Options: o})
	if err == nil {
		err = Fill(w, nil, int32(7))
	}
	if err = errors.Join(err, w.Sync()); err != nil {
		t.Fatal(err)
	}
	r, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for i := 0; !done.Load() && !t.Failed(); i++ {
				last := r.Bounds()[0].Hi - 1
				if v, err := At[int32](r, last, i*37%chunks); v != 7 || err != nil {
					t.Errorf("row %d, chunk %d: %d, %v", last, i*37%chunks, v, err)
				}
			}
		})
	}
	for range steps {
		added, err := w.Extend(0, 1)
		if err == nil {
			err = Fill(w, added, int32(7))
		}
		if err == nil {
			err = w.Sync()
		}
		if err == nil {
			_, err = Read[int32](r, nd.Section{nd.At(0), nd.All}) // all chunks are in memory
		}
		if err == nil {
			_, err = r.Refresh()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	done.Store(true)
	readers.Wait()
	if err := errors.Join(w.Close(), r.Close()); err != nil {
		t.Error(err)
	}
}

// A reader has seen a commit that the writer could not make durable and withdrew. It then sees what
// the writer commits instead, whether the new line has the same length or not.
func TestRefreshAfterACommitThatFailed(t *testing.T) {
	for _, instead := range []int{2, 1 << 20} {
		mem := vfs.NewMem()
		var r *Array
		fail := false
		faulty := vfstest.Faulty{FS: mem, Fail: func(op vfstest.Op, name string) error {
			if !fail || op != vfstest.OpSync || name != "a"+logExt {
				return nil
			}
			fail = false
			if changed, err := r.Refresh(); err != nil || !changed || r.Shape()[0] != 5 {
				t.Errorf("before the commit fails: %v, %v, shape %v", changed, err, r.Shape())
			}
			return errors.New("injected")
		}}
		w, err := Create(named(t, "a"), Spec{DType: dtype.Int32, Shape: []int{4}, ChunkShape: []int{2}, Options: Options{fs: faulty}})
		if err == nil {
			_, err = w.Extend(0, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		if r, err = Open("a", Options{fs: mem}); err != nil {
			t.Fatal(err)
		}
		fail = true
		if err := w.Sync(); err == nil {
			t.Fatal("the commit did not fail")
		}
		if changed, err := r.Refresh(); err != nil || !changed || r.Shape()[0] != 4 {
			t.Errorf("after it was taken back: %v, %v, shape %v", changed, err, r.Shape())
		}
		if err := w.Discard(); err != nil {
			t.Fatal(err)
		}
		if w, err = Open("a", Options{Write: true, fs: mem}); err == nil {
			_, err = w.Extend(0, instead)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		events, changed, err := r.refresh()
		if err != nil || !changed || r.Shape()[0] != 4+instead || len(events) != 1 || events[0].By != instead {
			t.Errorf("by %d instead: %v, %v, shape %v, %v", instead, changed, err, r.Shape(), events)
		}
	}
}

// If a Refresh fails after it has read the log, the next one reports what it has read.
func TestRefreshThatFails(t *testing.T) {
	mem, fail := vfs.NewMem(), false
	faulty := vfstest.Faulty{FS: mem, Fail: func(op vfstest.Op, name string) error {
		if fail && op == vfstest.OpOpen && name == "a"+journalExt {
			return syscall.EIO
		}
		return nil
	}}
	w := mustCreate(t, Spec{DType: dtype.Int32, Shape: []int{4}, Options: Options{fs: mem}})
	r, err := Open("a", Options{fs: faulty})
	if err == nil {
		_, err = w.Extend(0, 1)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	fail = true
	if _, err := r.Refresh(); !errors.Is(err, syscall.EIO) || r.Shape()[0] != 4 {
		t.Errorf("a refresh that fails: %v, shape %v", err, r.Shape())
	}
	fail = false
	if events, changed, err := r.refresh(); err != nil || !changed || len(events) != 1 || r.Shape()[0] != 5 {
		t.Errorf("the next one: %v, %v, %v, shape %v", events, changed, err, r.Shape())
	}
}

// Beside a commit that the writer left in the journal, versions have the elements of their time.
func TestOpenAtBesideAJournal(t *testing.T) { inAllForms(t, testOpenAtBesideAJournal) }

func testOpenAtBesideAJournal(t *testing.T) {
	for _, dies := range [][]string{atJournalComplete(t), atLineWritten(t)} {
		r := &recorder{FS: vfs.NewMem()}
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4}, ChunkShape: []int{2}, Options: Options{fs: r}})
		err := errors.Join(Fill(a, nil, uint8(1)), a.SetAttr("n", 2), a.Sync(), a.SetAttr("n", 3), a.Sync(), a.SetAttr("n", 4), a.Sync())
		if err = errors.Join(err, Fill(a, nil, uint8(2)), a.SetAttr("n", 5)); err != nil {
			t.Fatal(err)
		}
		r.diesAt = dies
		if err := a.Sync(); !errors.Is(err, errDead) {
			t.Fatal(err)
		}
		reader, err := Open(named(t, "a"), Options{fs: r.FS})
		if err != nil {
			t.Fatal(err)
		}
		if changed, err := reader.Refresh(); changed || err != nil {
			t.Errorf("refresh beside a commit that was seen: %v, %v", changed, err)
		}
		for version, want := range [][]uint8{1: nil, 2: {1, 1, 1, 1}, 3: {1, 1, 1, 1}, 4: {1, 1, 1, 1}, 5: {2, 2, 2, 2}} {
			if version == 0 {
				continue
			}
			v, err := OpenAt(named(t, "a"), version, Options{fs: r.FS})
			if err != nil {
				t.Fatal(err)
			}
			if want != nil {
				wantSection(t, v, nil, want)
			} else if _, err := Read[uint8](v, nil); !errors.Is(err, ErrGone) {
				t.Errorf("before the first elements: %v", err)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
