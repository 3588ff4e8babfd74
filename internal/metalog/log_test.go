package metalog

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"drx/internal/state"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"drx/internal/state/statetest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// short is a small history: three commits, the middle one of two records.
var short = [][]state.Record{{header([]int{2}, 1)}, {high(0, 3), addDim("t")}, {setAttr("u", `"K"`)}}

// prefixes returns the states after each commit.
func prefixes(t testing.TB, commits [][]state.Record) []*state.State {
	t.Helper()
	var all []*state.State
	for n := range commits {
		all = append(all, apply(t, commits[:n+1]...))
	}
	return all
}

func TestReplayIsTheLiveState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := newFile(t, nil)
		log := NewLog(file)
		first := header([]int{rapid.IntRange(1, 4).Draw(rt, "chunk"), 2}, rapid.IntRange(0, 9).Draw(rt, "extent"), 5)
		s := apply(t, []state.Record{first})
		pending := []state.Record{first}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			r := step(rt, s)
			if next, err := s.Apply(r); err == nil {
				s, pending = next, append(pending, r)
			}
			if rapid.Bool().Draw(rt, "commit") {
				if err := log.Append(pending, true); err != nil {
					rt.Fatal(err)
				}
				pending = nil
				replayed, l, err := ReadLog(file)
				if err != nil {
					rt.Fatal(err)
				}
				if diff := cmp.Diff(s, replayed, statetest.Equal); diff != "" {
					rt.Fatalf("state (-live +replayed):\n%s", diff)
				}
				if l.Commits() != log.Commits() || l.Size() != log.Size() {
					rt.Fatalf("%d commits in %d bytes, want %d in %d", l.Commits(), l.Size(), log.Commits(), log.Size())
				}
				if rapid.Bool().Draw(rt, "reopen") {
					log, s = l, replayed
				}
			}
		}
	})
}

// step draws a change of an array, most of them good ones.
func step(t *rapid.T, s *state.State) state.Record {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return addDim(rapid.SampledFrom([]string{"", "a", "b", "\n", "\xff"}).Draw(t, "name"))
	case 1:
		return setAttr(rapid.SampledFrom([]string{"a", "b", "\xfe", "\xff"}).Draw(t, "name"), rapid.SampledFrom([]string{"1", `"x"`, "null", "[]"}).Draw(t, "value"))
	case 2:
		return delAttr(rapid.SampledFrom([]string{"a", "b", "\xff"}).Draw(t, "name"))
	}
	return state.Record{Extend: &state.Extend{
		Dim: rapid.IntRange(0, len(s.Lo)-1).Draw(t, "dim"), By: rapid.IntRange(0, 5).Draw(t, "by"), Low: rapid.Bool().Draw(t, "low"),
	}}
}

// A log that is cut anywhere is read as of an earlier commit; if the first line is cut, it has no
// commit.
func TestEveryTruncation(t *testing.T) {
	file, _ := write(t, short...)
	text := bytesOf(t, file)
	want := prefixes(t, short)
	for size := range text {
		s, log, err := ReadLog(newFile(t, text[:size]))
		// A commit is complete even if its newline is missing.
		commits := bytes.Count(text[:size+1], []byte("\n"))
		if commits == 0 {
			wantError(t, err, state.ErrCorrupt, size)
			continue
		}
		if err != nil {
			t.Fatalf("cut to %d bytes: %v", size, err)
		}
		wantState(t, s, want[commits-1], size)
		if log.Commits() != commits {
			t.Errorf("cut to %d bytes: %d commits, want %d", size, log.Commits(), commits)
		}
		wantContinues(t, log, s, size%2 == 0)
	}
}

// wantContinues appends a commit to a log that was read, tidied before if asked, and reads
// it again.
func wantContinues(t testing.TB, log *Log, s *state.State, tidy bool) {
	t.Helper()
	if tidy {
		if err := log.Tidy(true); err != nil {
			t.Fatal(err)
		}
		text := bytesOf(t, log.file)
		if int64(len(text)) != log.Size() || text[len(text)-1] != '\n' {
			t.Fatalf("tidied to %q, want %d bytes", text, log.Size())
		}
	}
	if err := log.Append([]state.Record{high(0, 7)}, true); err != nil {
		t.Fatal(err)
	}
	again, l, err := ReadLog(log.file)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, again, applyTo(t, s, high(0, 7)))
	if l.Commits() != log.Commits() {
		t.Fatalf("%d commits, want %d", l.Commits(), log.Commits())
	}
}

