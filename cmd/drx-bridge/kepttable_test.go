//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"drx/dtype"
)

const (
	keptBegin = "<!-- kept -->\n"
	keptEnd   = "<!-- end of kept -->\n"
)

// TestKept writes arrays of every type and with every property in every format, reads them back,
// and compares the result with the tables in docs/FORMATS.md; -update writes the tables.
func TestKept(t *testing.T) {
	var types, others strings.Builder
	types.WriteString("| format | comes back as it was | comes back as another type | refused |\n|---|---|---|---|\n")
	others.WriteString("| format | dimensions | no elements | variables | groups | names of dimensions | coordinates | growable dimensions | fill value | strings | text in attributes | numbers | lists of numbers | lists of texts | attributes of the file |\n" +
		strings.Repeat("|---", 15) + "|\n")
	for _, f := range targets {
		same, other, refused := f.types(t)
		fmt.Fprintf(&types, "| `%s` (%s) | %s | %s | %s |\n", f.name, f.ext, list(same), list(other), list(refused))
		k := f.kept(t)
		fmt.Fprintf(&others, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", f.name, span(k.ranks), k.nothing,
			k.several, k.groups, k.dims, k.coordinates, k.unlimited, k.fill, k.strings, k.text, k.numbers, k.numberLists, k.textLists, k.ofFile)
	}
	compareWithPage(t, keptBegin, keptEnd, types.String()+"\n"+others.String())
}

// list lists types: "all", or the given ones.
func list(names []string) string {
	if len(names) == len(dtype.All()) {
		return "all"
	}
	return strings.Join(names, ", ")
}

// span returns consecutive ranks as a range.
func span(ranks []string) string {
	switch len(ranks) {
	case 0:
		return "none"
	case 1:
		return ranks[0]
	case 8:
		return "any"
	}
	last := ranks[len(ranks)-1]
	if last == "7" {
		return ranks[0] + " and more"
	}
	return ranks[0] + " to " + last
}

// compareWithPage compares a text with the part of the page between two lines, or writes it there.
func compareWithPage(t *testing.T, begin, end, got string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s: the lines %q and %q are missing", page, begin, end)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+got+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != shown {
		t.Errorf("%s has another table than what comes back; look at the difference after go test -tags ... ./cmd/drx-bridge -run TestKept -update:\n%s\nwant\n%s", page, shown, got)
	}
}
