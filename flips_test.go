package drx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/states"
	"drx/internal/vfs"
	"drx/nd"
)

// The last operations of a writer that is killed in a commit.
const (
	journalComplete = "sync a.xjl"
	lineWritten     = "sync a.xmd"
)

// A specimen is the files of an array with a history, and the contents of the array at each commit.
type specimen struct {
	files   map[string][]byte // by extension
	commits []model
	notes   []string // an attribute at each commit
	lacks   int      // the number of last commits that were not made
}

// newSpecimen makes an array of many commits: new chunks, overwritten chunks, attributes, growth, a shrink. If
// diesAt is not empty, the writer is killed in the last commit by the operation of that name: at
// journalComplete the log does not have the commit yet, at lineWritten it does.
func newSpecimen(t *testing.T, diesAt string) *specimen {
	t.Helper()
	r := &recorder{FS: vfs.NewMem()}
	spec := Spec{DType: dtype.Uint16, Shape: []int{4, 6}, ChunkShape: []int{2, 3}, FillValue: 0x4142, Dims: []string{"y", "x"}, Options: Options{fs: r}}
	a, err := Create("a", spec)
	if err != nil {
		t.Fatal(err)
	}
	l := &scriptedSession{a: a, rng: rand.New(rand.NewPCG(3, 3)), m: newModel([]int{0, 0}, spec.Shape, a.FillValue())}
	l.begin()
	s := &specimen{notes: []string{""}}
	commit := func() error {
		s.notes = append(s.notes, string(a.Attrs()["note"]))
		return l.sync()
	}
	err = errors.Join(
		l.write(nd.Sec(nd.Span(0, 4), nd.Span(0, 3))), commit(),
		l.extend(0, 3, axial.High), l.write(nd.Sec(nd.Span(3, 7), nd.Span(1, 6))), commit(),
		a.SetAttr("note", strings.Repeat("a long note ", 60)), commit(),
		l.write(nd.Sec(nd.Span(1, 4), nd.Span(2, 5))), commit(),
		l.extend(1, 3, axial.Low), l.write(nd.Sec(nd.Span(0, 2), nd.Span(-3, 1))), commit(),
		l.shrink(0, 2, axial.High), a.SetAttr("note", "short"), commit(),
		l.write(nd.Sec(nd.Span(0, 3), nd.Span(-1, 2))), commit(),
		a.DeleteAttr("note"),
	)
	if diesAt != "" {
		err = errors.Join(err, l.extend(0, 5, axial.High), l.write(nd.Sec(nd.Span(0, 8), nd.At(1))), l.shrink(1, 1, axial.Low))
		r.diesAt = diesAt
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := commit(); (diesAt != "") != errors.Is(err, errDead) || (err != nil && diesAt == "") {
		t.Fatal(err)
	}
	if diesAt == "" {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.commits = l.commits
	s.take(t, r.FS)
	if found, err := s.examine("", nil); found != s.last() || err != nil {
		t.Fatalf("the files hold commit %d, %v, want %d", found, err, s.last())
	}
	return s
}

// take reads the files as they are now.
func (s *specimen) take(t *testing.T, fsys vfs.FS) {
	t.Helper()
	s.files = map[string][]byte{}
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt, journalExt} {
		if id, err := identityOf(fsys, "a"+ext); err != nil {
			t.Fatal(err)
		} else if id != nil {
			s.files[ext] = contentOf(t, fsys, "a"+ext)
		}
	}
}

// mustMakeFile makes a file with the given content.
func mustMakeFile(t *testing.T, fsys vfs.FS, name string, content []byte) {
	t.Helper()
	if err := makeFile(fsys, name, content); err != nil {
		t.Fatal(err)
	}
}

func makeFile(fsys vfs.FS, name string, content []byte) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	return errors.Join(err, f.Close())
}