// A changed byte is an error, except for the last newline, which has no information.
func TestEveryChangeOfAByte(t *testing.T) {
	file, _ := write(t, short...)
	text := bytesOf(t, file)
	want := apply(t, short...)
	for at, was := range text {
		for change := 1; change < 256; change++ {
			if _, err := file.WriteAt([]byte{was ^ byte(change)}, int64(at)); err != nil {
				t.Fatal(err)
			}
			s, _, err := ReadLog(file)
			if at == len(text)-1 {
				if err != nil {
					t.Fatal(err)
				}
				wantState(t, s, want, at, change)
			} else if !errors.Is(err, state.ErrCorrupt) {
				t.Fatalf("byte %d, %q changed to %q: error %v", at, was, was^byte(change), err)
			}
		}
		if _, err := file.WriteAt([]byte{was}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
}

// The last commit is longer than some sectors: any of those that are new may be lost in a
// crash, and the file may end at any of them.
func TestTornSectors(t *testing.T) {
	commits := [][]state.Record{{header([]int{2}, 1)}, {setAttr("pad", `"`+strings.Repeat("x", 350)+`"`)}, {setAttr("long", `"`+strings.Repeat("y", 3*sector)+`"`)}}
	file, _ := write(t, commits...)
	text := bytesOf(t, file)
	before, _ := write(t, commits[:2]...)
	from, _ := before.Size()
	want := prefixes(t, commits)
	first, last := int(from)/sector, (len(text)-1)/sector
	if last-first < 3 || int(from)%sector == 0 || len(text)%sector == 0 {
		t.Fatalf("the last commit [%d, %d) is not the case to test", from, len(text))
	}
	for lost := range 1 << (last - first + 1) {
		torn := bytes.Clone(text)
		for i := range last - first + 1 {
			if lost>>i&1 != 0 {
				clear(torn[max(int(from), (first+i)*sector):min(len(torn), (first+i+1)*sector)])
			}
		}
		for end := first + 1; end <= last+1; end++ {
			cut := torn[:min(len(torn), end*sector)]
			s, log, err := ReadLog(newFile(t, cut))
			if err != nil {
				t.Fatalf("lost %b, cut to %d: %v", lost, len(cut), err)
			}
			commits := 2
			if lost == 0 && len(cut) == len(text) {
				commits = 3
			}
			wantState(t, s, want[commits-1], lost, len(cut))
			wantContinues(t, log, s, end%2 == 0)
		}
	}
}

// Zeros that are not a lost sector are damage, and so is a torn line before the last one.
func TestDamageIsNotTakenForATornTail(t *testing.T) {
	file, _ := write(t, []state.Record{header([]int{2}, 1)}, []state.Record{setAttr("long", `"`+strings.Repeat("y", 3*sector)+`"`)})
	text := bytesOf(t, file)
	for from := sector; from < 2*sector; from += 100 {
		for _, n := range []int{1, 100, sector - 1} {
			damaged := bytes.Clone(text)
			clear(damaged[from : from+n])
			_, _, err := ReadLog(newFile(t, damaged))
			wantError(t, err, state.ErrCorrupt, from, n)
		}
	}
	lost := bytes.Clone(text)
	clear(lost[sector : 2*sector])
	_, _, err := ReadLog(newFile(t, append(lost, line(nil, `{"adddim":""}`)...)))
	wantError(t, err, state.ErrCorrupt, "lost sector before another line")
}

func TestALogOfTheFuture(t *testing.T) {
	first := line(nil, `{"drx":1,"dtype":"int8","chunk":[1],"order":"row","lo":[0],"hi":[1],"fill":0}`)
	for _, text := range []string{`{"shrink":0,"hi":0}`, `{"extend":0,"by":1,"pad":2}`, `{"format":3}`, `[{"extend":0,"by":1},{"rename":0}]`} {
		_, _, err := ReadLog(newFile(t, append(bytes.Clone(first), line(first[:8], text)...)))
		wantError(t, err, state.ErrVersion, text)
		if !strings.Contains(fmt.Sprint(err), "a.xmd: line 2: ") {
			t.Errorf("%q does not name file and line", err)
		}
	}
	for _, text := range []string{`{"drx":3}`, `{"drx":3,"dtype":{"fields":[]}}`, `[{"drx":9,"lo":"here"},{"extend":0,"by":1}]`} {
		_, _, err := ReadLog(newFile(t, line(nil, text)))
		wantError(t, err, state.ErrVersion, text)
	}
}

func TestForeignFiles(t *testing.T) {
	for what, text := range map[string][]byte{
		"empty":         nil,
		"newline":       []byte("\n"),
		"picture":       []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
		"text":          []byte("a line\nand another\n"),
		"json":          []byte(`{"drx":1}` + "\n"),
		"zeros":         make([]byte, 9000),
		"wrong digits":  []byte("00000000 " + `{"drx":1}` + "\n"),
		"extend only":   line(nil, `{"extend":0,"by":1}`),
		"no records":    line(nil, `[]`),
		"header twice":  line(nil, `[{"drx":1,"dtype":"int8","chunk":[1],"order":"row","lo":[0],"hi":[1],"fill":0},{"drx":1}]`),
		"only a prefix": []byte(`01234567 [{"drx":`),
	} {
		_, _, err := ReadLog(newFile(t, text))
		wantError(t, err, state.ErrCorrupt, what)
		if !strings.Contains(fmt.Sprint(err), "a.xmd") {
			t.Errorf("%s: %q does not name the file", what, err)
		}
	}
}

// A large file that is not a log is recognised without reading all of it.
func TestABigForeignFileIsNotRead(t *testing.T) {
	file := newFile(t, []byte("0123456789 no newline"))
	if err := file.Truncate(1 << 40); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := ReadLog(file)
	runtime.ReadMemStats(&after)
	wantError(t, err, state.ErrCorrupt)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestAppendOfNothing(t *testing.T) {
	file, log := write(t, short...)
	before := bytesOf(t, file)
	if err := log.Append(nil, true); err != nil {
		t.Fatal(err)
	}
	if after := bytesOf(t, file); !bytes.Equal(before, after) || log.Commits() != 3 {
		t.Errorf("%d commits, file %q, was %q", log.Commits(), after, before)
	}
}

// Each operation of an Append fails in turn, until one Append succeeds.
func TestAppendThatFails(t *testing.T) {
	want := prefixes(t, short)
	for k := 0; ; k++ {
		count := 0
		fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(vfstest.Op, string) error {
			if count++; count == k+4 { // creation and the first commit's two are good
				return errFault
			}
			return nil
		}}
		file, err := fsys.Create("a.xmd")
		if err != nil {
			t.Fatal(err)
		}
		log := NewLog(file)
		if err := log.Append(short[0], true); err != nil {
			t.Fatal(err)
		}
		err = log.Append(short[1], true)
		if err == nil {
			if k != 2 {
				t.Errorf("%d operations in an Append, want a write and a sync", k)
			}
			return
		}
		wantError(t, err, errFault, k)
		if log.Commits() != 1 {
			t.Errorf("%d commits", log.Commits())
		}
		s, _, err := ReadLog(file)
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, s, want[0], k)
		for n, records := range short[1:] {
			if err := log.Append(records, true); err != nil {
				t.Fatalf("retry: %v", err)
			}
			if s, _, err = ReadLog(file); err != nil {
				t.Fatal(err)
			}
			wantState(t, s, want[n+1], k)
		}
	}
}

// If the failed line cannot be removed either, the next Append removes it, or the next program that
// opens the log.
func TestAppendThatFailsTwice(t *testing.T) {
	for _, reopen := range []bool{false, true} {
		broken := false
		fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, _ string) error {
			if broken && (op == vfstest.OpWrite || op == vfstest.OpTruncate) {
				return errFault
			}
			return nil
		}}
		file, err := fsys.Create("a.xmd")
		if err != nil {
			t.Fatal(err)
		}
		log := NewLog(file)
		if err := log.Append(short[0], true); err != nil {
			t.Fatal(err)
		}
		broken = true
		for range 3 {
			wantError(t, log.Append(short[1], true), errFault)
		}
		broken = false
		s, reopened, err := ReadLog(file)
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, s, apply(t, short[0]))
		if reopen {
			log = reopened
		}
		wantContinues(t, log, s, false)
	}
}

