package mapped

import "golang.org/x/sys/unix"

// RAM returns the memory that this process can use, in bytes: that of the machine, or less if a
// control group that it is in has a limit. It returns 0 if the size is unknown.
func RAM() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return min(int64(info.Totalram)*int64(info.Unit), groupLimit("/"))
}
