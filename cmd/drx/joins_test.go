package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"drx"
	"drx/dtype"
)

// A joinVar is a variable of a Zarr store, which drx reads without a helper process.
type joinVar struct {
	dims     []string
	shape    []int
	elements any    // a list of elements; []string for text
	attrs    string // pairs of names and JSON
}

// A joinFile maps names to the variables of a file.
type joinFile map[string]joinVar

// zarrTypes are the names of element types in Zarr.
var zarrTypes = map[dtype.DType]string{
	dtype.Int8: "|i1", dtype.Uint8: "|u1", dtype.Int16: "<i2", dtype.Int32: "<i4", dtype.Int64: "<i8", dtype.Float32: "<f4", dtype.Float64: "<f8",
}

// elementsOf returns the little-endian bytes of elements, and the name of their type in Zarr.
func elementsOf(t *testing.T, list any) (elements []byte, name string) {
	t.Helper()
	switch list := list.(type) {
	case []int8:
		return dtype.Bytes(list), zarrTypes[dtype.Int8]
	case []uint8:
		return dtype.Bytes(list), zarrTypes[dtype.Uint8]
	case []int16:
		return dtype.Bytes(list), zarrTypes[dtype.Int16]
	case []int32:
		return dtype.Bytes(list), zarrTypes[dtype.Int32]
	case []int64:
		return dtype.Bytes(list), zarrTypes[dtype.Int64]
	case []float32:
		return dtype.Bytes(list), zarrTypes[dtype.Float32]
	case []float64:
		return dtype.Bytes(list), zarrTypes[dtype.Float64]
	case []string:
		const width = 8
		for _, text := range list {
			letters := make([]int32, width)
			for i, letter := range text {
				letters[utf8.RuneCountInString(text[:i])] = letter
			}
			elements = append(elements, dtype.Bytes(letters)...)
		}
		return elements, fmt.Sprintf("<U%d", width)
	}
	t.Fatalf("%T", list)
	return nil, ""
}

// write makes a Zarr store.
func (f joinFile) write(t *testing.T, path string) {
	t.Helper()
	put := func(name string, content []byte) {
		t.Helper()
		name = filepath.Join(path, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(".zgroup", []byte(`{"zarr_format":2}`))
	for name, v := range f {
		elements, kind := elementsOf(t, v.elements)
		fill := json.RawMessage("null")
		var attrs map[string]json.RawMessage
		if err := json.Unmarshal([]byte("{"+v.attrs+"}"), &attrs); err != nil {
			t.Fatalf("%s: %v", v.attrs, err)
		}
		if mark := attrs["_FillValue"]; mark != nil {
			fill = mark
			delete(attrs, "_FillValue")
		}
		attrs["_ARRAY_DIMENSIONS"], _ = json.Marshal(append([]string{}, v.dims...))
		head, _ := json.Marshal(map[string]any{
			"zarr_format": 2, "shape": append([]int{}, v.shape...), "chunks": append([]int{}, v.shape...), "dtype": kind, "order": "C",
			"compressor": nil, "filters": nil, "fill_value": fill,
		})
		more, _ := json.Marshal(attrs)
		put(name+"/.zarray", head)
		put(name+"/.zattrs", more)
		chunk := strings.TrimPrefix(strings.Repeat(".0", len(v.shape)), ".")
		if chunk == "" {
			chunk = "0"
		}
		put(name+"/"+chunk, elements)
	}
}

// joinFiles returns two files: the first has two times, the second has another one: the next time
// or, to be written over the array, the last one. first and second are the elements of v, with the
// attributes firstAttrs and secondAttrs.
func joinFiles(first, second any, firstAttrs, secondAttrs string, next bool) (a, b joinFile) {
	day := map[bool]int32{true: 2, false: 1}[next]
	file := func(times []int32, v any, attrs string) joinFile {
		return joinFile{
			"t": {[]string{"t"}, []int{len(times)}, times, `"units":"days since 2000-01-01"`},
			"x": {[]string{"x"}, []int{3}, []float64{0, 10, 20}, ""},
			"v": {[]string{"t", "x"}, []int{len(times), 3}, v, attrs},
		}
	}
	return file([]int32{0, 1}, first, firstAttrs), file([]int32{day}, second, secondAttrs)
}

// A joinCase is a difference between an array and a file that is joined to it.
type joinCase struct {
	row, clause string // row of the table, and the beginning or a unique part of its clause
	a, b        any    // the elements of v: six of the array and three of the file
	aAttrs      string // the attributes of v in both
	bAttrs      string
	change      func(a, b joinFile) // what else differs
	want        any                 // the stored elements of the file in v; nil: unchanged
	name        string              // the variable that has these elements, if not v
	table       string              // columns of a table, for an array of p and q; else a store
	flags       string
	only        string // letters of the verbs: i(mport), a(ppend), r(eserve), w(rite), o(ne array)
}

// joinEntrances are the verbs that join a file to an array, by their letters, with the column of
// the table.
var joinEntrances = map[byte]struct {
	line   string
	column int
}{
	'i': {"import @/b.zarr @/W --append t", 1}, 'a': {"append @/W/%[1]s --dim t --var %[1]s @/b.zarr", 2},
	'r': {"reserve @/W/%[1]s --dim t --var %[1]s @/b.zarr", 2}, 'w': {"write @/W @/b.zarr", 1}, 'o': {"write @/W/%[1]s --var %[1]s @/b.zarr", 2},
}

// joinTable returns the clauses of the table in docs/DATASETS.md, by row, for both columns. Each
// clause begins with its outcome: moved, converted or refused.
func joinTable(t *testing.T) map[string][3][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/DATASETS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), "| the file has |")
	if !found {
		t.Fatal("there is no table of what joins an array")
	}
	table := map[string][3][]string{}
	for line := range strings.Lines(after) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 {
			if len(table) > 0 {
				break
			}
			continue
		}
		var row [3][]string
		for k := 1; k < 3; k++ {
			text := strings.TrimSpace(cells[k])
			if strings.HasPrefix(text, "the same") {
				row[k] = row[k-1]
				continue
			}
			row[k] = strings.Split(text, "; ")
			for _, clause := range row[k] {
				if !slices.Contains([]string{"moved", "converted", "refused"}, outcome(clause)) {
					t.Errorf("%q of row %q begins with no outcome", clause, cells[0])
				}
			}
		}
		table[strings.TrimSpace(cells[0])] = row
	}
	return table
}

