package pipe_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/formats/pipe"
	"drx/formats/pipe/pipetest"
	"drx/nd"
)

func TestMain(m *testing.M) {
	pipetest.Main()
	pipe.Register()
	os.Exit(m.Run())
}

// useHelper makes this test program the helper, with the formats of a role: all, or empty.
func useHelper(t *testing.T, role string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(pipe.EnvProgram, self)
	t.Setenv(pipetest.EnvRole, role)
	// Otherwise the race detector makes every program linger for a second.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
}

// file writes a file of the test's format and returns its name.
func file(t *testing.T, f pipetest.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.h5")
	if err := os.WriteFile(path, pipetest.Make(f), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// one returns a file with one variable.
func one(fault pipetest.Fault) pipetest.File {
	return pipetest.File{Vars: []pipetest.Var{{Name: "v", DType: "int16", Shape: []int{6, 5}}}, Fault: fault}
}

func TestReaders(t *testing.T) {
	useHelper(t, "all")
	for _, v := range []pipetest.Var{
		{DType: "int8", Shape: []int{}},
		{DType: "int16", Shape: []int{0}},
		{DType: "int32", Shape: []int{4, 7}, Chunk: []int{3, 2}, Dims: []string{"y", "x"}},
		{DType: "float64", Shape: []int{5, 4, 3}, Order: nd.ColMajor(3), Chunk: []int{2, 2, 2}},
		{DType: "complex64", Shape: []int{3, 4, 5}, Order: nd.Order{1, 0, 2}},
	} {
		v.Name = "group/v"
		path := file(t, pipetest.File{Vars: []pipetest.Var{v}})
		typ, _ := dtype.Parse(v.DType)
		info := formats.Info{Name: v.Name, DType: typ, Shape: v.Shape, Order: v.Order, Chunk: v.Chunk, Dims: v.Dims}
		n, err := info.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{}) }, info, data[len(data)-n:])
	}
}

// A section of many boxes must arrive unchanged, whatever the chunks and the order.
func TestLargeSections(t *testing.T) {
	useHelper(t, "all")
	for _, v := range []pipetest.Var{
		{DType: "int32", Shape: []int{3000, 1501}},
		{DType: "int32", Shape: []int{300, 70, 201}, Chunk: []int{64, 64, 64}},
		{DType: "int32", Shape: []int{1500, 3001}, Order: nd.ColMajor(2), Chunk: []int{1000, 1}},
	} {
		v.Name = "v"
		path := file(t, pipetest.File{Vars: []pipetest.Var{v}})
		r, err := formats.Open(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := r.Info().Bytes()
		got := make([]byte, n)
		if err := r.ReadSection(nil, got); err != nil || !bytes.Equal(got, data[len(data)-n:]) {
			t.Errorf("%+v: %v, or other elements", v, err)
		}
		part := make(nd.Section, len(v.Shape))
		for d, n := range v.Shape {
			part[d] = nd.Span(n/7, n-n/9)
		}
		want := formattest.Pick(r.Info(), data[len(data)-n:], part)
		got = got[:len(want)]
		if err := r.ReadSection(part, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v, section %v: %v, or other elements", v, part, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWriters(t *testing.T) {
	useHelper(t, "all")
	for _, info := range []formats.Info{
		{Name: "v", DType: dtype.Int16, Shape: []int{5, 3, 4}, Chunk: []int{2, 2, 3}},
		{Name: "v", DType: dtype.Float64, Shape: []int{}},
		{Name: "v", DType: dtype.Uint8, Shape: []int{4, 7}, Order: nd.ColMajor(2)},
		{Name: "v", DType: dtype.Int32, Shape: []int{2100, 1100}},
	} {
		var path string
		dir := t.TempDir()
		made := 0
		elements := formattest.Writer(t, func() (formats.Writer, error) {
			made++
			path = filepath.Join(dir, strings.Repeat("a", made)+".h5")
			w, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}})
			if err != nil {
				return nil, err
			}
			return w[0], nil
		}, info, false)
		formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{}) }, info, elements)
	}
}

