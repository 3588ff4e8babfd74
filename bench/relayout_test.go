package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// All programs must make equal copies: the race compares what each has written.
func TestRelayout(t *testing.T) {
	for _, c := range []change{
		{"rows to blocks", []int{64, 96}, []int{1, 96}, []int{16, 32}, 32, 0, false},
		{"bands to blocks", []int{64, 96}, []int{4, 96}, []int{8, 48}, 16, 0, false},
		{"rows to columns", []int{64, 96}, []int{1, 96}, []int{64, 1}, 64, 0, true},
	} {
		l := testLab(t)
		installed(t, l, rowMajor)
		if !l.peers.has(rowMajor) {
			t.Skip("needs gcc")
		}
		var tab table
		if err := runChange(l, &tab, c); err != nil {
			t.Fatal(err)
		}
		for _, series := range []string{"drx", "plain, 1 thread", "plain, 2 threads"} {
			if r, ok := tab.find("copy", series, c.column); !ok || r.value <= 0 || r.limit != strings.HasPrefix(series, "plain") {
				t.Errorf("%s: %s: %+v", c.column, series, r)
			}
		}
		if left, err := filepath.Glob(filepath.Join(l.dir, "*")); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// Skewed and aligned reads must find the same corners of all boxes, for any number of procs.
func TestRelayoutTables(t *testing.T) {
	l := testLab(t)
	if err := l.build([]competitor{drxDefault}, "rows", []int{64, 128}, []int{2, 128}); err != nil {
		t.Fatal(err)
	}
	var tab table
	for procs := 1; procs <= 3; procs++ {
		b := tableLine{l: l, procs: procs, access: []int{8, 32}, rows: l.path(drxDefault, "rows"), blocks: filepath.Join(l.dir, "blocks")}
		if _, err := b.convert(b.blocks); err != nil {
			t.Fatal(err)
		}
		if err := b.race(&tab, "warm"); err != nil {
			t.Fatal(err)
		}
		if err := removeArray(b.blocks); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(tab.rows); n != 9 {
		t.Errorf("%d rows", n)
	}
}
