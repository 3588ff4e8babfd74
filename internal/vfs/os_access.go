package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// CreateAs makes a file that nobody else can open before it has its mode.
func (osFS) CreateAs(name string, a Access) (File, error) {
	perm := uint32(0o600)
	if a.Limit {
		perm |= uint32(a.Mode.Perm() & 0o666)
	}
	f, err := createFile(name, perm)
	if err != nil {
		return nil, err
	}
	if err := f.(osFile).become(a); err != nil {
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

// become gives a new file an Access, as far as the process may and the file system can.
func (f osFile) become(a Access) error {
	made, err := f.Access()
	if err != nil {
		return err
	}
	if !a.Limit {
		// Only the superuser gives files away; others give them to their own groups.
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
