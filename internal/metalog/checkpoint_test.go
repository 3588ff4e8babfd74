package metalog

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"drx/internal/state"
	"drx/internal/state/statetest"
	"drx/internal/vfs"
)

// checkpointOf returns the checkpoint of a log after its last line, and the state after that.
func checkpointOf(t rapid.TB, file vfs.File) ([]byte, *state.State) {
	t.Helper()
	s, log, err := ReadLog(file)
	if err != nil {
		t.Fatal(err)
	}
	s = s.BeginCommit(false)
	text, err := log.EncodeCheckpoint(s)
	if err != nil {
		t.Fatal(err)
	}
	return text, s
}

// anyStep draws a change of any kind that an array may have.
func anyStep(t *rapid.T, s *state.State) state.Record {
	switch rapid.IntRange(0, 9).Draw(t, "any kind") {
	case 0:
		return state.Record{Shrink: &state.Shrink{
			Dim: rapid.IntRange(0, len(s.Lo)-1).Draw(t, "dim"), By: rapid.IntRange(1, 4).Draw(t, "by"), Low: rapid.Bool().Draw(t, "low"),
		}}
	case 1:
		name := rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "name")
		return state.Record{RenameDim: &state.RenameDim{Dim: rapid.IntRange(0, len(s.Lo)-1).Draw(t, "dim"), Name: name}}
	case 2:
		return state.Record{Recompress: &state.Recompress{Codec: rapid.SampledFrom([]string{"none", "lz4"}).Draw(t, "codec"), After: 3}}
	case 3:
		return state.Record{Recompressed: &state.Recompressed{Codec: s.Codec.String()}}
	case 4:
		return state.Record{Identity: &state.Identity{ID: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "id")}}
	case 5:
		return state.Record{Shared: &state.Shared{Shared: rapid.Bool().Draw(t, "shared")}}
	}
	return step(t, s)
}

// The state that follows from a checkpoint and the lines behind it must be that of the whole log.
func TestCheckpointIsTheHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := newFile(t, nil)
		log := NewLog(file)
		first := header([]int{rapid.IntRange(1, 4).Draw(rt, "chunk"), 2}, rapid.IntRange(0, 9).Draw(rt, "extent"), 5)
		s := apply(t, []state.Record{first})
		pending := []state.Record{first}
		var text []byte
		for n := range rapid.IntRange(1, 30).Draw(rt, "steps") {
			r := anyStep(rt, s)
			if next, err := s.Apply(r); err == nil {
				s, pending = next, append(pending, r)
			}
			if n > 0 && rapid.Bool().Draw(rt, "the same line") {
				continue
			}
			if err := log.Append(pending, true); err != nil {
				rt.Fatal(err)
			}
			pending = nil
			if text == nil || rapid.IntRange(0, 9).Draw(rt, "another checkpoint") == 0 {
				text, _ = checkpointOf(rt, file)
			}
		}
		want, whole, err := ReadLog(file)
		if err != nil {
			rt.Fatal(err)
		}
		got, l, from, err := ReadLogFrom(file, newFile(t, text))
		if err != nil || from == 0 {
			rt.Fatalf("resumed from %d: %v", from, err)
		}
		if l.commits == log.commits { // nothing behind the checkpoint says what the last commit was
			want = want.BeginCommit(false)
			got = got.BeginCommit(false)
		}
		if diff := cmp.Diff(want, got, statetest.Equal); diff != "" {
			rt.Fatalf("state (-whole log +checkpoint):\n%s", diff)
		}
		if l.Commits() != whole.Commits() || l.Size() != whole.Size() || l.Digits() != whole.Digits() || l.last != whole.last {
			rt.Fatalf("%d commits in %d bytes, want %d in %d", l.Commits(), l.Size(), whole.Commits(), whole.Size())
		}
	})
}

// The checkpoint of the golden log with records of all kinds must stay as it is, and counts.
func TestGoldenCheckpoint(t *testing.T) {
	log, err := os.ReadFile(filepath.Join("testdata", "everything.xmd"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := checkpointOf(t, newFile(t, log))
	name := filepath.Join("testdata", "everything.xst")
	if *update {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(text, want) {
		t.Errorf("written\n%s, want\n%s, %v", text, want, err)
	}
	if _, _, from, err := ReadLogFrom(newFile(t, log), newFile(t, want)); err != nil || from != int64(len(log)) {
		t.Errorf("read from %d, %v, want %d", from, err, len(log))
	}
}

// grownLog is a log of a few kinds of records, its checkpoint in the middle, and its bytes.
func grownLog(t *testing.T) (text, log []byte) {
	t.Helper()
	file, l := write(t, short...)
	for i := range 6 {
		if err := l.Append([]state.Record{high(i%2, 1)}, true); err != nil {
			t.Fatal(err)
		}
	}
	text, _ = checkpointOf(t, file)
	for i := range 3 {
		if err := l.Append([]state.Record{low(i%2, 2)}, true); err != nil {
			t.Fatal(err)
		}
	}
	return text, bytesOf(t, file)
}

// wantAsWithout checks that a log with a checkpoint reads as the log alone does.
func wantAsWithout(t *testing.T, what string, text, log []byte) (resumed bool) {
	t.Helper()
	want, whole, wantErr := ReadLog(newFile(t, log))
	got, l, from, err := ReadLogFrom(newFile(t, log), newFile(t, text))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: %v, without the checkpoint %v", what, err, wantErr)
	}
	if err != nil {
		return from > 0
	}
	if diff := cmp.Diff(want, got, statetest.Equal); diff != "" || l.Size() != whole.Size() || l.Commits() != whole.Commits() {
		t.Fatalf("%s: %d commits, want %d (-without +with):\n%s", what, l.Commits(), whole.Commits(), diff)
	}
	return from > 0
}

// A checkpoint that is damaged, or cut, does not count.
func TestDamagedCheckpoint(t *testing.T) {
	text, log := grownLog(t)
	if !wantAsWithout(t, "whole", text, log) {
		t.Fatal("the checkpoint was not used")
	}
	for i := range text {
		if wantAsWithout(t, "cut", text[:i], log) {
			t.Errorf("cut after %d bytes it counts", i)
		}
		for _, bit := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(text)
			damaged[i] ^= bit
			if wantAsWithout(t, "changed", damaged, log) {
				t.Errorf("with byte %d changed it counts", i)
			}
		}
	}
	if wantAsWithout(t, "longer", append(bytes.Clone(text), text...), log) {
		t.Error("twice it counts")
	}
	huge := newFile(t, text)
	if err := huge.Truncate(1 << 50); err != nil { // a hole, longer than memory
		t.Fatal(err)
	}
	if _, _, from, err := ReadLogFrom(newFile(t, log), huge); err != nil || from > 0 {
		t.Errorf("longer by a hole it is read from %d, %v", from, err)
	}
}

// A checkpoint counts only for the log that it was made from, as long as that has its line.
func TestCheckpointOfAnotherLog(t *testing.T) {
	text, log := grownLog(t)
	for n := range log {
		wantAsWithout(t, "log cut", text, log[:n])
	}
	file, other := write(t, []state.Record{header([]int{2}, 2)})
	for i := range 12 {
		if err := other.Append([]state.Record{high(0, 1+i)}, true); err != nil {
			t.Fatal(err)
		}
	}
	if wantAsWithout(t, "another log", text, bytesOf(t, file)) {
		t.Error("for another log it counts")
	}
	damaged := bytes.Clone(log)
	damaged[bytes.LastIndexByte(log[:len(log)-1], '\n')+20] ^= 1 // in the last line
	wantAsWithout(t, "a damaged log", text, damaged)
}
