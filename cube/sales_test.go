package cube_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/internal/cputest"
)

// openSales opens the table of daily sales of 50 items in 10 stores in 5 years: 913,000 rows
// ordered by item, store and day.
func openSales(t testing.TB) io.ReadCloser {
	dir := os.Getenv("DRX_DATA")
	if dir == "" {
		t.Skip("DRX_DATA is not set")
	}
	archive, err := zip.OpenReader(filepath.Join(dir, "growth", "olap", "demand-forecasting-kernels-only.zip"))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { archive.Close() })
	f, err := archive.Open("train.csv")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// readSales reads the table; under the race detector only its first lines.
func readSales(t testing.TB) (text []byte, rows int) {
	in, rows := io.Reader(openSales(t)), 913000
	if raceDetector {
		in = io.LimitReader(in, 1<<19)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	if raceDetector {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		rows = bytes.Count(text, []byte("\n")) - 1
	}
	return text, rows
}

// TestSales loads the table into an array that grows from nothing in three dimensions, and compares
// the array with the sums of a program that knows only the table.
func TestSales(t *testing.T) {
	text, want := readSales(t)
	c := create(t, cube.Spec(dtype.Float64, "date", "store", "item"))
	limit := 5 * time.Second
	if raceDetector {
		limit = time.Minute
	}
	cputest.Most(t, limit, func() {
		rows, err := c.AppendCSV(context.Background(), bytes.NewReader(text),
			cube.CSV{Coords: []string{"date", "store", "item"}, Value: "sales"})
		if err != nil || rows != want {
			t.Fatalf("%d rows, %v", rows, err)
		}
	})
	groups := []string{"date", "store", "item", "store,item", "date,store"}
	sums, err := independentSums(text, groups)
	if err != nil {
		t.Fatal(err)
	}
	got := sumLines(t, c, []int{1, 2}) + sumLines(t, c, []int{0, 2}) + sumLines(t, c, []int{0, 1}) +
		sumLines(t, c, []int{0}) + sumLines(t, c, []int{2})
	if diff := cmp.Diff(strings.Split(sums, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("sums differ, -want +got:\n%.1000s", diff)
	}
}

// independentSums returns the output of testdata/sums.py, or of plainSums if there is no Python.
func independentSums(text []byte, groups []string) (string, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return plainSums(text, groups)
	}
	cmd := exec.Command(python, append([]string{"testdata/sums.py", "sales"}, groups...)...)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	return string(out), err
}

// plainSums does the same as testdata/sums.py, for at most two columns per group.
func plainSums(text []byte, groups []string) (string, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, group := range groups {
		first, second, pair := strings.Cut(group, ",")
		sums, counts := map[string]int{}, map[string]int{}
		var outer, inner []string // labels in order of appearance
		for _, row := range rows[1:] {
			key := row[slices.Index(rows[0], first)]
			if !slices.Contains(outer, key) {
				outer = append(outer, key)
			}
			if pair {
				label := row[slices.Index(rows[0], second)]
				if !slices.Contains(inner, label) {
					inner = append(inner, label)
				}
				key += "," + label
			}
			n, err := strconv.Atoi(row[slices.Index(rows[0], "sales")])
			if err != nil {
				return "", err
			}
			sums[key] += n
			counts[key]++
		}
		for _, key := range outer {
			keys := []string{key}
			if pair {
				keys = keys[:0]
				for _, label := range inner {
					keys = append(keys, key+","+label)
				}
			}
			for _, key := range keys {
				fmt.Fprintf(&b, "%s,%d,%d\n", key, sums[key], counts[key])
			}
		}
	}
	return b.String(), nil
}

// TestPlainSums compares the two independent programs with each other.
func TestPlainSums(t *testing.T) {
	table := []byte("store,item,sales\nb,x,3\na,x,4\na,y,5\nb,y,6\nb,x,7\n")
	groups := []string{"store", "item", "store,item"}
	want := "b,16,3\na,9,2\nx,14,3\ny,11,2\nb,x,10,2\nb,y,6,1\na,x,4,1\na,y,5,1\n"
	if got, err := plainSums(table, groups); err != nil || got != want {
		t.Errorf("plainSums: %q, %v, want %q", got, err, want)
	}
	if got, err := independentSums(table, groups); err != nil || got != want {
		t.Errorf("sums.py: %q, %v, want %q", got, err, want)
	}
}

// sumLines prints sums as testdata/sums.py does.
func sumLines(t *testing.T, c *cube.Cube, over []int) string {
	sum := reduce(t, c, cube.Sum, over...)
	count := reduce(t, c, cube.Count, over...)
	var b strings.Builder
	eachGroup(sum, func(i int, index []int) {
		for k, d := range sum.Dims {
			b.WriteString(c.Label(d, index[k]) + ",")
		}
		b.WriteString(sum.Text(i) + "," + count.Text(i) + "\n")
	})
	return b.String()
}

// BenchmarkAppendCSV loads the table of sales.
func BenchmarkAppendCSV(b *testing.B) {
	text, _ := readSales(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		a, err := drx.Create(filepath.Join(b.TempDir(), "a"), cube.Spec(dtype.Float64, "date", "store", "item"))
		if err != nil {
			b.Fatal(err)
		}
		c, err := cube.Of(a)
		if err != nil {
			b.Fatal(err)
		}
		o := cube.CSV{Coords: []string{"date", "store", "item"}, Value: "sales"}
		if _, err := c.AppendCSV(context.Background(), bytes.NewReader(text), o); err != nil {
			b.Fatal(err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
