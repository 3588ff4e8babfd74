package cube_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
)

// A missing value must become the fill value in an array of integers that has a suitable one, and
// be refused by others.
func TestAppendMissingInteger(t *testing.T) {
	o := cube.CSV{Coords: []string{"k", "l"}, Value: "v"}
	for fill, want := range map[string]string{"-1": "<nil>", "": "line 2: a missing value, and no int32 of the array stands for one"} {
		for _, value := range []string{"NA", "NaN", "", "null", "-"} {
			spec := cube.Spec(dtype.Int32, "", "")
			if fill != "" {
				spec.FillValue = fill
			}
			c := create(t, spec)
			_, err := c.AppendCSV(context.Background(), strings.NewReader("k,l,v\na,b,"+value+"\n"), o)
			if !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("fill %q, %q: %v, want %s", fill, value, err, want)
			}
		}
	}
}

// TestAppendCSV reads unusual and wrong tables.
func TestAppendCSV(t *testing.T) {
	o := cube.CSV{Coords: []string{"k", "l"}, Value: "v"}
	for _, test := range []struct {
		text string
		rows int
		want string // a part of the error, or the cells
	}{
		{"k,l,v\n", 0, "map[]"},
		{"\ufeffk,l,v\na,b,1\n", 1, "map[a/b:1]"},
		{"\ufeff\"k\",l,v\na,b,1\n", 1, "map[a/b:1]"},
		{"v,\"l\",x,k\r\n1,\"b,\"\"\n\",?,a\r\n", 1, "map[a/b,\"\n:1]"},
		{"k,l,v\n\na,b,1\n\na,b,2", 2, "map[a/b:2]"},
		{"k, l, v\n  a,\t\"b\", 1\n", 1, "map[a/b:1]"},
		{"k,l,v\n\" a\",b,1\na,b,1\n", 2, "map[ a/b:1 a/b:1]"},
		{"k,l,v\na,b,1\na,c,\nd,b,NaN\n", 3, "map[a/b:1]"},
		{"", 0, "no line of headings"},
		{"k,v\n", 0, `no column "l", the columns are "k", "v"`},
		{"k,l,v,l\n", 0, `two columns "l"`},
		{"k,l,v\na,b,1\na,b\n", 1, "line 3 has 2 fields, the heading has 3"},
		{"k,l,v\na,\"\nb\",1\na,\"b,1\n", 1, "line 4"},
		{"k,l,v\na,\"\nb\",1\n\na,b,x\n", 1, `line 5: value "x" is no float64`},
		{"k,l,v\na,b,1\nc,,1\n", 1, `line 3: dimension 1: an empty label`},
		{"k,l,v\na,b,1\na,c,NA\nd,b,null\nd,c,-\nd,d,n/a", 5, "map[a/b:1]"},
		{"k,l,v\n-,,m/s\na,b,1\n", 1, "map[a/b:1]"},
		{"k,l,v\n,,[Avg]\na,b,1\n\na,c\n", 1, "line 5 has 2 fields"},
		{"k,l,v\n,,Avg\na,b,1\n", 0, `line 2: column 3: "Avg" under the heading "v" may be its units, or a value that is no number`},
		{"k,l,v\na,m,\nm,3,1\n", 2, "map[m/3:1]"},
		{"k;l;v\r\na;b;1,5\r\na;c;2,125\r\n", 2, "map[a/b:1.5 a/c:2.125]"},
		{"k\tl;m\tl\tv\na\t\tb\t1,5\n", 1, "map[a/b:1.5]"},
		{"k;l;v\na;b;2,125\na;c;2,5\n", 2, "map[a/b:2.125 a/c:2.5]"},
		{"k;l;v\na;b;2,125\n", 0, `line 2: 2,125 may be 2.125 or 2125, and no number before it decides: option decimal="," or option decimal="." says it`},
		{"k;l;v\na;b;1.234,5\nc;d;1.000\n", 2, "map[a/b:1234.5 c/d:1000]"},
		{"k;l;v\na;b;1.5\nc;d;1,5\n", 1, "line 3: 1,5 has another decimal sign than 1.5 before it"},
		{"k,l,v\na,b,\"1,5\"\n", 1, "map[a/b:1.5]"},
		{"# a station\nk|l|v [mm]\n#\na|b|1\n", 1, "map[a/b:1]"},
		{"  k l    v\n a  \"b c\"\t1  \r\nd e 2\n", 2, "map[a/b c:1 d/e:2]"},
		{"k,l,v,\na,b,1,\nc,d,2,\n", 2, "map[a/b:1 c/d:2]"},
		{"k,l,v\na,b,1,\nc,d,2,x\n", 1, "line 3 has 4 fields, the heading has 3"},
		{"\xff\xfek\x00,\x00l\x00,\x00v\x00\n\x00a\x00,\x00\xfc\x00,\x001\x00\n\x00", 1, "map[a/ü:1]"},
		{"k,l,v\na,\xfc,1\n", 0, "is not UTF-8: if the table is in Latin-1"},
	} {
		err := o.Check(cube.NewCSV(strings.NewReader(test.text), o.Table))
		if want := strings.Contains(test.want, "column") || test.text == ""; errors.Is(err, cube.ErrFormat) != want {
			t.Errorf("%q: check says %v", test.text, err)
		}
		c := create(t, cube.Spec(dtype.Float64, "", ""))
		bytes := 0
		o.Progress = func(n int) { bytes += n }
		rows, err := c.AppendCSV(context.Background(), strings.NewReader(test.text), o)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(cells(t, c))
			if want := len(strings.TrimPrefix(test.text, "\ufeff")); bytes != want && !strings.HasPrefix(test.text, "\xff") && !strings.HasPrefix(test.text, " ") {
				t.Errorf("%q: progress of %d bytes, want %d", test.text, bytes, want)
			}
		}
		if rows != test.rows || !strings.Contains(got, test.want) {
			t.Errorf("%q: %d rows, %s, want %d, %s", test.text, rows, got, test.rows, test.want)
		}
	}
}

