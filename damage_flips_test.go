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
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/nd"
)

// A specimen has the files of an array with a history, and the contents of the array at each
// commit. If the file has several arrays, the other one is b, which is full of sevens.
type specimen struct {
	name    string            // of the array
	files   map[string][]byte // by name
	commits []model
	notes   []string // an attribute at each commit
	lacks   int      // the number of last commits that were not made
	count   int      // number of states, see try
}

// try reports whether a test tries the next of its states. States of a file with several arrays
// take several times as long as others, and differ from those of a file with one array only in the
// offsets of the bytes: one in seven is enough.
func (s *specimen) try(all *enumtest.Counter) bool {
	s.count++
	return (s.count%7 == 1 || !strings.HasPrefix(s.name, several)) && all.Try()
}

// newSpecimen creates an array with many commits: new chunks, overwritten chunks, attributes,
// growth, a shrink. If diesAt is not empty, the writer is killed in the last commit after these
// operations, which are those of atJournalComplete or atLineWritten.
func newSpecimen(t *testing.T, diesAt ...string) *specimen {
	t.Helper()
	return newSpecimenOf(t, 3, diesAt...)
}

// newSpecimenOf is newSpecimen, with elements that depend on seed.
func newSpecimenOf(t *testing.T, seed uint64, diesAt ...string) *specimen {
	t.Helper()
	r := &recorder{FS: vfs.NewMem()}
	makeBeside(t, r)
	spec := Spec{DType: dtype.Uint16, Shape: []int{4, 6}, ChunkShape: []int{2, 3}, FillValue: 0x4142, Dims: []string{"y", "x"}, Options: Options{fs: r}}
	a := mustCreate(t, spec)
	l := &scriptedSession{a: a, rng: rand.New(rand.NewPCG(seed, 3)), m: newModel([]int{0, 0}, spec.Shape, a.FillValue())}
	l.begin()
	s := &specimen{name: named(t, "a"), notes: []string{""}}
	commit := func() error {
		s.notes = append(s.notes, string(a.Attrs()["note"]))
		return l.sync()
	}
	err := errors.Join(
		l.write(nd.Sec(nd.Span(0, 4), nd.Span(0, 3))), commit(),
		l.extend(0, 3, axial.High), l.write(nd.Sec(nd.Span(3, 7), nd.Span(1, 6))), commit(),
		a.SetAttr("note", strings.Repeat("a long note ", 60)), commit(),
		l.write(nd.Sec(nd.Span(1, 4), nd.Span(2, 5))), commit(),
		l.extend(1, 3, axial.Low), l.write(nd.Sec(nd.Span(0, 2), nd.Span(-3, 1))), commit(),
		l.shrink(0, 2, axial.High), a.SetAttr("note", "short"), commit(),
		l.write(nd.Sec(nd.Span(0, 3), nd.Span(-1, 2))), commit(),
		a.DeleteAttr("note"),
	)
	if len(diesAt) > 0 {
		err = errors.Join(err, l.extend(0, 5, axial.High), l.write(nd.Sec(nd.Span(0, 8), nd.At(1))), l.shrink(1, 1, axial.Low))
		r.diesAt = diesAt
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := commit(); (len(diesAt) > 0) != errors.Is(err, errDead) || (err != nil && len(diesAt) == 0) {
		t.Fatal(err)
	}
	if len(diesAt) == 0 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.commits = l.commits
	s.readFiles(t, r.FS)
	if found, err := s.examine("", nil); found != s.last() || err != nil {
		t.Fatalf("the files hold commit %d, %v, want %d", found, err, s.last())
	}
	return s
}

// readFiles reads the present files.
func (s *specimen) readFiles(t *testing.T, fsys vfs.FS) {
	t.Helper()
	s.files = map[string][]byte{}
	files, _, err := fsys.List(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		s.files[file] = contentOf(t, fsys, file)
	}
}

// makeBeside makes array b of a file with several arrays.
func makeBeside(t *testing.T, fsys vfs.FS) {
	t.Helper()
	if !inSeveral(t) {
		return
	}
	b := mustCreateAt(t, named(t, "b"), Spec{DType: dtype.Uint8, Shape: []int{5, 5}, ChunkShape: []int{2, 5}, Options: Options{fs: fsys}})
	if err := errors.Join(Fill(b, nil, uint8(7)), b.Close()); err != nil {
		t.Fatal(err)
	}
}

// A location is the position of a byte: a file and an offset.
type location struct {
	file string
	at   int
}

// journal returns the name of the journal.
func (s *specimen) journal() string { return journalNamed(s.name) }

// hasJournal reports whether there is a journal.
func (s *specimen) hasJournal() bool { return s.files[s.journal()] != nil }

// locations returns the positions of the bytes of a part of the array: the log, the principal
// array, the table, the presence map (in one file without the part that was never written), or the
// journal.
func (s *specimen) locations(t *testing.T, ext string) (all []location) {
	t.Helper()
	file := s.name + ext
	if ext == journalExt {
		file = s.journal()
	}
	if content, ok := s.files[file]; ok || ext == journalExt {
		for at := range content {
			all = append(all, location{file, at})
		}
		return all
	}
	fsys, err := s.with("", nil)
	if err != nil {
		t.Fatal(err)
	}
	content := memberBytes(t, fsys, ext)
	f := member(t, fsys, ext)
	for i := range bytes.TrimRight(content, "\x00") {
		_, at := vfs.Locate(f, int64(i))
		all = append(all, location{fileset.OnDisk(fsys, s.name), int(at)})
	}
	return all
}

// outsideHoles returns the locations outside of long runs of zeros, such as the gap between a block
// of the journal and its copy. Of the locations in runs it keeps one in 4096.
func (s *specimen) outsideHoles(all []location) (some []location) {
	const near = 64
	for _, p := range all {
		b := s.files[p.file]
		around := b[max(0, p.at-near):min(len(b), p.at+near)]
		if p.at%4096 == 0 || len(bytes.Trim(around, "\x00")) > 0 {
			some = append(some, p)
		}
	}
	return some
}

// changed returns the contents of the file of a location, with another byte there.
func (s *specimen) changed(p location, to byte) []byte {
	content := slices.Clone(s.files[p.file])
	content[p.at] = to
	return content
}

// at returns the byte at a location.
func (s *specimen) at(p location) byte { return s.files[p.file][p.at] }

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
func (s *specimen) with(file string, content []byte) (vfs.FS, error) {
	fsys := vfs.NewMem()
	for name, b := range s.files {
		if name == file {
			b = content
		}
		if err := makeFile(fsys, name, b); err != nil {
			return nil, err
		}
	}
	return fsys, nil
}

// detected is the result of examine, instead of a commit, if damage was reported.
const detected = -1

// examine opens the files, one of them replaced, for reading and for writing. It returns the commit
// whose contents the array has, or detected. An error means damage that was not reported.
func (s *specimen) examine(file string, content []byte) (found int, err error) {
	for _, write := range []bool{false, true} {
		fsys, err := s.with(file, content)
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
		if err := s.examineBeside(fsys); err != nil {
			return 0, fmt.Errorf("open with write %v: %w", write, err)
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
	a, err := Open(s.name, o)
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) {
		return detected, s.checkLocation(err)
	}
	if err != nil {
		return 0, err
	}
	return s.examineArray(a)
}

// checkLocation returns an error unless a report of damage names the array and a file of it. The
// name of an array in one file is that of the file.
func (s *specimen) checkLocation(report error) error {
	text := report.Error()
	if !fileset.OneFile(s.name) {
		_, text, _ = strings.Cut(text, ": ")
	}
	for _, file := range append(slices.Collect(maps.Keys(s.files)), s.journal()) {
		if strings.Contains(text, file) {
			return nil
		}
	}
	return fmt.Errorf("no file is named: %w", report)
}

// checkReport returns an error unless everything that Verify reports is damage with a position;
// that of a chunk is its number.
func (s *specimen) checkReport(report VerifyReport) error {
	for _, d := range report.Damaged {
		if !errors.Is(d.Err, ErrCorrupt) || d.Number < 0 {
			return fmt.Errorf("chunk %d: %w", d.Number, d.Err)
		}
	}
	if report.LogDamage == nil {
		return nil
	}
	if !errors.Is(report.LogDamage, ErrCorrupt) {
		return fmt.Errorf("not ErrCorrupt: %w", report.LogDamage)
	}
	return s.checkLocation(fmt.Errorf("%s: %w", s.name, report.LogDamage))
}

// examineBeside returns an error if the other array of a file with several has changed, and no
// damage of it is reported.
func (s *specimen) examineBeside(fsys vfs.FS) error {
	if !strings.HasPrefix(s.name, several) {
		return nil
	}
	b, err := Open(several+"/b", Options{fs: fsys})
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) {
		return s.checkLocation(err)
	}
	if err != nil {
		return fmt.Errorf("the other array: %w", err)
	}
	defer b.Close()
	report, err := b.Verify(context.Background(), nil)
	if err != nil || !report.Good() {
		return err
	}
	if got, err := Read[uint8](b, nil); err != nil || !bytes.Equal(got, bytes.Repeat([]byte{7}, 25)) {
		return fmt.Errorf("the other array is %v, %w", got, err)
	}
	return nil
}

// examineArray is examine for an open array.
func (s *specimen) examineArray(a *Array) (int, error) {
	report, err := a.Verify(context.Background(), nil)
	if err != nil {
		return 0, fmt.Errorf("verify: %w", err)
	}
	if !report.Good() {
		return detected, errors.Join(s.checkReport(report), s.checkGood(a))
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

// checkGood reads every element of a damaged array: each read must return an error or what was
// written.
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

// eachByteChanged changes every byte of a part of the array to a few other values, one at a time,
// and examines the files.
func (s *specimen) eachByteChanged(t *testing.T, ext string, allowed ...int) {
	t.Helper()
	locations, all := s.outsideHoles(s.locations(t, ext)), enumtest.Sampled(t, soak)
	counts := map[int]int{}
	for i, p := range locations {
		b := s.at(p)
		for _, to := range []byte{b ^ 1, b ^ 0x80, ^b, 0, '\n', '9'} {
			if to == b || !s.try(all) {
				continue
			}
			found, err := s.examine(p.file, s.changed(p, to))
			if err != nil || !slices.Contains(allowed, found) {
				t.Fatalf("%s, byte %d, in %s byte %d, changed from %#x to %#x: commit %d of %d, %v", ext, i, p.file, p.at, b, to, found, s.last(), err)
			}
			counts[found]++
		}
	}
	t.Logf("%s: %d bytes; by the commit found: %v", ext, len(locations), counts)
}

// A change of any single byte of the log, the table or the journal is reported or harmless, and no
// change of the log removes a commit. (The commit in the journal had not returned when the writer
// was killed: it may count as a whole or not at all.)
func TestChangedBytes(t *testing.T) {
	enumtest.Single(t)
	inAllForms(t, testChangedBytes)
}

func testChangedBytes(t *testing.T) {
	s := newSpecimen(t)
	s.eachByteChanged(t, logExt, detected, s.last())
	s.eachByteChanged(t, tableExt, detected, s.last())
	s.eachByteChanged(t, presenceExt, detected, s.last())
	s = newSpecimen(t, atJournalComplete(t)...)
	s.eachByteChanged(t, journalExt, detected, s.last(), s.last()-1)
	s = newSpecimen(t, atLineWritten(t)...)
	s.eachByteChanged(t, journalExt, detected, s.last())
}

// Zeros in place of table entries are reported or harmless: a single entry, a sector, the whole
// table.
func TestLostEntries(t *testing.T) { inAllForms(t, testLostEntries) }

func testLostEntries(t *testing.T) {
	s := newSpecimen(t)
	table := s.locations(t, tableExt)
	for _, n := range []int{entryBytes, 512, pageBytes} {
		for at := 0; at < len(table); at += n {
			lost := table[at:min(at+n, len(table))]
			content, want := slices.Clone(s.files[lost[0].file]), s.last()
			for _, p := range lost {
				if content[p.at] != 0 {
					content[p.at], want = 0, detected
				}
			}
			if found, err := s.examine(lost[0].file, content); err != nil || found != want {
				t.Errorf("%d zeros from byte %d on: commit %d, %v, want %d", n, at, found, err, want)
			}
		}
	}
}

// pageBytes is the size of a page of the chunk table.
const pageBytes = 4096

// If a commit has its line in the log but was not written to the slots yet, the loss of its journal
// is reported.
func TestLostJournal(t *testing.T) { inAllForms(t, testLostJournal) }

func testLostJournal(t *testing.T) {
	s := newSpecimen(t, atLineWritten(t)...)
	if !s.hasJournal() {
		t.Fatal("no journal")
	}
	delete(s.files, s.journal())
	if found, err := s.examine("", nil); err != nil || found != detected {
		t.Errorf("commit %d of %d, %v", found, s.last(), err)
	}
}

// Every file truncated to every length is reported or harmless. For a file in which most space is
// reserved: every length up to the last written byte, and some others, except for the empty file
// that an interrupted creation leaves.
func TestCutFiles(t *testing.T) {
	enumtest.Single(t)
	inAllForms(t, testCutFiles)
}

func testCutFiles(t *testing.T) {
	s := newSpecimen(t)
	all := enumtest.Sampled(t, soak)
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		content := s.files[file]
		for size := range content {
			if fileset.OneFile(s.name) && (size == 0 || content[size] == 0 && size%61 != 0) || !s.try(all) {
				continue
			}
			found, err := s.examine(file, content[:size])
			if err != nil || found != detected && (found != s.last() || fileset.OneFile(s.name)) {
				t.Fatalf("%s cut from %d to %d bytes: commit %d of %d, %v", file, len(content), size, found, s.last(), err)
			}
		}
	}
	for want, diesAt := range map[int][]string{s.last() - 1: atJournalComplete(t), detected: atLineWritten(t)} {
		s = newSpecimen(t, diesAt...)
		journal := s.files[s.journal()]
		for size := range journal { // most of it is the gap between the two copies
			if journal[size] == 0 && size%61 != 0 || !s.try(all) {
				continue
			}
			if found, err := s.examine(s.journal(), journal[:size]); err != nil || found != want {
				t.Fatalf("%s, journal cut to %d bytes: commit %d of %d, %v", diesAt, size, found, s.last(), err)
			}
		}
	}
}

// Flipped bits in data and table are reported or harmless.
func TestFlippedBits(t *testing.T) {
	enumtest.Single(t)
	inAllForms(t, testFlippedBits)
}

func testFlippedBits(t *testing.T) {
	const seed, flips = 77, 10_000
	s := newSpecimen(t)
	parts := [][]location{s.locations(t, dataExt), s.locations(t, tableExt)}
	rng := rand.New(rand.NewPCG(seed, 0))
	seen, all := 0, enumtest.Sampled(t, soak)
	for i := range flips {
		part := parts[i%2]
		flipped := map[location]byte{}
		for range 1 + rng.IntN(3) {
			flipped[part[rng.IntN(min(len(part), 512))]] ^= 1 << rng.IntN(8) // has chunks, entries
		}
		if !s.try(all) {
			continue
		}
		content := slices.Clone(s.files[part[0].file])
		for p, bits := range flipped {
			content[p.at] ^= bits
		}
		found, err := s.examine(part[0].file, content)
		if err != nil || (found != detected && found != s.last()) {
			t.Fatalf("seed %d, flip %d in %s: commit %d of %d, %v", seed, i, part[0].file, found, s.last(), err)
		}
		if found == detected {
			seen++
		}
	}
	least := flips
	if inSeveral(t) {
		least /= 7
	}
	all.Want(least)
	t.Logf("%d detected", seen)
	if seen < all.Share(least)/4 {
		t.Errorf("only %d flips detected", seen)
	}
}
