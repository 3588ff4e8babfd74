package vfs

import "io/fs"

// An Access says who may use a file.
type Access struct {
	Mode     fs.FileMode // permission bits
	UID, GID int         // owner and group
	// Limit says that a new file is made with the umask and for the user and the group of the
	// process, and that this Access only takes permissions away: nobody but the owner may do with
	// the new file what this Access does not allow. Without it the new file gets this Access.
	Limit bool
}

// modeFor returns the permission bits of a new file that the system has made with others.
func (a Access) modeFor(made Access) fs.FileMode {
	mode := a.Mode
	if made.GID != a.GID { // another group gets what everybody has
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
		return Access{Mode: a.modeFor(usual)}
	}
	return a
}

// CreateLike makes a new file with the mode, the group and the owner of an open one, as far as
// this process may give them.
func CreateLike(fsys FS, name string, like File) (File, error) {
	a, err := like.Access()
	if err != nil {
		return nil, err
	}
	return fsys.CreateAs(name, a)
}
