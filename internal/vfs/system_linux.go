package vfs

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// systems are, by magic number, the file systems that several machines, or several mounts, can
// share. Ceph's keeps locks and caches coherent; Lustre's caches are coherent, and its locks are if
// it is mounted so.
var systems = map[uint32]System{
	0x65735546:  {"FUSE", true, true},
	0x00006969:  {"NFS", true, true},
	0xfe534d42:  {"SMB", true, true},
	0xff534d42:  {"CIFS", true, true},
	0x0000517b:  {"SMB", true, true},
	0x01021997:  {"9p", true, true},
	0x5346414f:  {"AFS", true, true},
	0x6b414653:  {"AFS", true, true},
	0x73757245:  {"Coda", true, true},
	0x786f4256:  {"VirtualBox", true, true},
	0x19830326:  {"BeeGFS", true, true},
	0x20030528:  {"OrangeFS", true, true},
	0xaad7aaea:  {"PanFS", true, true},
	0x47504653:  {"GPFS", true, false},
	lustreMagic: {"Lustre", true, false},
}

const lustreMagic = 0x0bd00bd0

// System asks the file system, unless the file is on a device of this machine: then nothing has to
// be asked. (A device number with a major part of 0 belongs to no device. FUSE can mount a device,
// which no other machine then mounts.)
func (f osFile) System() System {
	if f.inode != (inode{}) && unix.Major(f.inode.device) != 0 {
		return System{}
	}
	var stat unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &stat); err != nil {
		return System{}
	}
	s := systems[uint32(stat.Type)]
	if uint32(stat.Type) == lustreMagic {
		if id, err := f.Identity(); err == nil && hasMountOption(id.(inode).device, "flock") {
			s.LocalLocks = false
		}
	}
	return s
}

// hasMountOption reports whether the file system with a device number is mounted with an option of
// its own, as /proc/self/mountinfo has them:
//
//	36 35 0:45 / /mnt rw,noatime - lustre 10.0.0.1@tcp:/fs rw,flock,lazystatfs
func hasMountOption(device uint64, option string) bool {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	number := fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) > 3 && fields[2] == number && slices.Contains(strings.Split(fields[len(fields)-1], ","), option) {
			return true
		}
	}
	return false
}

// Refetch drops what the system has in its cache, which it does not do for pages that are mapped,
// and asks the server for the length, which drops more on FUSE and NFS if the file has changed. It
// rounds outwards, because a page of the cache may be as large as MapAlign.
func (f osFile) Refetch(off, n int64) {
	fd := int(f.Fd())
	if from := off / MapAlign * MapAlign; n > 0 {
		_ = unix.Fadvise(fd, from, (off+n+MapAlign-1)/MapAlign*MapAlign-from, unix.FADV_DONTNEED)
	} else {
		if n < 0 {
			_ = unix.Fadvise(fd, from, 0, unix.FADV_DONTNEED) // to the end
		}
		var stat unix.Statx_t
		_ = unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_FORCE_SYNC, unix.STATX_SIZE|unix.STATX_MTIME, &stat)
	}
}
