//go:build ga && mpi && cgo

package main_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExamples: the growing plates in C and Fortran have the values of a serial model, for any
// number of processes, as printed by drx.
func TestExamples(t *testing.T) {
	want := plate(64, 32, 16, 6, 300)
	for file, procs := range map[string]int{"heat.c": 2, "heat.F90": 3} {
		t.Run(file, func(t *testing.T) {
			example := filepath.Join("..", "..", "examples", "pexta", file)
			if n := strings.Count(source(t, example), "\n"); n > 80 {
				t.Errorf("%d lines: more than 80", n)
			}
			program := compile(t, example, archive)
			command, err := drxCommand()
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			mpirun(t, procs, program)
			checkInfo(t, command)
			got := elements(t, command)
			if len(got) != len(want) {
				t.Fatalf("%d elements, want %d", len(got), len(want))
			}
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
				}
			}
		})
	}
}

// checkInfo checks the output of drx info for the plate, which has grown in its columns six times.
func checkInfo(t *testing.T, command string) {
	t.Helper()
	out, err := exec.Command(command, "info", "plate", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		DType string
		Shape []int
		Attrs map[string]any
	}
	if err := json.Unmarshal(out, &info); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info.DType != "float64" || !slices.Equal(info.Shape, []int{64, 128}) || info.Attrs["pexta_name"] != "plate" {
		t.Errorf("drx info: %s", out)
	}
}

// elements returns the elements of the plate that drx read has printed, in the order of C.
func elements(t *testing.T, command string) []float64 {
	t.Helper()
	out, err := exec.Command(command, "read", "plate", "-o", "-").Output()
	if err != nil || len(out) < 10 {
		t.Fatalf("%v: %q", err, out)
	}
	header, data, ok := bytes.Cut(out[10:], []byte("\n")) // a .npy file begins with 10 bytes and a line
	if !ok || !bytes.Contains(header, []byte("'<f8', 'fortran_order': False")) {
		t.Fatalf("header %q", header)
	}
	values := make([]float64, len(data)/8)
	if _, err := binary.Decode(data, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return values
}

// plate is the model of the plate in the examples: it grows by more columns, growths times, and is
// warmed in steps steps each time.
func plate(rows, columns, more, growths, steps int) []float64 {
	now := make([]float64, rows*columns)
	for range growths {
		wider := make([]float64, rows*(columns+more))
		for r := range rows {
			copy(wider[r*(columns+more):], now[r*columns:][:columns])
		}
		now, columns = wider, columns+more
		for range steps {
			next := make([]float64, len(now))
			for i := range next {
				r, c := i/columns, i%columns
				left := 1.0
				if c > 0 {
					left = now[i-1]
				}
				next[i] = (now[max(r-1, 0)*columns+c] + now[min(r+1, rows-1)*columns+c] + left + now[r*columns+min(c+1, columns-1)]) / 4
			}
			now = next
		}
	}
	return now
}
