package partest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// NeedsMPI skips a test if err is not nil; err says what is missing for MPI. With CI=true in the
// environment it fails the test instead.
func NeedsMPI(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs MPI: %v", err)
	}
	t.Skipf("needs MPI: %v; scripts/tags names the packages", err)
}

// Program returns the calling test as a program built with MPI, for Mpirun with the same command:
// this program if it was built so, otherwise one that it builds with the tag mpi in the present
// folder. If that is impossible the test is skipped or fails, see NeedsMPI.
func Program(t *testing.T, built bool, command string) string {
	t.Helper()
	if built {
		name, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	_, err := exec.LookPath(command)
	NeedsMPI(t, err)
	if out, err := exec.Command("pkg-config", "--print-errors", "--exists", "ompi-c").CombinedOutput(); err != nil {
		NeedsMPI(t, fmt.Errorf("pkg-config: %w: %s", err, out))
	}
	name := filepath.Join(t.TempDir(), "mpi.test")
	build := exec.Command("go", "test", "-c", "-tags", "mpi", "-o", name, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1") // otherwise it would again be built without MPI
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// Linger waits so that the other processes of a test can end, too. If programs fail with MPICH,
// tests end without MPI_Finalize; its mpirun kills the others when the first process has ended, and
// reports success.
func Linger() { time.Sleep(300 * time.Millisecond) }

// Mpirun starts n processes of a program. It returns their output and their result, as mpirun
// reports it, after at most a minute. If there is no such command the test is skipped, or fails
// with CI=true. Open MPI needs options to run as root, to start more processes than there are
// cores, and to release cores while processes wait.
func Mpirun(t *testing.T, command string, n string, program ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return mpirun(ctx, t, command, n, program...)
}

// mpirun is Mpirun until ctx is done.
func mpirun(ctx context.Context, t *testing.T, command string, n string, program ...string) (string, error) {
	t.Helper()
	_, err := exec.LookPath(command)
	NeedsMPI(t, err)
	args := []string{"-n", n}
	env := os.Environ()
	if command == "mpirun.openmpi" {
		args = append(args, "--bind-to", "none")
		env = append(env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_mpi_yield_when_idle=1")
	}
	cmd := exec.CommandContext(ctx, command, append(args, program...)...)
	cmd.Env = env
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}
