//go:build hdf5 && netcdf && fits && gdal

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of real files into docs/FORMATS.md")

// page contains the table, between lines that mark it.
const (
	page       = "../../docs/FORMATS.md"
	tableBegin = "<!-- real files -->\n"
	tableEnd   = "<!-- end of real files -->\n"
)

// kinds are the formats of the table, with the extensions of their files.
var kinds = []struct{ name, extensions string }{
	{"HDF5", ".h5 .emd"},
	{"NetCDF", ".nc .nc3 .nc4 .nc5"},
	{"FITS", ".fits"},
	{"GeoTIFF", ".tif"},
	{"NITF and CADRG", ".ntf .nsf .gn3"},
	{"ENVI", ".hdr .img"},
	{mat, ".mat"},
	{"npy", ".npy"},
	{"PNG", ".png"},
	{"CSV", ".csv"},
	{"archives", ".gz .zip"},
}

const mat = "MAT"

// kindOf returns the format of a file by its extension.
func kindOf(name string) string {
	ext := strings.ToLower(filepath.Ext(name))
	for _, k := range kinds {
		if slices.Contains(strings.Fields(k.extensions), ext) {
			return k.name
		}
	}
	return "others"
}

// A row is a row of the table.
type row struct {
	imported, partly int
	refused          map[string][]string // names of files, by the reason
}

// table returns the table and the list of refused files.
func table(files []*realFile) string {
	rows := map[string]*row{}
	for _, f := range files {
		kind := kindOf(f.name)
		if rows[kind] == nil {
			rows[kind] = &row{refused: map[string][]string{}}
		}
		rows[kind].add(f)
	}
	var text, list strings.Builder
	text.WriteString("| format | files | imported | of these without some variables | refused |\n|---|---|---|---|---|\n")
	for _, k := range append(kinds, struct{ name, extensions string }{"others", ""}) {
		r := rows[k.name]
		if r == nil {
			continue
		}
		refused := 0
		for _, why := range slices.Sorted(maps.Keys(r.refused)) {
			names := r.refused[why]
			slices.Sort(names)
			refused += len(names)
			fmt.Fprintf(&list, "* %s, `%s`: %s\n", k.name, strings.Join(names, "`, `"), why)
		}
		fmt.Fprintf(&text, "| %s (%s) | %d | %d | %d | %d |\n", k.name, k.extensions, r.imported+refused, r.imported, r.partly, refused)
	}
	return text.String() + "\nThese are refused, with these errors:\n\n" + list.String()
}

func (r *row) add(f *realFile) {
	switch {
	case f.why != "":
		r.refused[f.why] = append(r.refused[f.why], filepath.Base(f.name))
		return
	case len(f.made.Refused) > 0:
		r.partly++
	}
	r.imported++
}

// checkTable compares the table with that of the page, or writes it there.
func checkTable(t *testing.T, data string, files []*realFile) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegin)
	shown, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		t.Fatalf("%s: the lines %q and %q are missing", page, tableBegin, tableEnd)
	}
	got := table(files)
	if *update {
		if err := os.WriteFile(page, []byte(before+tableBegin+got+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range files {
		if f.why != "" && !strings.Contains(shown, "`"+filepath.Base(f.name)+"`") {
			t.Errorf("%s was imported before and is refused now: %s", f.name, f.why)
		}
	}
	if !hasMat() {
		shown = withoutMat(shown)
	}
	if got != shown {
		t.Errorf("%s has another table than that of the files in %s; look at the difference after go test -tags ... ./cmd/drx-bridge -run TestRealFiles -update:\n%s\nwant\n%s", page, data, shown, got)
	}
}

// withoutMat returns the table without the lines about MAT files.
func withoutMat(table string) string {
	var kept strings.Builder
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| "+mat+" ") && !strings.HasPrefix(line, "* "+mat+",") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
