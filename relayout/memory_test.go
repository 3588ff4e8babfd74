package relayout

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/relayout/internal/arraytest"
)

// An array takes 20 times the memory: the whole process must take at most the bound and 64 MiB.
const (
	smallMemory = 8 << 20
	smallShape  = 4608 // squared, times 8 bytes: 162 MiB
)

// smallEnv names the folder in which a process is to copy within smallMemory.
const smallEnv = "DRX_RELAYOUT_SMALL"

// copySmall copies and prints the peak memory of the process.
func copySmall(dir string) error {
	src, err := drx.Open(filepath.Join(dir, "src"), drx.Options{Cache: ArrayCache})
	if err != nil {
		return err
	}
	dst, err := drx.Open(filepath.Join(dir, "dst"), drx.Options{Write: true, Cache: ArrayCache, Durability: drx.DurabilityNone})
	if err != nil {
		return err
	}
	stats, err := Copy(context.Background(), dst, src, Options{Memory: smallMemory, Order: nd.Order{1, 0}})
	if err := errors.Join(err, src.Close(), dst.Close()); err != nil {
		return err
	}
	status, err := os.ReadFile("/proc/self/status")
	for line := range bytes.Lines(status) {
		var kib int64
		if n, _ := fmt.Sscanf(string(line), "VmHWM: %d kB", &kib); n == 1 {
			fmt.Println(len(stats.Plan.Passes), stats.PeakMemory, kib<<10)
		}
	}
	return err
}

func TestMemoryOfTheProcess(t *testing.T) {
	if arraytest.Race {
		t.Skip("the race detector takes more memory than the copy")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell")
	}
	dir := t.TempDir()
	largeSource(t, filepath.Join(dir, "src"))
	dst, err := drx.Create(filepath.Join(dir, "dst"), drx.Spec{DType: dtype.Float64, Shape: []int{smallShape, smallShape}, ChunkShape: []int{300, 200}})
	if err := errors.Join(err, dst.Close()); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), smallEnv+"="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var passes int
	var peak, resident int64
	if _, err := fmt.Fscan(bufio.NewReader(bytes.NewReader(out)), &passes, &peak, &resident); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	t.Logf("%d passes, %d bytes of buffers, %d resident", passes, peak, resident)
	checkTransposed(t, filepath.Join(dir, "dst"))
	if peak > smallMemory || resident > smallMemory+64<<20 {
		t.Errorf("%d bytes of buffers, %d resident, in %d", peak, resident, smallMemory)
	}
}

// checkTransposed checks some elements.
func checkTransposed(t *testing.T, name string) {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < smallShape*smallShape; i += 99991 {
		if v, err := drx.At[float64](a, i%smallShape, i/smallShape); err != nil || v != float64(i) {
			t.Fatalf("element %d: %v, %v", i, v, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// largeSource makes the array, a band of chunks at a time.
func largeSource(t *testing.T, name string) {
	t.Helper()
	a, err := drx.Create(name, drx.Spec{
		DType: dtype.Float64, Shape: []int{smallShape, smallShape}, ChunkShape: []int{64, 700},
		Options: drx.Options{Durability: drx.DurabilityNone},
	})
	if err != nil {
		t.Fatal(err)
	}
	band := make([]float64, 64*smallShape)
	for y := 0; y < smallShape; y += 64 {
		for i := range band {
			band[i] = float64(y*smallShape + i)
		}
		if err := drx.Write(a, nd.Sec(nd.Span(y, y+64), nd.All), band); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}