// outcome returns the first word of a clause.
func outcome(clause string) string {
	word, _, _ := strings.Cut(clause, " ")
	return strings.Trim(word, ",:")
}

// The table in docs/DATASETS.md must be true: for every clause there must be a pair of files with
// that outcome, for every verb of its column.
func TestTableOfJoins(t *testing.T) {
	table, reached := joinTable(t), map[string]bool{}
	for i, c := range joinCases {
		row, found := table[c.row]
		if !found {
			t.Errorf("case %d: the table has no row %q", i, c.row)
			continue
		}
		for letter, entrance := range joinEntrances {
			if c.only != "" && !strings.ContainsRune(c.only, rune(letter)) {
				continue
			}
			clauses := slices.DeleteFunc(slices.Clone(row[entrance.column]), func(clause string) bool { return clause != c.clause })
			if len(clauses) == 0 {
				clauses = slices.DeleteFunc(slices.Clone(row[entrance.column]), func(clause string) bool { return !strings.Contains(clause, c.clause) })
			}
			if len(clauses) != 1 {
				t.Errorf("case %d: %d clauses of %q are %q: %q", i, len(clauses), c.row, c.clause, row[entrance.column])
				continue
			}
			reached[fmt.Sprint(c.row, entrance.column, clauses[0])] = true
			if err := c.join(t, letter, clauses[0]); err != nil {
				t.Errorf("%s: %s by %s: %v", c.row, clauses[0], entrance.line, err)
			}
		}
	}
	for name, row := range table {
		for k := 1; k < 3; k++ {
			for _, clause := range row[k] {
				if !reached[fmt.Sprint(name, k, clause)] {
					t.Errorf("no case of row %q, column %d: %s", name, k, clause)
				}
			}
		}
	}
}

