// Package vfs is the one seam through which arrays touch files. Four file systems
// stand behind it: the operating system's (OS), one in memory (NewMem), one that
// fails on demand (Faulty) and one that loses what was not synced (Crash).
package vfs

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// ErrLocked is returned by File.Lock when another open file holds the lock.
var ErrLocked = errors.New("locked by another writer")

// ErrNotRegular is returned for a name that stands for a directory, a FIFO, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// ErrOtherDevice is what Link wraps for two names that are on different file systems.
var ErrOtherDevice error = syscall.EXDEV

// A LinkError is returned for a symbolic link that is not followed. It wraps ErrNotRegular.
type LinkError struct {
	Name   string
	Target string // what it leads to in the end; its first step if there is no such file
}

// Error names the file and what it links to.
func (e *LinkError) Error() string {
	return fmt.Sprintf("open %s: %v but a symbolic link to %s, which is not followed", e.Name, ErrNotRegular, e.Target)
}

// Unwrap returns ErrNotRegular.
func (e *LinkError) Unwrap() error { return ErrNotRegular }

// FS is a file system. Names are slash-separated paths; errors are those of package os
// (fs.ErrNotExist, fs.ErrExist, ...) and name the operation and the file.
type FS interface {
	// Create makes a new file for reading and writing; it must not exist.
	Create(name string) (File, error)
	// CreateAs is Create with an Access in place of what the umask gives. Nobody can open the new
	// file before it has that. See CreateLike.
	CreateAs(name string, a Access) (File, error)
	// Open opens an existing file for reading, or for writing too. It follows symbolic links, and
	// returns ErrNotRegular, at once, when they lead to anything but a regular file.
	Open(name string, write bool) (File, error)
	// OpenNoFollow is Open for a name that must not be a symbolic link, for which it returns a
	// LinkError: what is written through a link may be the file of somebody else.
	OpenNoFollow(name string, write bool) (File, error)
	// Remove removes a file.
	Remove(name string) error
	// Rename gives a file another name, in place of a file that has it.
	Rename(from, to string) error
	// Link gives a file a second name, which no file may have. Both names stand for the same file
	// until one of them is removed. The error is ErrOtherDevice if the names are on two file systems.
	Link(from, to string) error
	// Identity returns what tells the file that has a name from all others, see File.
	Identity(name string) (any, error)
	// SyncDir makes the creations, removals, renames and links in a directory durable.
	SyncDir(dir string) error
}

// File is an open file. ReadAt and WriteAt may be called by many goroutines at once; a
// write beyond the end leaves a hole that reads as zeros and takes no space.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Name returns the name it was opened by.
	Name() string
	// Identity returns what tells the file from all others that exist at the same time,
	// whatever their names: to be compared with ==. A file exists as long as it is open.
	Identity() (any, error)
	// Access returns who may use the file.
	Access() (Access, error)
	// Size returns the length in bytes.
	Size() (int64, error)
	// Allocated returns the bytes it takes on the device; holes take none.
	Allocated() (int64, error)
	// Punch makes n bytes from off a hole, as far as the file system can. They read as
	// zeros afterwards or as before; the length stays.
	Punch(off, n int64) error
	// Allocate lets the file system find room for n bytes from off that are about to be
	// written, which then costs less. It is a hint: what they read as and the length stay.
	Allocate(off, n int64)
	// Truncate sets the length.
	Truncate(size int64) error
	// Sync makes everything written durable.
	Sync() error
	// Lock takes the exclusive lock, which Close releases, or returns ErrLocked, naming the
	// holder where it is known.
	Lock() error
	// LockShared takes the lock together with others that take it shared, or returns
	// ErrLocked.
	LockShared() error
	// Unlock gives the lock up before Close does.
	Unlock() error
	// LockRange waits for the exclusive lock on n bytes from off, which has nothing to do
	// with the other locks, and returns what gives it up. The error is
	// errors.ErrUnsupported where there is no such lock.
	LockRange(off, n int64) (unlock func() error, err error)
	// Locked reports whether another opening of the file, in this process or another one,
	// has the lock, alone or shared, as far as the system tells. It hinders nobody.
	Locked() bool
	// Data returns the first range at or behind off that may hold something else than
	// zeros, and io.EOF when there is none.
	Data(off int64) (from, to int64, err error)
	// Map returns n bytes from off, a multiple of MapAlign, in place. Bytes behind the end
	// may be mapped; they can be read when the file has grown over them. The error is
	// errors.ErrUnsupported where files cannot be mapped: elsewhere than in a 64-bit Linux.
	Map(off int64, n int) (Mapping, error)
}
