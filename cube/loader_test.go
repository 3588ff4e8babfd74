package cube_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drx"
	"drx/cube"
	"drx/dtype"
)

// cells returns every cell that is not empty, by its labels, as text.
func cells(t rapid.TB, c *cube.Cube) map[string]string {
	t.Helper()
	a := c.Array()
	got, fill := map[string]string{}, a.DType().Format(a.FillValue())
	sel := cube.Box(a.Bounds())
	err := sel.Parts(nil, a.DType().Size(), 1, func(part cube.Selection) error {
		cell := make([]byte, a.DType().Size())
		if err := c.Read(part, cell, nil); err != nil {
			return err
		}
		if text := a.DType().Format(cell); text != fill {
			names := make([]string, len(part))
			for d, x := range part {
				names[d] = c.Label(d, x.At(0))
			}
			got[strings.Join(names, "/")] = text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestLoader loads random rows in random commits and compares the cube with a map.
func TestLoader(t *testing.T) {
	dir, arrays := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		arrays++
		rank := rapid.IntRange(1, 4).Draw(t, "rank")
		spec := cube.Spec(rapid.SampledFrom([]dtype.DType{dtype.Float64, dtype.Float32, dtype.Int32, dtype.Uint16}).Draw(t, "type"),
			make([]string, rank)...)
		if spec.FillValue == nil {
			spec.FillValue = 9999 // none of these rows has this sum
		}
		if rapid.Bool().Draw(t, "small chunks") {
			spec.ChunkShape = slices.Repeat([]int{2}, rank)
		}
		a, err := drx.Create(fmt.Sprintf("%s/%d", dir, arrays), scratch(spec))
		if err != nil {
			t.Fatal(err)
		}
		c, err := cube.Of(a)
		if err != nil {
			t.Fatal(err)
		}
		combine := rapid.SampledFrom([]cube.Combine{cube.Replace, cube.Add}).Draw(t, "combine")
		want := map[string]int{}
		for range rapid.IntRange(1, 4).Draw(t, "commits") {
			l, err := c.Loader(combine)
			if err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(0, 40).Draw(t, "rows") {
				row := make([]string, rank)
				for d := range row {
					row[d] = fmt.Sprint("x", rapid.IntRange(0, 5).Draw(t, "label"))
				}
				v, key := rapid.IntRange(0, 50).Draw(t, "value"), strings.Join(row, "/")
				if err := l.Add(row, fmt.Sprint(v)); err != nil {
					t.Fatal(err)
				}
				if combine == cube.Add {
					v += want[key]
				}
				want[key] = v
			}
			if err := l.Commit(); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "reopen") {
				c = reopen(t, c)
			}
		}
		texts := map[string]string{}
		for key, v := range want {
			texts[key] = fmt.Sprint(v)
		}
		if got := cells(t, c); !maps.Equal(got, texts) {
			t.Fatalf("cells %v, want %v", got, texts)
		}
		if err := c.Array().Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBatches loads more rows than a Loader buffers, with several rows for every cell.
func TestBatches(t *testing.T) {
	const edge, times = 200, 7
	c := create(t, cube.Spec(dtype.Int32, "y", "x"))
	l, err := c.Loader(cube.Add)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]string, edge)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	for i := range times * edge * edge {
		y, x := i%edge, (i/edge)%edge
		if err := l.Add([]string{labels[y], labels[x]}, labels[(y+x+i/edge/edge)%edge]); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
	data, err := drx.Read[int32](c.Array(), nil)
	if err != nil || len(data) != edge*edge {
		t.Fatal(len(data), err)
	}
	for p, got := range data {
		want := 0
		for i := range times {
			want += (p/edge + p%edge + i) % edge
		}
		if int(got) != want {
			t.Fatalf("cell %d, %d is %d, want %d", p/edge, p%edge, got, want)
		}
	}
	if n := len(c.Array().Grid().Records()); n > 2 {
		t.Errorf("%d records for growth in two dimensions, in two batches", n)
	}
}

// TestRowErrors adds invalid rows, which must change nothing.
func TestRowErrors(t *testing.T) {
	c := create(t, drx.Spec{DType: dtype.Int8, Shape: []int{0, 3}, Dims: []string{"y", ""}})
	l, err := c.Loader(cube.Replace)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		coords []string
		value  string
		want   error
	}{
		{[]string{"a"}, "1", drx.ErrRank},
		{[]string{"a", "0", "0"}, "1", drx.ErrRank},
		{[]string{"a", "0"}, "x", drx.ErrDType},
		{[]string{"a", "0"}, "", drx.ErrDType},
		{[]string{"a", "0"}, "128", drx.ErrDType},
		{[]string{"", "0"}, "1", cube.ErrLabel},
		{[]string{"\xff", "0"}, "1", cube.ErrLabel},
		{[]string{"a", "x"}, "1", cube.ErrLabel},
		{[]string{"a", ""}, "1", cube.ErrLabel},
		{[]string{"a", "3"}, "1", drx.ErrBounds},
		{[]string{"a", "-1"}, "1", drx.ErrBounds},
	} {
		if err := l.Add(test.coords, test.value); !errors.Is(err, test.want) {
			t.Errorf("%q = %q: %v, want %v", test.coords, test.value, err, test.want)
		}
	}
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, labels := c.Labels(0); len(labels) != 0 || c.Array().Shape()[0] != 0 {
		t.Errorf("labels %q, shape %v after errors", labels, c.Array().Shape())
	}
}

// TestEmptyValues loads rows without a value, which mean empty cells if the array has them.
func TestEmptyValues(t *testing.T) {
	rows := [][2]string{{"a", "1"}, {"b", ""}, {"c", "2"}, {"c", ""}, {"d", ""}, {"d", "3"}, {"e", "4"}, {"e", "-1"}}
	for combine, want := range map[cube.Combine]string{
		cube.Replace: "map[a:1 d:3]",
		cube.Add:     "map[a:1 c:2 d:3 e:4]",
	} {
		for _, d := range []dtype.DType{dtype.Int8, dtype.Float32} {
			c := create(t, drx.Spec{DType: d, Shape: []int{0}, FillValue: -1})
			l, err := c.Loader(combine)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				if err := l.Add(row[:1], row[1]); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.Commit(); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(cells(t, c)); got != want {
				t.Errorf("%v, combine %d: %s, want %s", d, combine, got, want)
			}
			if _, labels := c.Labels(0); strings.Join(labels, "") != "abcde" {
				t.Errorf("%v, combine %d: labels %q", d, combine, labels)
			}
		}
	}
}

// TestNoSums requests sums of types that have none.
func TestNoSums(t *testing.T) {
	for _, d := range dtype.All() {
		c := create(t, drx.Spec{DType: d, Shape: []int{1}})
		_, err := c.Loader(cube.Add)
		if want := d == dtype.Bool || d.IsComplex(); errors.Is(err, drx.ErrDType) != want {
			t.Errorf("%v: %v", d, err)
		}
		if _, err := c.Loader(cube.Replace); err != nil {
			t.Errorf("%v: %v", d, err)
		}
	}
}

// TestSumDoesNotFit adds more to a cell than its type can hold.
func TestSumDoesNotFit(t *testing.T) {
	for d, pair := range map[dtype.DType][2]string{
		dtype.Int8: {"100", "28"}, dtype.Uint8: {"255", "1"}, dtype.Int64: {"9223372036854775807", "1"},
		dtype.Int32: {"-2147483648", "-1"}, dtype.Uint64: {"18446744073709551615", "1"}, dtype.Float32: {"3e38", "3e38"},
	} {
		c := create(t, drx.Spec{DType: d, Shape: []int{0}})
		l, err := c.Loader(cube.Add)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range pair {
			if err := l.Add([]string{"k"}, v); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Commit(); !errors.Is(err, drx.ErrDType) || !strings.Contains(err.Error(), "cell k:") {
			t.Errorf("%v: %v", d, err)
		}
	}
}
