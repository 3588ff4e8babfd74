package partest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMpirunMissing: without mpirun a test is skipped and says why, and fails with CI=true.
func TestMpirunMissing(t *testing.T) {
	if os.Getenv("DRX_MPIRUN_MISSING") != "" {
		Mpirun(t, "mpirun.openmpi", "1", "true")
		t.Fatal("it went on")
	}
	for ci, want := range map[string]string{
		"":     "--- SKIP: TestMpirunMissing",
		"no":   "--- SKIP: TestMpirunMissing",
		"true": "--- FAIL: TestMpirunMissing",
	} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestMpirunMissing$", "-test.v")
		cmd.Env = []string{"DRX_MPIRUN_MISSING=1", "PATH=" + t.TempDir(), "CI=" + ci}
		out, err := cmd.CombinedOutput()
		if (err != nil) != (ci == "true") || !strings.Contains(string(out), want) ||
			!strings.Contains(string(out), `needs MPI: exec: "mpirun.openmpi": executable file not found`) {
			t.Errorf("CI=%s: %v\n%s", ci, err, out)
		}
	}
}

// TestMpirun: Mpirun starts the right number of processes, and reports how they end.
func TestMpirun(t *testing.T) {
	for status, script := range []string{"echo here", "echo here; exit 1"} {
		out, err := Mpirun(t, "mpirun.openmpi", "2", "sh", "-c", script)
		if (err != nil) != (status != 0) || strings.Count(out, "here") == 0 {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}

// TestHelpers: the functions that compare results find differences.
func TestHelpers(t *testing.T) {
	errs := map[string]error{
		"equal":  equal("x", 1, 2),
		"length": same("x", []byte{1}, nil),
		"bytes":  same("x", []byte{1, 2}, []byte{1, 3}),
		"is":     is("x", nil, errTest),
		"from":   from("x", errTest, 0),
	}
	for name, err := range errs {
		if err == nil || !strings.HasPrefix(err.Error(), "x: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := is("x", fmt.Errorf("y: %w", errTest), errTest); err != nil {
		t.Error(err)
	}
}
