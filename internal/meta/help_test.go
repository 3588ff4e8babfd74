package meta

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"drx/axial"
	"drx/dtype"
	"drx/internal/layout"
	"drx/internal/vfs"
)

// header is that of a row-major array of float64 without names; the bounds begin at 0.
func header(chunk []int, shape ...int) Record {
	return Record{Header: &Header{
		Version: 1, DType: dtype.Float64.String(), Chunk: chunk, Order: string(Row),
		Lo: make([]int, len(shape)), Hi: shape, Fill: json.RawMessage("0"),
	}}
}

func high(dim, by int) Record { return Record{Extend: &Extend{Dim: dim, By: by}} }
func low(dim, by int) Record  { return Record{Extend: &Extend{Dim: dim, By: by, Low: true}} }

func addDim(name string) Record { return Record{AddDim: &AddDim{Name: name}} }

func setAttr(name, value string) Record {
	return Record{SetAttrs: &SetAttrs{Attrs: map[string]json.RawMessage{name: json.RawMessage(value)}}}
}

func format(version int) Record { return Record{Format: &Format{Version: version}} }

func journal(chunks int64) Record { return Record{Journal: &Journal{Chunks: chunks}} }

func delAttr(names ...string) Record { return Record{DelAttrs: &DelAttrs{Names: names}} }

// states compares states by all that they say: grids by their bounds and records, values of
// attributes as JSON, whose spaces mean nothing.
var states = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Transformer("map", Attributes.Map),
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

func wantState(t testing.TB, got, want *State, what ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got, states); diff != "" {
		t.Fatalf("%v: state (-want +got):\n%s", what, diff)
	}
}

// apply replays commits in memory.
func apply(t testing.TB, commits ...[]Record) *State {
	t.Helper()
	var s *State
	for _, records := range commits {
		s = s.beginCommit(false)
		for _, r := range records {
			next, err := s.Apply(r)
			if err != nil {
				t.Fatal(err)
			}
			s = next
		}
	}
	return s
}

// write appends commits to a new file and returns the file and the log.
func write(t testing.TB, commits ...[]Record) (vfs.File, *Log) {
	t.Helper()
	file := newFile(t, nil)
	log := NewLog(file)
	for _, records := range commits {
		if err := log.Append(records); err != nil {
			t.Fatal(err)
		}
	}
	return file, log
}

// newFile returns a file in memory, called a.xmd, that holds text.
func newFile(t testing.TB, text []byte) vfs.File {
	t.Helper()
	file, err := vfs.NewMem().Create("a.xmd")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(text, 0); err != nil {
		t.Fatal(err)
	}
	return file
}

func bytesOf(t testing.TB, file vfs.File) []byte {
	t.Helper()
	size, err := file.Size()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, size)
	if _, err := file.ReadAt(text, 0); err != nil {
		t.Fatal(err)
	}
	return text
}

// line makes a line of the log by hand.
func line(before []byte, text string) []byte {
	digits := linkDigits(before, []byte(text))
	return append(append(append(digits[:], ' '), text...), '\n')
}

// wantError checks that err wraps want and that its message is one line.
func wantError(t testing.TB, err, want error, what ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v: error %v, want %v", what, err, want)
	} else if message := err.Error(); len(message) > 1000 || !cmp.Equal(message, oneLine(message)) {
		t.Errorf("%v: message is not one short line: %.1000q", what, message)
	}
}

func oneLine(s string) string {
	for i, c := range s {
		if c == '\n' {
			return s[:i]
		}
	}
	return s
}

var errFault = &fs.PathError{Op: "fault", Path: "a.xmd", Err: errors.New("injected")}
