package drx

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/journal"
	"drx/internal/vfs"
	"drx/nd"
)

// newUnfinished makes an array whose writer dies after the given number of operations of its last
// commit, and reports whether it died before the end. The commit overwrites one chunk as a whole
// and another in pieces, writes a third for the first time and, if grows is true, extends the array
// and sets an attribute.
func newUnfinished(t *testing.T, grows bool, operations int) (*specimen, bool) {
	t.Helper()
	r := &recorder{FS: vfs.NewMem()}
	makeBeside(t, r.FS)
	spec := Spec{DType: dtype.Uint16, Shape: []int{4, 6}, ChunkShape: []int{2, 3}, FillValue: 0x4142, Options: Options{fs: r, patchCost: 1}}
	l := &scriptedSession{a: mustCreate(t, spec), rng: rand.New(rand.NewPCG(3, 4)), m: newModel([]int{0, 0}, spec.Shape, []byte{0x42, 0x41})}
	l.begin()
	err := errors.Join(l.write(nd.Sec(nd.Span(0, 2), nd.Span(0, 6))), l.a.SetAttr("note", "old"), l.sync())
	err = errors.Join(err, l.write(nd.Sec(nd.Span(0, 2), nd.Span(0, 3))), l.write(nd.Sec(nd.At(1), nd.Span(4, 6))))
	err = errors.Join(err, l.write(nd.Sec(nd.Span(2, 4), nd.Span(0, 3))))
	s := &specimen{name: named(t, "a"), notes: []string{"", `"old"`, `"old"`}}
	if grows {
		err = errors.Join(err, l.extend(0, 2, axial.High), l.write(nd.Sec(nd.Span(4, 6), nd.Span(1, 5))), l.a.SetAttr("note", "new"))
		s.notes[2] = `"new"`
	}
	if err != nil {
		t.Fatal(err)
	}
	r.remaining = operations
	err = l.sync()
	if err != nil && !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	s.commits = l.commits
	s.readFiles(t, r.FS)
	return s, err != nil
}

