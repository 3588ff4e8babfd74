package pipe

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
)

// limitMemory limits the private memory of this process to its present size plus the margin plus n
// bytes. Beyond the limit the C library's malloc fails, and Go ends the process; limitMemory
// switches core dumps off.
func limitMemory(n int64) error {
	now, err := privateMemory()
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(n)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("limit on memory: %w", err)
	}
	limit.Cur = min(limit.Max, uint64(now)+margin+uint64(n))
	return errors.Join(
		syscall.Setrlimit(syscall.RLIMIT_DATA, &limit),
		syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}))
}

// privateMemory returns the bytes of private, writable memory that this process has, which
// RLIMIT_DATA limits.
func privateMemory() (int64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		if value, ok := bytes.CutPrefix(line, []byte("VmData:")); ok {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("kB")))), 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("/proc/self/status: no VmData")
}
