// Package statetest has helpers for the tests of states and of the log that records them.
package statetest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"drx/axial"
	"drx/dtype"
	"drx/internal/layout"
	"drx/internal/state"
)

// Header returns the header of a row-major array of float64 without names; the bounds begin at 0.
func Header(chunk []int, shape ...int) state.Record {
	return state.Record{Header: &state.Header{
		Version: 1, DType: dtype.Float64.String(), Chunk: chunk, Order: string(state.Row),
		Lo: make([]int, len(shape)), Hi: shape, Fill: json.RawMessage("0"),
	}}
}

// High returns an extension on the high side.
func High(dim, by int) state.Record { return state.Record{Extend: &state.Extend{Dim: dim, By: by}} }

// Low returns an extension on the low side.
func Low(dim, by int) state.Record {
	return state.Record{Extend: &state.Extend{Dim: dim, By: by, Low: true}}
}

// AddDim returns a record that adds a dimension.
func AddDim(name string) state.Record { return state.Record{AddDim: &state.AddDim{Name: name}} }

// SetAttr returns a record that sets one attribute to a JSON value.
func SetAttr(name, value string) state.Record {
	return state.Record{SetAttrs: &state.SetAttrs{Attrs: map[string]json.RawMessage{name: json.RawMessage(value)}}}
}

// DelAttr returns a record that removes attributes.
func DelAttr(names ...string) state.Record {
	return state.Record{DelAttrs: &state.DelAttrs{Names: names}}
}

// Format returns a record that raises the format version.
func Format(version int) state.Record { return state.Record{Format: &state.Format{Version: version}} }

// Journal returns the record of a commit that has the given number of chunks in the journal.
func Journal(chunks int64) state.Record {
	return state.Record{Journal: &state.Journal{Chunks: chunks}}
}

// Equal compares all properties of two states: grids by their bounds and records, values of
// attributes as JSON, ignoring white space.
var Equal = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Transformer("map", state.Attributes.Map),
	cmp.Transformer("compact", func(raw json.RawMessage) string {
		text, err := json.Marshal(raw)
		if err != nil {
			return string(raw)
		}
		return string(text)
	}),
	cmp.Comparer(func(a, b *layout.Layout) bool { return slices.Equal(a.Strides, b.Strides) }),
	cmp.Comparer(func(a, b *axial.Grid) bool {
		return cmp.Equal(a.Lo(), b.Lo()) && cmp.Equal(a.Hi(), b.Hi()) && cmp.Equal(a.Records(), b.Records())
	}),
}

// Want fails the test unless two states are equal.
func Want(t testing.TB, got, want *state.State, what ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got, Equal); diff != "" {
		t.Fatalf("%v: state (-want +got):\n%s", what, diff)
	}
}

// Apply returns the state after commits, the first of which creates the array.
func Apply(t testing.TB, commits ...[]state.Record) *state.State {
	t.Helper()
	var s *state.State
	for _, records := range commits {
		s = s.BeginCommit(false)
		s = ApplyTo(t, s, records...)
	}
	return s
}

// ApplyTo applies records to a state.
func ApplyTo(t testing.TB, s *state.State, records ...state.Record) *state.State {
	t.Helper()
	for _, r := range records {
		next, err := s.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	return s
}

// WantError fails the test unless err wraps want and its message is one short line.
func WantError(t testing.TB, err, want error, what ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v: error %v, want %v", what, err, want)
	} else if message := err.Error(); len(message) > 1000 || strings.Contains(message, "\n") {
		t.Errorf("%v: message is not one short line: %.1000q", what, message)
	}
}
