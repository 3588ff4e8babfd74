//go:build linux && hdf5 && netcdf && fits && gdal

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/dataset"
)

// mixedScript makes an HDF5 file with the elements of mixed, which are hard to compress, so that
// decoding them is slow.
const mixedScript = `
import sys, numpy, h5py
with h5py.File(sys.argv[1], 'w') as f:
    f['x'] = numpy.arange(4, dtype='i4')
    v = f.create_dataset('v', (1536, 8192), 'u4', chunks=(64, 2048), compression=1)
    for i in range(0, 1536, 64):
        v[i:i + 64] = (numpy.arange(i * 8192, (i + 64) * 8192, dtype='u4') * numpy.uint32(2654435761) >> 12).reshape(64, 8192)
`

// mixed returns element i of mixedScript.
func mixed(i int) uint32 { return uint32(i) * 2654435761 >> 12 }

// If this program is killed or stopped during an import, drx reports it within ten seconds with the
// usual time limit, and drx import --resume continues.
func TestBridgeFailsInTheMiddle(t *testing.T) {
	program, dir := buildPrograms(t), t.TempDir()
	file := filepath.Join(dir, "a.h5")
	runPython(t, mixedScript, file)
	for name, c := range map[string]struct {
		signal syscall.Signal
		says   string
	}{"killed": {syscall.SIGKILL, "it was killed"}, "stopped": {syscall.SIGSTOP, "it hung: nothing happened for 8s"}} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(dir, name)
			said := interruptImport(t, program, file, folder, c.signal)
			if strings.Count(said, "\n") != 1 || !strings.Contains(said, file) || !strings.Contains(said, c.says) || !strings.Contains(said, "--resume") {
				t.Errorf("%s", said)
			}
			if n := boxesDone(t, folder); n < 1 {
				t.Errorf("%d boxes are complete", n)
			}
			if out, err := exec.Command(program, "import", "--resume", file, folder).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			checkMixed(t, filepath.Join(folder, "v"))
		})
	}
}

// interruptImport imports a file, sends a signal to the helper after it has read an eighth of the
// file, and returns the output of drx.
func interruptImport(t *testing.T, program, file, folder string, signal syscall.Signal) string {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := exec.Command(program, "import", "--quiet", "--memory", "16MiB", file, folder)
	cmd.Env, cmd.Stderr = append(os.Environ(), "DRX_BRIDGE_TIMEOUT="), &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		helper := childOf(cmd.Process.Pid)
		if helper != 0 && bytesRead(helper) > info.Size()/8 {
			err = syscall.Kill(helper, signal)
			break
		}
		if time.Since(begin) > time.Minute {
			err = fmt.Errorf("no helper has read %d bytes: %w", info.Size()/8, syscall.ETIMEDOUT)
			_ = cmd.Process.Kill()
			break
		}
	}
	sent := time.Now()
	waitErr := cmd.Wait()
	if d := time.Since(sent); err != nil || cmd.ProcessState.ExitCode() != 1 || d > time.Minute {
		t.Fatalf("%v after %v, %v\n%s", waitErr, d, err, errs.String())
	}
	return errs.String()
}

// childOf returns the id of a process's child; 0 if it has none.
func childOf(parent int) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, _ := os.ReadFile(name) // it may have ended
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			return pid
		}
	}
	return 0
}

// bytesRead returns how many bytes a process has read.
func bytesRead(pid int) (n int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid)) // it may have ended
	_, _ = fmt.Sscanf(string(text), "rchar: %d", &n)
	return n
}

// boxesDone returns how many boxes of its last variable an import has completed.
func boxesDone(t *testing.T, folder string) int {
	t.Helper()
	d, err := dataset.Open(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var progress struct{ Boxes int }
	attrs, err := d.Attrs("")
	if err == nil {
		err = json.Unmarshal(attrs["import.progress"], &progress)
	}
	if err != nil {
		t.Fatal(err)
	}
	return progress.Boxes
}

// checkMixed checks that an array has the elements of mixedScript.
func checkMixed(t *testing.T, name string) {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := drx.Read[uint32](a, nil)
	if err != nil || !slices.Equal(a.Shape(), []int{1536, 8192}) {
		t.Fatalf("shape %v, %v", a.Shape(), err)
	}
	for i, v := range got {
		if v != mixed(i) {
			t.Fatalf("element %d is %d, want %d", i, v, mixed(i))
		}
	}
}
