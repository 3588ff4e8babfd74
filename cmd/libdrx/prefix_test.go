package main_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"drx/parallel/mpi"
)

// root is the folder of the repository.
const root = "../.."

// testVersion is the version that the library is built with.
const testVersion = "v1.2.3-test"

// An installation is the output of scripts/lib.sh: some kinds of libraries for one MPI, built once,
// and installed to a prefix outside of the tree.
type installation struct {
	kinds  string
	mpi    string // value of the variable MPI; "" is Open MPI
	once   sync.Once
	prefix string
	err    error
	output string
}

// installed has libdrx; installedMP has libdrxmp as well, and installedMPICH the one for MPICH.
var (
	installed      = installation{kinds: "so a"}
	installedMP    = installation{kinds: "so mp"}
	installedMPICH = installation{kinds: "so mp", mpi: "mpich"}
)

// prefix returns the prefix of the installed library. It skips the test without a C compiler,
// unless CI=true.
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
	return installed.at(t)
}

// at returns the prefix.
func (i *installation) at(t testing.TB) string {
	t.Helper()
	i.once.Do(i.install)
	if i.err != nil {
		t.Fatalf("scripts/lib.sh: %v\n%s", i.err, i.output)
	}
	return i.prefix
}

func (i *installation) install() {
	dir, err := os.MkdirTemp("", "libdrx")
	if err != nil {
		i.err = err
		return
	}
	i.prefix = filepath.Join(dir, "usr")
	for _, args := range [][]string{{"build", filepath.Join(dir, "lib")}, {"install", filepath.Join(dir, "lib"), i.prefix}} {
		cmd := exec.Command(filepath.Join(root, "scripts/lib.sh"), args...)
		cmd.Env = append(os.Environ(), "VERSION="+testVersion, "KINDS="+i.kinds, "MPI="+i.mpi)
		out, err := cmd.CombinedOutput()
		i.output += string(out)
		if err != nil {
			i.err = err
			return
		}
	}
}

// tagged lists the tests in files with build tags. These files add to it.
var tagged []string

// TestMain removes the prefixes. With the tag mpi it runs only the tests that need tags: the others
// test the same libraries with and without it.
func TestMain(m *testing.M) {
	flag.Parse()
	if run := flag.Lookup("test.run"); mpi.Built && run.Value.String() == "" {
		if err := run.Value.Set("^(" + strings.Join(tagged, "|") + ")$"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	for _, i := range []*installation{&installed, &installedMP, &installedMPICH} {
		if i.prefix != "" {
			_ = os.RemoveAll(filepath.Dir(i.prefix))
		}
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
	compiler := []string{"gcc", "-std=gnu11"}
	if strings.HasSuffix(source, ".cpp") {
		compiler = []string{"g++", "-std=c++20"}
	}
	return compileWith(t, prefix(t), "drx", compiler, source, flags...)
}

// compileWith is compile with a library in a prefix, and a compiler with its first arguments.
func compileWith(t testing.TB, p, library string, compiler []string, source string, flags ...string) program {
	t.Helper()
	pkg := exec.Command("pkg-config", "--cflags", "--libs", library)
	pkg.Env = append(os.Environ(), "PKG_CONFIG_PATH="+p+"/lib/pkgconfig")
	found, err := pkg.CombinedOutput()
	if err != nil {
		t.Fatalf("pkg-config: %v\n%s", err, found)
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

// workFolder returns an empty folder, in memory if such a file system exists, because the programs
// commit often.
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

// start runs the program for at most two minutes, or an hour with DRX_SOAK, and returns its output
// and its error.
func (p program) start(t testing.TB, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(p.file, args...)
	cmd.Dir = p.dir
	limit := 2 * time.Minute
	if os.Getenv("DRX_SOAK") != "" {
		limit = time.Hour
	}
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	return string(out), err
}
