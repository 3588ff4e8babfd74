package vfs

import "io/fs"

// An Access has the permissions, the user and the group of a file.
type Access struct {
	Mode     fs.FileMode // permission bits
	UID, GID int         // owner and group
	// Limit makes this Access an upper limit: a new file gets the umask, the user and the group of
	// the process, but only permissions that this Access allows as well; the owner's are not
	// limited. Without Limit the new file gets this Access.
	Limit bool
}

// modeFor returns the permission bits for a new file, which the system has created with the Access
// made.
func (a Access) modeFor(made Access) fs.FileMode {
	mode := a.Mode
	if made.GID != a.GID { // another group gets only the permissions of everybody
		mode = mode&^0o070 | mode&(mode<<3)&0o070
	}
	if a.Limit {
		mode = made.Mode&mode | 0o600
	}
	return mode
}

// inMemory returns the Access of a new file in a file system in memory.
func (a Access) inMemory() Access {
	if a.Limit {
		return Access{Mode: a.modeFor(defaultAccess)}
	}
	return a
}

// CreateLike creates a file with the mode, the group and the owner of an open file, as far as this
// process is allowed to set them.
func CreateLike(fsys FS, name string, like File) (File, error) {
	a, err := like.Access()
	if err != nil {
		return nil, err
	}
	return fsys.CreateAs(name, a)
}