// changes returns the numbers of chunks that the journal has as images, as pieces, and as already
// in their slots. It returns zeros if the journal is not complete.
func (s *specimen) changes(t *testing.T, chunkBytes int) (kinds [3]int) {
	t.Helper()
	fsys, err := s.with("", nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := fsys.Open(s.journal(), false)
	if err != nil {
		return kinds
	}
	block, err := journal.New(file, chunkBytes).Block()
	if err != nil || block == nil {
		return kinds
	}
	for _, e := range block.Entries {
		switch {
		case e.Image != journal.NoImage:
			kinds[0]++
		case len(e.Pieces) > 0:
			kinds[1]++
		default:
			kinds[2]++
		}
	}
	return kinds
}

// A writer was killed in a commit, at any operation, and then a byte of a chunk changed, or the
// file was truncated. Whoever opens the array finds one of the two commits, or gets an error.
func TestDamageBesideAJournal(t *testing.T) {
	enumtest.Single(t)
	inAllForms(t, testDamageBesideAJournal)
}

func testDamageBesideAJournal(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	for _, grows := range []bool{false, true} {
		complete, seen := 0, 0
		for operations, died := 1, true; died; operations++ {
			var s *specimen
			s, died = newUnfinished(t, grows, operations)
			whole, err := s.examine("", nil)
			if err != nil || whole < s.last()-1 {
				t.Fatalf("grows %v, death at operation %d: commit %d, %v", grows, operations, whole, err)
			}
			s.lacks = s.last() - whole
			if s.changes(t, 12) == allChanges() {
				complete++
			}
			for at, p := range s.locations(t, dataExt) {
				for _, content := range [][]byte{nil, s.files[p.file][:p.at]} {
					if !s.try(all) {
						continue
					}
					if content == nil {
						content = s.changed(p, s.at(p)^0x10)
					}
					found, err := s.examine(p.file, content)
					if err != nil || found != whole && found != detected {
						t.Fatalf("grows %v, death at operation %d, damage at byte %d: commit %d, was %d, %v",
							grows, operations, at, found, whole, err)
					}
					if found == detected {
						seen++
					}
				}
			}
		}
		t.Logf("grows %v: a complete journal %d times, damage found %d times", grows, complete, seen)
		if complete < 3 || seen == 0 {
			t.Errorf("grows %v: a complete journal %d times, damage found %d times: hardly anything was tested", grows, complete, seen)
		}
	}
}

// allChanges are the changes in a complete journal of newUnfinished.
func allChanges() [3]int {
	if compresses() {
		return [3]int{2, 0, 1} // a compressed chunk is not patched
	}
	return [3]int{1, 1, 1}
}

// atJournal returns an array whose writer was killed when the journal was complete and the log did
// not have the line yet.
func atJournal(t *testing.T, grows bool) *specimen {
	t.Helper()
	log, want := 0, allChanges()
	for operations, died := 1, true; died; operations++ {
		var s *specimen
		s, died = newUnfinished(t, grows, operations)
		if operations == 1 {
			log = len(s.locations(t, logExt))
		}
		if s.changes(t, 12) == want && len(s.locations(t, logExt)) == log {
			return s
		}
	}
	t.Fatal("no complete journal")
	return nil
}

// A byte of the journal changed, wherever the writer was killed. Whoever opens the array finds the
// commit, or the previous one, or gets an error; but never the previous one if the log has the
// commit.
func TestDamagedJournal(t *testing.T) { inAllForms(t, testDamagedJournal) }

func testDamagedJournal(t *testing.T) {
	enumtest.Single(t)
	for _, grows := range []bool{false, true} {
		log := len(atJournal(t, grows).locations(t, logExt))
		for operations, died := 1, true; died; operations++ {
			var s *specimen
			s, died = newUnfinished(t, grows, operations)
			allowed := []int{detected, s.last()}
			if len(s.locations(t, logExt)) == log {
				allowed = append(allowed, s.last()-1)
			}
			s.eachByteChanged(t, journalExt, allowed...)
			delete(s.files, s.journal())
			if found, err := s.examine("", nil); err != nil || !slices.Contains(allowed, found) {
				t.Errorf("grows %v, death at operation %d, without the journal: commit %d of %d, %v", grows, operations, found, s.last(), err)
			}
		}
	}
}

// A reader has found a commit in the journal. Then a byte of the journal, of a chunk or of the
// table changes, or one of the files is truncated or zeroed. The reader finds what the commit
// wrote, or gets an error.
func TestDamageUnderAReader(t *testing.T) { inAllForms(t, testDamageUnderAReader) }

func testDamageUnderAReader(t *testing.T) {
	for _, grows := range []bool{false, true} {
		s := atJournal(t, grows)
		counts, all := map[int]int{}, enumtest.Of(t)
		try := func(what string, p location, damage func(f vfs.File) error) {
			if !all.Try() {
				return
			}
			found, err := s.examineDamaged(p.file, damage)
			if err != nil || found != s.last() && found != detected {
				t.Fatalf("grows %v: %s %s at byte %d: commit %d of %d, %v", grows, p.file, what, p.at, found, s.last(), err)
			}
			counts[found]++
		}
		for _, ext := range []string{journalExt, dataExt, tableExt} {
			locations := s.outsideHoles(s.locations(t, ext))
			for _, p := range locations[:min(len(locations), 512)] {
				try("changed", p, func(f vfs.File) error { _, err := f.WriteAt([]byte{s.at(p) ^ 0x10}, int64(p.at)); return err })
				if ext != tableExt { // reading chunks of earlier commits needs the end of the table
					try("cut", p, func(f vfs.File) error { return f.Truncate(int64(p.at)) })
				}
			}
		}
		try("zeros", location{s.journal(), 0}, func(f vfs.File) error {
			_, err := f.WriteAt(make([]byte, len(s.files[s.journal()])), 0)
			return err
		})
		t.Logf("grows %v: by the commit found: %v", grows, counts)
		all.Want(400)
	}
}

// examineDamaged opens the files for reading, damages one of them, and returns the commit that the
// reader finds, or detected.
func (s *specimen) examineDamaged(file string, damage func(f vfs.File) error) (int, error) {
	fsys, err := s.with("", nil)
	if err != nil {
		return 0, err
	}
	a, err := Open(s.name, Options{fs: fsys, Cache: 1 << 16})
	if err != nil {
		return 0, err
	}
	f, err := fsys.Open(file, true)
	if err == nil {
		err = damage(f)
	}
	if err != nil {
		return 0, err
	}
	found, err := s.examineArray(a)
	return found, errors.Join(err, a.Close())
}
