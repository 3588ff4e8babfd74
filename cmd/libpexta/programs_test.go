//go:build ga && mpi && cgo

package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/partest"
)

// TestMain removes the files that were built for all tests.
func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(buildFolder())
	os.Exit(code)
}

// buildFolder is the folder in which the tests build the library and programs.
var buildFolder = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "libpexta")
	if err != nil {
		panic(err)
	}
	return dir
})

// archive builds the library, with the additional, failing functions of testdata/faults.
var archive = sync.OnceValues(func() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(buildFolder(), "overlay.json")
	faults := filepath.Join(here, "testdata", "faults")
	files, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(here, "fault.go"):                                  filepath.Join(faults, "fault.go"),
		filepath.Join(here, "..", "..", "parallel", "pexta", "fault.go"): filepath.Join(faults, "session", "fault.go"),
	}})
	if err == nil {
		err = os.WriteFile(overlay, files, 0o666)
	}
	if err != nil {
		return "", err
	}
	file := filepath.Join(buildFolder(), "libpexta.a")
	return file, output("go", "build", "-tags", "ga,mpi", "-buildmode=c-archive", "-overlay", overlay, "-o", file, ".")
})

// drxCommand builds the command drx, and checker pexta-check.
var (
	drxCommand = sync.OnceValues(func() (string, error) { return command("drx") })
	checker    = sync.OnceValues(func() (string, error) { return command("pexta-check") })
)

func command(name string) (string, error) {
	file := filepath.Join(buildFolder(), name)
	return file, output("go", "build", "-o", file, "../"+name)
}

// libraries are the linker's options for a program with Global Arrays.
var libraries = strings.Fields("-lga-openmpi -lscalapack-openmpi -llapack -lblas -larmci-openmpi -lgfortran -lm -lquadmath -lpthread")

// output runs a command; the error contains its output.
func output(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// counting are flags for compile: the program counts calls of MPI, and fails if one is not on the
// thread that has started MPI.
var counting = []string{"-DPMPI", "-I" + pmpi, pmpi + "pmpi.c"}

const pmpi = "../../parallel/mpi/internal/pmpitest/"

// soak reports whether to make all runs, for make soak.
var soak = os.Getenv("DRX_SOAK") != ""

// dra is the library argument of compile for a program with the DRA of Global Arrays.
func dra() (string, error) { return "", nil }

// compile builds a program in C or Fortran, with a library in front of Global Arrays.
func compile(t *testing.T, source string, library func() (string, error), flags ...string) string {
	t.Helper()
	compiler := []string{"mpicc.openmpi", "-std=gnu11", "-Wall", "-Wextra", "-Werror"}
	if filepath.Ext(source) == ".F90" {
		// Programs pass arguments of several types to one function of MPI or GA.
		compiler = []string{"mpif90.openmpi", "-fdefault-integer-8", "-ffree-line-length-none", "-fallow-argument-mismatch", "-w"}
	}
	program := filepath.Join(t.TempDir(), "program")
	args := append(compiler[1:], flags...)
	args = append(args, "-I../../include", "-O1", "-o", program, source)
	file, err := library()
	if err != nil {
		t.Fatal(err)
	}
	if file != "" {
		args = append(args, file)
	}
	if err := output(compiler[0], append(args, libraries...)...); err != nil {
		t.Fatal(err)
	}
	return program
}

// mpirun runs a program in n processes and returns its output.
func mpirun(t *testing.T, n int, program string, args ...string) string {
	t.Helper()
	out, err := partest.Mpirun(t, mpi.Command, fmt.Sprint(n), append([]string{program}, args...)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// cases checks that a conformance program passed want cases.
func cases(t *testing.T, out string, want int) {
	t.Helper()
	if passed := strings.Count("\n"+out, "\nok "); strings.Contains(out, "FAILED") || passed != want {
		t.Errorf("%d of %d cases passed:\n%s", passed, want, out)
	}
}

// good checks that a program with check.h reports no failure.
func good(t *testing.T, out string) {
	t.Helper()
	if !strings.HasSuffix(out, "good\n") && !strings.Contains(out, "\ngood\n") {
		t.Error(out)
	}
}

// source returns the text of a program.
func source(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
