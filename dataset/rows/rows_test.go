package rows_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/rows"
	"drx/dtype"
	"drx/formats/texttable"
)

// load appends a table to a dataset and commits it, or discards it after an error.
func load(t *testing.T, folder string, table rows.Table, text string) (rows.Result, error) {
	t.Helper()
	d, err := dataset.Open(folder, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	sample, err := table.CSV.Sample(cube.NewCSV(strings.NewReader(text), table.CSV.Table))
	if err == nil {
		err = table.Create(d, sample, drx.Spec{DType: dtype.Float64, FillValue: "NaN", ChunkShape: cube.DefaultChunk(len(table.Dims))})
	}
	var res rows.Result
	if err == nil {
		res, err = table.Append(context.Background(), d, cube.NewCSV(strings.NewReader(text), table.CSV.Table))
	}
	if err != nil {
		return res, errors.Join(err, d.Discard())
	}
	return res, d.Close()
}

func newDataset(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "d")
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return folder
}

func tableOf(dims string, vars ...string) rows.Table {
	t := rows.Table{Dims: strings.Split(dims, ","), Vars: vars}
	t.CSV.Coords, t.CSV.Values = t.Dims, vars
	return t
}

// cells returns the elements of a variable by the texts of their coordinates.
func cells(t *testing.T, folder, name string) map[string]float64 {
	t.Helper()
	a, err := drx.Open(filepath.Join(folder, name), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	axes, err := dataset.AxesOf(a)
	if err != nil {
		t.Fatal(err)
	}
	c, err := axes.Cube()
	if err != nil {
		t.Fatal(err)
	}
	values, err := drx.Read[float64](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, shape := map[string]float64{}, a.Shape()
	for i, v := range values {
		var names []string
		for d, at := len(shape)-1, i; d >= 0; d-- {
			name := c.Label(d, at%shape[d])
			if x, err := axes.Coordinate(d); err == nil && x != nil {
				name = x.Text(at % shape[d])
			}
			names, at = append(names, name), at/shape[d]
		}
		slices.Reverse(names)
		if !math.IsNaN(v) {
			got[strings.Join(names, " ")] = v
		}
	}
	return got
}

// Random tables, one after the other, give what a map from coordinates to the last value has.
func TestAppend(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, form := range []string{"2006-01-02 15:04", "02.01.2006 15:04"} {
		folder, table := newDataset(t), tableOf("time,station", "temp", "rain")
		if form[0] == '0' {
			table.CSV.Table.Dates = "dmy"
		}
		want := [2]map[string]float64{{}, {}}
		begin := time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)
		for range 5 {
			var text strings.Builder
			text.WriteString("station;rain (mm);time;temp [degC]\n")
			for range 1 + rng.IntN(50) {
				at, station := begin.Add(time.Duration(rng.IntN(40))*90*time.Minute), fmt.Sprint("s", rng.IntN(9))
				key := strings.TrimSuffix(at.Format("2006-01-02T15:04"), "T00:00") + " " + station
				fields := [2]string{}
				for k := range fields {
					v := float64(rng.IntN(1000)) / 4
					fields[k], want[k][key] = strings.Replace(fmt.Sprintf("%.2f", v), ".", ",", 1), v
					if rng.IntN(5) == 0 {
						fields[k] = "NA"
						delete(want[k], key)
					}
				}
				fmt.Fprintf(&text, "%s;%s;%s;%s\n", station, fields[1], at.Format(form), fields[0])
			}
			if _, err := load(t, folder, table, text.String()); err != nil {
				t.Fatal(err)
			}
			begin = begin.Add(30 * time.Hour)
		}
		for k, name := range table.Vars {
			if got := cells(t, folder, name); fmt.Sprint(got) != fmt.Sprint(want[k]) {
				t.Errorf("%s: %v, want %v", name, got, want[k])
			}
		}
		a, err := drx.Open(filepath.Join(folder, "temp"), drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if units := string(a.Attrs()["units"]); units != `"degC"` {
			t.Error(units)
		}
		a.Close()
	}
}

// A coordinate of numbers grows, too; times that go back are reported.
func TestAppendToCoordinate(t *testing.T) {
	folder := newDataset(t)
	d, err := dataset.Open(folder, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.CreateVariable("lat", drx.Spec{DType: dtype.Float32, Shape: []int{0}, Dims: []string{"lat"}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	table := tableOf("lat,time", "v")
	if res, err := load(t, folder, table, "lat,time,v\n50.1,2024-01-01,1\n50.10,2024-01-02,2\n-3,2024-01-02,3\n"); err != nil || res.Unsorted != nil || res.Rows != 3 {
		t.Error(res, err)
	}
	if res, err := load(t, folder, table, "lat,time,v\n50.1,2023-12-31,4\n"); err != nil || fmt.Sprint(res.Unsorted) != "[time]" {
		t.Error(res, err)
	}
	if got, want := fmt.Sprint(cells(t, folder, "v")), "map[-3 2024-01-02:3 50.1 2023-12-31:4 50.1 2024-01-01:1 50.1 2024-01-02:2]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What cannot be loaded changes nothing.
func TestRefused(t *testing.T) {
	folder, table := newDataset(t), tableOf("time,k", "v", "w")
	if _, err := load(t, folder, table, "time,k,v,w\n2024-01-01,a,1,2\n"); err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(cells(t, folder, "v"))
	for text, want := range map[string]string{
		"time,k,v,w\n2024-01-02,b,1,2\n2024-01-02,b,1,x\n": "value \"x\" is no float64",
		"time,k,v,w\n2024-01-02,,1,2\n":                    "an empty label",
		"time,k,v,w\n,b,1,2\n":                             "an empty label",
		"time,k,v,w\nx,b,1,2\n":                            "is not a time",
		"time,k,v,w\n2024-01-02T00:00:00.5,b,1,2\n":        "is no whole number of",
		"time,k,v,w\n1.2.2024,b,1,2\n":                     "may be 2024-02-01 or 2024-01-02",
		"time,k,v\n2024-01-02,b,1\n":                       `no column "w"`,
	} {
		if _, err := load(t, folder, table, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if got := fmt.Sprint(cells(t, folder, "v")); got != before {
			t.Errorf("%q: %s, before %s", text, got, before)
		}
	}
	if _, err := load(t, newDataset(t), table, "time,k,v,w\n1.2.2024,b,1,2\n"); !errors.Is(err, texttable.ErrDoubt) {
		t.Error(err)
	}
	if _, err := load(t, folder, tableOf("time", "v"), "time,v\n2024-01-01,1\n"); !errors.Is(err, dataset.ErrDim) {
		t.Error(err)
	}
}
