package formats_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/nd"
)

// numpySaves saves an array of each type in each order with NumPy, and prints the bytes of a
// section of it.
const numpySaves = `
import sys, numpy
for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    for order in "CF":
        for mark in "<>":
            a = (numpy.arange(5 * 6 * 7) % 119).reshape(5, 6, 7).astype(numpy.dtype(name).newbyteorder(mark))
            path = "%s/%s_%s_%s" % (sys.argv[1], name, order, "little" if mark == "<" else "big")
            numpy.save(path + ".npy", numpy.asarray(a, order=order))
            section = a[1:4, 2:3, 3:7].astype(numpy.dtype(name).newbyteorder("<"))
            open(path + ".section", "wb").write(section.tobytes(order))
`

// numpyLoads loads what was written with NumPy and prints a description of each file, with its
// bytes in the order of its memory.
const numpyLoads = `
import sys, numpy
for path in sys.argv[1:]:
    a = numpy.load(path)
    print(a.dtype, a.shape, a.flags.f_contiguous, a.tobytes("A").hex())
`

// python runs a program that imports NumPy. If there is no NumPy, it skips the test, or fails it
// with CI=true.
func python(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	names := []string{"python3", "/usr/bin/python3"}
	i := slices.IndexFunc(names, func(name string) bool { return exec.Command(name, "-c", "import numpy").Run() == nil })
	if i < 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Python has numpy: apt-get install python3-numpy")
		}
		t.Skip("no Python has numpy")
	}
	out, err := exec.Command(names[i], append([]string{"-c", program}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNumPySaves(t *testing.T) {
	dir := t.TempDir()
	python(t, numpySaves, dir)
	paths, err := filepath.Glob(filepath.Join(dir, "*.npy"))
	if err != nil || len(paths) != 14*2*2 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		want, err := os.ReadFile(path[:len(path)-len(".npy")] + ".section")
		if err != nil {
			t.Fatal(err)
		}
		r, err := formats.Open(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		err = r.ReadSection(nd.Sec(nd.Span(1, 4), nd.At(2), nd.Span(3, 7)), got)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: % x, %v; want % x", path, got, err, want)
		}
		r.Close()
	}
}

func TestNumPyLoads(t *testing.T) {
	dir, want := t.TempDir(), ""
	var paths []string
	for _, typ := range dtype.All() {
		for _, order := range []nd.Order{nil, nd.ColMajor(2)} {
			info, path := formats.Info{DType: typ, Shape: []int{5, 3}, Order: order}, filepath.Join(dir, fmt.Sprint(typ, order, ".npy"))
			elements := formattest.Writer(t, creating(t, path, info), info, false)
			name, fortran := typ.String(), "False"
			if typ == dtype.BFloat16 { // NumPy does not have it
				name = "|V2"
			}
			if order != nil {
				fortran = "True"
			}
			paths, want = append(paths, path), want+fmt.Sprintf("%s (5, 3) %s %x\n", name, fortran, elements)
		}
	}
	if got := python(t, numpyLoads, paths...); string(got) != want {
		t.Errorf("NumPy loads\n%swant\n%s", got, want)
	}
}
