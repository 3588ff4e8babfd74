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

// limitVariable is the environment variable with the bytes that no file of a program may exceed.
const limitVariable = "DRX_TEST_FILE_LIMIT"

// LimitFiles limits the size of files if FillDisk has started this program. A program calls it
// before it opens a file.
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

// FillDisk runs a program that calls LimitFiles, again and again: no file may become longer than a
// limit, which grows by step bytes from run to run. It returns how many runs have failed when one
// ends well. The test fails if one fails for another reason.
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

// KillAnyTime runs a program again and again, and kills it after a time that grows from run to run,
// by step and an eighth, until a run ends before that. It returns how many runs were killed. The
// test fails if a run fails.
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
