package formats_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// Each string has one index, that of its first appearance, as long as the memory suffices.
func TestLabeler(t *testing.T) {
	l := formats.NewLabeler(200)
	var indices []uint32
	for _, s := range []string{"b", "", "b"} {
		i, err := l.Add(s)
		if err != nil {
			t.Fatal(err)
		}
		indices = append(indices, i)
	}
	if !slices.Equal(indices, []uint32{0, 1, 0}) || !slices.Equal(l.Labels(), []string{"b", ""}) {
		t.Errorf("%v of %q", indices, l.Labels())
	}
	if _, err := l.Add("third"); !errors.Is(err, formats.ErrMemory) {
		t.Error(err)
	}
	if i, err := l.Index(""); i != 1 || err != nil {
		t.Error(i, err)
	}
	if _, err := l.Index("third"); err == nil {
		t.Error("it was not added")
	}
	if formats.NewLabeler(0).Labels() == nil {
		t.Error("no labels are nil")
	}
}

// An element of any size is the index of a label.
func TestLabel(t *testing.T) {
	for _, typ := range []dtype.DType{dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64} {
		info := formats.Info{DType: typ, Labels: make([]string, 200)}
		buf := make([]byte, 2*typ.Size())
		buf[0], buf[typ.Size()] = 200, 199
		if i, err := info.Label(buf, 1); i != 199 || err != nil {
			t.Error(typ, i, err)
		}
		if _, err := info.Label(buf, 0); !errors.Is(err, formats.ErrSize) {
			t.Error(typ, err)
		}
		buf[0], buf[typ.Size()-1] = 0, 255
		if _, err := info.Label(buf, 0); !errors.Is(err, formats.ErrSize) {
			t.Error(typ, err)
		}
	}
}

// Bytes that are not UTF-8 are read as Latin-1.
func TestText(t *testing.T) {
	for b, want := range map[string]string{"zw\xc3\xb6lf": "zwölf", "zw\xf6lf": "zwölf", "": "", "\xff": "ÿ"} {
		if formats.Text(b) != want || formats.Text([]byte(b)) != want {
			t.Errorf("% x: %q, want %q", b, formats.Text(b), want)
		}
	}
}

// Too few elements give io.ErrUnexpectedEOF.
func TestCheckWritten(t *testing.T) {
	info := formats.Info{DType: dtype.Int8, Shape: []int{2, 3}}
	if err := info.CheckWritten(6); err != nil {
		t.Error(err)
	}
	if err := info.CheckWritten(5); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// The runs must contain all elements of a section, in the order of the file, and each run must be
// consecutive.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		order nd.Order
		sec   nd.Section
		want  string // first element, elements before, number
	}{
		{nil, nd.Sec(nd.Span(0, 3), nd.Span(0, 4)), "[0 0 12]"},
		{nil, nd.Sec(nd.Span(1, 3), nd.Span(1, 3)), "[5 0 2][9 2 2]"},
		{nd.ColMajor(2), nd.Sec(nd.Span(1, 3), nd.Span(1, 3)), "[4 0 2][7 2 2]"},
		{nd.ColMajor(2), nd.Sec(nd.Span(0, 3), nd.Span(1, 3)), "[3 0 6]"},
		{nil, nd.Sec(nd.Span(1, 1), nd.Span(0, 4)), ""},
	} {
		var got bytes.Buffer
		err := formats.Runs([]int{3, 4}, c.order, c.sec, func(first, at, n int) error {
			fmt.Fprint(&got, []int{first, at, n})
			return nil
		})
		if err != nil || got.String() != c.want {
			t.Errorf("%v of order %v: %s, want %s, %v", c.sec, c.order, got.String(), c.want, err)
		}
	}
	failed := errors.New("failed")
	if err := formats.Runs(nil, nil, nil, func(_, _, n int) error { return fmt.Errorf("%d: %w", n, failed) }); !errors.Is(err, failed) || err.Error() != "1: failed" {
		t.Error(err)
	}
}
