package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// CreateAs creates a file that no other user can open before it has its Access.
func (osFS) CreateAs(name string, a Access) (File, error) {
	perm := uint32(0o600)
	if a.Limit {
		perm |= uint32(a.Mode.Perm() & 0o666)
	}
	f, err := createFile(name, perm)
	if err != nil {
		return nil, err
	}
	if err := f.(osFile).applyAccess(a); err != nil {
		_, _ = os.Remove(name), f.Close()
		return nil, err
	}
	return f, nil
}

func (f osFile) Access() (Access, error) {
	var stat syscall.Stat_t
	if err := f.stat(&stat); err != nil {
		return Access{}, err
	}
	return Access{Mode: fs.FileMode(stat.Mode).Perm(), UID: int(stat.Uid), GID: int(stat.Gid)}, nil
}

// applyAccess gives a new file an Access, as far as the process is allowed to and the file system
// supports it.
func (f osFile) applyAccess(a Access) error {
	made, err := f.Access()
	if err != nil {
		return err
	}
	if !a.Limit {
		// Only the superuser can change the owner; others can only choose among their own groups.
		for _, uid := range []int{a.UID, -1} {
			if (uid == made.UID || uid < 0) && made.GID == a.GID {
				break
			}
			if f.Chown(uid, a.GID) == nil {
				made.GID = a.GID
				break
			}
		}
	}
	mode := a.modeFor(made)
	if mode == made.Mode {
		return nil
	}
	err = f.Chmod(mode)
	for _, cannot := range []error{fs.ErrPermission, errors.ErrUnsupported, syscall.EINVAL} {
		if errors.Is(err, cannot) {
			return nil
		}
	}
	return err
}

// OwnedByUser reports whether a file or a folder of the system belongs to the user of this process.
// A symbolic link counts as nobody's.
func OwnedByUser(name string) (bool, error) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return false, err
	}
	stat, is := info.Sys().(*syscall.Stat_t)
	return is && int(stat.Uid) == os.Geteuid(), nil
}
