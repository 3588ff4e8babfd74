package bridgetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// aloneVariable names the test that a process runs alone.
const aloneVariable = "DRX_TEST_ALONE"

// Alone reports whether this process was started for this test alone. Otherwise it starts such a
// process, and fails the test if that process fails. In a process of its own, memory that other
// tests have freed does not distort the measurement.
func Alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneVariable) == t.Name() {
		return true
	}
	command := exec.Command(os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), aloneVariable+"="+t.Name())
	out, err := command.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	return false
}

// Resident returns the memory of this process in bytes.
func Resident(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, text, _ := strings.Cut(string(data), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(text)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// tall is an array whose rows of chunks have 4 MiB: eight chunks of 64 x 2048 float32.
var tall = formats.Info{DType: dtype.Float32, Shape: []int{4096, 8 * 2048}, Chunk: []int{64, 2048}}

// writeTall writes 256 MiB, a few rows at a time.
func writeTall(t *testing.T, path string) {
	t.Helper()
	writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{tall}, Deflate: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]byte, 16*4*tall.Shape[1])
	for lo := 0; lo < tall.Shape[0]; lo += 16 {
		rows[lo] = 1
		if err := writers[0].WriteSection(nd.Sec(nd.Span(lo, lo+16), nd.All), rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := writers[0].Close(); err != nil {
		t.Fatal(err)
	}
}

// Memory checks, in a process of its own, that writing and reading a file of the given name takes
// the memory of a row of chunks, not of the array, and that each chunk is decoded once although
// each section contains a part of it.
func Memory(t *testing.T, name string) {
	t.Helper()
	if !Alone(t) {
		return
	}
	before := Resident(t)
	path := filepath.Join(t.TempDir(), name)
	start := time.Now()
	writeTall(t, path)
	writing := time.Since(start)
	r, err := formats.Open(path, formats.Options{Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	row, most := make([]byte, 4*tall.Shape[1]), 0
	start = time.Now()
	for i := range tall.Shape[0] {
		if err := r.ReadSection(nd.Sec(nd.At(i), nd.All), row); err != nil {
			t.Fatal(err)
		}
		if i%512 == 0 {
			most = max(most, Resident(t))
		}
	}
	reading := time.Since(start)
	if grown := most - before; grown > 48<<20 {
		t.Errorf("memory grew by %d MiB for an array of 256 MiB", grown>>20)
	}
	// Decoding 64 times as much would take longer than the encoding did.
	if reading > 5*writing {
		t.Errorf("reading by rows took %v, writing by 16 rows %v", reading, writing)
	}
	t.Logf("memory grew by %d MiB; %v to write, %v to read", (most-before)>>20, writing, reading)
}

// edges is an array of 256 chunks of 1 MiB that all extend beyond its end.
var edges = formats.Info{DType: dtype.Float32, Shape: []int{4096, 2 * 64}, Chunk: []int{16, 128 * 128}}

// EdgeMemory checks, in a process of its own, that writing a file of the given name takes the
// memory of a row of chunks even if no chunk is ever written as a whole: libraries keep such chunks
// longer than others.
func EdgeMemory(t *testing.T, name string) {
	t.Helper()
	if !Alone(t) {
		return
	}
	before := Resident(t)
	path := filepath.Join(t.TempDir(), name)
	info := edges
	info.Unlimited = []bool{true, true} // so that a chunk may be larger than the array
	writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}, Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	rows, most := make([]byte, 16*4*info.Shape[1]), 0
	for lo := 0; lo < info.Shape[0]; lo += 16 {
		rows[0]++
		if err := writers[0].WriteSection(nd.Sec(nd.Span(lo, lo+16), nd.All), rows); err != nil {
			t.Fatal(err)
		}
		most = max(most, Resident(t))
	}
	if err := writers[0].Close(); err != nil {
		t.Fatal(err)
	}
	if grown := most - before; grown > 64<<20 {
		t.Errorf("memory grew by %d MiB within a limit of 16 MiB", grown>>20)
	}
	r, err := formats.Open(path, formats.Options{Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	before, most = Resident(t), 0
	part := make([]byte, 4*info.Shape[1])
	for lo := 0; lo < info.Shape[0]; lo += 16 {
		if err := r.ReadSection(nd.Sec(nd.At(lo), nd.All), part); err != nil {
			t.Fatal(err)
		}
		if part[0] != byte(lo/16+1) {
			t.Fatalf("row %d begins with %d", lo, part[0])
		}
		most = max(most, Resident(t))
	}
	if grown := most - before; grown > 64<<20 {
		t.Errorf("reading parts of chunks: memory grew by %d MiB within a limit of 16 MiB", grown>>20)
	}
}
