package drx

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/nd"
)

// The array of the memory test has ten times the size of the memory that may be used.
const (
	memoryEnv    = "DRX_TEST_MEMORY"
	memoryBudget = 24 << 20
	memoryEdge   = 8 * 1024 // of a square of 4-byte elements
	memorySlack  = 64 << 20 // of the Go program itself, its buffers and the table
)

// TestMemory writes an array of ten times the budget, in rows and in columns, and reads it in
// several ways. The process never uses more memory than the budget and a constant.
func TestMemory(t *testing.T) {
	for _, name := range bothForms {
		t.Run(name, testMemory)
	}
}

func testMemory(t *testing.T) {
	if enumtest.Race || runtime.GOOS != "linux" {
		t.Skip("needs /proc and a program without race detector")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), named(t, "a"))
	for _, work := range []string{"write", "columns", "read", "points"} {
		cmd := exec.Command(exe, "-test.run=^TestMemoryProcess$", "-test.v")
		cmd.Env = append(os.Environ(), memoryEnv+"="+file, memoryEnv+"_WORK="+work)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", work, err, out)
		}
		_, after, ok := strings.Cut(string(out), "peak ")
		peak, err := strconv.ParseInt(strings.Fields(after + " -")[0], 10, 64)
		if !ok || err != nil {
			t.Fatalf("%s: %v\n%s", work, err, out)
		}
		t.Logf("%s: peak of %d MiB, budget %d MiB", work, peak>>20, memoryBudget>>20)
		if peak > memoryBudget+memorySlack {
			t.Errorf("%s: %d MiB, budget %d MiB", work, peak>>20, memoryBudget>>20)
		}
	}
}

// TestMemoryProcess is the process that TestMemory measures.
func TestMemoryProcess(t *testing.T) {
	file, work := os.Getenv(memoryEnv), os.Getenv(memoryEnv+"_WORK")
	if file == "" {
		t.Skip("is started by TestMemory")
	}
	o := Options{Cache: memoryBudget, Write: work == "write" || work == "columns"}
	var a *Array
	var err error
	if work == "write" {
		a, err = Create(file, Spec{DType: dtype.Int32, Shape: []int{memoryEdge, memoryEdge}, ChunkShape: []int{256, 256}, Options: o})
	} else {
		a, err = Open(file, o)
	}
	if err == nil {
		err = map[string]func(*Array) error{
			"write": writeRows, "columns": writeColumns, "read": readAllWays, "points": readPoints,
		}[work](a)
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.Fields(kib)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println("peak", n<<10)
		}
	}
}

func memoryValue(i, j int) int32 { return int32(i*memoryEdge + j) }

// writeRows writes rows of parts of chunks, so that the pool is used, too.
func writeRows(a *Array) error {
	const rows = 100
	data := make([]int32, rows*memoryEdge)
	for i := 0; i < memoryEdge; i += rows {
		n := min(rows, memoryEdge-i)
		for k := range data[:n*memoryEdge] {
			data[k] = memoryValue(i+k/memoryEdge, k%memoryEdge)
		}
		if err := Write(a, nd.Sec(nd.Span(i, i+n), nd.All), data[:n*memoryEdge]); err != nil {
			return err
		}
	}
	return nil
}

// writeColumns overwrites a part of the committed chunks, so that the journal is used, too.
func writeColumns(a *Array) error {
	const cols = 50
	data := make([]int32, cols*memoryEdge)
	for j := 0; j < memoryEdge/2; j += cols {
		for k := range data {
			data[k] = memoryValue(k/cols, j+k%cols)
		}
		if err := Write(a, nd.Sec(nd.All, nd.Span(j, j+cols)), data); err != nil {
			return err
		}
	}
	return nil
}

func readAllWays(a *Array) error {
	for _, sec := range []nd.Section{
		nd.Sec(nd.Span(0, 300), nd.All), nd.Sec(nd.All, nd.Span(0, 300)), nd.Sec(nd.Span(0, 1000), nd.Span(0, 1000)),
	} {
		shape := make([]int, 2)
		for d, n := range []int{memoryEdge, memoryEdge} {
			if shape[d] = sec[d].Hi - sec[d].Lo; sec[d] == nd.All {
				shape[d] = n
			}
		}
		data := make([]int32, shape[0]*shape[1])
		for i := 0; i+shape[0] <= memoryEdge; i += shape[0] {
			for j := 0; j+shape[1] <= memoryEdge; j += shape[1] {
				if err := ReadInto(a, nd.Box([]int{i, j}, []int{i + shape[0], j + shape[1]}), data); err != nil {
					return err
				}
				for _, k := range []int{0, len(data) / 2, len(data) - 1} {
					if want := memoryValue(i+k/shape[1], j+k%shape[1]); data[k] != want {
						return fmt.Errorf("element %d of %d,%d is %d, want %d", k, i, j, data[k], want)
					}
				}
			}
		}
	}
	return nil
}

func readPoints(a *Array) error {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 100_000
	indices, data := make([]int, 2*n), make([]int32, n)
	for range 3 {
		for i := range indices {
			indices[i] = rng.IntN(memoryEdge)
		}
		if err := Gather(a, indices, data); err != nil {
			return err
		}
		for i, v := range data {
			if want := memoryValue(indices[2*i], indices[2*i+1]); v != want {
				return fmt.Errorf("element %v is %d, want %d", indices[2*i:2*i+2], v, want)
			}
			if i%100 == 0 {
				if got, err := At[int32](a, indices[2*i:2*i+2]...); err != nil || got != v {
					return fmt.Errorf("At is %d, %w, Gather %d", got, err, v)
				}
			}
		}
	}
	return nil
}

// A call that writes has two more goroutines, and a quarter of the cache. A call of a group's
// member uses at most Options.Goroutines, or its share of the processors.
func TestWritersOfAnArray(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	open := func(o Options) *Array {
		a, err := Open(name, o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{8 << 20}, ChunkShape: []int{1 << 20}})
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ goroutines, cache, want int }{{1, 0, 1}, {2, 0, 4}, {2, 64 << 20, 4}, {2, 16 << 20, 4}, {2, 8 << 20, 1}} {
		a := open(Options{Write: true, Goroutines: c.goroutines, Cache: int64(c.cache)})
		if a.chunks.Writers != c.want {
			t.Errorf("%d goroutines and a cache of %d: %d, want %d", c.goroutines, c.cache, a.chunks.Writers, c.want)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	here := runtime.GOMAXPROCS(0)
	for _, c := range []struct{ procs, goroutines, want int }{{1, 2, 4}, {2, 2, 2}, {2, 0, max(1, min(here, 8)/2)}, {max(2, here), 0, 1}} {
		a := open(Options{Write: true, Goroutines: c.goroutines})
		m, err := leadGroup(a, c.procs)
		if err != nil {
			t.Fatal(err)
		}
		if a.chunks.Writers != c.want {
			t.Errorf("%d procs, %d goroutines: %d, want %d", c.procs, c.goroutines, a.chunks.Writers, c.want)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Two more goroutines prepare writes for the file, if there is memory for them.
func TestWriters(t *testing.T) {
	for _, c := range []struct {
		parallel int
		room     int64
		want     int
	}{{1, 100, 1}, {2, 100, 4}, {2, 4, 4}, {2, 3, 3}, {2, 1, 2}, {16, 16, 16}, {16, 17, 17}} {
		if got := writers(c.parallel, c.room); got != c.want {
			t.Errorf("%d, room for %d: %d, want %d", c.parallel, c.room, got, c.want)
		}
	}
}
