package metalog

import (
	"errors"
	"reflect"
	"testing"

	"drx/internal/state"

	"drx/internal/vfs"
)

// salvageLog writes a log of a header and extensions, four lines, with one byte of a line
// flipped, and returns it with the states after each line.
func salvageLog(t *testing.T, flip int) (vfs.File, []*state.State) {
	t.Helper()
	f, err := vfs.NewMem().Create("a.xmd")
	if err != nil {
		t.Fatal(err)
	}
	l := NewLog(f)
	var s *state.State
	var states []*state.State
	var starts []int64
	for _, r := range []state.Record{
		{Header: &state.Header{Version: 1, DType: "int8", Chunk: []int{2}, Order: "row", Lo: []int{0}, Hi: []int{1}, Fill: []byte("0")}},
		{Extend: &state.Extend{Dim: 0, By: 4}},
		{Extend: &state.Extend{Dim: 0, By: 1, Low: true}},
		{AddDim: &state.AddDim{Name: "t"}},
	} {
		starts = append(starts, l.Size())
		if s, err = s.Apply(r); err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
		if err := l.Append([]state.Record{r}, true); err != nil {
			t.Fatal(err)
		}
	}
	if flip >= 0 {
		b := make([]byte, 1)
		if _, err := f.ReadAt(b, starts[flip]+12); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 1
		if _, err := f.WriteAt(b, starts[flip]+12); err != nil {
			t.Fatal(err)
		}
	}
	return f, states
}

// All lines before the first damaged one are used, the others are counted.
func TestSalvage(t *testing.T) {
	for flip, want := range map[int]struct{ used, lost int }{-1: {4, 0}, 1: {1, 3}, 2: {2, 2}, 3: {3, 1}} {
		f, states := salvageLog(t, flip)
		s, log, lost, damage, err := Salvage(f)
		if err != nil || log.Commits() != want.used || lost != want.lost || (damage == nil) != (flip < 0) {
			t.Errorf("line %d flipped: %v, %d commits, %d lost, damage %v", flip, err, log.Commits(), lost, damage)
			continue
		}
		if damage != nil && !errors.Is(damage, state.ErrCorrupt) {
			t.Errorf("line %d flipped: damage %v", flip, damage)
		}
		if !reflect.DeepEqual(s.Hi, states[want.used-1].Hi) || !reflect.DeepEqual(s.Lo, states[want.used-1].Lo) {
			t.Errorf("line %d flipped: bounds %v %v", flip, s.Lo, s.Hi)
		}
	}
	f, _ := salvageLog(t, 0)
	if _, _, _, _, err := Salvage(f); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("header flipped: %v", err)
	}
}

// Continues is true only for two states of the same array.
func TestContinues(t *testing.T) {
	_, states := salvageLog(t, -1)
	first, last := states[0], states[3]
	if !last.Continues(first) || first.Same(last) || !first.Same(first) {
		t.Error("the states of one log")
	}
	h := first.Header()
	h.DType = "uint8"
	other, err := (*state.State)(nil).Apply(state.Record{Header: h})
	if err != nil || last.Continues(other) {
		t.Errorf("another array: %v", err)
	}
}
