package chunkio

import (
	"drx/axial"
	"drx/internal/vfs"
)

// A Durability says what a store does so that a crash loses nothing.
type Durability uint8

// The durabilities.
const (
	Full      Durability = iota // commits are durable and atomic
	NoJournal                   // commits are durable; chunks of earlier ones are overwritten in place
	None                        // nothing is synced
)

// A Checking says when chunks are checked against their checksums.
type Checking uint8

// The checkings.
const (
	CheckFirst  Checking = iota // the first time that this process reads what it has not written itself
	CheckAlways                 // each time
	CheckNever                  // only by Check
)

// Files are the files of a store.
type Files struct {
	FS          vfs.FS
	Log         vfs.File // new files get its mode and group; nil: those of any new file
	Data, Table vfs.File
	Presence    vfs.File // nil for an array of version 1, which has none
	Journal     string   // its name; it need not exist
	Durability  Durability
	Checking    Checking
	Shared      bool  // other processes write too
	Resident    int64 // bytes of the files that may be in memory through mappings; 0: no mappings
	// Writing is nil in the store of a writer. A reader's tells whether there is one.
	Writing func() bool
	// Current is nil in the store of a writer. A reader's tells whether the files are still
	// those of the array: if not, the journal with that name is not theirs.
	Current func() (bool, error)
	// Chunks returns how many chunks the array has now, as the log says, or is nil.
	Chunks func() (axial.Number, error)
	// Commits is nil in the store of a writer. A reader's returns how many lines the log has by now.
	Commits func() (int, error)
}

// create makes a new file of the array.
func (f Files) create(name string) (vfs.File, error) {
	if f.Log == nil {
		return f.FS.Create(name)
	}
	return vfs.CreateLike(f.FS, name, f.Log)
}

// first returns the first error: messages are one line.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
