package fortran_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// root is the folder of the repository.
const root = ".."

// temporary is the folder to which install writes.
var temporary string

// install builds libdrx and the module once, and installs them to a prefix outside of the tree.
var install = sync.OnceValues(func() (prefix string, err error) {
	if temporary, err = os.MkdirTemp("", "fortran"); err != nil {
		return "", err
	}
	lib, prefix := filepath.Join(temporary, "lib"), filepath.Join(temporary, "usr")
	for _, args := range [][]string{{"build", lib}, {"install", lib, prefix}} {
		cmd := exec.Command(filepath.Join(root, "scripts/lib.sh"), args...)
		cmd.Env = append(os.Environ(), "KINDS=so fortran", "VERSION=v1.2.3-test", "FFLAGS=-Wall -Wextra -Werror")
		if out, err := cmd.CombinedOutput(); err != nil {
			return prefix, fmt.Errorf("scripts/lib.sh: %w\n%s", err, out)
		}
	}
	return prefix, nil
})

// installed returns the prefix of the installed module. It skips the test without gfortran, unless
// CI=true.
func installed(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the library")
	}
	for _, tool := range []string{"gfortran", "gcc", "pkg-config"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	prefix, err := install()
	if err != nil {
		t.Fatal(err)
	}
	return prefix
}

// TestMain removes the temporary folder at the end.
func TestMain(m *testing.M) {
	code := m.Run()
	if temporary != "" {
		_ = os.RemoveAll(temporary)
	}
	os.Exit(code)
}

// A program is a compiled test program, which runs in an empty folder of its own.
type program struct{ file, dir string }

// compile compiles sources with the installed module, found by pkg-config.
func compile(t *testing.T, sources []string, flags ...string) program {
	t.Helper()
	prefix := installed(t)
	pkg := exec.Command("pkg-config", "--cflags", "--libs", "drx-fortran")
	pkg.Env = append(os.Environ(), "PKG_CONFIG_PATH="+prefix+"/lib/pkgconfig")
	found, err := pkg.CombinedOutput()
	if err != nil {
		t.Fatalf("pkg-config: %v\n%s", err, found)
	}
	objects := t.TempDir()
	prog := program{filepath.Join(objects, "program"), workFolder(t)}
	args := append([]string{"-g", "-J" + objects, "-o", prog.file}, strict...)
	args = append(append(args, sources...), flags...)
	args = append(append(args, strings.Fields(string(found))...), "-Wl,-rpath,"+prefix+"/lib")
	if out, err := exec.Command("gfortran", args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s: %v\n%s", sources, err, out)
	}
	return prog
}

// strict are the flags for compiling all sources.
var strict = []string{"-std=f2018", "-Wall", "-Wextra", "-Werror"}

// workFolder returns an empty folder, in memory if there is such a file system, because the
// programs commit often.
func workFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "fortran")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// run runs the program for at most two minutes and returns its output and its error.
func (p program) run(args ...string) (string, error) {
	cmd := exec.Command(p.file, args...)
	cmd.Dir = p.dir
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	return string(out), err
}
