package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/dtype"
	"drx/formats/npy"
	"drx/formats/pipe/pipetest"
	"drx/nd"
)

func TestMain(m *testing.M) {
	if os.Getenv("DRX_DOCTOR_ANSWERS") != "" { // a process that drx doctor has started
		main()
	}
	testscript.Main(m, map[string]func(){
		"drx": func() { armKill(); main() },
		"drx-bridge": func() { // it needs no C library
			os.Setenv(pipetest.EnvRole, "all")
			pipetest.Main()
		},
	})
}

// TestScripts runs the scripts, in which these commands exist besides those of testscript:
//
//	npy FILE TYPE EXTENTS [col]   write an array that counts 0, 1, 2, ... in row-major order
//	flip FILE OFFSET              damage a byte
//	cut FILE BYTES                shorten a file
//	remember ARRAY                note what the array is ...
//	unchanged ARRAY               ... and check that it still is, and that all chunks are good
//	hold ARRAY / release ARRAY    open an array for writing in another process
//	tinyfs FOLDER                 mount a file system of 64 KiB
//	exits CODE PROGRAM ARGUMENTS  run a program that ends with an exit code
//
// and one condition: [mount], that file systems can be mounted.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Condition:          func(string) (bool, error) { return canMount(t), nil },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"npy":  writeCounting,
			"flip": func(ts *testscript.TestScript, _ bool, args []string) { flip(ts, args[0], args[1]) },
			"cut":  func(ts *testscript.TestScript, _ bool, args []string) { shorten(ts, args[0], args[1]) },
			"remember": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Setenv(known(args[0]), describe(ts, args[0]))
			},
			"unchanged": checkUnchanged,
			"hold":      hold,
			"release":   release,
			"tinyfs":    mountTiny,
			"exits":     checkExitCode,
		},
		Setup: func(env *testscript.Env) error {
			// Otherwise the race detector makes every program linger for a second.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Values[heldKey{}] = map[string]*drx.Array{}
			return nil
		},
	})
}

// writeCounting writes elements of one or eight bytes.
func writeCounting(ts *testscript.TestScript, _ bool, args []string) {
	t, err := dtype.Parse(args[1])
	ts.Check(err)
	shape, err := cli.ParseInts("extents", args[2])
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	h := npy.Header{DType: t, Shape: shape, ColMajor: len(args) > 3 && args[3] == "col"}
	w, err := npy.NewWriter(f, h)
	ts.Check(err)
	hi, strides := shape, nd.RowMajor.Strides(shape)
	if h.ColMajor { // iterate over the dimensions in reverse
		order := nd.ColMajor(len(shape))
		hi, strides = order.Apply(shape), order.Apply(strides)
	}
	n, err := nd.Product(shape...)
	ts.Check(err)
	index, lo := make([]int, len(shape)), make([]int, len(shape))
	for range n {
		value := 0
		for d, i := range index {
			value += i * strides[d]
		}
		b, err := t.Encode(strconv.Itoa(value))
		ts.Check(err)
		_, err = w.Write(b)
		ts.Check(err)
		nd.Next(index, lo, hi)
	}
	ts.Check(w.Close())
	ts.Check(f.Close())
}

func flip(ts *testscript.TestScript, file, offset string) {
	f, err := os.OpenFile(ts.MkAbs(file), os.O_RDWR, 0)
	ts.Check(err)
	at, err := strconv.ParseInt(offset, 10, 64)
	ts.Check(err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	ts.Check(err)
	b[0] ^= 1
	_, err = f.WriteAt(b, at)
	ts.Check(err)
	ts.Check(f.Close())
}

func shorten(ts *testscript.TestScript, file, bytes string) {
	n, err := strconv.ParseInt(bytes, 10, 64)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(file))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(file), info.Size()-n))
}

// checkExitCode runs a program and compares its exit code. The program's output becomes stdout and
// stderr.
func checkExitCode(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if code, _ := strconv.Atoi(args[0]); !errors.As(err, &exit) || exit.ExitCode() != code {
		ts.Fatalf("%v: %v, want the exit code %d", args[1:], err, code)
	}
}

func known(array string) string { return "array " + filepath.Base(array) }

// describe returns the output of info without the fields that do not describe the content.
func describe(ts *testscript.TestScript, array string) string {
	var b strings.Builder
	ts.Check(arrays.With(ts.MkAbs(array), false, func(a *drx.Array) error {
		i, err := result.NewArray(a)
		if err != nil {
			return err
		}
		i.OnDisk, i.Table = 0, 0
		return cli.PrintJSON(&b, i)
	}))
	return b.String()
}

func checkUnchanged(ts *testscript.TestScript, _ bool, args []string) {
	if now, before := describe(ts, args[0]), ts.Getenv(known(args[0])); now != before {
		ts.Fatalf("%s has changed: %s was %s", args[0], now, before)
	}
	ts.Check(ts.Exec("drx", "verify", args[0]))
}

type heldKey struct{}

func hold(ts *testscript.TestScript, _ bool, args []string) {
	a, err := drx.Open(ts.MkAbs(args[0]), drx.Options{Write: true})
	ts.Check(err)
	ts.Value(heldKey{}).(map[string]*drx.Array)[args[0]] = a
	ts.Defer(func() { a.Close() })
}

func release(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Value(heldKey{}).(map[string]*drx.Array)[args[0]].Close())
}

func mountTiny(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.Mkdir(dir, 0o777))
	ts.Check(ts.Exec("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir))
	ts.Defer(func() { ts.Check(ts.Exec("umount", dir)) })
}

func canMount(t *testing.T) bool {
	dir := t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
}
