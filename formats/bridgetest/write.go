package bridgetest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
)

// SmallNumbers sets the first byte of each element to 0 or 1, and leaves the others 0. The elements
// are then valid for every type, and as indices into two labels.
func SmallNumbers(info formats.Info, random *rand.Rand, buf []byte) {
	for at := 0; at < len(buf); at += info.DType.Size() {
		buf[at] = byte(random.IntN(2))
	}
}

// AnyBits sets all bits at random, except those that must be 0 in a bool.
func AnyBits(info formats.Info, random *rand.Rand, buf []byte) {
	for i := range buf {
		buf[i] = byte(random.Uint32())
		if info.DType == dtype.Bool {
			buf[i] &= 1
		}
	}
}

// Write writes a file with elements that set chooses, and returns them. If format is empty, the
// format is that of the extension.
func Write(t testing.TB, path, format string, c formats.Content, set func(formats.Info, *rand.Rand, []byte)) (all [][]byte) {
	t.Helper()
	writers, err := formats.CreateFile(path, format, c)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i, w := range writers {
		n, err := c.Vars[i].Bytes()
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, n)
		set(c.Vars[i], random, data)
		if err := w.WriteSection(nil, data); err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// KeepsBits writes a file whose elements have all kinds of bit patterns, among them NaN with
// payloads and the largest integers, and checks that they are read unchanged.
func (b *Bridge) KeepsBits(t *testing.T, path string, c formats.Content) {
	t.Helper()
	for i, written := range Write(t, path, "", c, AnyBits) {
		if _, read := b.Get(t, path, c.Vars[i].Name); !bytes.Equal(read, written) {
			t.Errorf("%s, deflate %d: other bits than those that were written", c.Vars[i].Name, c.Deflate)
		}
	}
}

// EachLayout calls f with arrays of all types, of shapes that include scalars and empty ones, in
// several layouts.
func EachLayout(name string, f func(info formats.Info, deflate int)) {
	for _, typ := range dtype.All() {
		for _, shape := range [][]int{{}, {0}, {5}, {4, 7}, {3, 0, 2}, {1, 4, 1}, {5, 3, 4}} {
			for _, c := range []struct {
				deflate   int
				chunk     []int
				unlimited bool
			}{{0, nil, false}, {4, nil, false}, {0, []int{2, 3, 100}, true}, {9, []int{1, 1, 1}, false}} {
				info := formats.Info{DType: typ, Shape: shape, Name: name}
				if c.chunk != nil {
					info.Chunk = c.chunk[:len(shape)]
				}
				if c.unlimited {
					info.Unlimited = slices.Repeat([]bool{true}, len(shape))
				}
				f(info, c.deflate)
			}
		}
	}
}

// A RoundTrip is an array that WritesBack writes and reads.
type RoundTrip struct {
	Path    string
	Format  string // to write; empty is that of the extension
	Read    string // the format to read; found from the file if it is empty
	Info    formats.Info
	Deflate int
	// Stored returns the shape and the elements that should be read; nil: as they were written.
	Stored func(info formats.Info, elements []byte) ([]int, []byte)
}

// WritesBack writes an array with the suite of tests for writers, and reads it with that for
// readers. It returns what it has read.
func WritesBack(t *testing.T, r RoundTrip) (formats.Info, []byte) {
	t.Helper()
	create := func() (formats.Writer, error) {
		if err := removeStem(r.Path); err != nil {
			return nil, err
		}
		writers, err := formats.CreateFile(r.Path, r.Format, formats.Content{Vars: []formats.Info{r.Info}, Deflate: r.Deflate})
		if err != nil {
			return nil, err
		}
		return writers[0], nil
	}
	shape, elements := r.Info.Shape, formattest.Writer(t, create, r.Info, false)
	if r.Stored != nil {
		shape, elements = r.Stored(r.Info, elements)
	}
	got, again := Get(t, r.Path, formats.Options{Format: r.Read, Variable: r.Info.Name})
	if !bytes.Equal(again, elements) || got.DType != r.Info.DType || !slices.Equal(got.Shape, shape) {
		t.Errorf("%s: wrote %+v, deflate %d, read %+v: equal elements %v", r.Format, r.Info, r.Deflate, got, bytes.Equal(again, elements))
	}
	formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(r.Path, formats.Options{Format: r.Read}) }, got, elements)
	return got, elements
}