// prepare makes an array from the first file, and the second file. It returns the name of the
// array, the command that joins the file, and the elements that it stores.
func (c joinCase) prepare(t *testing.T, dir string, letter byte, next bool) (array, line string, want []byte) {
	t.Helper()
	if c.table != "" {
		for name, text := range map[string]string{"a.csv": "p,q\n1,2\n3,4\n", "b.csv": c.table + "\n5,6\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		mustRun(t, dir, "import @/a.csv @/W")
		return "W", map[byte]string{
			'i': "import @/b.csv @/W --append 0", 'a': "append @/W --dim 0 @/b.csv", 'r': "reserve @/W --dim 0 @/b.csv", 'o': "write @/W --at 1,0 @/b.csv",
		}[letter], dtype.Bytes([]float64{5, 6})
	}
	a, b := joinFiles(c.a, c.b, c.aAttrs, c.bAttrs, next)
	if c.change != nil {
		c.change(a, b)
	}
	a.write(t, filepath.Join(dir, "a.zarr"))
	b.write(t, filepath.Join(dir, "b.zarr"))
	mustRun(t, dir, "import @/a.zarr @/W")
	name := "v"
	if c.name != "" {
		name = c.name
	}
	if line = joinEntrances[letter].line; strings.Contains(line, "%") {
		line = fmt.Sprintf(line, name)
	}
	stored := c.want
	if stored == nil {
		stored = b[name].elements
	}
	want, _ = elementsOf(t, stored)
	return "W/" + name, line, want
}

// join joins the second file, and returns an error unless the outcome is that of the clause.
func (c joinCase) join(t *testing.T, letter byte, clause string) error {
	t.Helper()
	dir, next := t.TempDir(), strings.ContainsRune("iar", rune(letter))
	array, line, want := c.prepare(t, dir, letter, next)
	code, text := tryRun(dir, strings.TrimSpace(line+" "+c.flags))
	if outcome(clause) == "refused" {
		if code == 0 {
			return fmt.Errorf("it is joined: %s", text)
		}
		return nil
	}
	if code != 0 {
		return fmt.Errorf("exit %d: %s", code, text)
	}
	if noted := strings.Contains(clause, "with a note"); noted != (text != "") {
		return fmt.Errorf("it says %q", text)
	}
	x, err := drx.Open(filepath.Join(dir, array), drx.Options{})
	if err != nil {
		return err
	}
	defer x.Close()
	sec := x.Bounds()
	if next {
		sec[0].Lo = sec[0].Hi - 1
	} else {
		sec[0].Lo = 1
	}
	n, err := sec.Len()
	if err != nil {
		return err
	}
	got := make([]byte, n*x.DType().Size())
	if err := x.ReadBytes(sec, got, nil); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("it stores %v, want %v", got, want)
	}
	return nil
}

// The elements of v in both files.
var (
	six32  = []float32{1, 2, 3, 4, 5, 6}
	three  = []float32{7, 8, 9}
	six16  = []int16{1, 2, 3, 4, 5, 6}
	three2 = []int16{20, 40, 60}
)

// changed returns a function that changes one variable of the second file.
func changed(name string, elements any, attrs string) func(a, b joinFile) {
	return func(_, b joinFile) {
		v := b[name]
		if elements != nil {
			v.elements = elements
		}
		if attrs != "" {
			v.attrs = attrs
		}
		b[name] = v
	}
}

// times adds a variable w of times to both files.
func times(first, second any, firstUnits, secondUnits string) func(a, b joinFile) {
	return func(a, b joinFile) {
		a["w"] = joinVar{[]string{"t"}, []int{2}, first, firstUnits}
		b["w"] = joinVar{[]string{"t"}, []int{1}, second, secondUnits}
	}
}

// beside adds a variable to both files that has none of the growing dimensions.
func beside(name string, dims []string, shape []int, first, second any, firstAttrs, secondAttrs string) func(a, b joinFile) {
	return func(a, b joinFile) {
		a[name], b[name] = joinVar{dims, shape, first, firstAttrs}, joinVar{dims, shape, second, secondAttrs}
	}
}

// raster turns v into a raster of two rows and three columns at each time; the one of b lies shift
// columns to the right.
func raster(shift int, aCRS, bCRS string) func(a, b joinFile) {
	return func(a, b joinFile) {
		for f, left := range map[*joinFile]int{&a: 0, &b: shift} {
			v := (*f)["v"]
			times := v.shape[0]
			v.dims, v.shape = []string{"t", "y", "x"}, []int{times, 1, 3}
			v.attrs = fmt.Sprintf(`"geotransform":[%d,1,0,50,0,-1],"crs_wkt":%q`, left, map[bool]string{true: aCRS, false: bCRS}[f == &a])
			(*f)["v"] = v
			delete(*f, "x")
		}
	}
}

