// Package bridgetest has what the tests of the bridges to C libraries share: a comparison with the
// output of a reference program, files that are damaged, truncated or refused, arrays that are
// written and read back, and a limit on memory. The tests of a bridge only list its files, and what
// is special about the format.
package bridgetest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// A Bridge is a bridge under test. Its tests share one, and call its Main in TestMain.
type Bridge struct {
	Format   string // the format that its tests read
	Modules  string // Python modules that testdata/*.py import: "scipy.io, h5py"
	Packages string // Debian's packages with these: "python3-scipy python3-h5py"
	// Refuses are the arrays that the reference reads but the bridge does not: for the base name of
	// the file and the name of the variable, words of the reason.
	Refuses map[string]string

	pythonOnce sync.Once
	python     string // empty if no Python has the modules
	madeOnce   sync.Once
	made       string // the folder of Files
	isMade     bool   // all of them are made
}

// Main is for TestMain. It runs the tests, and removes the folder of Files. In a process that
// Damage has started it reads damaged files instead.
func (b *Bridge) Main(m *testing.M) {
	if os.Getenv(damageVariable) != "" {
		b.readDamaged()
		return
	}
	code := m.Run()
	if b.made != "" {
		_ = os.RemoveAll(b.made)
	}
	os.Exit(code)
}

// Missing skips a test whose program is missing, or fails it with CI=true. packages are the
// packages of Debian with that program.
func Missing(t testing.TB, what, packages string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s: apt-get install %s", what, packages)
	}
	t.Skip(what)
}

// Interpreter returns a Python that has the modules: the first one, or Debian's. Without one the
// test is skipped, or fails with CI=true.
func (b *Bridge) Interpreter(t testing.TB) string {
	t.Helper()
	b.pythonOnce.Do(func() {
		for _, name := range []string{"python3", "/usr/bin/python3"} {
			if exec.Command(name, "-c", "import "+b.Modules).Run() == nil {
				b.python = name
				return
			}
		}
	})
	if b.python == "" {
		Missing(t, "no Python has "+b.Modules, b.Packages)
	}
	return b.python
}

// Python runs a program with Interpreter, and returns what it prints.
func (b *Bridge) Python(t testing.TB, args ...string) []byte {
	t.Helper()
	command := exec.Command(b.Interpreter(t), args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Tool runs a program of a package of Debian, and returns what it prints. Without it the test is
// skipped, or fails with CI=true.
func Tool(t testing.TB, pkg string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		Missing(t, err.Error(), pkg)
	}
	out, err := exec.Command(args[0], args[1:]...).Output()
	if err != nil {
		t.Fatalf("%q: %v: %s%s", args, err, out, stderr(err))
	}
	return out
}

// stderr returns what a program that has failed wrote there.
func stderr(err error) []byte {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}

// Files returns the folder with the files that testdata/make.py makes. That program runs once.
func (b *Bridge) Files(t testing.TB) string {
	t.Helper()
	b.Interpreter(t) // skips each test without Python, not only the first
	b.madeOnce.Do(func() {
		dir, err := os.MkdirTemp("", b.Format)
		if err != nil {
			t.Fatal(err)
		}
		b.made = dir
		b.Python(t, "testdata/make.py", dir)
		b.isMade = true
	})
	if !b.isMade {
		t.Fatal("testdata/make.py has failed")
	}
	return b.made
}

// Get opens a variable of a file and returns all of it.
func (b *Bridge) Get(t testing.TB, path, variable string) (formats.Info, []byte) {
	t.Helper()
	return Get(t, path, formats.Options{Format: b.Format, Variable: variable})
}

// Get opens a variable of a file and returns all of it.
func Get(t testing.TB, path string, o formats.Options) (formats.Info, []byte) {
	t.Helper()
	r, err := formats.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, err := r.Info().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, n)
	if err := r.ReadSection(nil, buf); err != nil {
		t.Fatal(err)
	}
	return r.Info(), buf
}

// Element returns the bytes of one element.
func Element(t testing.TB, typ dtype.DType, value string) []byte {
	t.Helper()
	element, err := typ.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	return element
}

// File writes a file into a new folder and returns its path.
func File(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Names reports whether an error is one line that names the file at path.
func Names(err error, path string) bool {
	return err != nil && !strings.Contains(err.Error(), "\n") && strings.Contains(err.Error(), path)
}
