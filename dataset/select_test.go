package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/internal/vfs"
)

// A goldenCoordinate is a coordinate, with what xarray selects in it.
type goldenCoordinate struct {
	Name, DType     string
	Values          []json.Number
	Units, Calendar *string
	Tests           []struct {
		Method, Items string
		Indices       []int // nil if xarray selects nothing
	}
}

// Selection by value must agree with xarray's sel.
func TestSelectAsXarray(t *testing.T) {
	text, err := os.ReadFile("testdata/select.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden []goldenCoordinate
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	useDisk(t, vfs.NewMem())
	d, err := Create("golden", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, refused := 0, 0
	for i, g := range golden {
		c, err := g.coordinate(d, fmt.Sprint("c", i))
		if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		for _, test := range g.Tests {
			got, err := selectText(c, test.Method, test.Items)
			if !slices.Equal(got, test.Indices) || (err == nil) != (test.Indices != nil) {
				t.Errorf("%s: %s %s: %v, want %v: %v", g.Name, test.Method, test.Items, got, test.Indices, err)
			}
			if g.Units != nil && test.Method == "exact" { // the usual method for times
				if usual, _ := selectText(c, "usual", test.Items); !slices.Equal(usual, test.Indices) {
					t.Errorf("%s: %s: %v, want %v", g.Name, test.Items, usual, test.Indices)
				}
			}
			if err != nil {
				refused++
			} else {
				found++
			}
		}
	}
	if found < 1000 || refused < 100 {
		t.Errorf("%d selections, %d refused: want more", found, refused)
	}
}

// coordinate makes the coordinate in a dataset.
func (g goldenCoordinate) coordinate(d *Dataset, name string) (*Coordinate, error) {
	dt, err := dtype.Parse(g.DType)
	if err != nil {
		return nil, err
	}
	spec := drx.Spec{DType: dt, Shape: []int{len(g.Values)}, Dims: []string{name}, Attrs: map[string]any{}}
	if g.Units != nil {
		spec.Attrs["units"] = *g.Units
	}
	if g.Calendar != nil {
		spec.Attrs["calendar"] = *g.Calendar
	}
	v, err := d.CreateVariable(name, spec)
	if err != nil {
		return nil, err
	}
	var elements []byte
	for _, x := range g.Values {
		b, err := dt.EncodeValue(json.Number(x))
		if err != nil {
			return nil, err
		}
		elements = append(elements, b...)
	}
	if err := v.Array().WriteBytes(nil, elements, nil); err != nil {
		return nil, err
	}
	return d.Coordinate(name)
}

// A date selects all times that it names unless the nearest time is requested. If there are none,
// the error must name the neighbours.
func TestDateSelectsItsSpan(t *testing.T) {
	useDisk(t, vfs.NewMem())
	d, err := Create("spans", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	number := func(list ...string) (values []json.Number) {
		for _, x := range list {
			values = append(values, json.Number(x))
		}
		return values
	}
	days, thirty := "days since 2024-01-27", "360_day"
	up := goldenCoordinate{DType: "float64", Values: number("0", "1", "1.5", "2", "35"), Units: &days}
	down := goldenCoordinate{DType: "float64", Values: number("2", "1.5", "1", "0"), Units: &days}
	even := goldenCoordinate{DType: "float64", Values: number("3", "33", "34"), Units: &days, Calendar: &thirty}
	plain := goldenCoordinate{DType: "float64", Values: number("2023", "2024")}
	for i, test := range []struct {
		c             goldenCoordinate
		method, items string
		want          []int
		fails         string
	}{
		{up, "usual", "2024-01-28", []int{1, 2}, ""},
		{up, "nearest", "2024-01-28", []int{1}, ""},
		{up, "usual", "2024-01", []int{0, 1, 2, 3}, ""},
		{up, "usual", "2024-01-29|2024-01-28", []int{3, 1, 2}, ""},
		{up, "usual", "..2024-01-28", []int{0, 1, 2}, ""},
		{up, "usual", "2024-01-28T06", nil, "neighbours are 2024-01-28 and 2024-01-28T12:00"},
		{up, "usual", "2023", nil, "the first one after it is 2024-01-27"},
		{up, "usual", "2025", nil, "the last one before it is 2024-03-02"},
		{down, "usual", "2024-01-28", []int{1, 2}, ""},
		{down, "usual", "2024-01-28T12", []int{1}, ""},
		{even, "usual", "2024-02-30", []int{1}, ""},
		{even, "usual", "2024-02", []int{1}, ""},
		{plain, "usual", "2023.7", []int{1}, ""},
	} {
		c, err := test.c.coordinate(d, fmt.Sprint("c", i))
		if err != nil {
			t.Fatal(err)
		}
		got, err := selectText(c, test.method, test.items)
		if !slices.Equal(got, test.want) || (err == nil) != (test.fails == "") {
			t.Errorf("%d: %s %s: %v, %v", i, test.method, test.items, got, err)
		} else if err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: %v: want %s", test.items, err, test.fails)
		}
	}
}

// selectText returns the indices that a text selects, sorted.
func selectText(c *Coordinate, method, items string) ([]int, error) {
	m, err := ParseMethod(method)
	if err != nil {
		return nil, err
	}
	parsed, err := cube.ParseConditions("c=" + items)
	if err != nil {
		return nil, err
	}
	found, err := c.Select(m, parsed[0].Items)
	if err != nil && !errors.Is(err, ErrValue) {
		return nil, fmt.Errorf("not ErrValue: %w", err)
	}
	var indices []int
	for i := range found.Len() {
		indices = append(indices, found.At(i))
	}
	return indices, err
}

// With python3-xarray the golden file must be up to date.
func TestGoldenIsCurrent(t *testing.T) {
	const python = "/usr/bin/python3" // Debian's packages are for this one
	if err := exec.Command(python, "-c", "import xarray, cftime").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("apt-get install python3-xarray python3-cftime")
		}
		t.Skip("python3-xarray or python3-cftime is not there")
	}
	got, err := exec.Command(python, "testdata/select.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/select.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("select.py prints something else than select.json has")
	}
}
