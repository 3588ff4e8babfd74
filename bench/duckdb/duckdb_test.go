// Package duckdb compares tables that drx exports, and tables that DuckDB writes, with the sums of
// DuckDB. It is a module of its own, because DuckDB is large.
package duckdb

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
)

// programs builds drx and drx-bridge, and returns drx.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range [][]string{{"drx", ""}, {"drx-bridge", "parquet"}} {
		build := exec.Command("go", "build", "-tags", p[1], "-o", filepath.Join(dir, p[0]), "./cmd/"+p[0])
		build.Dir = filepath.Join("..", "..")
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	t.Setenv("DRX_BRIDGE", filepath.Join(dir, "drx-bridge"))
	t.Setenv("DRX_BRIDGE_TIMEOUT", "1m") // the machine may be busy
	return filepath.Join(dir, "drx")
}

func run(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	out, err := exec.Command(program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// sums returns the rows of a query, each as its columns.
func sums(t *testing.T, query string) map[string][]float64 {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got := map[string][]float64{}
	for rows.Next() {
		var name string
		values := make([]float64, 3)
		if err := rows.Scan(&name, &values[0], &values[1], &values[2]); err != nil {
			t.Fatal(err)
		}
		got[name] = values
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

// statsBy returns count, sum and mean of an array for each label of a dimension.
func statsBy(t *testing.T, program, array, over string) map[string][]float64 {
	t.Helper()
	text := run(t, program, "stats", array, "--over", over, "--count", "--sum", "--mean")
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]float64{}
	for _, r := range records[1:] {
		for _, field := range r[1:] {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			got[r[0]] = append(got[r[0]], x)
		}
	}
	return got
}

func compare(t *testing.T, got, want map[string][]float64) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Errorf("%d groups, want %d", len(got), len(want))
	}
	for name, values := range want {
		for k, x := range values {
			if len(got[name]) != len(values) || math.Abs(got[name][k]-x) > 1e-12*math.Abs(x) {
				t.Errorf("%s: %v, want %v", name, got[name], values)
				break
			}
		}
	}
}

const aggregates = "count(%[1]s)::double, sum(%[1]s)::double, avg(%[1]s)::double"

// DuckDB reads what drx exports, and its sums equal those of drx.
func TestExport(t *testing.T) {
	program := programs(t)
	table, err := filepath.Abs("../../examples/sales/sales.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	run(t, program, "append", "sales", "--coords", "date,store,item", "--value", "sales", "--create", table)
	run(t, program, "export", "sales", "sales.parquet")
	query := fmt.Sprintf("select store, "+aggregates+" from 'sales.parquet' group by store", "sales")
	compare(t, statsBy(t, program, "sales", "date,item"), sums(t, query))
	query = fmt.Sprintf("select store::varchar, "+aggregates+" from '%s' group by store", "sales", table)
	compare(t, statsBy(t, program, "sales", "date,item"), sums(t, query))
}

// drx reads what DuckDB writes: times, texts, decimals, integers with nulls.
func TestAppend(t *testing.T) {
	program := programs(t)
	t.Chdir(t.TempDir())
	const rows = `select timestamp '2024-01-30' + to_hours((range // 50)::int) as hour, 'k' || (range % 50) as k, ` +
		`(range * 7919 % 100000)::decimal(9, 2) / 7 as x, case when range % 11 = 0 then null else range * range end as n, ` +
		`(range * 31 % 1000)::decimal(18, 3) as d from range(200000)`
	sums(t, "select 'a', 0, 0, 0 from (select 1)") // loads the library
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("copy (" + rows + ") to 'rows.parquet' (row_group_size 20000)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, program, "append", "cube", "--coords", "hour,k", "--value", "x,n,d", "--create", "rows.parquet")
	for _, name := range []string{"x", "n", "d"} {
		query := fmt.Sprintf("select k, "+aggregates+" from 'rows.parquet' group by k", name)
		compare(t, statsBy(t, program, "cube/"+name, "hour"), sums(t, query))
	}
	if info := run(t, program, "info", "cube"); !strings.Contains(info, "2024-01-30 .. 2024-07-14T15:00") {
		t.Error(info)
	}
	if _, err := os.Stat("cube"); err != nil {
		t.Error(err)
	}
}
