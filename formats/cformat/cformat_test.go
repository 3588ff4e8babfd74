package cformat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// The pieces of a section must follow each other, contain all its elements in row-major order, and
// not exceed the limit.
func TestPieces(t *testing.T) {
	shape := []int{3, 4, 5}
	strides := nd.RowMajor.Strides(shape)
	numbers := func(sec nd.Section) (all []int) {
		lo, hi := sec.Bounds()
		for index, more := slices.Clone(lo), Count(sec) > 0; more; more = nd.Next(index, lo, hi) {
			n := 0
			for d, i := range index {
				n += i * strides[d]
			}
			all = append(all, n)
		}
		return all
	}
	for _, sec := range []nd.Section{
		nd.Sec(nd.Span(0, 3), nd.Span(0, 4), nd.Span(0, 5)), nd.Sec(nd.Span(1, 3), nd.Span(1, 2), nd.Span(2, 5)),
		nd.Sec(nd.Span(0, 3), nd.Span(1, 4), nd.Span(0, 1)), nd.Sec(nd.Span(0, 3), nd.Span(2, 2), nd.Span(0, 5)),
	} {
		for most := 1; most < 70; most++ {
			var got []int
			if err := Pieces(sec, most, func(box nd.Section, at int) error {
				if at != len(got) || Count(box) > most {
					t.Errorf("%v, at most %d: box %v at %d of %d", sec, most, box, at, len(got))
				}
				got = append(got, numbers(box)...)
				return nil
			}); err != nil || !slices.Equal(got, numbers(sec)) {
				t.Errorf("%v, at most %d: %v, want %v, %v", sec, most, got, numbers(sec), err)
			}
		}
	}
	failed := errors.New("failed")
	if err := Pieces(nd.Sec(nd.Span(0, 3)), 1, func(nd.Section, int) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// Values must become values of one kind, or a JSON text.
func TestFlatten(t *testing.T) {
	for _, c := range []struct {
		value any
		kind  Kind
		want  string
	}{
		{nil, Floats, "[] []"},
		{[]any{}, Floats, "[0] []"},
		{int8(-3), Ints, "[] [-3]"},
		{[]any{int64(-1), uint64(2)}, Ints, "[2] [-1 2]"},
		{[]any{int64(1), uint64(1 << 63)}, Uints, "[2] [1 9223372036854775808]"},
		{[]any{int64(-1), uint64(1 << 63)}, Floats, "[2] [-1 9.223372036854775808e+18]"},
		{[]uint8{1, 2}, Uints, "[2] [1 2]"},
		{"NaN", Texts, "[] [NaN]"},
		{[]any{"NaN", "Infinity"}, Floats, "[2] [NaN +Inf]"},
		{[]any{1, "-Infinity"}, Floats, "[2] [1 -Inf]"},
		{[]any{"NaN", "a"}, Texts, "[2] [NaN a]"},
		{[]any{1, "a"}, Texts, `[] [[1,"a"]]`},
		{[]any{true, 1}, Texts, "[] [[true,1]]"},
		{[]bool{true, false}, Bools, "[2] [true false]"},
		{[][]int{{1, 2}, {3, 4}}, Ints, "[2 2] [1 2 3 4]"},
		{[][]int{{1, 2}, {3}}, Texts, "[] [[[1,2],[3]]]"},
		{[][][]int{{{1}}}, Texts, "[] [[[[1]]]]"},
		{[]any{1, nil}, Texts, "[] [[1,null]]"},
		{map[string]any{"a": 1}, Texts, `[] [{"a":1}]`},
		{json.Number("18446744073709551615"), Uints, "[] [18446744073709551615]"},
		{json.RawMessage(`[1, 2.0]`), Floats, "[2] [1 2]"},
		{json.RawMessage(`[1.0, {"b": 2.0}]`), Texts, `[] [[1.0,{"b":2.0}]]`},
	} {
		v, err := Flatten(c.value, 2)
		if err != nil {
			t.Errorf("%v: %v", c.value, err)
			continue
		}
		var texts []string
		for _, value := range v.All {
			text := fmt.Sprint(value)
			if f, ok := value.(float64); ok {
				text = strings.Replace(fmt.Sprintf("%v", f), "9.223372036854776e+18", "9.223372036854775808e+18", 1)
			}
			texts = append(texts, text)
		}
		if got := fmt.Sprintf("%v [%s]", v.Shape, strings.Join(texts, " ")); got != c.want || v.Kind != c.kind {
			t.Errorf("%v: %s of kind %d, want %s of kind %d", c.value, got, v.Kind, c.want, c.kind)
		}
	}
	for _, bad := range []any{json.RawMessage("[1"), func() {}} {
		if _, err := Flatten(bad, 2); err == nil {
			t.Errorf("%T: no error", bad)
		}
	}
}

// Values that fit a type must become its elements.
func TestElements(t *testing.T) {
	for _, c := range []struct {
		value any
		of    dtype.DType
		want  string
	}{
		{[]any{int64(1), int64(255)}, dtype.Uint8, "01ff [2] true"},
		{[]any{int64(1), int64(256)}, dtype.Uint8, " [] false"},
		{[]any{"-Infinity", 1.5}, dtype.Float32, "000080ff0000c03f [2] true"},
		{[]any{1.5, "NaN"}, dtype.Complex64, "0000c03f0000c07f [] true"},
		{"a", dtype.Int8, " [] false"},
	} {
		v, err := Flatten(c.value, 1)
		if err != nil {
			t.Fatal(err)
		}
		elements, shape, fit := v.Elements(c.of)
		if got := fmt.Sprintf("%x %v %v", elements, shape, fit); got != c.want {
			t.Errorf("%v of %v: %s, want %s", c.value, c.of, got, c.want)
		}
	}
}

// A described is a variable of a catalog.
type described struct {
	info formats.Info
	err  error
}

func (d *described) Describe() (*formats.Info, error) { return &d.info, d.err }

// A variable must be found by its name, or as the only one that can be read.
func TestFind(t *testing.T) {
	many := []*described{{formats.Info{Name: "bad"}, errors.New("reason")}}
	for i := range 12 {
		many = append(many, &described{info: formats.Info{Name: fmt.Sprint("v", i)}})
	}
	for _, c := range []struct {
		name string
		vars []*described
		want string
		text string
	}{
		{"", many[:2], "v0", ""},
		{"", many[:1], "bad", ""},
		{"bad", many, "bad", ""},
		{"v3", many, "v3", ""},
		{"", nil, "", "the file has no variables"},
		{"", many[:3], "", "name one, the file has v0, v1"},
		{"x", many, "", `"x": no such variable: the file has v0, v1, v2, v3, v4, v5, v6, v7, v8, v9 and 2 more`},
		{"x", many[:1], "", "the file has none that can be read"},
	} {
		var catalog Catalog[*described]
		for _, v := range c.vars {
			catalog.Add(v)
		}
		if content := catalog.Content(); len(content.Vars) != len(c.vars) || len(c.vars) > 0 && content.Vars[0].Refused != "reason" {
			t.Errorf("%+v", content)
		}
		got, err := catalog.Find(c.name)
		if c.text == "" && (err != nil || got.info.Name != c.want) || c.text != "" && (!errors.Is(err, formats.ErrVariable) || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%q: %v, %v, want %s, %q", c.name, got, err, c.want, c.text)
		}
	}
}

// Strings must be those of C, and none may end early.
func TestStrings(t *testing.T) {
	s, err := NewStrings([]string{"a", "", "bc"}, "X")
	if err != nil {
		t.Fatal(err)
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	for i, want := range []string{"a\x00", "\x00", "bc\x00"} {
		p := unsafe.Slice((**byte)(s.Pinned(&pin)), 3)[i]
		if got := string(unsafe.Slice(p, len(want))); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := NewStrings([]string{"a\x00b"}, "X"); !errors.Is(err, formats.ErrType) {
		t.Error(err)
	}
}

// The description of a file must be kept until the file changes.
func TestLast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	state := func(text string) State {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return StateOf(&formats.Input{Path: path, File: f})
	}
	var last Last[string]
	first := state("a")
	if _, known := last.Get(first); known {
		t.Error("nothing was kept")
	}
	last.Keep(first, "found")
	if found, known := last.Get(first); !known || found != "found" {
		t.Errorf("%q, %v", found, known)
	}
	if _, known := last.Get(state("bb")); known {
		t.Error("the file has changed")
	}
	unknown := StateOf(&formats.Input{Path: path, File: strings.NewReader("a")})
	last.Keep(unknown, "found")
	if _, known := last.Get(unknown); known {
		t.Error("nobody knows whether it has changed")
	}
	last.Keep(first, "found")
	last.Forget()
	if _, known := last.Get(first); known {
		t.Error("it was forgotten")
	}
}

// Variables that no format can have, or that may not fit into memory, must be refused.
func TestChecks(t *testing.T) {
	good := formats.Info{DType: dtype.Int16, Shape: []int{2, 3}, Chunk: []int{1, 1}, Fill: []byte{1, 0}}
	if err := errors.Join(CheckInfo(&good, "X"), CheckDeflate(&formats.Content{Deflate: 9})); err != nil {
		t.Error(err)
	}
	for text, change := range map[string]func(i *formats.Info){
		"order [1 0]: X is row-major":                       func(i *formats.Info) { i.Order = nd.ColMajor(2) },
		"Chunk: 1 for 2 dimensions":                         func(i *formats.Info) { i.Chunk = []int{1} },
		"a fill value of 1 bytes for elements of 2 (int16)": func(i *formats.Info) { i.Fill = []byte{1} },
		"there is no element type dtype(0)":                 func(i *formats.Info) { i.DType = 0 },
		"Unlimited: 3 for 2 dimensions":                     func(i *formats.Info) { i.Unlimited = make([]bool, 3) },
	} {
		bad := good
		change(&bad)
		if err := CheckInfo(&bad, "X"); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
	if CheckDeflate(&formats.Content{Deflate: 10}) == nil || CheckDeflate(&formats.Content{Deflate: -1}) == nil {
		t.Error("levels are 0 to 9")
	}
	if err := Refuse(fs.ErrNotExist, "reason"); !errors.Is(err, fs.ErrNotExist) || err.Error() != "reason" {
		t.Error(err)
	}
	if n, err := CachedChunks([]int{10}, 10, 7, 100); n != 7 || err != nil {
		t.Error(n, err)
	}
	if n, err := CachedChunks([]int{10}, 10, 8, 100); n != 1 || err != nil {
		t.Error(n, err)
	}
	if _, err := CachedChunks([]int{10}, 10, 1, 29); !errors.Is(err, formats.ErrMemory) {
		t.Error(err)
	}
	if n := Multiply(3, 1<<40, 1<<40); n != 1<<62 {
		t.Error(n)
	}
}
