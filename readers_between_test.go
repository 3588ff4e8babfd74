package drx

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// A watcher reads the array while a steppedWriter changes it. It records which commit it has seen,
// because no later read may see an earlier one.
type watcher struct {
	t    *testing.T
	disk vfs.FS
	kind stepKind
	note string
	seen int // index of the last commit that was seen

	countdown int // operations until meanwhile is called
	meanwhile func()
}

func (r *watcher) fail(vfstest.Op, string) error {
	if r.countdown--; r.countdown == -1 {
		r.meanwhile()
	}
	return nil
}

func (r *watcher) options() Options { return Options{fs: vfstest.Faulty{FS: r.disk, Fail: r.fail}} }

func (r *watcher) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%s: %s: %v", r.kind.name, r.note, err)
	}
}

// open opens the array and calls meanwhile before operation n on the files. It reports whether
// there were that many operations.
func (r *watcher) open(n int) (*Array, bool) {
	r.t.Helper()
	r.countdown = n
	a, err := Open("a", r.options())
	r.must(err)
	return a, r.countdown < 0
}

// refresh is like open, but refreshes the array.
func (r *watcher) refresh(a *Array, n int) bool {
	r.t.Helper()
	r.countdown = n
	_, err := a.Refresh()
	r.must(err)
	return r.countdown < 0
}

// check compares the bounds and the attribute with those of the last commit seen and of later ones.
// It compares the elements with those of the same commit or, unless the writer was waiting, also of
// later ones.
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

// mixed reports whether each element belongs to commit i or a later one. Elements outside of the
// later bounds read as the fill value.
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

// watch lets a writer do w operations, and the reader read. Then the reader reads again, after a
// Refresh or as a new reader, and before its operation n the writer continues to operation v.
// enough reports whether the reader had that many operations; operations is the number of the
// writer's.
func watch(t *testing.T, kind stepKind, refresh bool, w, v, n int) (enough bool, operations int) {
	t.Helper()
	note := fmt.Sprintf("refresh %v, writer at %d and %d, reader at %d", refresh, w, v, n)
	r := &watcher{t: t, disk: newSteppedDisk(t, w), kind: kind, note: note}
	a, _ := r.open(-1)
	writer := startSteppedWriter(r.disk, kind.write)
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
	for range 2 { // first while the writer waits, then after its end
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

// Between any two operations of a reader that opens or refreshes the array, a writer continues for
// any number of operations, from any point. No reader sees an earlier commit than was seen before,
// and none sees a commit in part.
func TestReadersBetweenOperations(t *testing.T) {
	for _, kind := range stepKinds() {
		t.Run(kind.name, func(t *testing.T) {
			_, operations := watch(t, kind, true, everything, everything, 0)
			views, all := 0, enumtest.Sampled(t, soak)
			for w := range operations {
				for _, step := range []int{1, 2, 4, 7, everything} {
					for _, refresh := range []bool{false, true} {
						for n, enough := 0, all.Try(); enough; n++ {
							enough, _ = watch(t, kind, refresh, w, w+step, n)
							views++
						}
					}
				}
			}
			t.Logf("%d operations of the writer, %d views", operations, views)
		})
	}
}

// followStep is watch for the processes of a group that reads: one opens and refreshes the array,
// and the writer continues between any two operations of another one, which follows.
func followStep(t *testing.T, kind stepKind, joins bool, w, v, n int) (enough bool, operations int) {
	t.Helper()
	note := fmt.Sprintf("joins %v, writer at %d and %d, reader at %d", joins, w, v, n)
	r := &watcher{t: t, disk: newSteppedDisk(t, w), kind: kind, note: note}
	writer := startSteppedWriter(r.disk, kind.write)
	defer writer.until(everything)
	r.meanwhile = func() { writer.until(v) }
	if joins {
		writer.until(w)
	}
	a, err := Open("a", Options{fs: r.disk})
	r.must(err)
	leader, err := leadGroup(a, 2)
	r.must(err)
	if r.countdown = -1; joins {
		r.countdown = n
	}
	log, err := leader.Log()
	r.must(err)
	b, follower, err := joinGroup("a", r.options(), 1, 2, log)
	r.must(err)
	follow := func(n int) {
		_, err := leader.Refresh()
		r.must(err)
		log, err := leader.Log()
		r.must(err)
		r.countdown = n
		r.must(follower.Follow(log))
	}
	if !joins {
		writer.until(w)
		follow(n)
	}
	enough = r.countdown < 0
	r.check(b, false)
	follow(-1)
	r.check(a, true)
	r.check(b, true)
	return enough, writer.done
}

// A process that follows or joins another one while a writer continues finds the same bounds, and
// no chunk of an earlier commit.
func TestFollowersBetweenOperations(t *testing.T) {
	for _, kind := range stepKinds() {
		if kind.name == "compact" {
			continue // then the group opens the new files
		}
		t.Run(kind.name, func(t *testing.T) {
			_, operations := followStep(t, kind, false, everything, everything, 0)
			all := enumtest.Sampled(t, soak)
			for w := range operations {
				for _, step := range []int{1, 4, everything} {
					for _, joins := range []bool{false, true} {
						for n, enough := 0, all.Try(); enough; n++ {
							enough, _ = followStep(t, kind, joins, w, w+step, n)
						}
					}
				}
			}
		})
	}
}