func TestReadLogThatFails(t *testing.T) {
	for _, op := range []vfstest.Op{vfstest.OpSize, vfstest.OpRead} {
		inner := vfs.NewMem()
		fsys := vfstest.Faulty{FS: inner, Fail: func(o vfstest.Op, _ string) error {
			if o == op {
				return errFault
			}
			return nil
		}}
		file, err := fsys.Create("a.xmd")
		if err != nil {
			t.Fatal(err)
		}
		if err := NewLog(file).Append(short[0], true); err != nil {
			t.Fatal(err)
		}
		_, _, err = ReadLog(file)
		wantError(t, err, errFault, op)
		if errors.Is(err, state.ErrCorrupt) {
			t.Errorf("%s: %v is not damage", op, err)
		}
	}
}

// A line that was read, and removed later, no longer counts, whatever follows at its offset.
func TestReadOnAfterALineWasTakenBack(t *testing.T) {
	for name, instead := range map[string][][]state.Record{
		"nothing":    nil,
		"as long":    {{setAttr("u", `"L"`)}},
		"longer":     {{setAttr("u", `"Kelvin"`)}},
		"more lines": {{addDim("x")}, {high(0, 1)}},
	} {
		file, writer := write(t, short[:2]...)
		if err := writer.Append(short[2], true); err != nil {
			t.Fatal(err)
		}
		s, reader, err := ReadLog(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Truncate(reader.last); err != nil {
			t.Fatal(err)
		}
		if _, writer, err = ReadLog(file); err != nil {
			t.Fatal(err)
		}
		for _, records := range instead {
			if err := writer.Append(records, true); err != nil {
				t.Fatal(err)
			}
		}
		var commits []int
		s, err = reader.ReadOn(s, 0, func(commit int, _ state.Record, _ *state.State) { commits = append(commits, commit) })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantState(t, s, apply(t, append(short[:2:2], instead...)...))
		if len(commits) != len(instead) || reader.Commits() != 2+len(instead) || (len(commits) > 0 && commits[0] != 3) {
			t.Errorf("%s: commits %v of %d", name, commits, reader.Commits())
		}
	}
}
