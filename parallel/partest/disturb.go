//go:build unix

package partest

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// limitVariable is the environment variable that limits the size of a program's files in bytes.
const limitVariable = "DRX_TEST_FILE_LIMIT"

// LimitFiles limits the size of files if FillDisk has started this program. Call it before any file
// is opened.
func LimitFiles() {
	limit, err := strconv.ParseUint(os.Getenv(limitVariable), 10, 64)
	if err != nil {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		panic(err)
	}
}

// FillDisk runs a program that calls LimitFiles repeatedly: no file may grow beyond a limit, which
// increases by step bytes from run to run. It returns the number of failed runs before the first
// success. The test fails if a run fails for another reason.
func FillDisk(t *testing.T, step int, command func(run int) *exec.Cmd) (failed int) {
	t.Helper()
	for limit := step; ; limit += step {
		cmd := command(failed)
		cmd.Env = append(cmd.Environ(), limitVariable+"="+strconv.Itoa(limit))
		out, err := cmd.CombinedOutput()
		if err == nil {
			return failed
		}
		if failed++; !strings.Contains(string(out), syscall.EFBIG.Error()) || failed > 1000 {
			t.Fatalf("files of at most %d bytes: %v\n%s", limit, err, out)
		}
	}
}

// KillAnyTime runs a program repeatedly, and kills it after a time that grows from run to run, by
// step and an eighth, until a run ends earlier. It returns the number of killed runs. The test
// fails if a run fails.
func KillAnyTime(t *testing.T, step time.Duration, command func() *exec.Cmd) (killed int) {
	t.Helper()
	for after := step; ; after += step + after/8 {
		cmd := command()
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		kill.Stop()
		if err == nil {
			return killed
		}
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL || after > time.Minute {
			t.Fatalf("after %d kills: %v\n%s", killed, err, &out)
		}
		killed++
	}
}
