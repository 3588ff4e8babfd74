package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestWideRealTable appends a real wide table, with one column per day, and compares its sums with
// those of the table.
func TestWideRealTable(t *testing.T) {
	data := os.Getenv("DRX_DATA")
	if data == "" {
		t.Skip("DRX_DATA is not set")
	}
	path := filepath.Join(data, "growth", "olap", "time_series_covid19_confirmed_global.csv")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	code, _, complaint := drxIn(t, dir, "append", "cases", "--coords", "country=Country/Region,province=Province/State",
		"--wide", "date", "--drop", "Lat,Long", "--blank", "all", "--create", path)
	if code != 0 {
		t.Fatal(complaint)
	}
	_, got, _ := drxIn(t, dir, "sum", "cases", "--over", "country,province")
	var want strings.Builder
	want.WriteString("date,sum\n")
	for j := 4; j < len(table[0]); j++ {
		total := 0
		for _, row := range table[1:] {
			n, err := strconv.Atoi(row[j])
			if err != nil {
				t.Fatal(err)
			}
			total += n
		}
		fmt.Fprintf(&want, "%s,%d\n", table[0][j], total)
	}
	if got != want.String() || len(table) < 200 {
		t.Errorf("the sums of %d rows differ:\n%.300s\nwant\n%.300s", len(table), got, want.String())
	}
}
