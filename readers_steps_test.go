package drx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// A stepped is a writer that stands still before each operation that changes a file, until it is
// told how far to go.
type stepped struct {
	arrived chan bool // before an operation; closed when the writer is done
	proceed chan struct{}
	done    int
	ended   bool
	err     error
}

// startStepped starts a writer and returns it before its first operation.
func startStepped(disk vfs.FS, write func(fsys vfs.FS) error) *stepped {
	w := &stepped{arrived: make(chan bool), proceed: make(chan struct{})}
	fsys := vfs.Faulty{FS: disk, Fail: func(op vfs.Op, _ string) error {
		switch op {
		case vfs.OpCreate, vfs.OpRemove, vfs.OpRename, vfs.OpWrite, vfs.OpTruncate, vfs.OpPunch:
			w.arrived <- true
			<-w.proceed
		}
		return nil
	}}
	go func() {
		w.err = write(fsys)
		close(w.arrived)
	}()
	w.ended = !<-w.arrived
	return w
}

// until lets the writer do operations until it has done n, or all.
func (w *stepped) until(n int) {
	for ; w.done < n && !w.ended; w.done++ {
		w.proceed <- struct{}{}
		w.ended = !<-w.arrived
	}
}

// everything is more operations than a writer does here.
const everything = 1 << 20

// A snapshot is an array at one commit: each element says which commit wrote it, and every commit that
// has a line of the log sets an attribute.
type snapshot struct {
	version int
	values  []uint8
}

// A stepKind is what a writer does while a reader looks on. It returns what the array is after
// each of its commits.
type stepKind struct {
	name    string
	write   func(fsys vfs.FS) error
	commits []snapshot
}

// steppedFill is what elements have that nobody wrote.
const steppedFill = 0

// newSteppedDisk makes an array of three chunks of four elements, the last never written.
func newSteppedDisk(t *testing.T) vfs.FS {
	t.Helper()
	disk := vfs.NewMem()
	a, err := Create("a", Spec{DType: dtype.Uint8, Shape: []int{12}, Chunk: []int{4}, Fill: steppedFill, Options: Options{fs: disk}})
	if err == nil {
		err = errors.Join(Fill(a, upTo(8), uint8(1)), a.SetAttr("version", 1), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return disk
}

// A stepWriter does steps of a kind to an open array.
type stepWriter func(a *Array) error

func upTo(n int) nd.Section { return nd.Sec(nd.Span(0, n)) }

// commitStep fills the first n elements with v, unless n is 0, sets the version, unless that is 0, and
// commits.
func commitStep(n int, v uint8, version int) stepWriter {
	return func(a *Array) error {
		var err error
		if n > 0 {
			err = Fill(a, upTo(n), v)
		}
		if version > 0 {
			err = errors.Join(err, a.SetAttr("version", version))
		}
		return errors.Join(err, a.Sync())
	}
}

func stepKinds() []stepKind {
	all := func(n int, v uint8) []uint8 { return bytes.Repeat([]uint8{v}, n) }
	first := snapshot{1, slices.Concat(all(8, 1), all(4, steppedFill))}
	writing := func(o Options, steps ...stepWriter) func(vfs.FS) error {
		return func(fsys vfs.FS) error {
			o.fs = fsys
			a, err := Open("a", o)
			for _, step := range steps {
				if err == nil {
					err = step(a)
				}
			}
			if err != nil {
				return err
			}
			return a.Close()
		}
	}
	w, shared := Options{Write: true}, Options{Shared: true}
	return []stepKind{
		{"elements and attribute", writing(w, commitStep(12, 2, 2)), []snapshot{first, {2, all(12, 2)}}},
		{"attribute", writing(w, commitStep(0, 0, 2)), []snapshot{first, {2, first.values}}},
		{"elements", writing(w, commitStep(12, 2, 0)), []snapshot{first, {1, all(12, 2)}}},
		{
			"several", writing(w, commitStep(12, 2, 2), commitStep(12, 3, 0), commitStep(12, 4, 3), commitStep(0, 0, 4)),
			[]snapshot{first, {2, all(12, 2)}, {2, all(12, 3)}, {3, all(12, 4)}, {4, all(12, 4)}},
		},
		{
			"shrink", writing(w, func(a *Array) error { return errors.Join(a.Shrink(0, 5), commitStep(7, 2, 2)(a)) }),
			[]snapshot{first, {2, all(7, 2)}},
		},
		{
			"extend", writing(w, func(a *Array) error {
				_, err := a.Extend(0, 6)
				return errors.Join(err, commitStep(18, 2, 2)(a))
			}),
			[]snapshot{first, {2, all(18, 2)}},
		},
		{
			"compact", writing(w, func(a *Array) error {
				err := errors.Join(Fill(a, nil, uint8(2)), a.SetAttr("version", 2))
				return errors.Join(err, a.Compact(context.Background(), nil), commitStep(12, 3, 3)(a))
			}),
			[]snapshot{first, {2, all(12, 2)}, {3, all(12, 3)}},
		},
		{
			"reserve", writing(shared, func(a *Array) error {
				added, err := a.Reserve(0, 4)
				return errors.Join(err, Fill(a, added, uint8(2)), a.Sync())
			}),
			[]snapshot{first, {1, slices.Concat(first.values, all(4, steppedFill))}, {1, slices.Concat(first.values, all(4, 2))}},
		},
	}
}

// A watcher looks at the array while a stepped writer changes it. It notes which commit was seen: nobody
// who begins to look later may see an earlier one.
type watcher struct {
	t    *testing.T
	disk vfs.FS
	kind stepKind
	note string
	seen int // index of the commit

	countdown int // operations until meanwhile is called
	meanwhile func()
}

func (r *watcher) fail(vfs.Op, string) error {
	if r.countdown--; r.countdown == -1 {
		r.meanwhile()
	}
	return nil
}

func (r *watcher) options() Options { return Options{fs: vfs.Faulty{FS: r.disk, Fail: r.fail}} }

func (r *watcher) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%s: %s: %v", r.kind.name, r.note, err)
	}
}

