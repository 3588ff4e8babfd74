// Package python has the tests of the Python package drx: the ones in folder tests, and the
// examples of its documentation, with a libdrx that is built for them.
package python

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drx/parallel/partest"
)

const python = "/usr/bin/python3" // the one that Debian's packages are for

// TestPython runs every test module, with xarray knowing the engine as after an installation.
func TestPython(t *testing.T) {
	env := environment(t)
	modules, err := filepath.Glob("tests/test_*.py")
	if err != nil || len(modules) < 5 {
		t.Fatalf("test modules %v: %v", modules, err)
	}
	for _, m := range modules {
		name := strings.TrimSuffix(filepath.Base(m), ".py")
		t.Run(name, func(t *testing.T) {
			out := run(t, env, "tests", python, "-W", "error::ResourceWarning", "-m", "unittest", name)
			t.Log(lastLine(out))
		})
	}
}

// TestXarraySuite runs xarray's own tests of what every backend must do.
func TestXarraySuite(t *testing.T) {
	env := environment(t)
	needs(t, "pytest", "dask", "xarray.tests.test_backends")
	out := run(t, env, "tests", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "xarray_suite.py")
	t.Log(lastLine(out))
}

// TestZarrSuite runs zarr's own tests of indexing.
func TestZarrSuite(t *testing.T) {
	env := environment(t)
	needs(t, "pytest", "zarr.tests.test_indexing")
	out := run(t, env, "tests", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "zarr_suite.py")
	t.Log(lastLine(out))
}

// TestMPI runs the tests of drx.mpi in processes of MPI, with a libdrxmp that is built for them and
// found where it is.
func TestMPI(t *testing.T) {
	env := environment(t)
	needs(t, "mpi4py")
	build := append(slices.Clone(env), "KINDS=mpso")
	run(t, build, ".", "../scripts/lib.sh", "build", folder)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	t.Setenv("PYTHONPATH", pathOf(env))
	t.Setenv("LD_LIBRARY_PATH", folder)
	t.Chdir("tests")
	for _, n := range []string{"1", "3"} {
		out, err := partest.Mpirun(t, "mpirun.openmpi", n, python, "-W", "error::ResourceWarning", "-m", "unittest", "mpi_suite")
		if err != nil {
			t.Errorf("%s processes: %v\n%s", n, err, out)
		}
	}
}

// pathOf returns the path of Python's packages in an environment.
func pathOf(env []string) string {
	const name = "PYTHONPATH="
	i := slices.IndexFunc(env, func(s string) bool { return strings.HasPrefix(s, name) })
	return env[i][len(name):]
}

// TestInstall installs the package as pip does, and uses it with nothing but what was installed.
func TestInstall(t *testing.T) {
	env := environment(t)
	dir := t.TempDir()
	target := pipInstall(t, env)
	env = append(env, "PYTHONPATH="+target)
	out := run(t, env, dir, python, "-c", `import drx, os
a = drx.create("a", 3, "i4")
a.append([7])
a.close()
print(os.path.dirname(drx.__file__), drx.open("a")[-1], os.path.exists(os.path.dirname(drx.__file__) + "/py.typed"))
try:
    import xarray
except ImportError:
    print("drx")
else:
    print(*xarray.backends.list_engines())`)
	if want := target + "/drx 7 True\n"; !strings.HasPrefix(out, want) || !strings.Contains(out, "drx\n") && !strings.Contains(out[len(want):], "drx") {
		t.Errorf("installed, it prints %q", out)
	}
}