// The whole description of a file must cross the pipe.
func TestDescriptions(t *testing.T) {
	useHelper(t, "all")
	attrs := map[string]any{
		"units": "K <&>\n", "whole": 1.0, "count": int64(1), "large": uint64(1<<64 - 1), "least": int64(-1 << 63), "yes": true,
		"list": []int64{1, 2}, "floats": []float64{1, 2.5}, "words": []string{"a", ""}, "nan": "NaN", "tenth": 0.1,
	}
	want := formats.Content{
		Vars: []formats.Info{
			{
				Name: "g/v", DType: dtype.Float32, Shape: []int{2, 3}, Dims: []string{"", "x"}, Attrs: attrs, Fill: []byte{0, 0, 0xc0, 0x7f},
				Chunk: []int{1, 3}, Unlimited: []bool{true, false},
			},
			{Name: "names", DType: dtype.Uint32, Shape: []int{2}, Labels: []string{"Tromsø", ""}},
		},
		Attrs: map[string]any{"title": "t"},
	}
	path := filepath.Join(t.TempDir(), "a.h5")
	writers, err := formats.CreateFile(path, "", want)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		n, _ := want.Vars[i].Bytes()
		if err := errors.Join(w.WriteSection(nil, make([]byte, n)), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := formats.List(path, formats.Options{})
	if err != nil || !reflect.DeepEqual(got.Attrs, want.Attrs) || len(got.Vars) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range want.Vars {
		if len(got.Vars[i].Attrs) == 0 {
			got.Vars[i].Attrs = nil
		}
		if !reflect.DeepEqual(got.Vars[i], want.Vars[i]) {
			t.Errorf("sent %+v\ngot  %+v", want.Vars[i], got.Vars[i])
		}
	}
}

// Errors must keep the errors that they wrap, and name the file once.
func TestErrors(t *testing.T) {
	useHelper(t, "all")
	many := file(t, pipetest.File{Vars: []pipetest.Var{{Name: "v", DType: "int8", Shape: []int{2}}, {Name: "w", Shape: []int{}, Refused: "is a reference; choose --var v"}}})
	for name, c := range map[string]struct {
		path, variable string
		is             error
		says           string
	}{
		"none given": {many, "", formats.ErrVariable, "2 variables"},
		"no such":    {many, "x", formats.ErrVariable, "variable x"},
		"refused":    {many, "w", formats.ErrType, "is a reference"},
		"damaged":    {file(t, one(pipetest.Fault{At: "open", Kind: "error"})), "", io.ErrUnexpectedEOF, "the data is damaged"},
		"impossible": {file(t, pipetest.File{Vars: []pipetest.Var{{DType: "int8", Shape: []int{2}, Chunk: []int{0}}}}), "", pipe.ErrHelper, "chunk [0]"},
		"negative":   {file(t, pipetest.File{Vars: []pipetest.Var{{DType: "int8", Shape: []int{-2}}}}), "", pipe.ErrHelper, "shape [-2]"},
		"order":      {file(t, pipetest.File{Vars: []pipetest.Var{{DType: "int8", Shape: []int{2, 2}, Order: nd.Order{0, 0}}}}), "", pipe.ErrHelper, "permutation"},
	} {
		_, err := formats.Open(c.path, formats.Options{Variable: c.variable})
		checkError(t, name, err, c.path, c.is, c.says)
	}
	if c, err := formats.List(many, formats.Options{}); err != nil || c.Vars[1].Refused != "is a reference; choose --var v" {
		t.Errorf("%+v, %v", c, err)
	}
	taken := file(t, one(pipetest.Fault{}))
	_, err := formats.CreateFile(taken, "", formats.Content{Vars: []formats.Info{{DType: dtype.Int8}}})
	if !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	_, err = formats.CreateFile(filepath.Join(t.TempDir(), "none", "a.h5"), "", formats.Content{Vars: []formats.Info{{DType: dtype.Int8}}})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// checkError checks that an error is one line and names the file once.
func checkError(t *testing.T, name string, err error, path string, is error, says string) {
	t.Helper()
	if !errors.Is(err, is) || !strings.Contains(err.Error(), says) || strings.Count(err.Error(), path) != 1 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v, want %v that says %q", name, err, is, says)
	}
}

// A helper serves many requests, for one file after the other, but is replaced if its library
// leaks.
func TestHelpersAreReplaced(t *testing.T) {
	useHelper(t, "all")
	if n := helpersFor(t, file(t, one(pipetest.Fault{At: "open", Kind: "leak"}))); n < 2 || n > 20 {
		t.Errorf("%d helpers were started for 100 times the same file, want some", n)
	}
	if n := helpersFor(t, file(t, one(pipetest.Fault{})), file(t, one(pipetest.Fault{}))); n > 5 {
		t.Errorf("%d helpers were started for 100 times one of two files, want one, or a few on a busy machine", n)
	}
	limits := []int64{1 << 20, 2 << 20} // a verb that appends files opens each file with two limits
	if n := helpersForLimits(t, limits, file(t, one(pipetest.Fault{}))); n > 8 {
		t.Errorf("%d helpers were started for two limits on memory in turn, want two, or a few more on a busy machine", n)
	}
}

// helpersFor uses files a hundred times, one after the other, and returns how many helpers it
// started.
func helpersFor(t *testing.T, paths ...string) int {
	t.Helper()
	return helpersForLimits(t, []int64{0}, paths...)
}

// helpersForLimits is helpersFor with alternating limits on memory.
func helpersForLimits(t *testing.T, limits []int64, paths ...string) int {
	t.Helper()
	before := os.Getenv(pipe.EnvProgram)
	defer t.Setenv(pipe.EnvProgram, before)
	started := countHelpers(t)
	for i := range 100 {
		r, err := formats.Open(paths[i%len(paths)], formats.Options{Memory: limits[i%len(limits)]})
		if err == nil {
			err = r.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return started()
}

// countHelpers returns a function that returns how many helpers the test has started since then.
func countHelpers(t *testing.T) (started func() int) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "started")
	script := filepath.Join(t.TempDir(), "helper")
	text := fmt.Sprintf("#!/bin/sh\necho >> '%s'\nexec '%s' \"$@\"\n", list, os.Getenv(pipe.EnvProgram))
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(pipe.EnvProgram, script)
	return func() int {
		lines, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		return len(lines)
	}
}

// The helper of an open file must serve its other variables, whatever their limit on memory.
// Another helper must serve another file, a file whose first reader was closed, and a file whose
// helper has ended.
func TestBeside(t *testing.T) {
	useHelper(t, "all")
	path, other := file(t, one(pipetest.Fault{})), file(t, one(pipetest.Fault{}))
	started := countHelpers(t)
	open := func(path string, o formats.Options) formats.Reader {
		r, err := formats.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := open(path, formats.Options{Memory: 3 << 20})
	beside := formats.Options{Memory: 1 << 20, Beside: first}
	second := open(path, beside)
	if c, err := formats.List(path, beside); err != nil || len(c.Vars) != 1 {
		t.Error(c, err)
	}
	if n := started(); n != 1 {
		t.Errorf("%d helpers for one file", n)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	buf, want := make([]byte, 6*5*2), bytes.Repeat([]byte{0, 1}, 6*5)
	if err := second.ReadSection(nil, buf); err != nil || !bytes.Equal(buf, want) {
		t.Error("after the first reader was closed:", buf, err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	third := open(path, beside) // first is closed, and its helper has another limit
	fourth := open(other, formats.Options{Beside: third})
	if reflect.DeepEqual(third, fourth) {
		t.Error("two readers are one")
	}
	if err := errors.Join(third.Close(), fourth.Close()); err != nil {
		t.Error(err)
	}

	crashing := open(file(t, one(pipetest.Fault{At: "read", Kind: "crash"})), formats.Options{})
	if err := crashing.ReadSection(nil, buf); !errors.Is(err, pipe.ErrHelper) {
		t.Error(err)
	}
	last := open(path, formats.Options{Beside: crashing})
	if err := errors.Join(last.Close(), crashing.Close()); err != nil {
		t.Error(err)
	}
}

func TestMissingHelper(t *testing.T) {
	path := file(t, one(pipetest.Fault{}))
	t.Setenv("PATH", "")
	t.Setenv(pipe.EnvProgram, "")
	_, err := formats.Open(path, formats.Options{})
	checkError(t, "nowhere", err, path, pipe.ErrMissing, "make bridge")
	t.Setenv(pipe.EnvProgram, "/none/drx-bridge")
	_, err = formats.Open(path, formats.Options{})
	checkError(t, "elsewhere", err, path, pipe.ErrMissing, "DRX_BRIDGE is /none/drx-bridge, which is no program")
	useHelper(t, "empty")
	_, err = formats.Open(path, formats.Options{})
	checkError(t, "without the format", err, path, pipe.ErrMissing, "was built without hdf5")
	t.Setenv(pipe.EnvProgram, "/bin/cat") // it echoes the requests
	_, err = formats.Open(path, formats.Options{})
	checkError(t, "another program", err, path, pipe.ErrHelper, "")
	_, err = formats.Open("-", formats.Options{Format: "hdf5"})
	if !errors.Is(err, formats.ErrNotRead) {
		t.Error(err)
	}
}

// A program that is not a helper, and sends nothing, must give an error within ten seconds.
func TestHelperDoesNotStart(t *testing.T) {
	path := file(t, one(pipetest.Fault{}))
	script := filepath.Join(t.TempDir(), "helper")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(pipe.EnvProgram, script)
	begin := time.Now()
	_, err := formats.Open(path, formats.Options{})
	checkError(t, "silent", err, path, pipe.ErrHelper, "it hung: nothing happened for 8s")
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

// A helper that fails must give an error that says how, within the time allowed, and the next file
// must be read.
func TestFaults(t *testing.T) {
	useHelper(t, "all")
	for timeout, kinds := range map[string]map[string]string{
		"2s": {"hang": "it hung: nothing happened", "stop": "it hung: nothing happened"},
		"1m": { // on a busy machine a helper may seem to hang before it fails
			"crash": "it crashed: SIGSEGV", "kill": "it was killed", "exit": "exit status 3: the library gives up",
			"take": "it needs more memory than is allowed", "garbage": "not the protocol",
		},
	} {
		t.Run(timeout, func(t *testing.T) {
			t.Setenv(pipe.EnvTimeout, timeout)
			for kind, says := range kinds {
				testFault(t, kind, says)
			}
		})
	}
}

// testFault checks a fault in all operations at the same time.
func testFault(t *testing.T, kind, says string) {
	t.Run(kind, func(t *testing.T) {
		for _, at := range []string{"list", "open", "read", "close"} {
			t.Run(at, func(t *testing.T) {
				t.Parallel()
				checkFault(t, at, kind, says)
			})
		}
	})
}

// A helper that computes for ever is judged by its processor time, so it takes longer to detect
// while others use the processors.
func TestLoops(t *testing.T) {
	useHelper(t, "all")
	t.Setenv(pipe.EnvTimeout, "1s")
	for _, kind := range []string{"spin", "reread"} {
		t.Run(kind, func(t *testing.T) { checkFault(t, "read", kind, "it hung: computed for") })
	}
}

// checkFault checks the error of a helper that fails, how long it takes, and that the next file is
// read.
func checkFault(t *testing.T, at, kind, says string) {
	t.Helper()
	path := file(t, one(pipetest.Fault{At: at, Kind: kind}))
	begin := time.Now()
	err := use(path, at == "list")
	if kind == "take" && !errors.Is(err, formats.ErrMemory) {
		// the C library, too, may crash where it gets no memory, as for a thread
		if says = "SIGSEGV"; err == nil || !strings.Contains(err.Error(), "as some libraries do when memory runs out, of which it may use 64 MiB") {
			t.Errorf("%v, want ErrMemory", err)
		}
	}
	checkError(t, kind, err, path, pipe.ErrHelper, says)
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("took %v", d)
	}
	if err := use(file(t, one(pipetest.Fault{})), at == "list"); err != nil {
		t.Errorf("the next file: %v", err)
	}
}

// use lists a file, or reads all of it.
func use(path string, list bool) error {
	o := formats.Options{Memory: 64 << 20}
	if list {
		_, err := formats.List(path, o)
		return err
	}
	r, err := formats.Open(path, o)
	if err != nil {
		return err
	}
	n, _ := r.Info().Bytes()
	err = r.ReadSection(nil, make([]byte, n))
	again := r.ReadSection(nil, make([]byte, n))
	if err != nil && (again == nil || again.Error() != err.Error()) {
		return errors.Join(err, again)
	}
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return err
}

// A helper that is only slow must continue: one that sometimes reads a little, and one that
// computes for less than the limit.
func TestSlowIsNotHung(t *testing.T) {
	useHelper(t, "all")
	t.Setenv(pipe.EnvTimeout, "1500ms")
	for _, kind := range []string{"crawl", "work"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if err := use(file(t, one(pipetest.Fault{At: "read", Kind: kind})), false); err != nil {
				t.Error(err)
			}
		})
	}
}

// A helper that fails while it writes must give an error of the section or of closing, and errors
// of all later calls.
func TestFaultsOfWriters(t *testing.T) {
	useHelper(t, "all")
	t.Setenv(pipe.EnvTimeout, "1s")
	for _, at := range []string{"create", "write", "close"} {
		for _, kind := range []string{"crash", "hang", "garbage", "kill"} {
			t.Run(at+" "+kind, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), at+"-"+kind+".hdf5")
				info := formats.Info{Name: "v", DType: dtype.Int8, Shape: []int{3}}
				writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info, info}})
				if at == "create" {
					checkError(t, kind, err, path, pipe.ErrHelper, "")
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				err = writers[0].WriteSection(nil, make([]byte, 3))
				if at == "close" {
					if err == nil {
						err = writers[0].Close()
					}
				}
				if !errors.Is(err, pipe.ErrHelper) {
					t.Errorf("%v", err)
				}
				if err := writers[1].WriteSection(nil, make([]byte, 3)); !errors.Is(err, pipe.ErrHelper) {
					t.Errorf("afterwards: %v", err)
				}
				if err := writers[1].Close(); !errors.Is(err, pipe.ErrHelper) {
					t.Errorf("the file is said to be complete: %v", err)
				}
			})
		}
	}
}
