//go:build mpi && mpich

package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/partest"
)

func init() { tagged = append(tagged, "TestMPICH") }

// TestMPICH builds libdrxmp for MPICH and runs a program with it in several processes, linked in
// both ways. With a library for the other MPI each process would be a job of its own, and print.
func TestMPICH(t *testing.T) {
	for _, tool := range []string{"mpicc.mpich", mpi.Command} {
		_, err := exec.LookPath(tool)
		partest.NeedsMPI(t, err)
	}
	p := installedMPICH.at(t)
	for name, flags := range map[string][]string{"so": nil, "a": {"-Wl,-Bstatic", "-ldrxmp", "-Wl,-Bdynamic"}} {
		prog := compileWith(t, p, "drxmp", []string{"mpicc.mpich", "-std=gnu11"}, "testdata/mp_errors.c", flags...)
		if out := prog.mpirun(t, 3); out != "good\n" {
			t.Errorf("%s: mp_errors.c in 3 processes prints\n%s", name, out)
		}
	}
	libs, err := exec.Command("readelf", "-d", filepath.Join(p, "lib", "libdrxmp.so.1")).CombinedOutput()
	if err != nil || !strings.Contains(string(libs), "libmpich") {
		t.Errorf("libdrxmp needs the libraries\n%s, %v", libs, err)
	}
}
