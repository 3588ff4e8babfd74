package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/partest"
)

// mpPrefix returns the prefix of libdrxmp. It skips the test without MPI, unless CI=true.
func mpPrefix(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the library")
	}
	for _, tool := range []string{"mpicc.openmpi", mpi.Command} {
		_, err := exec.LookPath(tool)
		partest.NeedsMPI(t, err)
	}
	return installedMP.at(t)
}

// compileMP compiles a source with libdrxmp.
func compileMP(t *testing.T, source string, flags ...string) program {
	t.Helper()
	return compileWith(t, mpPrefix(t), "drxmp", []string{"mpicc.openmpi", "-std=gnu11"}, source, flags...)
}

// mpirun runs the program in its folder in n processes, and returns the output.
func (p program) mpirun(t *testing.T, n int, args ...string) string {
	t.Helper()
	out, err := partest.Mpirun(t, mpi.Command, fmt.Sprint(n), append([]string{"env", "-C", p.dir, p.file}, args...)...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(p.file), err, out)
	}
	return out
}

// TestMPExported: libdrxmp exports the names of both headers.
func TestMPExported(t *testing.T) {
	t.Parallel()
	own := functionsOf(t, "drxmp")
	if len(own) < 65 {
		t.Fatalf("%d functions in drxmp.h: the test does not read it well", len(own))
	}
	want := append(functionsOf(t, "drx"), own...)
	slices.Sort(want)
	checkExported(t, filepath.Join(mpPrefix(t), "lib", "libdrxmp"), want)
}

// TestMPPrograms runs the programs with libdrxmp in several processes. They print their failures.
func TestMPPrograms(t *testing.T) {
	counter := "../../parallel/mpi/internal/pmpitest"
	t.Setenv("ASAN_OPTIONS", "detect_leaks=0") // MPI leaks memory
	archive := []string{"-Wl,-Bstatic", "-ldrxmp", "-Wl,-Bdynamic"}
	for _, c := range []struct {
		source string
		flags  []string
		counts []int
		args   []string
	}{
		{source: "mp_errors.c", counts: []int{2, 4}},
		{source: "mp_errors.c", flags: archive, counts: []int{3}},
		{source: "mp_errors.c", flags: sanitizers, counts: []int{2}},
		{source: "mp_histories.c", flags: sanitizers, counts: []int{3}, args: []string{"1", "15"}},
		{source: "mp_histories.c", counts: []int{2, 4}, args: []string{"3000", "20"}},
		{source: "mp_single.c", flags: []string{"-I" + counter, counter + "/pmpi.c"}, counts: []int{2, 4}},
		{source: "mp_multiple.c", counts: []int{1, 3}},
	} {
		p := compileMP(t, "testdata/"+c.source, c.flags...)
		for _, n := range c.counts {
			p.dir = workFolder(t)
			if out := p.mpirun(t, n, c.args...); out != "good\n" {
				t.Errorf("%s in %d processes prints\n%s", c.source, n, out)
			}
		}
	}
}

// TestMPOneThread: drx.h of libdrxmp works without MPI_Init, in a program without MPI.
func TestMPOneThread(t *testing.T) {
	t.Parallel()
	compileMP(t, "testdata/strides.c").run(t)
}

// figure1 is what examples/c/figure1.c prints, sorted: the zones of the paper's figure.
const figure1 = `process 0: rows 0 to 6, columns 0 to 6, first 0, chunks 0 1 2 3 4 5
process 1: rows 0 to 6, columns 6 to 12, first 1000, chunks 6 7 8 12 13 14
process 2: rows 6 to 10, columns 0 to 6, first 2000, chunks 9 10 16 17
process 3: rows 6 to 10, columns 6 to 12, first 3000, chunks 11 15 18 19
`

// TestMPExamples runs the examples in four processes. The files are those of the same programs in
// Go, byte for byte.
func TestMPExamples(t *testing.T) {
	p := compileMP(t, filepath.Join(root, "examples/c/figure1.c"))
	// mpirun passes the lines of several processes on in any order.
	lines := strings.SplitAfter(p.mpirun(t, 4), "\n")
	slices.Sort(lines)
	if out := strings.Join(lines, ""); out != figure1 {
		t.Errorf("figure1.c prints\n%s", out)
	}
	twin := workFolder(t)
	if err := figure1InGo(twin); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "figure1", p.dir, twin)
	p = compileMP(t, filepath.Join(root, "examples/c/plate.c"))
	p.mpirun(t, 4)
	heat := filepath.Join(t.TempDir(), "heat")
	if out, err := exec.Command("go", "build", "-o", heat, filepath.Join(root, "examples/heat")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program{heat, twin}.run(t, "-procs", "4")
	sameFiles(t, "plate", p.dir, twin)
	for _, name := range []string{"figure1.c", "plate.c"} {
		text, err := os.ReadFile(filepath.Join(root, "examples/c", name))
		if n := strings.Count(string(text), "\n"); err != nil || n >= 60 {
			t.Errorf("%s has %d lines, want fewer than 60; %v", name, n, err)
		}
	}
}

// identified matches what differs in the log of an array of another identity: the digits of its
// lines, and the identity.
var identified = regexp.MustCompile(`(?m)^[0-9a-f]{8} |"id":"[0-9a-f]+"`)

// sameFiles compares the files of an array in two folders, but for its identity and for the head of
// the presence map, which has digits of the log.
func sameFiles(t *testing.T, name, dir, other string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, name+".*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		a, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(other, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(file) {
		case ".xmd":
			a, b = identified.ReplaceAll(a, nil), identified.ReplaceAll(b, nil)
		case ".xpm":
			a, b = a[64:], b[64:]
		}
		if string(a) != string(b) {
			t.Errorf("%s of %d bytes differs from that of the Go program, of %d bytes", filepath.Base(file), len(a), len(b))
		}
	}
}
