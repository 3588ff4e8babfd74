package chunkstore

import (
	"path/filepath"

	"drx/axial"
	"drx/internal/codec"
	"drx/internal/vfs"
)

// A Durability determines which steps a store takes so that a crash loses nothing.
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
	CheckFirst  Checking = iota // when this process first reads what it has not written itself
	CheckAlways                 // each time
	CheckNever                  // only by Check
)

// Files are the files of a store.
type Files struct {
	FS          vfs.FS
	Log         vfs.File // new files get its mode and group; nil: they get the default
	Data, Table vfs.File
	Presence    vfs.File // nil for an array of version 1, which has none
	Journal     string   // its name; it need not exist; empty: there is never one
	Durability  Durability
	Checking    Checking
	Resident    int64       // bytes of mappings that may be in memory; 0: no mappings
	Codec       codec.Codec // of the array: compresses chunks; nil: chunks are stored as they are
	Mixed       bool        // being recompressed: some frames are of earlier codecs
	Decoder     codec.Codec // decodes frames of any codec; nil: Codec does
	// SyncTogether: several files may be synced at the same time, which takes less time.
	SyncTogether bool
	// Stale: this machine may see old bytes of the files until vfs.Refetch drops them.
	Stale bool
	// Closed, if not nil, is called before the files are closed.
	Closed func()
	// HasFrames reports whether the array has, or has had, a codec, according to the log. It may be
	// nil.
	HasFrames func() (bool, error)
	// Chunks returns the number of chunks of the array now, according to the log. It may be nil.
	Chunks func() (axial.Number, error)
}

// create creates a file of the array.
func (f Files) create(name string) (vfs.File, error) {
	if f.Log == nil {
		return f.FS.Create(name)
	}
	return vfs.CreateLike(f.FS, name, f.Log)
}

// syncNames makes the names of the files durable.
func (f Files) syncNames() error { return f.FS.SyncDir(filepath.Dir(f.Journal)) }

// first returns the first error: messages are one line.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
