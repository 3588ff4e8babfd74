package mapped

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// RAM returns how many bytes of memory this process can have, or 0 where that is not known:
// those of the machine, or fewer if its control group has a limit.
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