// TestAppendWide reads tables with a column of values per index of dimension 1.
func TestAppendWide(t *testing.T) {
	long := strings.Repeat("x,", 50)
	for _, test := range []struct {
		text, drop, blank, want string
	}{
		{"k,1/2/20,1/3/20\na,1,2\nb,3,4\n", "", "", "map[a/1/2/20:1 a/1/3/20:2 b/1/2/20:3 b/1/3/20:4]"},
		{"x,p,q,k,y\n?,1,,a,?\n?,2,3,,?\n", "x y", "none", "map[a/p:1 none/p:2 none/q:3]"},
		{"k,p\na,1\na,2\n", "", "", "map[a/p:2]"},
		{"k,p,q\n", "", "", "map[]"},
		{"p,k\n1,\n", "", "", "line 2: dimension 0: an empty label"},
		{"p,k,q\n1,a,2\n1,b,x\n", "", "", `line 3: column "q": value "x" is no float64`},
		{"p,k,p\n", "", "", `two columns "p"`},
		{"p,q\n", "", "", `no column "k"`},
		{"p,k\n", "q", "", `no column "q" to leave out, the columns are "p", "k"`},
		{"p,k\n", "p", "", `no column with values is left of "p", "k"`},
		{",k\n", "", "", "column 1 has no heading"},
		{long + "z\n", "", "", `"x" and 31 more`},
	} {
		o := cube.CSV{Coords: []string{"k", ""}, Wide: &cube.Wide{Dim: 1, Drop: strings.Fields(test.drop)}, Blank: test.blank}
		c := create(t, cube.Spec(dtype.Float64, "", ""))
		_, err := c.AppendCSV(context.Background(), strings.NewReader(test.text), o)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(cells(t, c))
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
		if checked := o.Check(cube.NewCSV(strings.NewReader(test.text), o.Table)); (checked != nil) != errors.Is(err, cube.ErrFormat) {
			t.Errorf("%q: check says %v, and reading it %v", test.text, checked, err)
		}
	}
}

