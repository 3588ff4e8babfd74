package transfer_test

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/formats"
	"drx/formats/texttable"
	"drx/formats/transfer"
	"drx/optionerr"
)

// writeColumns writes an .npz file with variables of one dimension.
func writeColumns(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npz")
	vars := []formats.Info{
		{Name: "k", DType: dtype.Int32, Shape: []int{4}},
		{Name: "v", DType: dtype.Float64, Shape: []int{4}},
		{Name: "n", DType: dtype.Int64, Shape: []int{4}},
		{Name: "short", DType: dtype.Int8, Shape: []int{3}},
		{Name: "c", DType: dtype.Complex64, Shape: []int{4}},
		{Name: "plane", DType: dtype.Int8, Shape: []int{2, 2}},
	}
	elements := [][]byte{
		dtype.Bytes([]int32{0, 2, 1, 2}), dtype.Bytes([]float64{0.1, math.NaN(), -3e300, 7}), dtype.Bytes([]int64{1, 2, 3, 1<<53 + 1}),
		{1, 2, 3},
		make([]byte, 32),
		{1, 2, 3, 4},
	}
	writers, err := formats.CreateFile(path, "npz", formats.Content{Vars: vars})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		if err := errors.Join(w.WriteSection(nil, elements[i]), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// The variables of one dimension are the columns of a table.
func TestColumns(t *testing.T) {
	path := writeColumns(t)
	if has, err := transfer.HasColumns(path); !has || err != nil {
		t.Error(has, err)
	}
	c, err := transfer.OpenColumns(path, texttable.Options{NA: []string{"7"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	heads, err := c.Headings()
	if got := strings.Join(heads, " "); err != nil || got != "k v n short c" {
		t.Fatal(got, err)
	}
	if err := c.Use([]int{1, 0, 2}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		record, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		number, err := c.Numbers(nil).Parse(record[1])
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record[0]+" "+number+" "+record[2])
	}
	if want := "0 0.1 1|2  2|1 -3e+300 3|2  9007199254740993"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

// Columns of other lengths, of complex numbers, and numbers that an array does not have are
// refused.
func TestColumnsRefused(t *testing.T) {
	path := writeColumns(t)
	for _, use := range [][]int{{0, 3}, {0, 4}} {
		c, err := transfer.OpenColumns(path, texttable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Use(use); !errors.Is(err, cube.ErrFormat) && !errors.Is(err, formats.ErrType) {
			t.Error(use, err)
		}
		c.Close()
	}
	for _, o := range []texttable.Options{{Decimal: ","}, {Separator: ";"}, {Units: "row"}, {Dates: "dmy"}} {
		if _, err := transfer.OpenColumns(path, o); !errors.Is(err, optionerr.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
		o.NA = []string{"7"}
		if _, err := transfer.Open(path, formats.Options{Variable: "v", Table: o}); !errors.Is(err, optionerr.ErrOption) || !strings.Contains(err.Error(), "option na=") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), cube.Spec(dtype.Float64, "k"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	table, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	in, err := transfer.OpenColumns(path, texttable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	_, err = table.AppendRows(t.Context(), in, cube.CSV{Coords: []string{"k"}, Value: "n"})
	if !errors.Is(err, drx.ErrDType) || !strings.Contains(err.Error(), "row 4: value 9007199254740993 is none of float64") {
		t.Error(err)
	}
	text := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(text, []byte("k,v\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if has, err := transfer.HasColumns(text); has || err != nil {
		t.Error(has, err)
	}
}