// removeStem removes a file and the files beside it that differ only in their extension, such as
// the header of a raster.
func removeStem(path string) error {
	all, err := filepath.Glob(strings.TrimSuffix(path, filepath.Ext(path)) + ".*")
	for _, one := range all {
		err = errors.Join(err, os.Remove(one))
	}
	return err
}

// CheckVariable compares the variable that is read with what was written. info lacks a Fill that
// the format does not keep, and has one that the format adds.
func (b *Bridge) CheckVariable(t *testing.T, path string, info formats.Info, data []byte) {
	t.Helper()
	got, elements := b.Get(t, path, info.Name)
	want := info
	if want.Labels != nil {
		want.DType = dtype.Uint32
	}
	if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) || !slices.Equal(got.Dims, want.Dims) || !bytes.Equal(got.Fill, want.Fill) ||
		!reflect.DeepEqual(got.Attrs, want.Attrs) || !slices.Equal(got.Unlimited, want.Unlimited) || want.Chunk != nil && !slices.Equal(got.Chunk, want.Chunk) {
		t.Errorf("read %+v\nwrote %+v", got, want)
	}
	if want.Labels == nil && !bytes.Equal(elements, data) {
		t.Errorf("%s: % x, want % x", want.Name, elements, data)
	}
	for i := 0; want.Labels != nil && i < len(elements)/4; i++ {
		if text := want.Labels[data[i*info.DType.Size()]]; got.Labels[elements[4*i]] != text {
			t.Errorf("%s: string %d is %q, want %q", want.Name, i, got.Labels[elements[4*i]], text)
		}
	}
}

// NotWritten checks that a file with that content is refused: the error contains text, wraps is
// unless that is nil, and names the file, and no file is left.
func NotWritten(t *testing.T, name, format string, c formats.Content, text string, is error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	_, err := formats.CreateFile(path, format, c)
	if !Names(err, path) || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), text) || is != nil && !errors.Is(err, is) {
		t.Errorf("%v; want %q", err, text)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: a file is left: %v", text, err)
	}
}

// NotOpened checks that opening a file is refused: the error contains text, wraps is unless that is
// nil, and names the file.
func NotOpened(t *testing.T, path string, o formats.Options, text string, is error) {
	t.Helper()
	r, err := formats.Open(path, o)
	if err == nil {
		_ = r.Close()
	}
	if !Names(err, path) || !strings.Contains(err.Error(), text) || is != nil && !errors.Is(err, is) {
		t.Errorf("%+v: %v; want %q", o, err, text)
	}
}

// WrongElements checks, in a format with strings, that writers refuse invalid elements: a bool of
// 2, and an index without a string. It also checks that they refuse elements after Close, with the
// error errClosed.
func WrongElements(t *testing.T, name string, errClosed error) {
	t.Helper()
	writers, err := formats.CreateFile(filepath.Join(t.TempDir(), name), "", formats.Content{Vars: []formats.Info{
		{Name: "b", DType: dtype.Bool, Shape: []int{2}}, {Name: "s", DType: dtype.Uint16, Shape: []int{2}, Labels: []string{"x"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := writers[0].WriteSection(nil, []byte{0, 2}); err == nil || !strings.Contains(err.Error(), "b: section 0:2: element 1 of the section is 2") {
		t.Error(err)
	}
	if err := writers[1].WriteSection(nil, []byte{0, 0, 1, 0}); !errors.Is(err, formats.ErrSize) || !strings.Contains(err.Error(), "element 1 is label 1, but there are 1") {
		t.Error(err)
	}
	for _, w := range writers {
		if err := w.Close(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := writers[0].WriteSection(nil, []byte{0, 0}); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}