// A wide table must give the same elements as the long one. It has more rows than a Loader buffers.
func TestWideIsLong(t *testing.T) {
	const rows, columns = 90, 3100
	var wide, long strings.Builder
	wide.WriteString("k")
	for j := range columns {
		fmt.Fprintf(&wide, ",%d", j)
	}
	long.WriteString("l,v,k\n")
	for i := range rows {
		fmt.Fprintf(&wide, "\n%d", i)
		for j := range columns {
			fmt.Fprintf(&wide, ",%d", i*j)
			fmt.Fprintf(&long, "%d,%d,%d\n", j, i*j, i)
		}
	}
	read := func(text string, o cube.CSV) ([]float64, []string) {
		c := create(t, cube.Spec(dtype.Float64, "l", "k"))
		if _, err := c.AppendCSV(context.Background(), strings.NewReader(text), o); err != nil {
			t.Fatal(err)
		}
		values, err := drx.Read[float64](c.Array(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, labels := c.Labels(0)
		return values, labels
	}
	got, labels := read(wide.String(), cube.CSV{Coords: []string{"", "k"}, Wide: &cube.Wide{}})
	want, wantLabels := read(long.String(), cube.CSV{Coords: []string{"l", "k"}, Value: "v"})
	if !slices.Equal(got, want) || !slices.Equal(labels, wantLabels) || len(got) != rows*columns {
		t.Errorf("%d elements and %d labels, want %d and %d, or they differ", len(got), len(labels), len(want), len(wantLabels))
	}
}

// TestInterrupted stops loading half way. After Discard the array must be unchanged.
func TestInterrupted(t *testing.T) {
	c := create(t, cube.Spec(dtype.Float64, "k"))
	table := "k,v\n" + strings.Repeat("a,1\nb,2\n", 150000) // more than a Loader buffers
	ctx, cancel := context.WithCancel(context.Background())
	o := cube.CSV{Coords: []string{"k"}, Value: "v", Progress: func(int) {
		if c.Array().Shape()[0] > 0 {
			cancel()
		}
	}}
	if _, err := c.AppendCSV(ctx, strings.NewReader(table), o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := c.Array().Discard(); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(c.Array().Name(), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, labels := of(t, a).Labels(0); len(labels) != 0 || a.Shape()[0] != 0 {
		t.Errorf("%d labels, shape %v", len(labels), a.Shape())
	}
}

// An interruptedReader is a table whose writer is interrupted together with its reader: it ends
// early.
type interruptedReader struct {
	io.Reader
	interrupt func()
}

func (b *interruptedReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		b.interrupt()
	}
	return n, err
}

// TestBrokenPipe interrupts the writer of a table. The end of its output must not count as the end
// of the table, within a row or after one.
func TestBrokenPipe(t *testing.T) {
	for _, text := range []string{"k,v\na,1\n", "k,v\na,1\nb"} {
		c := create(t, cube.Spec(dtype.Float64, "k"))
		ctx, cancel := context.WithCancel(context.Background())
		in := &interruptedReader{strings.NewReader(text), cancel}
		_, err := c.AppendCSV(ctx, in, cube.CSV{Coords: []string{"k"}, Value: "v"})
		if !errors.Is(err, context.Canceled) || c.Array().Shape()[0] != 0 {
			t.Errorf("%q: %v, shape %v", text, err, c.Array().Shape())
		}
	}
}

// Reading must stop at a row that is too long, before it fills the memory, whatever follows.
func TestLongRow(t *testing.T) {
	o := cube.CSV{Coords: []string{"k", "l"}, Value: "v"}
	for begin, c := range map[string]struct{ on, line string }{
		"":                              {"k,", "line 1: "},
		"k,l,v\na,\"\nb\",1\na,":        {"x", "line 4: "},
		"k,l,v\na,b,1\na,\"":            {"x\n", "line 3: "},
		"k,l,v\na,b,\"1\"\n\na,b,1\n\"": {"\"\"", "line 5: "},
	} {
		on := &endless{text: c.on}
		table := create(t, cube.Spec(dtype.Float64, "", ""))
		_, err := table.AppendCSV(context.Background(), io.MultiReader(strings.NewReader(begin), on), o)
		if !errors.Is(err, cube.ErrFormat) || !strings.Contains(err.Error(), c.line+"a row of more than 4194304 bytes") {
			t.Errorf("%q: %v", begin, err)
		}
		if on.read > cube.MaxRow+1<<16 {
			t.Errorf("%q: %d bytes were read", begin, on.read)
		}
	}
	long := strings.Repeat("x", cube.MaxRow-100) // fits
	table := create(t, cube.Spec(dtype.Float64, "", ""))
	if rows, err := table.AppendCSV(context.Background(), strings.NewReader("k,l,v\n"+long+",a,1\n"+long+",b,2\n"), o); rows != 2 || err != nil {
		t.Errorf("long rows: %d, %v", rows, err)
	}
}

// An endless reader returns a text again and again.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.read+i)%len(e.text)]
	}
	e.read += len(p)
	return len(p), nil
}
