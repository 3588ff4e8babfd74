package formats_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/formats/texttable"
	"drx/nd"
	"drx/optionerr"
)

// The first line gives names if it has text.
func TestCSVNames(t *testing.T) {
	for text, want := range map[string]any{
		"1,2\n3,4\n": nil, "a,b\n3,4\n": []string{"a", "b"}, "a,1\n3,4": []string{"a", "1"}, ",NA\n3,4": nil, "a b\n1 2": []string{"a", "b"}, "a;b,c\n1;2": []string{"a", "b,c"},
		"t [degC],u\n1,-": []string{"t [degC]", "u"}, "\ufeffa;b\r\n1,5;2\r\n": []string{"a", "b"},
	} {
		r, err := formats.Open(write(t, "a.csv", []byte(text)), formats.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var names any // of the columns
		c, err := formats.List(write(t, "a.csv", []byte(text)), formats.Options{})
		for _, v := range c.Vars {
			if v.Name == "column" {
				names = v.Labels
			}
		}
		if got := r.Info(); err != nil || want == nil != (names == nil) || want != nil && !reflect.DeepEqual(names, want) || got.Shape[1] != 2 {
			t.Errorf("%q: %+v, columns %q, %v", text, got, names, err)
		}
		r.Close()
	}
}

// What is no table of numbers is refused with line, column and reason, when it is opened.
func TestRefusedCSV(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "the file is empty",
		"\n\n# x\n":         "no row in it",
		"hello":             "no rows of numbers",
		"a,b\n":             "no rows of numbers",
		"1,2\n3\n":          "line 2 has 1 columns, the first row has 2",
		"a,b\n1,2\n\n3,4,5": "line 4 has 3 columns, the first row has 2",
		"1,2\n2013-01-01,4": `line 2, column 1: "2013-01-01" is not a number`,
		"x\n1\n1,5\n":       `line 3, column 1: "1,5" is not a number`,
		"1;2\n1,5;3\n1.5;3": "line 3, column 1: 1.5 has another decimal sign than 1,5 before it",
		"1;2\n1,500;3\n":    `line 2, column 1: 1,500 may be 1.500 or 1500, and no number before it decides: option decimal="," or option decimal="." says it`,
		"a;b\n1.234;3\n":    "1.234 may be 1.234 or 1234",
		"t,a\n1.2.2024,1\n": "1.2.2024 may be 2024-02-01 or 2024-01-02",
		"t,a\n2024-01-01T00:00Z,1\n2024-01-01T01:00,2\n": "2024-01-01T00:00Z has a zone and 2024-01-01T01:00 has none",
		"a,b,\n1,2,3\n":        "line 2, column 3: the column has no heading",
		"Z\xfcrich,b\n1,2\n":   "is not UTF-8: if the table is in Latin-1",
		"t,a\nZ\xfcrich,1\n":   "is not UTF-8",
		"a;b\nx;3\n17;3\n":     `column 1: "17" is not a number`,
		"t,a\nx,1\nx,2\n":      `column 1: "x" is there twice, and is not a number`,
		"t,a\nx,1\n,2\n":       "column 1: name 2 is empty",
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
	if _, err := formats.Open(long, formats.Options{Memory: 1 << 20}); !errors.Is(err, formats.ErrMemory) {
		t.Error(err)
	}
}

// Every real type is written and read back, in any order of sections; a stream takes rows only.
func TestCSVWriter(t *testing.T) {
	for _, typ := range dtype.All() {
		for _, shape := range [][]int{{}, {0}, {5}, {4, 7}, {1, 4}, {3, 1}} {
			info := formats.Info{DType: typ, Shape: shape}
			path := write(t, "x.csv", nil)
			if typ.IsComplex() {
				if _, err := formats.Create(io.Discard, "csv", info); !errors.Is(err, formats.ErrType) {
					t.Error(err)
				}
				continue
			}
			elements := formattest.Writer(t, creating(t, path, info), info, false)
			var stream bytes.Buffer
			formattest.Writer(t, func() (formats.Writer, error) {
				stream.Reset()
				return formats.Create(&stream, "csv", info)
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
func checkCSV(t *testing.T, path string, info formats.Info, elements []byte) {
	t.Helper()
	v, err := formats.ReadAll[float64](path)
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
		info     formats.Info
		elements string
		want     string
	}{
		{formats.Info{DType: dtype.Int8, Shape: []int{1, 2}, Attrs: map[string]any{"columns": []any{"a,b", "c\"d"}}}, "\x01\xff", "\"a,b\",\"c\"\"d\"\n1,-1\n"},
		{formats.Info{DType: dtype.Int8, Shape: []int{2}, Attrs: map[string]any{"columns": []string{"x"}}}, "\x01\xff", "x\n1\n-1\n"},
		{formats.Info{DType: dtype.Int8, Shape: []int{2}, Attrs: map[string]any{"columns": "x"}}, "\x01\xff", "1\n-1\n"},
		{formats.Info{DType: dtype.Uint8, Shape: []int{3}, Labels: []string{"", "two words"}}, "\x01\x00\x01", "\"two words\"\n\"\"\n\"two words\"\n"},
		{formats.Info{DType: dtype.Bool, Shape: []int{2}}, "\x01\x00", "1\n0\n"},
	} {
		var out bytes.Buffer
		w, err := formats.Create(&out, "csv", c.info)
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
		info formats.Info
		is   error
	}{
		{"csv", formats.Info{DType: dtype.Int8, Shape: []int{2, 2, 2}}, nd.ErrRank},
		{"csv", formats.Info{DType: dtype.Int8, Shape: []int{2, 2}, Order: nd.ColMajor(2)}, nd.ErrRank},
		{"png", formats.Info{DType: dtype.Uint8, Shape: []int{2, 2}, Order: nd.ColMajor(2)}, nd.ErrRank},
		{"png", formats.Info{DType: dtype.Uint8, Shape: []int{2}}, nd.ErrRank},
		{"png", formats.Info{DType: dtype.Int8, Shape: []int{2, 2}}, dtype.ErrDType},
		{"png", formats.Info{DType: dtype.Uint8, Shape: []int{2, 2}, Labels: []string{"a"}}, formats.ErrType},
		{"csv", formats.Info{}, dtype.ErrDType},
	} {
		var out bytes.Buffer
		if _, err := formats.Create(&out, c.name, c.info); !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), c.name+": ") || out.Len() > 0 {
			t.Errorf("%s %+v: %v", c.name, c.info, err)
		}
	}
}

// Pictures are written in any order of sections and read back.
func TestPNGWriter(t *testing.T) {
	for _, typ := range []dtype.DType{dtype.Uint8, dtype.Uint16} {
		for _, shape := range [][]int{{5, 7}, {1, 4}, {6, 3, 3}, {3, 5, 4}} {
			info := formats.Info{DType: typ, Shape: shape}
			path := write(t, "x.png", nil)
			elements := formattest.Writer(t, creating(t, path, info), info, false)
			var stream bytes.Buffer
			formattest.Writer(t, func() (formats.Writer, error) {
				stream.Reset()
				return formats.Create(&stream, "png", info)
			}, info, true)
			if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, stream.Bytes()) {
				t.Errorf("%+v: the file and the stream differ, %v", info, err)
			}
			formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{}) }, info, elements)
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

// FuzzCSV checks that no text panics, and that a table which is opened can be read, with as many
// elements as it says.
func FuzzCSV(f *testing.F) {
	seeds(f, "testdata/csv/*.[ct][sx][vt]", 7)
	csv, err := formats.ByName("csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := csv.Open(&formats.Input{Path: "a.csv", File: bytes.NewReader(data), Size: int64(len(data)), Memory: 1 << 20})
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

// The names of rows are times, numbers or labels, and so are those of columns; the first column has
// them if it is text, or if its heading says so.
func TestTableNames(t *testing.T) {
	type named struct {
		dims  string
		names []string // of variables with their types
		first []string // the elements of the first one beside the numbers
	}
	for text, want := range map[string]named{
		"time,Oslo,Bergen\n2024-01-01,1,2\n2024-01-01T06:00,3,-\n": {"[time column]", []string{"s float64", "time int64", "column uint32"}, []string{"1704067200", "1704088800"}},
		"time\\station;Oslo;Bergen\n2024-01-01 00:00:00.5;1,25;2\n2024-01-02;3;NA\n": {
			"[time station]", []string{"s float64", "time int64", "station uint32"}, []string{"1704067200500000", "1704153600000000"},
		},
		"lat\\lon,10,20.5\n50,1,2\n51,3,4\n": {"[lat lon]", []string{"s float64", "lat float64", "lon float64"}, []string{"50", "51"}},
		"lat\\,t\n50,1\n51,3\n":              {"[lat]", []string{"t float64", "lat float64"}, []string{"50", "51"}},
		"name\tmm/h\na b\t1,5\n\"c\"\t2\n":   {"[name]", []string{"mm_h float64", "name uint32"}, []string{"0", "1"}},
		"lat,t\n50,1\n51,3\n":                {"[ column]", []string{"s float64", "column uint32"}, []string{"0", "1"}},
		"y\\x,0,1\n0,1,2\n1,3,4\n":           {"[y x]", []string{" float64"}, nil},
	} {
		for _, ext := range []string{"s.csv", "s.tsv", "s.csv.gz"} {
			data := []byte(text)
			if strings.HasSuffix(ext, ".gz") {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				z.Write(data)
				z.Close()
				data = b.Bytes()
			}
			path := write(t, ext, data)
			c, err := formats.List(path, formats.Options{})
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			var names, first []string
			for i, v := range c.Vars {
				names = append(names, v.Name+" "+v.DType.String())
				if i == 1 {
					r, err := formats.Open(path, formats.Options{Variable: v.Name})
					if err != nil {
						t.Fatal(err)
					}
					buf := make([]byte, v.Shape[0]*v.DType.Size())
					if err := r.ReadSection(nil, buf); err != nil {
						t.Error(err)
					}
					for ; len(buf) > 0; buf = buf[v.DType.Size():] {
						first = append(first, v.DType.Format(buf[:v.DType.Size()]))
					}
					r.Close()
				}
			}
			got := named{fmt.Sprint(c.Vars[0].Dims), names, first}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, want %+v", text, got, want)
			}
			numbers, err := formats.ReadAll[float64](path)
			if err != nil || math.Abs(numbers.Data()[0]-1.25) > 0.25 && !strings.HasPrefix(text, "lat,") {
				t.Errorf("%q: %v, %v", text, numbers, err)
			}
		}
	}
}

// Columns of different units are variables of their own; those of the same units are one array.
func TestColumnUnits(t *testing.T) {
	path := write(t, "w.csv", []byte("time,temp [degC],rain (mm),n\n2024-01-01,1.5,0,7\n2024-01-02,NA,2,8\n"))
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range c.Vars {
		got = append(got, fmt.Sprintf("%s %v %v %v", v.Name, v.Dims, v.Shape, v.Attrs["units"]))
	}
	want := []string{"temp [time] [2] degC", "rain [time] [2] mm", "n [time] [2] <nil>", "time [time] [2] seconds since 1970-01-01"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for name, want := range map[string]string{"temp": "1.5 NaN", "rain": "0 2", "n": "7 8"} {
		r, err := formats.Open(path, formats.Options{Variable: name})
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 16)
		if err := r.ReadSection(nil, buf); err != nil || dtype.Float64.Format(buf[:8])+" "+dtype.Float64.Format(buf[8:]) != want {
			t.Errorf("%s: % x, %v, want %s", name, buf, err, want)
		}
		r.Close()
	}
	for _, name := range []string{"", "x"} {
		if _, err := formats.Open(path, formats.Options{Variable: name}); !errors.Is(err, formats.ErrVariable) || !strings.Contains(err.Error(), "temp, rain, n, time") {
			t.Errorf("%q: %v", name, err)
		}
	}
	same := write(t, "s.csv", []byte("time,Oslo [K],Bergen [K]\n2024-01-01,1,2\n2024-01-02,3,4\n"))
	if c, err = formats.List(same, formats.Options{}); err != nil || fmt.Sprintf("%v %v %v", c.Vars[0].Attrs["units"], c.Vars[0].Shape, c.Vars[2].Labels) != "K [2 2] [Oslo Bergen]" {
		t.Errorf("%+v, %v", c.Vars, err)
	}
}

// A row of units under the headings is what units in the headings are.
func TestRowOfUnits(t *testing.T) {
	for text, want := range map[string]string{
		"time,temp,rain\nUTC,degC,mm\n2024-01-01,1.5,0\n2024-01-02,2,0.5\n":      "temp degC, rain mm, time seconds since 1970-01-01",
		"time;temp;rain;\n;[degC];[mm];\n2024-01-01;1,5;0;\n2024-01-02;2;0,5;\n": "temp degC, rain mm, time seconds since 1970-01-01",
		"station,temp\n-,K\nA,1.5\nB,2\n":                                        "temp K",
		"station,temp\nA,1.5\nB,2\n":                                             "temp <nil>",
		"time,temp,n\n,Avg,1\n2024-01-01,1.5,0\n":                                `may be its units, or a value that is no number: option units="row" or option units="none"`,
		"time,temp\nCET,K\n2024-01-01,1.5\n":                                     "zone of times",
		"time,temp [K]\n,degC\n2024-01-01,1.5\n":                                 "different units",
		"name,temp\nA,K\nB,mm\n":                                                 "is not a number",
	} {
		c, err := formats.List(write(t, "u.csv", []byte(text)), formats.Options{})
		var list []string
		for _, v := range c.Vars {
			list = append(list, fmt.Sprintf("%s %v", cmp.Or(v.Name, "temp"), v.Attrs["units"]))
		}
		if got := strings.Join(list, ", "); err == nil && !strings.HasPrefix(got, want) || err != nil && (!errors.Is(err, formats.ErrTable) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"temp,rain\n1,2\n3,4\n", "1,2\n3,4\n", "temp,rain\nK,mm\n", "temp,rain\nK,2\n3,4\n", "day,t\n2024-01-01,K\n2024-01-02,3\n"} {
		_, err := formats.List(write(t, "n.csv", []byte(text)), formats.Options{Table: texttable.Options{Units: "row"}})
		if !errors.Is(err, optionerr.ErrOption) || !strings.Contains(err.Error(), `option units="row": `) {
			t.Errorf("%q as units: %v", text, err)
		}
	}
	path := write(t, "row.csv", []byte("time,temp,n\n,degC,Tot\n2024-01-01,1.5,7\n"))
	o := formats.Options{Variable: "n", Table: texttable.Options{Units: "row"}}
	r, err := formats.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	buf := make([]byte, 8)
	if err := r.ReadSection(nil, buf); err != nil || dtype.Float64.Format(buf) != "7" || r.Info().Attrs["units"] != "Tot" {
		t.Errorf("%x, %v, %v", buf, err, r.Info().Attrs)
	}
}

// A column of an array with units is written with them, and read again.
func TestColumnWithUnits(t *testing.T) {
	for units, want := range map[any]string{"mm": "rain [mm]", "m s-1": "rain [m s-1]", "": "rain", "a[b": "rain", nil: "rain", 3: "rain"} {
		if got := texttable.WithUnits("rain", units); got != want {
			t.Errorf("%v: %q, want %q", units, got, want)
		}
	}
}
