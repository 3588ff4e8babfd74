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

// NeedsMPI skips a test if there is an error, by which something of MPI is missing here. It fails
// where the environment says CI=true.
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

// Program returns the test that calls it as a program that was built with MPI, for Mpirun with the
// same command: itself if it was, or built with the tag mpi from the folder it runs in. The test is
// skipped, or fails, as with NeedsMPI.
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
	build.Env = append(os.Environ(), "CGO_ENABLED=1") // else this would be built once more without MPI
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// Linger lets the other processes of a test come to their end too. Tests in which programs fail end without
// MPI_Finalize where MPICH is used, and its mpirun kills what is left when the first one has ended so,
// and says that all is well.
func Linger() { time.Sleep(300 * time.Millisecond) }

// Mpirun starts n processes of a program and returns their output and how they ended, or how
// mpirun thinks they did. It takes at most a minute. The test is skipped if there is no such
// command, and fails where the environment says CI=true. It runs as root and with more processes
// than cores, which Open MPI does not do by itself, and gives cores up while it waits.
func Mpirun(t *testing.T, command string, n string, program ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
