package pipe

import (
	"os"

	"golang.org/x/sys/unix"
)

// enlarge makes a pipe hold a whole packet, so that the two processes do not wait for each other
// after every 64 KiB. Where the system does not allow it, the pipe stays as it is.
func enlarge(f *os.File) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, maxPacket) })
	}
}
