package fileset

import (
	"fmt"

	"drx/internal/chunktable"
	"drx/internal/vfs"
)

// A CopiedError is the error of a copy to a name that already has a whole copy of the same commit.
type CopiedError struct {
	From     string // the array that was to be copied
	Finished bool   // an interrupted copy, which now has its final names
	Err      error  // wraps fs.ErrExist
}

// Error returns the text of the error, with a description of the existing array.
func (e *CopiedError) Error() string {
	if e.Finished {
		return fmt.Sprintf("%v; it is the copy of %s that was interrupted, and is whole", e.Err, e.From)
	}
	return fmt.Sprintf("%v; it has the commits and the chunks of %s already", e.Err, e.From)
}

// Unwrap returns Err.
func (e *CopiedError) Unwrap() error { return e.Err }

// Marked reports whether the new files of an array count already and may lack their final names.
func Marked(fsys vfs.FS, name string) (bool, error) {
	if OneFile(name) {
		return false, nil // a single rename makes it count and names it
	}
	mark, err := identityOf(fsys, markName(name))
	return mark != nil, err
}

// SameCommit reports whether two arrays have the same log, and the same entries in their tables for
// the given number of chunks: so they have the same commits, and chunks with the same checksums. It
// acquires no lock.
func SameCommit(fsys vfs.FS, one, other string, chunks int64) (bool, error) {
	var sets [2]Files
	for i, name := range []string{one, other} {
		files, err := OpenCurrent(fsys, name, false)
		if err != nil {
			return false, err
		}
		defer files.Close()
		sets[i] = files
	}
	if same, err := sameBytes(sets[0].Log, sets[1].Log); err != nil || !same {
		return false, err
	}
	return sameRange(sets[0].Table, sets[1].Table, chunks*chunktable.EntrySize)
}
