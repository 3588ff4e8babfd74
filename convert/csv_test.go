package convert_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"drx/convert"
	"drx/convert/converttest"
	"drx/dtype"
	"drx/nd"
)

// The first line gives names if it has text.
func TestCSVNames(t *testing.T) {
	for text, want := range map[string]any{
		"1,2\n3,4\n": nil, "a,b\n3,4\n": []any{"a", "b"}, "a,1\n3,4": []any{"a", "1"}, ",NA\n3,4": nil, "a b\n1 2": []any{"a", "b"}, "a;b,c\n1;2": []any{"a", "b,c"},
	} {
		r, err := convert.Open(write(t, "a.csv", []byte(text)), convert.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := r.Info(); !reflect.DeepEqual(got.Attrs["columns"], want) || got.Shape[1] != 2 {
			t.Errorf("%q: %+v", text, got)
		}
		r.Close()
	}
}

// What is no table of numbers is refused with line, column and reason, when it is opened.
func TestRefusedCSV(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "the file is empty",
		"\n\n# x\n":            "no row in it",
		"hello":                "no rows of numbers",
		"a,b\n":                "no rows of numbers",
		"1,2\n3\n":             "line 2 has 1 columns, the first row has 2",
		"a,b\n1,2\n\n3,4,5":    "line 4 has 3 columns, the first row has 2",
		"1,2\n2013-01-01,4":    `line 2, column 1: "2013-01-01" is not a number`,
		"x\n1\n1,5\n":          `line 3, column 1: "1,5" is not a number`,
		"1;2\n1,5;3\n":         `line 2, column 1: "1,5" is not a number`,
		"1,2\n1e999,3\n":       `line 2, column 1: "1e999" is beyond the range of float64`,
		"1,9007199254740993\n": `line 1, column 2: "9007199254740993" is not exact in float64`,
		"1,2\n\"3\"x,4":        "line 2, column 1: text after the quotes",
		"1,2\n\"3,4\n":         "line 2: the quotes do not end",
		"x\n1\n\n3\n":          "line 3 is empty, and so is neither a number nor missing: write NA in it",
		"1,2\n3,\x004\n":       "line 2 has a byte 0",
	} {
		refused(t, "a.csv", []byte(text), want)
	}
	long := write(t, "a.csv", []byte("1,2\n"+strings.Repeat("3", 1<<20)+",4"))
	if _, err := convert.Open(long, convert.Options{Memory: 1 << 20}); !errors.Is(err, convert.ErrMemory) {
		t.Error(err)
	}
}

// Every real type is written and read back, in any order of sections; a stream takes rows only.
func TestCSVWriter(t *testing.T) {
	for _, typ := range dtype.All() {
		for _, shape := range [][]int{{}, {0}, {5}, {4, 7}, {1, 4}, {3, 1}} {
			info := convert.Info{DType: typ, Shape: shape}
			path := write(t, "x.csv", nil)
			if typ.IsComplex() {
				if _, err := convert.Create(io.Discard, "csv", info); !errors.Is(err, convert.ErrType) {
					t.Error(err)
				}
				continue
			}
			elements := converttest.Writer(t, creating(t, path, info), info, false)
			var stream bytes.Buffer
			converttest.Writer(t, func() (convert.Writer, error) {
				stream.Reset()
				return convert.Create(&stream, "csv", info)
			}, info, true)
			if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, stream.Bytes()) {
				t.Errorf("%+v: the file and the stream differ, %v", info, err)
			}
			if len(elements) > 0 {
				checkCSV(t, path, info, elements)
			}
		}
	}
}

// checkCSV checks that a file has the values of an array.
func checkCSV(t *testing.T, path string, info convert.Info, elements []byte) {
	t.Helper()
	v, err := convert.ReadAll[float64](path)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range v.Data() {
		element := elements[i*info.DType.Size():][:info.DType.Size()]
		want, err := strconv.ParseFloat(info.DType.Format(element), 64) // the shortest text, which may not be exact
		if err != nil {
			want = info.DType.Float64(element) // a bool
		}
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%+v: element %d: %v, want %v", info, i, got, want)
		}
	}
}

