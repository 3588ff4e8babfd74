package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// mountProcessEnv has the task of a process of TestMountsOfFUSE: its kind, the array, and the
// duration.
const mountProcessEnv = "DRX_TEST_MOUNT_PROCESS"

// On two FUSE mounts of one folder writers, appenders and readers work for some time; with DRX_SOAK
// for minutes. Some writers are killed. Nothing is damaged or reported as damaged, no writer gets
// the lock of another one, and each committed row exists.
func TestMountsOfFUSE(t *testing.T) {
	real, one, two := vfstest.TwoMounts(t)
	duration := 4 * time.Second
	if soak {
		duration = 4 * time.Minute
	}
	for _, name := range []string{"several", "one.drx"} {
		t.Run(name, func(t *testing.T) { testMountsOfFUSE(t, name, real, one, two, duration) })
	}
}

func testMountsOfFUSE(t *testing.T, name, real, one, two string, duration time.Duration) {
	a, err := Create(filepath.Join(real, name), Spec{DType: dtype.Int32, Shape: []int{4, 100}, ChunkShape: []int{8, 100}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fillRows(a, 0, 4, 0), a.Close()); err != nil {
		t.Fatal(err)
	}
	var tasks []*exec.Cmd
	outs := map[*exec.Cmd]*strings.Builder{}
	for i, kind := range []string{"read", "write", "append", "read", "write", "append", "refresh", "refresh"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMountProcess$")
		mount := []string{one, two}[i%2]
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", mountProcessEnv, kind, duration.Milliseconds(), filepath.Join(mount, name)))
		outs[cmd] = new(strings.Builder)
		cmd.Stdout, cmd.Stderr = outs[cmd], outs[cmd]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, cmd)
	}
	killed := tasks[1]
	timer := time.AfterFunc(duration/2, func() { _ = killed.Process.Kill() })
	defer timer.Stop()
	rows := 4
	for _, cmd := range tasks {
		err := cmd.Wait()
		out := outs[cmd].String()
		if err != nil && cmd != killed {
			t.Errorf("%v: %v: ...%s", cmd.Env[len(cmd.Env)-1], err, out[max(0, len(out)-500):])
		}
		rows += strings.Count(out, "appended\n")
		t.Logf("%s: %d appended, %d overwritten, %d read, %d times locked", cmd.Env[len(cmd.Env)-1],
			strings.Count(out, "appended\n"), strings.Count(out, "written\n"), strings.Count(out, "read\n"), strings.Count(out, "locked\n"))
	}
	r, err := Open(filepath.Join(real, name), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := r.Bounds().Shape()[0]; n < rows {
		t.Errorf("%d rows, at least %d were committed", n, rows)
	}
	if err := checkWholeRows(r); err != nil {
		t.Error(err)
	}
}

// fillRows writes rows, each with one number in all elements.
func fillRows(a *Array, from, to int, v int32) error {
	data := make([]int32, (to-from)*100)
	for i := range data {
		data[i] = v
	}
	return Write(a, nd.Box([]int{from, 0}, []int{to, 100}), data)
}

// checkWholeRows reads all rows. Each has one number in all elements, which is not the fill value,
// because rows are committed with their elements.
func checkWholeRows(a *Array) error {
	data, err := Read[int32](a, a.Bounds())
	if err != nil {
		return err
	}
	for i, v := range data {
		if v != data[i/100*100] || i >= 400 && v == 0 {
			return fmt.Errorf("row %d, element %d: %d beside %d", i/100, i%100, v, data[i/100*100])
		}
	}
	return nil
}

// TestMountProcess is a process of TestMountsOfFUSE.
func TestMountProcess(t *testing.T) {
	task := strings.SplitN(os.Getenv(mountProcessEnv), " ", 3)
	if len(task) != 3 {
		t.Skip("runs as a process of TestMountsOfFUSE")
	}
	ms, err := strconv.Atoi(task[1])
	if err != nil {
		t.Fatal(err)
	}
	kind, name, end := task[0], task[2], time.Now().Add(time.Duration(ms)*time.Millisecond)
	do := map[string]func(name string, end time.Time) error{
		"write": writeThroughMount, "append": appendThroughMount, "read": readThroughMount, "refresh": refreshThroughMount,
	}[kind]
	for n := 0; time.Now().Before(end) || n == 0; n++ {
		if err := do(name, end); errors.Is(err, ErrLocked) {
			fmt.Println("locked")
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
		} else if err != nil {
			t.Fatal(kind, n, err)
		}
	}
}

// openMounted opens an array as the only writer and calls do, which makes changes.
func openMounted(name string, do func(a *Array) error) error {
	a, err := Open(name, Options{Write: true})
	if err != nil {
		return err
	}
	return errors.Join(do(a), a.Close())
}

// writeThroughMount overwrites chunks that others read.
func writeThroughMount(name string, _ time.Time) error {
	return openMounted(name, func(a *Array) error {
		for range 3 {
			n := a.Bounds().Shape()[0]
			if err := errors.Join(fillRows(a, 0, min(n, 20), 1+rand.Int32N(1000)), a.Sync()); err != nil {
				return err
			}
			fmt.Println("written")
		}
		return nil
	})
}

// appendThroughMount appends a row with each commit.
func appendThroughMount(name string, _ time.Time) error {
	return openMounted(name, func(a *Array) error {
		for range 3 {
			n := a.Bounds().Shape()[0]
			if _, err := a.Extend(0, 1); err != nil {
				return err
			}
			if err := errors.Join(fillRows(a, n, n+1, 1+rand.Int32N(1000)), a.Sync()); err != nil {
				return err
			}
			fmt.Println("appended")
		}
		return nil
	})
}

// readThroughMount opens the array and reads it.
func readThroughMount(name string, _ time.Time) error {
	a, err := Open(name, Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	fmt.Println("read")
	return checkWholeRows(a)
}

// refreshThroughMount keeps the array open and follows it. The number of rows never falls.
func refreshThroughMount(name string, end time.Time) error {
	a, err := Open(name, Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	for rows := 0; time.Now().Before(end); {
		if err := checkWholeRows(a); err != nil {
			return err
		}
		if _, err := a.Refresh(); err != nil {
			return err
		}
		now := a.Bounds().Shape()[0]
		if now < rows {
			return fmt.Errorf("%d rows, there were %d", now, rows)
		}
		rows = now
		fmt.Println("read")
	}
	return nil
}

// On a FUSE mount the lock file says who writes. It is taken over at once from a killed process,
// and removed afterwards. Processes cannot share the array, and the error names the file system.
func TestMountsOfFUSELock(t *testing.T) {
	_, one, two := vfstest.TwoMounts(t)
	a, err := Create(filepath.Join(one, "a"), Spec{DType: dtype.Int32, Shape: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(filepath.Join(two, "a"), Options{Write: true})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if _, err := vfs.OS.Identity(filepath.Join(one, "a.xlk")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the lock file is left:", err)
	}
	if _, err := Open(filepath.Join(two, "a"), Options{Shared: true}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "FUSE") {
		t.Error(err)
	}
	defer SetLocks(SetLocks(LocksSystem))
	s, err := Open(filepath.Join(two, "a"), Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
