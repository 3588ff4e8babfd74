//go:build linux && amd64 && hdf5 && netcdf && fits && gdal && matio

package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// killing is the environment variable with which this program runs traceAndKill: the number of a
// change, 0 for none, and a folder.
const killing = "DRX_TEST_KILL_AT"

// changes are the system calls that change files, and those of them that change an open file.
var (
	changes = map[uint64]bool{
		unix.SYS_WRITE: true, unix.SYS_PWRITE64: true, unix.SYS_FTRUNCATE: true, unix.SYS_COPY_FILE_RANGE: true, unix.SYS_OPENAT: false,
		unix.SYS_RENAME: false, unix.SYS_RENAMEAT: false, unix.SYS_RENAMEAT2: false, unix.SYS_MKDIR: false, unix.SYS_MKDIRAT: false,
		unix.SYS_UNLINK: false, unix.SYS_UNLINKAT: false, unix.SYS_RMDIR: false, unix.SYS_LINK: false, unix.SYS_LINKAT: false,
	}
)

// killAt runs a command, and kills it, but not the processes that it starts, when one of them all
// is about to change a file in folder for the n-th time. With n 0 it only counts. It returns the
// number of changes begun.
func killAt(t *testing.T, folder string, n int, command ...string) (begun int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, command...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", killing, n, folder))
	text, err := cmd.CombinedOutput()
	if err == nil {
		err = json.Unmarshal(text, &begun)
	}
	if err != nil {
		t.Fatalf("%v: %v, %.300s", command, err, text)
	}
	return begun
}

// traceAndKill does the work of killAt in a separate process, which waits for all processes that it
// traces.
func traceAndKill(where string, command []string) int {
	runtime.LockOSThread()
	number, folder, _ := strings.Cut(where, " ")
	limit, err := strconv.Atoi(number)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), killing+"=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err = errors.Join(err, cmd.Start()); err != nil {
		return 1
	}
	tracer := tracer{leader: cmd.Process.Pid, limit: limit, folder: folder}
	if err := tracer.run(); err != nil {
		fmt.Println(err)
		return 1
	}
	if json.NewEncoder(os.Stdout).Encode(tracer.begun) != nil {
		return 1
	}
	return 0
}

// A tracer follows a process and all that it starts from one system call to the next.
type tracer struct {
	leader, limit, begun int
	folder               string
}

func (r *tracer) run() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(r.leader, &status, syscall.WALL, nil); err != nil {
		return err
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(r.leader, options); err != nil {
		return err
	}
	for pid, signal := r.leader, 0; ; {
		_ = syscall.PtraceSyscall(pid, signal) // it may have been killed
		var err error
		if pid, err = syscall.Wait4(-1, &status, syscall.WALL, nil); err == syscall.ECHILD {
			return nil
		} else if err != nil {
			return err
		}
		signal = 0
		if !status.Stopped() {
			continue
		}
		switch stop := status.StopSignal(); stop {
		case syscall.SIGTRAP | 0x80:
			r.countCall(pid)
		case syscall.SIGTRAP, syscall.SIGSTOP: // a new thread, or the program that was started
		default:
			signal = int(stop)
		}
	}
}

// countCall counts the system call at which a thread has stopped.
func (r *tracer) countCall(pid int) {
	var info [88]byte // struct ptrace_syscall_info
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(pid), uintptr(len(info)), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 || info[0] != unix.PTRACE_SYSCALL_INFO_ENTRY {
		return
	}
	call := func(i int) uint64 { return binary.LittleEndian.Uint64(info[24+8*i:]) }
	ofOpen, is := changes[call(0)]
	switch {
	case !is:
		return
	case call(0) == unix.SYS_OPENAT:
		if call(3)&unix.O_CREAT == 0 {
			return
		}
	case ofOpen:
		fd := call(1)
		if call(0) == unix.SYS_COPY_FILE_RANGE {
			fd = call(3)
		}
		if name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd)); err != nil || !strings.HasPrefix(name, r.folder) {
			return
		}
	}
	if r.begun++; r.begun == r.limit {
		_ = syscall.Kill(r.leader, syscall.SIGKILL)
	}
}
