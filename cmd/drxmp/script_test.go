package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/shared"
	"drx/dtype"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
)

// mainVariable is the environment variable that makes this test the program.
const mainVariable = "DRXMP_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		partest.StopIfAsked(func(proc int) bool { return mpi.Owns(&par.ProcError{Proc: proc}) })
		main()
	}
	testscript.Main(m, map[string]func(){"drxmp": main, "drx": alone})
}

// alone runs a verb of drx by one process, as drx does.
func alone() {
	root := &cobra.Command{SilenceUsage: true}
	root.PersistentFlags().Bool("json", false, "")
	for _, verb := range shared.Verbs() {
		root.AddCommand(verb.New(shared.Team{}))
	}
	if root.Execute() != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// TestScripts runs the scripts, in which these commands exist besides those of testscript:
//
//	count ARRAY ROWS COLS   create an array of int32 in chunks of 4 x 4 that counts 0, 1, 2, ...
//	flip FILE OFFSET        damage a byte
//	scene ARRAY LINES SAMPLES  create a scene of 5 bands, mixtures of three materials
//	usage ARGUMENTS         expect that drxmp calls the command line wrong: exit code 2
//	same ARRAY ARRAY        compare elements; the first one is transposed if -t comes before it
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"count": func(ts *testscript.TestScript, _ bool, args []string) { count(ts, args) },
			"flip":  func(ts *testscript.TestScript, _ bool, args []string) { flip(ts, args[0], args[1]) },
			"scene": func(ts *testscript.TestScript, _ bool, args []string) { scene(ts, args) },
			"same":  func(ts *testscript.TestScript, _ bool, args []string) { same(ts, args) },
			"usage": func(ts *testscript.TestScript, _ bool, args []string) { wrongUsage(ts, args) },
		},
		Setup: func(env *testscript.Env) error {
			// The race detector otherwise keeps every program for a second at its end.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
	})
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func count(ts *testscript.TestScript, args []string) {
	ts.Check(counting(ts.MkAbs(args[0]), number(ts, args[1]), number(ts, args[2])))
}

func counting(name string, rows, cols int) error {
	a, err := drx.Create(name, drx.Spec{DType: dtype.Int32, Shape: []int{rows, cols}, ChunkShape: []int{4, 4}, Dims: []string{"r", "c"}, FillValue: -1})
	if err != nil {
		return err
	}
	data := make([]int32, rows*cols)
	for i := range data {
		data[i] = int32(i)
	}
	if err := errors.Join(a.SetAttr("units", "m"), a.SetAttr("labels/0/0", []string{"first"})); err != nil {
		return err
	}
	if err := drx.Write(a, nil, data); err != nil {
		return err
	}
	return a.Close()
}

func scene(ts *testscript.TestScript, args []string) {
	ts.Check(newScene(ts.MkAbs(args[0]), number(ts, args[1]), number(ts, args[2])))
}

func newScene(name string, lines, samples int) error {
	materials := [3][5]float64{{900, 400, 300, 200, 100}, {100, 300, 800, 300, 100}, {50, 100, 150, 400, 900}}
	rng := rand.New(rand.NewPCG(4, 0))
	var data []uint16
	for range lines * samples {
		x, y := rng.Float64(), rng.Float64()
		parts := [3]float64{x, (1 - x) * y, (1 - x) * (1 - y)}
		for band := range 5 {
			v := 10 * rng.Float64()
			for k, part := range parts {
				v += part * materials[k][band]
			}
			data = append(data, uint16(v))
		}
	}
	a, err := drx.Create(name, drx.Spec{DType: dtype.Uint16, Shape: []int{lines, samples, 5}, Dims: []string{"line", "sample", "band"}})
	if err != nil {
		return err
	}
	return errors.Join(drx.Write(a, nil, data), a.Close())
}

func flip(ts *testscript.TestScript, file, offset string) {
	f, err := os.OpenFile(ts.MkAbs(file), os.O_RDWR, 0)
	ts.Check(err)
	defer f.Close()
	b, off := make([]byte, 1), int64(number(ts, offset))
	_, err = f.ReadAt(b, off)
	ts.Check(err)
	_, err = f.WriteAt([]byte{^b[0]}, off)
	ts.Check(err)
}

func same(ts *testscript.TestScript, args []string) {
	transposed := args[0] == "-t"
	if transposed {
		args = args[1:]
	}
	read := func(name string) (*drx.Array, []int32) {
		a, err := drx.Open(ts.MkAbs(name), drx.Options{})
		ts.Check(err)
		data, err := drx.Read[int32](a, nil)
		ts.Check(err)
		return a, data
	}
	a, x := read(args[0])
	b, y := read(args[1])
	defer a.Close()
	defer b.Close()
	rows, cols := a.Shape()[0], a.Shape()[1]
	label := map[bool]string{false: "labels/0/0", true: "labels/1/0"}[transposed]
	for i := range rows * cols {
		at, dim := i, 0
		if transposed {
			at, dim = i%cols*rows+i/cols, 1
		}
		if x[i] != y[at] || a.Dims()[0] != b.Dims()[dim] || string(b.Attrs()["units"]) != `"m"` || len(b.Attrs()) != 2 || b.Attrs()[label] == nil {
			ts.Fatalf("element %d: %d and %d; dims %v and %v; attributes %v", i, x[i], y[at], a.Dims(), b.Dims(), b.Attrs())
		}
	}
}

func wrongUsage(ts *testscript.TestScript, args []string) {
	err := ts.Exec("drxmp", args...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitUsage {
		ts.Fatalf("%v, want exit code %d", err, exitUsage)
	}
}

// TestUnderMpirun runs the verbs in processes that mpirun starts.
func TestUnderMpirun(t *testing.T) {
	if !mpi.Built {
		t.Skip("built without MPI")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	cube := filepath.Join(dir, "cube")
	if err := errors.Join(counting(a, 9, 10), newScene(cube, 20, 30)); err != nil {
		t.Fatal(err)
	}
	t.Setenv(mainVariable, "1")
	for _, c := range []struct{ args, want string }{
		{"verify " + a, "9 of 9 chunks written, all good"},
		{"copy " + a + " " + b + " --chunk 3,7", "one pass moved 1.1 KiB in 15 operations"},
		{"stat " + b, "90 elements, 0 NaN, min 0, max 89, mean 44.5"},
		{"hyper stats " + cube, "band  wavelength"},
		{"stats " + b + " --over r --sum --median", "9,441,49"},
		{"fill " + b + " --value 5", "with 5"},
		{"stat " + b, "min 5, max 5"},
		{"bench --extent 64 --chunk 16 --rounds 1 --dir " + dir, "2 processes, mpiio"},
	} {
		out, err := partest.Mpirun(t, mpi.Command, "2", append([]string{program}, strings.Fields(c.args)...)...)
		if err != nil || strings.Count(out, c.want) != 1 {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
	if out, err := partest.Mpirun(t, mpi.Command, "2", program, "verify", a+"x"); err == nil || strings.Count(out, "no array") != 1 {
		t.Errorf("missing: %v\n%s", err, out)
	}
}