const (
	wgs84    = `GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`
	wgs84Too = `GEOGCRS["WGS 84",ENSEMBLE["World Geodetic System 1984 ensemble",ELLIPSOID["WGS 84",6378137,298.257223563]],CS[ellipsoidal,2],AXIS["lat",north],AXIS["lon",east],ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",4326]]`
)

// joinCases cover every clause of the table.
var joinCases = func() (cases []joinCase) {
	row := ""
	add := func(c joinCase) {
		c.row = row
		if c.a == nil {
			c.a = six32
		}
		if c.b == nil {
			c.b = three
		}
		cases = append(cases, c)
	}

	row = "other `scale_factor`, `add_offset`, or none"
	const packed = `"scale_factor":0.5,"add_offset":1,"_FillValue":-1`
	add(joinCase{clause: "converted to the packing", a: six16, b: three2, aAttrs: packed, bAttrs: `"scale_factor":0.25,"add_offset":1,"_FillValue":-1`, want: []int16{10, 20, 30}})
	add(joinCase{clause: "converted to the packing", a: six16, b: []float64{2, 3.1, 3.4}, aAttrs: packed, want: []int16{2, 4, 5}})
	add(joinCase{clause: "converted to the packing", a: six16, b: []int32{2, -1, 3}, aAttrs: packed, bAttrs: `"scale_factor":1.5,"_FillValue":-1`, want: []int16{4, -1, 7}})
	add(joinCase{clause: "does not fit", a: six16, b: three2, aAttrs: packed, bAttrs: `"scale_factor":900,"add_offset":1,"_FillValue":-1`})

	row = "packed numbers, and the array floats"
	const unpacked = `"scale_factor":0.25,"add_offset":1`
	add(joinCase{clause: "converted, unpacked", b: three2, bAttrs: unpacked, want: []float32{6, 11, 16}})
	add(joinCase{clause: "`--unscale`", a: []float64{1, 2, 3, 4, 5, 6}, b: three2, bAttrs: unpacked, flags: "--unscale", want: []float64{6, 11, 16}, only: "i"})

	row = "packed numbers, and the array integers without a scale"
	add(joinCase{clause: "refused", a: six16, b: three2, bAttrs: `"scale_factor":0.25`})
	add(joinCase{clause: "refused", a: six16, b: three2, bAttrs: `"add_offset":2`})

	row = "another `_FillValue` or `missing_value`"
	add(joinCase{clause: "converted", a: six16, b: []int16{4, -9, 5}, aAttrs: `"_FillValue":-1`, bAttrs: `"_FillValue":-9`, want: []int16{4, -1, 5}})
	add(joinCase{clause: "converted", a: six16, b: []int16{-8, -9, 5}, aAttrs: `"missing_value":-1`, bAttrs: `"missing_value":[-9,-8]`, want: []int16{-1, -1, 5}})
	add(joinCase{clause: "converted", b: []float32{4, -9, 5}, aAttrs: `"_FillValue":1e20`, bAttrs: `"_FillValue":-9`, want: []float32{4, 1e20, 5}})
	add(joinCase{clause: "marks none", a: six16, b: []int16{4, -9, 5}, bAttrs: `"_FillValue":-9`})
	add(joinCase{clause: "read as missing", a: six16, b: []int16{4, -1, 5}, aAttrs: `"_FillValue":-1`, bAttrs: `"_FillValue":-9`})
	add(joinCase{clause: "read as missing", b: []float32{4, -1, 5}, aAttrs: `"missing_value":-1`})

	row = "other units of the same kind, as degC and K"
	add(joinCase{clause: "converted", aAttrs: `"units":"K"`, bAttrs: `"units":"degC"`, want: []float32{280.15, 281.15, 282.15}})
	add(joinCase{clause: "converted", aAttrs: `"units":"m s-1"`, bAttrs: `"units":"km/h"`, b: []float32{3.6, 7.2, 36}, want: []float32{1, 2, 10}})
	add(joinCase{clause: "converted", a: six16, b: []int16{1, 2, 3}, aAttrs: `"units":"mm"`, bAttrs: `"units":"m"`, want: []int16{1000, 2000, 3000}})

	row = "units of another kind, unknown ones, or none"
	add(joinCase{clause: "refused", aAttrs: `"units":"K"`, bAttrs: `"units":"m"`})
	add(joinCase{clause: "refused", aAttrs: `"units":"furlong"`, bAttrs: `"units":"league"`})
	add(joinCase{clause: "refused", aAttrs: `"units":["K"]`, bAttrs: `"units":["m"]`})
	add(joinCase{clause: "refused", aAttrs: `"units":"K"`})
	add(joinCase{clause: "moved", aAttrs: `"units":"furlong"`, bAttrs: `"units":"furlong"`})

	row = "units, and the array has no attributes that say what its numbers mean"
	add(joinCase{clause: "refused", bAttrs: `"units":"K"`, only: "iw"})
	add(joinCase{clause: "moved", bAttrs: `"units":"K"`, only: "aro"})
	add(joinCase{clause: "units of time", bAttrs: `"units":"days since 2000-01-01"`, only: "aro"})

	row = "other units of time"
	add(joinCase{clause: "converted", change: times([]int32{0, 1}, []int32{48}, `"units":"days since 2000-01-01"`, `"units":"hours since 2000-01-01"`), name: "w", want: []int32{2}})
	add(joinCase{clause: "converted", change: times([]int32{0, 1}, []float64{-1.5}, `"units":"days since 2000-01-01"`, `"units":"days since 2000-01-03 12:00"`), name: "w", want: []int32{1}, only: "arwo"})
	add(joinCase{clause: "too coarse", change: times([]int32{0, 1}, []int32{49}, `"units":"days since 2000-01-01"`, `"units":"hours since 2000-01-01"`), name: "w"})
	add(joinCase{clause: "converted", change: changed("t", []int32{48}, `"units":["hours since 2000-01-01"]`), name: "t", want: []int32{2}, only: "i"})
	add(joinCase{clause: "converted", only: "i", name: "t", want: []int32{2}, change: func(a, b joinFile) { // HDF5 has lists of one
		a["t"] = joinVar{[]string{"t"}, []int{2}, []int32{0, 1}, `"units":["days since 2000-01-01"],"scale_factor":[1.0]`}
		b["t"] = joinVar{[]string{"t"}, []int{1}, []int32{48}, `"units":"hours since 2000-01-01","scale_factor":1.0`}
	}})
	add(joinCase{clause: "too coarse", change: changed("t", []int32{49}, `"units":"hours since 2000-01-01"`), only: "iw"})

	row = `"months since", or another calendar`
	for _, other := range []string{`"units":"months since 2000-01-01"`, `"units":"days since 2000-01-01","calendar":"noleap"`, `"units":"days since 2000-01-01","calendar":"360_day"`} {
		add(joinCase{clause: "refused", change: times([]int32{0, 1}, []int32{2}, `"units":"days since 2000-01-01"`, other), name: "w"})
		add(joinCase{clause: "refused", change: changed("t", nil, other), only: "iarw"})
	}
	add(joinCase{
		clause: "dates are the same", name: "w", want: []int32{2},
		change: times([]int32{0, 1}, []int32{2}, `"units":"days since 2000-01-01"`, `"units":"days since 2000-01-01","calendar":"proleptic_gregorian"`),
	})

	row = "another `standard_name`, or another direction in `positive`, up or down"
	add(joinCase{clause: "refused", aAttrs: `"standard_name":"air_temperature"`, bAttrs: `"standard_name":"sea_surface_temperature"`})
	add(joinCase{clause: "refused", aAttrs: `"positive":"up"`, bAttrs: `"positive":"down"`})
	add(joinCase{clause: "moved", aAttrs: `"standard_name":"air_temperature"`})
	add(joinCase{clause: "moved", bAttrs: `"positive":"down"`})

	row = "another method in `cell_methods` for the same dimension or area, as `time: mean` and `time: maximum`"
	add(joinCase{clause: "refused", aAttrs: `"cell_methods":"time: mean"`, bAttrs: `"cell_methods":"time: maximum"`})
	add(joinCase{clause: "moved", aAttrs: `"cell_methods":"time: mean"`, bAttrs: `"cell_methods":"time: mean (interval: 1 hour)"`})

	row = "another `long_name`"
	add(joinCase{clause: "moved", aAttrs: `"long_name":"rain"`, bAttrs: `"long_name":"snow"`})

	row = "other `flag_meanings`"
	const flags = `"flag_values":[0,1],"flag_meanings":"land sea"`
	add(joinCase{clause: "refused", a: six16, b: []int16{0, 1, 1}, aAttrs: flags, bAttrs: `"flag_values":[0,1],"flag_meanings":"sea land"`})
	add(joinCase{clause: "moved", a: six16, b: []int16{1, 1, 1}, aAttrs: flags, bAttrs: `"flag_values":[1],"flag_meanings":"sea"`})

	row = "other `valid_min`, `valid_max` or `valid_range`"
	add(joinCase{clause: "moved", aAttrs: `"valid_range":[0,5]`, bAttrs: `"valid_range":[0,9]`})
	add(joinCase{clause: "moved", aAttrs: `"valid_range":[0,9]`, bAttrs: `"valid_range":[0,5]`})
	add(joinCase{clause: "moved", bAttrs: `"valid_max":5`})
	add(joinCase{clause: "moved", aAttrs: `"valid_min":0`, bAttrs: `"long_name":"rain"`})

	row = "`_Unsigned`, and the array not"
	add(joinCase{clause: "refused", a: six16, b: []int8{1, -1, 3}, bAttrs: `"_Unsigned":"true"`, only: "iw"})
	add(joinCase{clause: "refused", a: []int8{1, 2, 3, 4, 5, 6}, b: []int8{1, -1, 3}, bAttrs: `"_Unsigned":"true"`, only: "iw"})
	add(joinCase{clause: "has all numbers", a: six16, b: []int8{1, -1, 3}, bAttrs: `"_Unsigned":"true"`, want: []int16{1, 255, 3}, only: "aro"})
	add(joinCase{clause: "does not have them", a: []int8{1, 2, 3, 4, 5, 6}, b: []int8{1, -1, 3}, bAttrs: `"_Unsigned":"true"`, only: "aro"})

	row = "bounds, as `time_bnds`, without units"
	add(joinCase{clause: "converted", name: "t_bnds", only: "iaro", want: []float64{1, 2}, change: func(a, b joinFile) {
		for f, hours := range map[*joinFile]bool{&a: false, &b: true} {
			tt := (*f)["t"]
			tt.attrs += `,"bounds":"t_bnds"`
			bounds := []float64{0, 1, 1, 2}[:2*tt.shape[0]]
			if hours {
				tt.attrs = `"units":"hours since 2000-01-01","bounds":"t_bnds"`
				tt.elements = []int32{24 * tt.elements.([]int32)[0]}
				bounds = []float64{24, 48}
			}
			(*f)["t"] = tt
			(*f)["t_bnds"] = joinVar{[]string{"t", "nv"}, []int{tt.shape[0], 2}, bounds, ""}
		}
	}})

	row = "another element type"
	add(joinCase{clause: "refused", b: three2, only: "iw"})
	add(joinCase{clause: "refused", a: six16, b: three, only: "iw"})
	add(joinCase{clause: "converted with `--as`", a: six16, b: three, want: []int16{7, 8, 9}, flags: "--as int16", only: "i"})
	add(joinCase{clause: "`--as` if a value", a: six16, b: []float32{1e9, 0, 1}, flags: "--as int16", only: "i"})
	add(joinCase{clause: "has all values", b: three2, want: []float32{20, 40, 60}, only: "aro"})
	add(joinCase{clause: "does not have them", a: six16, only: "aro"})
	add(joinCase{clause: "`--clip`", a: six16, b: []float32{1e9, 2.5, -1}, want: []int16{32767, 2, -1}, flags: "--clip", only: "aro"})

	row = "another element type of a coordinate"
	add(joinCase{clause: "each of the values", change: changed("t", []int64{2}, `"units":"days since 2000-01-01"`), name: "t", only: "i", want: []int32{2}})
	add(joinCase{clause: "each of the values", change: changed("x", []int16{0, 10, 20}, "")})
	add(joinCase{clause: "would be rounded", only: "ia", change: func(a, b joinFile) {
		a["t"] = joinVar{[]string{"t"}, []int{2}, []float32{0, 1}, ""}
		b["t"] = joinVar{[]string{"t"}, []int{1}, []float64{2.1}, ""}
	}})

	row = "other values of a coordinate that does not grow"
	for _, x := range [][]float64{{20, 10, 0}, {5, 15, 25}, {10, 0, 20}, {0, 10, 21}} {
		add(joinCase{clause: "refused", change: changed("x", x, "")})
	}
	add(joinCase{clause: "last digits", change: changed("x", []float64{0, 10.000000000000002, 20}, "")})
	add(joinCase{clause: "`--widen`", change: changed("x", []float64{10, 20, 30}, ""), flags: "--widen", only: "i", want: []float32{0, 7, 8, 9}})

	row = "a value of the coordinate that grows that is missing, out of order or there already"
	for _, tt := range []int32{1, 0, -1} {
		add(joinCase{clause: "refused", change: changed("t", []int32{tt}, ""), only: "iar"})
		add(joinCase{clause: "`--any-order`", change: changed("t", []int32{tt}, ""), flags: "--any-order", only: "iar"})
	}
	add(joinCase{clause: "refused", change: changed("t", []int32{9}, `"units":"days since 2000-01-01","missing_value":9`), only: "iar"})

	row = "dimensions in another order, or of another name"
	add(joinCase{clause: "refused", change: func(_, b joinFile) {
		v := b["v"]
		v.dims, v.shape = []string{"x", "t"}, []int{3, 1}
		b["v"] = v
	}})
	add(joinCase{clause: "refused", change: func(_, b joinFile) {
		v := b["v"]
		v.dims = []string{"t", "z"}
		b["v"] = v
		delete(b, "x")
	}})

	row = "strings along a dimension that does not grow, as names of stations, or names of columns"
	names := []string{"Oslo", "Bergen", "Rome"}
	add(joinCase{clause: "refused", change: beside("x", []string{"x"}, []int{3}, names, []string{"Bergen", "Oslo", "Rome"}, "", "")})
	add(joinCase{clause: "refused", change: beside("x", []string{"x"}, []int{3}, names, []string{"Oslo", "Bergen", "Paris"}, "", "")})
	add(joinCase{clause: "moved", change: beside("x", []string{"x"}, []int{3}, names, names, "", "")})

	add(joinCase{clause: "refused", table: "q,p", only: "iaro"})

	row = "a table of another name"
	add(joinCase{clause: "moved", table: "p,q", only: "iaro"})

	row = "other values of a variable that `coordinates` names, as the latitudes of a curvilinear grid or the height of all elements, and that does not grow"
	named := func(f func(a, b joinFile)) joinCase {
		return joinCase{aAttrs: `"coordinates":"lat"`, bAttrs: `"coordinates":"lat"`, change: f}
	}
	lat := func(first, second []float64, firstAttrs, secondAttrs string) joinCase {
		dims, shape := []string{"x"}, []int{3}
		if len(first) == 1 {
			dims, shape = nil, nil
		}
		return named(beside("lat", dims, shape, first, second, firstAttrs, secondAttrs))
	}
	for _, c := range []joinCase{lat([]float64{50, 51, 52}, []float64{50, 51, 53}, "", ""), lat([]float64{2}, []float64{10}, `"units":"m"`, `"units":"m"`)} {
		c.clause = "refused"
		add(c)
	}
	for _, c := range []joinCase{lat([]float64{50, 51, 52}, []float64{50, 51, 52}, "", ""), lat([]float64{2}, []float64{2}, `"units":"m"`, `"units":"m"`)} {
		c.clause = "if they are equal"
		add(c)
	}
	c := lat([]float64{2}, []float64{3}, `"units":"days since 2000-01-01"`, `"units":"days since 2000-01-01"`)
	c.clause = "scalar time"
	add(c)

	row = "another geotransform, coordinate system or grid mapping"
	add(joinCase{clause: "refused", change: raster(1, wgs84, wgs84)})
	add(joinCase{clause: "refused", change: raster(0, wgs84, strings.Replace(wgs84, "298.2", "299.2", 1))})
	add(joinCase{clause: "however it is written", change: raster(0, wgs84, wgs84Too)})
	add(joinCase{clause: "`--widen`", change: raster(1, wgs84, wgs84), flags: "--widen", only: "i", want: []float32{0, 7, 8, 9}})
	add(joinCase{clause: "refused", change: raster(1, wgs84, strings.Replace(wgs84, "298.2", "299.2", 1)), flags: "--widen", only: "i"})
	const mapping = `"grid_mapping_name":"latitude_longitude","semi_major_axis":6378137.0,"inverse_flattening":`
	crs := joinCase{aAttrs: `"grid_mapping":"crs"`, bAttrs: `"grid_mapping":"crs"`, clause: "refused"}
	crs.change = beside("crs", nil, nil, []int32{0}, []int32{0}, mapping+"298.257223563", mapping+"299.0")
	add(crs)
	return cases
}()
