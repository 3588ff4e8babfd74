package pipe

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of processor times in /proc.
const tick = time.Second / 100

// isRunnable reports whether a thread of a process runs, waits for a processor, or is in the middle
// of a transfer of a disk.
func isRunnable(pid int) bool {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range stats {
		if fields := statFields(name); len(fields) > 0 && (fields[0] == "R" || fields[0] == "D") {
			return true
		}
	}
	return false
}

// processorTime returns the processor time of a process since it began.
func processorTime(pid int) (d time.Duration, known bool) {
	const user, system = 11, 12 // fields after the name
	fields := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	if len(fields) <= system {
		return 0, false
	}
	u, errU := strconv.ParseInt(fields[user], 10, 64)
	s, errS := strconv.ParseInt(fields[system], 10, 64)
	return time.Duration(u+s) * tick, errU == nil && errS == nil
}

// statFields returns the fields of a file stat after the name of the process, which may have
// spaces; none if the process has ended.
func statFields(name string) (fields []string) {
	text, _ := os.ReadFile(name)
	for _, f := range bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) {
		fields = append(fields, string(f))
	}
	return fields
}