func contentOf(t *testing.T, fsys vfs.FS, name string) []byte {
	t.Helper()
	f, err := fsys.Open(name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

func (s *specimen) last() int { return len(s.commits) - 1 }

// with returns a file system with the files, one of them replaced.
func (s *specimen) with(ext string, content []byte) (vfs.FS, error) {
	fsys := vfs.NewMem()
	for e, b := range s.files {
		if e == ext {
			b = content
		}
		if err := makeFile(fsys, "a"+e, b); err != nil {
			return nil, err
		}
	}
	return fsys, nil
}

// detected is the result of examine, instead of a commit, if damage was reported.
const detected = -1

// examine opens the files, one of them replaced, for reading and for writing. It returns the commit that the
// array is equal to, or detected. An error means damage that was not reported.
func (s *specimen) examine(ext string, content []byte) (found int, err error) {
	for _, write := range []bool{false, true} {
		fsys, err := s.with(ext, content)
		if err != nil {
			return 0, err
		}
		before := allocated()
		now, err := s.examineFiles(Options{fs: fsys, Write: write, Cache: 1 << 16})
		if err != nil {
			return 0, fmt.Errorf("open with write %v: %w", write, err)
		}
		if n := allocated() - before; n > 4<<20 { // the runtime counts some spans late
			return 0, fmt.Errorf("open with write %v: %d bytes allocated", write, n)
		}
		if write && now != found {
			return 0, fmt.Errorf("read as commit %d, opened for writing as commit %d", found, now)
		}
		found = now
	}
	return found, nil
}

// allocated returns the number of heap bytes allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (s *specimen) examineFiles(o Options) (int, error) {
	a, err := Open("a", o)
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) {
		return detected, nil
	}
	if err != nil {
		return 0, err
	}
	return s.examineArray(a)
}

// examineArray is examine for an open array.
func (s *specimen) examineArray(a *Array) (int, error) {
	report, err := a.Verify(context.Background(), nil)
	if err != nil {
		return 0, fmt.Errorf("verify: %w", err)
	}
	if !report.Good() {
		return detected, s.checkGood(a)
	}
	n, err := a.Bounds().Len()
	if err != nil {
		return 0, err
	}
	data := make([]byte, n*2)
	if err := a.ReadBytes(nil, data, nil); err != nil {
		return 0, err
	}
	for i, m := range slices.Backward(s.commits) {
		if slices.Equal(a.Bounds(), nd.Box(m.lo, m.hi)) && bytes.Equal(data, m.data) && string(a.Attrs()["note"]) == s.notes[i] {
			return i, nil
		}
	}
	return 0, fmt.Errorf("bounds %v, note %s, elements %x: no commit", a.Bounds(), a.Attrs()["note"], data)
}

// checkGood reads every element of a damaged array: each read must return an error or what was written.
func (s *specimen) checkGood(a *Array) (err error) {
	m := &s.commits[s.last()-s.lacks]
	if !slices.Equal(a.Bounds(), nd.Box(m.lo, m.hi)) {
		return nil // lines of the log are missing, and Verify said so
	}
	each(a.Bounds(), nil, func(index []int) {
		sec, got := nd.Box(index, plusOne(index)), make([]byte, 2)
		if e := a.ReadBytes(sec, got, nil); e == nil && !bytes.Equal(got, m.read(sec, nil)) {
			err = fmt.Errorf("element %v of a damaged array is %x", index, got)
		} else if e != nil && !errors.Is(e, ErrCorrupt) {
			err = e
		}
	})
	return err
}

// eachByteChanged examines the files with every byte of one of them changed to a few other values.
func (s *specimen) eachByteChanged(t *testing.T, ext string, allowed ...int) {
	t.Helper()
	content, all := s.files[ext], states.Of(t)
	counts := map[int]int{}
	for at, b := range content {
		for _, to := range []byte{b ^ 1, b ^ 0x80, ^b, 0, '\n', '9'} {
			if to == b || !all.Try() {
				continue
			}
			changed := slices.Clone(content)
			changed[at] = to
			found, err := s.examine(ext, changed)
			if err != nil || !slices.Contains(allowed, found) {
				t.Fatalf("%s, byte %d changed from %#x to %#x: commit %d of %d, %v", ext, at, b, to, found, s.last(), err)
			}
			counts[found]++
		}
	}
	t.Logf("%s: %d bytes; by the commit found: %v", ext, len(content), counts)
}

