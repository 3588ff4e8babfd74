package drx

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/nd"
)

// A name without extension finds either form. If both exist it is an error, and neither form can be
// created beside the other.
func TestNamesOfBothForms(t *testing.T) {
	fsys := vfs.NewMem()
	spec := Spec{DType: dtype.Uint8, Shape: []int{3}, Options: Options{fs: fsys}}
	for _, name := range bothForms {
		other := map[string]string{"a": "a.drx", "a.drx": "a"}[name]
		a, err := Create(name, spec)
		if err != nil || a.Name() != name {
			t.Fatalf("%v, %v", a, err)
		}
		if _, err := Create(other, spec); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s beside %s: %v", other, name, err)
		}
		if err := errors.Join(Fill(a, nil, uint8(7)), a.Close()); err != nil {
			t.Fatal(err)
		}
		a, err = Open("a", spec.Options)
		if err != nil || a.Name() != name {
			t.Fatalf("%v, %v, want %s", a, err, name)
		}
		if err := errors.Join(a.Close(), fileset.Remove(fsys, name)); err != nil {
			t.Fatal(err)
		}
		if files, _, _ := fsys.List("."); len(files) != 0 {
			t.Errorf("%v remain", files)
		}
	}
	for _, name := range []string{"b", "c.drx"} {
		if err := mustCreateAt(t, name, spec).Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := fsys.Rename("c.drx", "b.drx"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("b", spec.Options); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "b.xmd and b.drx") {
		t.Errorf("both forms: %v", err)
	}
	for name, want := range map[string]string{"b.xmd": "b", "b.drx": "b.drx"} {
		if a, err := Open(name, spec.Options); err != nil || a.Name() != want {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

// Every operation on an array also works in one file, on the file system of the machine: growth on
// all sides, attributes, a shrink, Compact, Rename, CopyFiles and Recover. No other file remains.
func TestLifeInOneFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.drx")
	a, err := Create(name, Spec{DType: dtype.Int32, Shape: []int{0, 40}, ChunkShape: []int{4, 16}, Align: 512})
	if err != nil {
		t.Fatal(err)
	}
	m := newModel([]int{0, 0}, []int{0, 40}, make([]byte, 4))
	l := &scriptedSession{a: a, m: m, rng: rand.New(rand.NewPCG(8, 8))}
	for i := range 60 {
		side := axial.Side(i % 2)
		err := errors.Join(l.extend(i%3/2, 3, side), l.write(nd.Box(m.lo, m.hi)), a.SetAttr(fmt.Sprint("a", i%7), strings.Repeat("x", 100*i)), l.sync())
		if i%20 == 19 {
			err = errors.Join(err, l.shrink(0, 5, side), a.Compact(t.Context(), nil))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	moved, copied, recovered := filepath.Join(dir, "b.drx"), filepath.Join(dir, "c.drx"), filepath.Join(dir, "d.drx")
	report, err := Recover(t.Context(), name, recovered, RecoverOptions{})
	if err = errors.Join(err, a.Close()); err != nil || !report.Complete() {
		t.Fatalf("%+v, %v", report, err)
	}
	if err := errors.Join(Rename(name, moved), CopyFiles(t.Context(), filepath.Join(dir, "b"), copied, nil)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{moved, copied, recovered} {
		b, err := Open(strings.TrimSuffix(file, ".drx"), Options{Write: true, Cache: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, len(m.data))
		if err := b.ReadBytes(nil, data, nil); err != nil || !bytes.Equal(data, m.data) {
			t.Errorf("%s has other elements: %v", file, err)
		}
		if r, err := b.Verify(t.Context(), nil); err != nil || !r.Good() {
			t.Errorf("%s: %+v, %v", file, r, err)
		}
		if at := b.Layout().Offset(1); at%512 != 0 {
			t.Errorf("%s: chunk 1 is at %d, want a multiple of 512", file, at)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if arrays, _, err := List(dir); err != nil || !slices.Equal(arrays, []string{"b.drx", "c.drx", "d.drx"}) {
		t.Errorf("%v, %v", arrays, err)
	}
	if files, _, _ := vfs.OS.List(dir); len(files) != 3 {
		t.Errorf("files %v", files)
	}
}

// The log of an array in one file outgrows its first extent a thousandfold, by alternating
// extensions and attributes, and no chunk moves.
func TestLogOutgrowsItsRoomWithoutMovingAChunk(t *testing.T) {
	fsys := vfs.NewMem()
	a := mustCreateAt(t, "a.drx", Spec{DType: dtype.Uint8, Shape: []int{0, 512}, ChunkShape: []int{1, 512}, Options: Options{fs: fsys}})
	long, offsets := strings.Repeat("0123456789", 8000), []int64{}
	for i := 0; a.log.Size() < 1000*24<<10; i++ {
		added, err := a.Extend(0, 1)
		if err := errors.Join(err, Fill(a, added, uint8(1+i%200)), a.SetAttr("long", long[:70_000+i]), a.Sync()); err != nil {
			t.Fatal(err)
		}
		offsets = append(offsets, a.Layout().Offset(axial.Number(i)))
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	raw := contentOf(t, fsys, "a.drx")
	for i, at := range offsets {
		if want := bytes.Repeat([]byte{byte(1 + i%200)}, 512); !bytes.Equal(raw[at:at+512], want) {
			t.Fatalf("chunk %d is not at byte %d any more", i, at)
		}
	}
	a, err := Open("a", Options{fs: fsys})
	if err != nil || a.Shape()[0] != len(offsets) {
		t.Fatalf("%v, %v", a, err)
	}
}

// wholeOf returns the section of the whole array of a session.
func wholeOf(l *scriptedSession) nd.Section { return nd.Box(l.m.lo, l.m.hi) }

// inOneFileForms runs a test for an array in one file and for one in a file with several.
func inOneFileForms(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	inForms(t, []string{bothForms[1], several}, test)
}

// oneFileOf returns the name and the contents of the file of a specimen.
func oneFileOf(s *specimen) (file string, raw []byte) {
	file, _, _ = strings.Cut(s.name, "/")
	return file, s.files[file]
}

// Every flipped bit of a file is reported, or has no effect. Tested are several bits of every byte
// that is not zero, and some of the zeros, most of which are reserved space; after the last commit,
// and beside the journal of an interrupted one.
func TestFlippedBitsOfOneFile(t *testing.T) {
	enumtest.Single(t)
	inOneFileForms(t, testFlippedBitsOfOneFile)
}

func testFlippedBitsOfOneFile(t *testing.T) {
	all, found := enumtest.Sampled(t, soak), 0
	for _, diesAt := range [][]string{nil, atJournalComplete(t)} {
		s := newSpecimen(t, diesAt...)
		file, raw := oneFileOf(s)
		whole, err := s.examine("", nil)
		if err != nil || whole == detected {
			t.Fatalf("undamaged: commit %d, %v", whole, err)
		}
		for i, b := range raw {
			flips := []byte{1 << (i % 8), 0x80, 0xff}
			if b == 0 {
				flips = flips[:1]
			}
			for _, flip := range flips {
				if b == 0 && i%37 != 0 || !s.try(all) {
					continue
				}
				got, err := s.examine(file, s.changed(location{file, i}, b^flip))
				if err != nil || got != whole && got != detected {
					t.Fatalf("%v, byte %d changed from %#x to %#x: commit %d of %d, %v", diesAt, i, b, b^flip, got, whole, err)
				}
				if got == detected {
					found++
				}
			}
		}
	}
	all.Want(2000)
	t.Logf("%d reported", found)
	if found < all.Share(1000) {
		t.Errorf("only %d flips were reported", found)
	}
}

// mustReport opens an array whose file has these bytes, for reading and for writing. It must be
// refused as damaged, with an error that contains the texts, which say where.
func mustReport(t *testing.T, s *specimen, raw []byte, texts ...string) {
	t.Helper()
	for _, write := range []bool{false, true} {
		file, _ := oneFileOf(s)
		fsys, err := s.with(file, raw)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(s.name, Options{fs: fsys, Write: write})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("open with write %v: %v, want ErrCorrupt, %q", write, err, texts)
			continue
		}
		for _, text := range append(texts, file) {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("open with write %v: %v, want %q", write, err, text)
			}
		}
	}
}

// A file that was truncated or appended to is reported as damaged, with the position.
func TestCutOneFile(t *testing.T) { inOneFileForms(t, testCutOneFile) }

func testCutOneFile(t *testing.T) {
	s, other := newSpecimen(t), newSpecimenOf(t, 4)
	_, raw := oneFileOf(s)
	_, more := oneFileOf(other)
	all := enumtest.Sampled(t, soak)
	for n := 1; n < len(raw); n += 1 + n/50 {
		if all.Try() {
			mustReport(t, s, raw[:n], fmt.Sprintf("cut short at byte %d", n))
		}
	}
	appended := func(with []byte, at int) {
		t.Helper()
		mustReport(t, s, slices.Concat(raw, with), fmt.Sprintf("appended at byte %d", at))
	}
	appended([]byte("more"), len(raw))
	appended(more, len(raw))
	zeros := make([]byte, 1<<20)
	appended(append(zeros, 1), len(raw)+len(zeros))
	file, _ := oneFileOf(s)
	if found, err := s.examine(file, slices.Concat(raw, zeros)); err != nil || found != s.last() {
		t.Errorf("zeros behind the end, as a crash may leave: commit %d, %v", found, err)
	}
}

// The beginning of one file joined with the end of another one with the same history is reported as
// damage, with a position.
func TestCutAndJoinedOneFile(t *testing.T) {
	enumtest.Single(t)
	inOneFileForms(t, testCutAndJoinedOneFile)
}

func testCutAndJoinedOneFile(t *testing.T) {
	id := state.NewID
	state.NewID = func() string { return "the same" } // a log beside the chunks of another array is harmless
	defer func() { state.NewID = id }()
	s, other := newSpecimen(t), newSpecimenOf(t, 4)
	file, raw := oneFileOf(s)
	_, front := oneFileOf(other)
	reported := 0
	for at := 512; at < min(len(raw), len(front)); at += 512 {
		joined := append(bytes.Clone(front[:at]), raw[at:]...)
		if bytes.Equal(joined, raw) || bytes.Equal(joined, front) {
			continue
		}
		found, err := s.examine(file, joined)
		if err != nil || found != detected {
			t.Errorf("joined at byte %d: commit %d, %v", at, found, err)
		}
		reported++
	}
	if reported == 0 {
		t.Error("the files are the same")
	}
}