// open and refresh call meanwhile before operation n on the files, and report whether there were so many.
func (r *watcher) open(n int) (*Array, bool) {
	r.t.Helper()
	r.countdown = n
	a, err := Open("a", r.options())
	r.must(err)
	return a, r.countdown < 0
}

func (r *watcher) refresh(a *Array, n int) bool {
	r.t.Helper()
	r.countdown = n
	_, err := a.Refresh()
	r.must(err)
	return r.countdown < 0
}

// check compares bounds and attribute with those of the last commit that was seen, and of later ones, and
// the elements with those of the same commit or, unless the writer stood still, of later ones too.
func (r *watcher) check(a *Array, still bool) {
	r.t.Helper()
	r.countdown = -1
	version, err := strconv.Atoi(string(a.Attrs()["version"]))
	r.must(err)
	got, err := Read[uint8](a, nil)
	r.must(err)
	for i := r.seen; i < len(r.kind.commits); i++ {
		if c := r.kind.commits[i]; c.version != version || len(c.values) != len(got) {
			continue
		} else if slices.Equal(c.values, got) || !still && r.mixed(i, got) {
			r.seen = i
			return
		}
	}
	r.t.Fatalf("%s: %s: version %d, elements %v; commit %d of %v was seen before",
		r.kind.name, r.note, version, got, r.seen, r.kind.commits)
}

// mixed reports whether each element is that of commit i or of a later one. (Those that are out of
// the bounds later read as the fill value.)
func (r *watcher) mixed(i int, got []uint8) bool {
	for at, v := range got {
		good := false
		for _, c := range r.kind.commits[i:] {
			good = good || at < len(c.values) && c.values[at] == v || at >= len(c.values) && v == steppedFill
		}
		if !good {
			return false
		}
	}
	return true
}

// watch lets a writer do w operations, and the reader look. Then the reader looks again, by Refresh or a
// new opening, and before its operation n the writer goes on to operation v. watch reports whether the
// reader had so many operations, and how many the writer has.
func watch(t *testing.T, kind stepKind, refresh bool, w, v, n int) (enough bool, operations int) {
	t.Helper()
	note := fmt.Sprintf("refresh %v, writer at %d and %d, reader at %d", refresh, w, v, n)
	r := &watcher{t: t, disk: newSteppedDisk(t), kind: kind, note: note}
	a, _ := r.open(-1)
	writer := startStepped(r.disk, kind.write)
	defer writer.until(everything)
	r.meanwhile = func() { writer.until(v) }
	writer.until(w)
	r.refresh(a, -1)
	r.check(a, true)
	b := a
	if refresh {
		enough = r.refresh(a, n)
	} else {
		b, enough = r.open(n)
	}
	r.check(b, false)
	for range 2 { // where the writer stands still now, and at its end
		r.refresh(b, -1)
		r.check(b, true)
		again, _ := r.open(-1)
		r.check(again, true)
		r.must(again.Close())
		writer.until(everything)
	}
	r.must(writer.err)
	r.refresh(b, -1)
	r.check(b, true)
	if r.seen != len(kind.commits)-1 {
		t.Fatalf("%s: %s: commit %d of %d at the end", kind.name, r.note, r.seen, len(kind.commits)-1)
	}
	return enough, writer.done
}

// A writer goes on, some way, between any two operations of a reader that opens the array or refreshes
// it, wherever it stood before. No reader sees an earlier commit than one that was seen before, and
// nobody sees a commit in part.
func TestReadersBetweenOperations(t *testing.T) {
	for _, kind := range stepKinds() {
		t.Run(kind.name, func(t *testing.T) {
			_, operations := watch(t, kind, true, everything, everything, 0)
			states, stride := 0, 1
			if raceDetector || testing.Short() {
				stride = 5
			}
			for w := 0; w < operations; w += stride {
				for _, step := range []int{1, 2, 4, 7, everything} {
					for _, refresh := range []bool{false, true} {
						for n, enough := 0, true; enough; n++ {
							enough, _ = watch(t, kind, refresh, w, w+step, n)
							states++
						}
					}
				}
			}
			t.Logf("%d operations of the writer, %d states", operations, states)
		})
	}
}