// A change of any single byte of the log, the table or the journal is reported or harmless, and no change of
// the log removes a commit. (The commit in the journal had not returned when the writer died: it may count as a
// whole or not at all.)
func TestChangedBytes(t *testing.T) {
	s := newSpecimen(t, "")
	s.eachByteChanged(t, logExt, detected, s.last())
	s.eachByteChanged(t, tableExt, detected, s.last())
	s.eachByteChanged(t, presenceExt, detected, s.last())
	s = newSpecimen(t, journalComplete)
	s.eachByteChanged(t, journalExt, detected, s.last(), s.last()-1)
	s = newSpecimen(t, lineWritten)
	s.eachByteChanged(t, journalExt, detected, s.last())
}

// Zeros in place of table entries are reported or harmless: a single entry, a sector, the whole table.
func TestLostEntries(t *testing.T) {
	s := newSpecimen(t, "")
	for _, n := range []int{entryBytes, 512, pageBytes} {
		for at := 0; at < len(s.files[tableExt]); at += n {
			table := slices.Clone(s.files[tableExt])
			lost := table[at:min(at+n, len(table))]
			written := slices.ContainsFunc(lost, func(b byte) bool { return b != 0 })
			clear(lost)
			want := s.last()
			if written {
				want = detected
			}
			if found, err := s.examine(tableExt, table); err != nil || found != want {
				t.Errorf("%d zeros from byte %d on: commit %d, %v, want %d", n, at, found, err, want)
			}
		}
	}
}

// pageBytes is the size of a page of the chunk table.
const pageBytes = 4096

// If the journal is lost before its commit, whose line is in the log, was put in place, that is reported.
func TestLostJournal(t *testing.T) {
	s := newSpecimen(t, lineWritten)
	delete(s.files, journalExt)
	if found, err := s.examine("", nil); err != nil || found != detected {
		t.Errorf("commit %d of %d, %v", found, s.last(), err)
	}
}

// Every file truncated to every length is reported or harmless.
func TestCutFiles(t *testing.T) {
	s := newSpecimen(t, "")
	all := states.Of(t)
	for _, ext := range slices.Sorted(maps.Keys(s.files)) {
		content := s.files[ext]
		for size := range content {
			if !all.Try() {
				continue
			}
			found, err := s.examine(ext, content[:size])
			if err != nil || found != detected && found != s.last() {
				t.Fatalf("%s cut from %d to %d bytes: commit %d of %d, %v", ext, len(content), size, found, s.last(), err)
			}
		}
	}
	for _, diesAt := range []string{journalComplete, lineWritten} {
		s = newSpecimen(t, diesAt)
		want := s.last() - 1
		if diesAt == lineWritten {
			want = detected
		}
		for size := range s.files[journalExt] {
			if !all.Try() {
				continue
			}
			if found, err := s.examine(journalExt, s.files[journalExt][:size]); err != nil || found != want {
				t.Fatalf("%s, journal cut to %d bytes: commit %d of %d, %v", diesAt, size, found, s.last(), err)
			}
		}
	}
}

// Flipped bits in data and table are reported or harmless.
func TestFlippedBits(t *testing.T) {
	const seed, flips = 77, 10_000
	s := newSpecimen(t, "")
	rng := rand.New(rand.NewPCG(seed, 0))
	seen, all := 0, states.Of(t)
	for i := range flips {
		ext := []string{dataExt, tableExt}[i%2]
		changed := slices.Clone(s.files[ext])
		for range 1 + rng.IntN(3) {
			changed[rng.IntN(min(len(changed), 512))] ^= 1 << rng.IntN(8) // the part with chunks and entries
		}
		if !all.Try() {
			continue
		}
		found, err := s.examine(ext, changed)
		if err != nil || (found != detected && found != s.last()) {
			t.Fatalf("seed %d, flip %d in %s: commit %d of %d, %v", seed, i, ext, found, s.last(), err)
		}
		if found == detected {
			seen++
		}
	}
	all.Want(flips)
	t.Logf("%d detected", seen)
	if seen < all.Share(flips)/4 {
		t.Errorf("only %d flips detected", seen)
	}
}