// TestFindsLibrary runs the example with nothing but what pip and make install installed, without
// DRX_LIBRARY: the library is found where the loader looks for it, and beside the package. Without
// it the package says where it has looked.
func TestFindsLibrary(t *testing.T) {
	env := environment(t)
	dir := t.TempDir()
	target, prefix := pipInstall(t, env), filepath.Join(dir, "usr")
	run(t, env, ".", "../scripts/lib.sh", "install", folder, prefix)
	beside := filepath.Join(target, "drx", "libdrx.so")
	example, err := filepath.Abs("../examples/python/grow.py")
	if err != nil {
		t.Fatal(err)
	}
	bare := slices.DeleteFunc(slices.Clone(env), func(s string) bool {
		return strings.HasPrefix(s, "DRX_LIBRARY=") || strings.HasPrefix(s, "LD_LIBRARY_PATH=")
	})
	bare = append(bare, "PYTHONPATH="+target)
	const which = "import drx; print(drx.exists('none'), drx._library.lib._name)"
	tries := func(env []string, want string) {
		t.Helper()
		if out := run(t, env, dir, python, "-c", which); !strings.HasPrefix(out, "False "+want) {
			t.Errorf("it uses %q, want %s", out, want)
		}
		if out := run(t, env, dir, python, example); !strings.Contains(out, "x from -10 to 200\n") {
			t.Errorf("the example prints\n%s", out)
		}
	}
	tries(append(bare, "LD_LIBRARY_PATH="+filepath.Join(prefix, "lib")), "libdrx.so")
	if err := os.Symlink(filepath.Join(prefix, "lib", "libdrx.so.1"), beside); err != nil {
		t.Fatal(err)
	}
	tries(bare, beside)
	if err := os.Remove(beside); err != nil {
		t.Fatal(err)
	}
	if exec.Command(python, "-c", "import ctypes; ctypes.CDLL('libdrx.so')").Run() == nil {
		return // the system has one
	}
	out := run(t, bare, dir, python, "-c", "import drx\ntry: drx.open('a')\nexcept drx.LibraryError as e: print(e)")
	if !strings.Contains(out, beside+": no such file") || !strings.Contains(out, "libdrx.so: cannot open") {
		t.Errorf("without a library it says %q", out)
	}
}

// pipInstall installs the package as pip does, once for all tests, and returns the folder.
func pipInstall(t *testing.T, env []string) string {
	t.Helper()
	needs(t, "setuptools", "wheel", "pip")
	dir := t.TempDir()
	source, target := filepath.Join(dir, "source"), filepath.Join(folder, "target") // setuptools writes into the sources
	if _, err := os.Stat(target); err == nil {
		return target
	}
	if err := os.CopyFS(source, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	run(t, env, dir, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--target", target, source)
	return target
}

// needs skips a test without these modules of Python, and fails it with CI=true.
func needs(t *testing.T, modules ...string) {
	t.Helper()
	if out, err := exec.Command(python, "-c", "import "+strings.Join(modules, ", ")).CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("%s: %v: %s; scripts/tags names the packages", python, err, lastLine(string(out))))
	}
}

// missing skips a test and says why, or fails it with CI=true.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// folder is what the tests build, once for all.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "python"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// environment returns the environment for Python's tests: the library, the package, and the
// description of the package that pip would install.
func environment(t *testing.T) []string {
	t.Helper()
	needs(t, "numpy")
	if runtime.GOOS != "linux" || exec.Command("cc", "--version").Run() != nil {
		missing(t, "needs Linux and a C compiler")
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(folder, "libdrx.so")
	env := append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "KINDS=so", "DRX_LIBRARY="+library, fmt.Sprintf("PYTHONPATH=%s:%s", here, folder))
	if _, err := os.Stat(library); err != nil {
		run(t, env, ".", "../scripts/lib.sh", "build", folder)
		describe(t)
	}
	if buildCommand(t) {
		env = append(env, "DRX_BRIDGE="+filepath.Join(folder, "drx-bridge"), "DRX_COMMAND="+filepath.Join(folder, "drx"))
	}
	return env
}

// describe writes what pip writes about an installed package.
func describe(t *testing.T) {
	t.Helper()
	info := filepath.Join(folder, "drx-1.0.0.dist-info")
	err := os.Mkdir(info, 0o777)
	for name, text := range map[string]string{
		"METADATA":         "Metadata-Version: 2.1\nName: drx\nVersion: 1.0.0\n",
		"entry_points.txt": "[xarray.backends]\ndrx = drx.xarray:DrxBackend\n",
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(info, name), []byte(text), 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// buildCommand builds drx and drx-bridge, for the tests of exports and those with real data. It
// reports whether the libraries are there; with CI=true or DRX_DATA they must be.
func buildCommand(t *testing.T) bool {
	t.Helper()
	if _, err := os.Stat(filepath.Join(folder, "drx-bridge")); err == nil {
		return true
	}
	for _, args := range [][]string{{"./cmd/drx"}, {"-tags", "netcdf,hdf5,gdal,fits,matio", "./cmd/drx-bridge"}} {
		cmd := exec.Command("go", append([]string{"build", "-o", folder + "/"}, args...)...)
		cmd.Dir = ".."
		out, err := cmd.CombinedOutput()
		if err != nil && (os.Getenv("DRX_DATA") != "" || os.Getenv("CI") == "true") {
			t.Fatalf("drx-bridge cannot be built (%v): %v\n%s", args, err, out)
		}
		if err != nil {
			return false
		}
	}
	return true
}

// run runs a program and returns what it prints.
func run(t *testing.T, env []string, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