// Names and strings are quoted where they must be.
func TestCSVQuotes(t *testing.T) {
	for _, c := range []struct {
		info     convert.Info
		elements string
		want     string
	}{
		{convert.Info{DType: dtype.Int8, Shape: []int{1, 2}, Attrs: map[string]any{"columns": []any{"a,b", "c\"d"}}}, "\x01\xff", "\"a,b\",\"c\"\"d\"\n1,-1\n"},
		{convert.Info{DType: dtype.Int8, Shape: []int{2}, Attrs: map[string]any{"columns": []string{"x"}}}, "\x01\xff", "x\n1\n-1\n"},
		{convert.Info{DType: dtype.Int8, Shape: []int{2}, Attrs: map[string]any{"columns": "x"}}, "\x01\xff", "1\n-1\n"},
		{convert.Info{DType: dtype.Uint8, Shape: []int{3}, Labels: []string{"", "two words"}}, "\x01\x00\x01", "\"two words\"\n\"\"\n\"two words\"\n"},
		{convert.Info{DType: dtype.Bool, Shape: []int{2}}, "\x01\x00", "1\n0\n"},
	} {
		var out bytes.Buffer
		w, err := convert.Create(&out, "csv", c.info)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.WriteSection(nil, []byte(c.elements)), w.Close()); err != nil || out.String() != c.want {
			t.Errorf("%q, want %q, %v", out.String(), c.want, err)
		}
	}
}

// What CSV and PNG have no form for is refused.
func TestRefusedWriters(t *testing.T) {
	for _, c := range []struct {
		name string
		info convert.Info
		is   error
	}{
		{"csv", convert.Info{DType: dtype.Int8, Shape: []int{2, 2, 2}}, nd.ErrRank},
		{"csv", convert.Info{DType: dtype.Int8, Shape: []int{2, 2}, Order: nd.ColMajor(2)}, nd.ErrRank},
		{"png", convert.Info{DType: dtype.Uint8, Shape: []int{2, 2}, Order: nd.ColMajor(2)}, nd.ErrRank},
		{"png", convert.Info{DType: dtype.Uint8, Shape: []int{2}}, nd.ErrRank},
		{"png", convert.Info{DType: dtype.Int8, Shape: []int{2, 2}}, dtype.ErrDType},
		{"png", convert.Info{DType: dtype.Uint8, Shape: []int{2, 2}, Labels: []string{"a"}}, convert.ErrType},
		{"csv", convert.Info{}, dtype.ErrDType},
	} {
		var out bytes.Buffer
		if _, err := convert.Create(&out, c.name, c.info); !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), c.name+": ") || out.Len() > 0 {
			t.Errorf("%s %+v: %v", c.name, c.info, err)
		}
	}
}

// Pictures are written in any order of sections and read back.
func TestPNGWriter(t *testing.T) {
	for _, typ := range []dtype.DType{dtype.Uint8, dtype.Uint16} {
		for _, shape := range [][]int{{5, 7}, {1, 4}, {6, 3, 3}, {3, 5, 4}} {
			info := convert.Info{DType: typ, Shape: shape}
			path := write(t, "x.png", nil)
			elements := converttest.Writer(t, creating(t, path, info), info, false)
			var stream bytes.Buffer
			converttest.Writer(t, func() (convert.Writer, error) {
				stream.Reset()
				return convert.Create(&stream, "png", info)
			}, info, true)
			if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, stream.Bytes()) {
				t.Errorf("%+v: the file and the stream differ, %v", info, err)
			}
			converttest.Reader(t, func() (convert.Reader, error) { return convert.Open(path, convert.Options{}) }, info, elements)
		}
	}
}

// What gzip has compressed and is neither a table nor a .npy file is named.
func TestRefusedGzip(t *testing.T) {
	compressed := func(data string) []byte { return gzipped(t, data) }
	for text, data := range map[string][]byte{
		"a file of the format png that gzip has compressed": compressed("\x89PNG\r\n\x1a\n"),
		"a FITS file that gzip has compressed":              compressed("SIMPLE  =      T"),
		"line 1 has a byte 0":                               compressed("abc\x00def"),
		"unpack it with tar -xzf":                           compressed(strings.Repeat("\x00", 257) + "ustar\x0000"),
		"gzip: ":                                            []byte("\x1f\x8b garbage"),
		"no row in it":                                      compressed(""),
	} {
		refused(t, "a.gz", data, text)
	}
}

// FuzzCSV checks that no text panics, and that a table which is opened can be read, with as many elements as it says.
func FuzzCSV(f *testing.F) {
	seeds(f, "testdata/csv/*.[ct][sx][vt]", 7)
	csv, err := convert.ByName("csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := csv.Open(&convert.Input{Path: "a.csv", File: bytes.NewReader(data), Size: int64(len(data)), Memory: 1 << 20})
		if err != nil {
			return
		}
		n, err := r.Info().Bytes()
		if err == nil {
			err = r.ReadSection(nil, make([]byte, n))
		}
		if err != nil {
			t.Errorf("%q: %v", data, err)
		}
	})
}

// gzipped compresses a text.
func gzipped(t *testing.T, data string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := io.WriteString(z, data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
