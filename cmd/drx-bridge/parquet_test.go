//go:build parquet && hdf5 && netcdf && fits && gdal

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What drx exports as a table it appends again: cubes with labels and missing values, and datasets
// with times and units. Numbers that would be rounded are refused.
func TestParquetOfPrograms(t *testing.T) {
	program := buildPrograms(t)
	t.Chdir(t.TempDir())
	table := "time,station,temp [degC],n\n2024-01-30T06:00,B,1.5,9007199254740993\n2024-01-31,A,NA,4\n2024-02-01,A,2.25,\n"
	if err := os.WriteFile("rows.csv", []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	columns := []string{"--coords", "time,station", "--value", "temp,k=temp", "--create"}
	runProgram(t, program, append(append([]string{"append", "d"}, columns...), "rows.csv")...)
	runProgram(t, program, "export", "d", "d.parquet")
	columns[3] = "temp,k"
	runProgram(t, program, append(append([]string{"append", "again"}, columns...), "d.parquet")...)
	runProgram(t, program, "diff", "d", "again")
	whole := []string{"--coords", "time,station", "--value", "n", "--dtype", "int64", "--fill", "-1", "--create"}
	runProgram(t, program, append(append([]string{"append", "n"}, whole...), "rows.csv")...)
	runProgram(t, program, "export", "n", "n.parquet")
	runProgram(t, program, append(append([]string{"append", "n2"}, whole...), "n.parquet")...)
	runProgram(t, program, "diff", "n", "n2")
	for _, c := range []struct{ says, args string }{
		{`temp:units = "degC"`, "info again"},
		{"2024-01-30T06:00 .. 2024-02-01", "info again"},
		{"row 1: value 9007199254740993 is none of float64", "append n3 --coords time,station --value n --create n.parquet"},
		{`no column "m", the columns are "time", "station", "n"`, "append n3 --coords time,station --value m --create n.parquet"},
		{"files of format parquet cannot grow", "export again d2.parquet --append time"},
	} {
		out, _ := exec.Command(program, strings.Fields(c.args)...).CombinedOutput() // some fail
		if !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %s", c.args, out)
		}
	}
	if _, err := os.Stat("n3.xmd"); err == nil {
		t.Error("an array of what was refused")
	}
}
