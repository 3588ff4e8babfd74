package drxmp

import "golang.org/x/sys/unix"

// parallelSystems are, by magic number, the file systems for which MPI-IO was made, and those on
// which a proc may see the writes of another one late.
var parallelSystems = map[uint32]string{
	0x0bd00bd0: "Lustre",
	0x47504653: "GPFS",
	0x20030528: "OrangeFS",
	0x19830326: "BeeGFS",
	0xaad7aaea: "PanFS",
	0x00c36400: "Ceph",
	0x00006969: "NFS",
	0xfe534d42: "SMB",
	0x65735546: "FUSE",
	0x01021997: "9p",
}

// onParallelFileSystem reports whether a file is on a file system for which MPI-IO is the better
// engine.
func onParallelFileSystem(name string) bool {
	var s unix.Statfs_t
	err := unix.Statfs(name, &s)
	return err == nil && parallelSystems[uint32(s.Type)] != ""
}
