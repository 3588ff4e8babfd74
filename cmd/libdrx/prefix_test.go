package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// root is the folder of the repository.
const root = "../.."

// testVersion is the version that the library is built with.
const testVersion = "v1.2.3-test"

// installed is the library, built once and installed to a prefix outside of the tree.
var installed struct {
	once   sync.Once
	prefix string
	err    error
	output string
}

// prefix returns the prefix of the installed library. It skips the test without a C compiler, unless CI=true.
func prefix(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the library")
	}
	for _, tool := range []string{"gcc", "g++", "pkg-config", "ar", "objcopy", "nm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	installed.once.Do(func() {
		dir, err := os.MkdirTemp("", "libdrx")
		if err != nil {
			installed.err = err
			return
		}
		installed.prefix = filepath.Join(dir, "usr")
		for _, args := range [][]string{{"build", filepath.Join(dir, "lib")}, {"install", filepath.Join(dir, "lib"), installed.prefix}} {
			cmd := exec.Command(filepath.Join(root, "scripts/lib.sh"), args...)
			cmd.Env = append(os.Environ(), "VERSION="+testVersion)
			out, err := cmd.CombinedOutput()
			installed.output += string(out)
			if err != nil {
				installed.err = err
				return
			}
		}
	})
	if installed.err != nil {
		t.Fatalf("scripts/lib.sh: %v\n%s", installed.err, installed.output)
	}
	return installed.prefix
}

// TestMain removes the prefix.
func TestMain(m *testing.M) {
	code := m.Run()
	if installed.prefix != "" {
		_ = os.RemoveAll(filepath.Dir(installed.prefix))
	}
	os.Exit(code)
}

// A program is a compiled test program, which runs in an empty folder of its own.
type program struct {
	file, dir string
}

// compile compiles a source with the installed library, found by pkg-config.
func compile(t testing.TB, source string, flags ...string) program {
	t.Helper()
	p := prefix(t)
	pkg := exec.Command("pkg-config", "--cflags", "--libs", "drx")
	pkg.Env = append(os.Environ(), "PKG_CONFIG_PATH="+p+"/lib/pkgconfig")
	found, err := pkg.CombinedOutput()
	if err != nil {
		t.Fatalf("pkg-config: %v\n%s", err, found)
	}
	compiler := []string{"gcc", "-std=gnu11"}
	if strings.HasSuffix(source, ".cpp") {
		compiler = []string{"g++", "-std=c++20"}
	}
	prog := program{filepath.Join(t.TempDir(), "program"), workFolder(t)}
	args := append(compiler[1:], "-g", "-O1", "-Wall", "-Wextra", "-Werror", source, "-o", prog.file)
	args = append(args, flags...)
	args = append(args, strings.Fields(string(found))...)
	args = append(args, "-Wl,-rpath,"+p+"/lib", "-pthread", "-ldl", "-lm")
	if out, err := exec.Command(compiler[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", source, err, out)
	}
	return prog
}

// workFolder returns an empty folder: in memory, if there is a file system for that, because the programs commit often.
func workFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "libdrx")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// run runs the program and returns its output.
func (p program) run(t testing.TB, args ...string) string {
	t.Helper()
	out, err := p.start(t, args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", filepath.Base(p.file), err, out)
	}
	return out
}

// start runs the program for at most two minutes and returns its output and its error.
func (p program) start(t testing.TB, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(p.file, args...)
	cmd.Dir = p.dir
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	return string(out), err
}
