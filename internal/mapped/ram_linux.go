package mapped

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// RAM returns the memory that this process can use, in bytes: that of the machine, or less if its
// control group has a limit. It returns 0 if the size is unknown.
func RAM() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	ram := int64(info.Totalram) * int64(info.Unit)
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			ram = min(ram, n)
		}
	}
	return ram
}
