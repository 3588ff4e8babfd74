// Package python has the tests of the Python package drx: the ones in folder tests, and the examples of its
// documentation, with a libdrx that is built for them.
package python

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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
	if exec.Command(python, "-c", "import pytest, dask, xarray.tests.test_backends").Run() != nil {
		t.Skip("python3-pytest, python3-dask, or python3-xarray with its tests is not there")
	}
	out := run(t, env, "tests", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "xarray_suite.py")
	t.Log(lastLine(out))
}

// TestInstall installs the package as pip does, and uses it with nothing but what was installed.
func TestInstall(t *testing.T) {
	env := environment(t)
	if exec.Command(python, "-c", "import setuptools, wheel, pip").Run() != nil {
		t.Skip("python3-pip, python3-setuptools or python3-wheel is not there")
	}
	dir := t.TempDir()
	source, target := filepath.Join(dir, "source"), filepath.Join(dir, "target") // setuptools writes into the sources
	if err := os.CopyFS(source, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	run(t, env, dir, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--target", target, source)
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

// environment returns the environment for Python's tests: the library, the package, and the description of the package
// that pip would install.
func environment(t *testing.T) []string {
	t.Helper()
	if out, err := exec.Command(python, "-c", "import numpy").CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("needs %s with numpy: %s", python, out)
		}
		t.Skip("needs python3-numpy")
	}
	if runtime.GOOS != "linux" || exec.Command("cc", "--version").Run() != nil {
		t.Skip("needs Linux and a C compiler")
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
	if data := os.Getenv("DRX_DATA"); data != "" && buildCommand(t) {
		env = append(env, "DRX_COMMAND="+filepath.Join(folder, "drx"))
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

// buildCommand builds drx and drx-bridge with NetCDF, for the tests with real data, and reports whether that was possible.
func buildCommand(t *testing.T) bool {
	t.Helper()
	for _, args := range [][]string{{"./cmd/drx"}, {"-tags", "netcdf", "./cmd/drx-bridge"}} {
		cmd := exec.Command("go", append([]string{"build", "-o", folder + "/"}, args...)...)
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("without real data: %s", lastLine(string(out)))
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
