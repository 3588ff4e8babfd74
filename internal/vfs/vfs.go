// Package vfs is the interface through which arrays access files. It has two implementations: the
// operating system's (OS) and one in memory (NewMem). Package vfstest has one that fails on demand
// and one that loses unsynced changes in a crash.
package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
)

// ErrLocked is returned by File.Lock when another open file holds the lock.
var ErrLocked = errors.New("locked by another writer")

// ErrNotRegular is returned for a name that refers to a directory, a FIFO, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// ErrOtherDevice is wrapped by the error of Link for two names on different file systems.
var ErrOtherDevice error = syscall.EXDEV

// IfExists takes the results of a call and returns the zero value and no error if its error is
// fs.ErrNotExist.
func IfExists[T any](v T, err error) (T, error) {
	if errors.Is(err, fs.ErrNotExist) {
		var none T
		return none, nil
	}
	return v, err
}

// A LinkError is returned for a symbolic link that is not followed. It wraps ErrNotRegular.
type LinkError struct {
	Name   string
	Target string // the file that it leads to; the text of the link if there is no such file
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
	// Create creates a file for reading and writing; it must not exist.
	Create(name string) (File, error)
	// CreateAs is Create with an Access instead of the umask's permissions. No other user can open
	// the new file before it has them. See CreateLike.
	CreateAs(name string, a Access) (File, error)
	// Open opens an existing file for reading, or for reading and writing. It follows symbolic
	// links. If the file is not regular, it returns ErrNotRegular at once.
	Open(name string, write bool) (File, error)
	// OpenNoFollow is Open for a name that must not be a symbolic link; for a link it returns a
	// LinkError. Writing through a link could change a file that does not belong to the array.
	OpenNoFollow(name string, write bool) (File, error)
	// Remove removes a file.
	Remove(name string) error
	// Rename gives a file another name. It replaces a file that has that name.
	Rename(from, to string) error
	// Link gives a file a second name, which must not exist. Both names refer to the same file
	// until one of them is removed. The error wraps ErrOtherDevice if the names are on two file
	// systems.
	Link(from, to string) error
	// Identity returns the identity of the file with a name, see File.
	Identity(name string) (any, error)
	// List returns the names of the files and of the folders in a folder, sorted. It follows no
	// symbolic links to folders. File systems in memory have those folders that contain files; for
	// others they return an error wrapping fs.ErrNotExist.
	List(dir string) (files, folders []string, err error)
	// Mkdir creates a folder. File systems in memory do nothing.
	Mkdir(dir string) error
	// SyncDir makes the creations, removals, renames and links in a directory durable.
	SyncDir(dir string) error
}

// Locker has the methods of a File for its lock.
type Locker interface {
	Lock() error
	LockShared() error
	Unlock() error
	Locked() bool
}

// A Member is a File whose bytes lie in another file, its container.
type Member interface {
	// Locate returns the container, the offset in it of the byte at an offset, and how many bytes
	// are contiguous from there on; and false, with the container, if there is no such byte yet. A
	// byte never moves.
	Locate(off int64) (file File, at, run int64, ok bool)
	// Runs returns the offsets of all bytes that this process knows in the container.
	Runs() *Runs
}

// Locate returns where the byte at an offset of a file is: there, unless the file is a Member and
// knows.
func Locate(f File, off int64) (File, int64) {
	if l, is := f.(Member); is {
		if file, at, _, ok := l.Locate(off); ok {
			return file, at
		}
	}
	return f, off
}

// File is an open file. ReadAt and WriteAt may be called by many goroutines concurrently. A
// write beyond the end leaves a hole that reads as zeros and takes no space.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Name returns the name with which the file was opened.
	Name() string
	// Identity returns a value that is different for all files that exist at the same time,
	// whatever their names. Compare it with ==. A file exists as long as it is open.
	Identity() (any, error)
	// Access returns the owner, the group and the permissions of the file.
	Access() (Access, error)
	// Size returns the length in bytes.
	Size() (int64, error)
	// Allocated returns the space that the file takes on the device in bytes; holes take none.
	Allocated() (int64, error)
	// Punch makes n bytes from off a hole, as far as the file system supports it. Afterwards
	// they read as zeros or as before; the length does not change.
	Punch(off, n int64) error
	// Allocate is a hint that n bytes from off will be written soon: allocating them at once is
	// faster. It changes neither the contents nor the length.
	Allocate(off, n int64)
	// Truncate sets the length.
	Truncate(size int64) error
	// Sync makes everything written durable.
	Sync() error
	// Lock takes the exclusive lock, which Close releases. If another open file has the lock, it
	// returns ErrLocked with the holder, if that is known.
	Lock() error
	// LockShared takes the lock in shared mode, or returns ErrLocked if it is held exclusively.
	LockShared() error
	// Unlock releases the lock before Close.
	Unlock() error
	// Locks returns another lock of the file, number n > 0, which is independent of the file's own
	// lock and of those with other numbers. Close releases it, too. Its methods return an error
	// wrapping errors.ErrUnsupported if the system has no such locks.
	Locks(n int) Locker
	// LockRange waits for the exclusive lock on n bytes from off, which others hold for moments,
	// and returns the function that releases it. It is independent of the other locks. The error
	// wraps ErrLocked after a minute, and is errors.ErrUnsupported if the system has no such lock.
	LockRange(off, n int64) (unlock func() error, err error)
	// TryLockRange is LockRange without waiting. If shared is set, others may have the lock in
	// shared mode, too; a range that this opening has exclusively it must not ask for.
	TryLockRange(off, n int64, shared bool) (unlock func() error, err error)
	// Locked reports whether another opening of the file, in this process or another one, has
	// the lock, exclusive or shared, as far as the system tells. It never makes another Lock fail.
	Locked() bool
	// Data returns the first range at or after off that may contain other bytes than zeros, and
	// io.EOF if there is none.
	Data(off int64) (from, to int64, err error)
	// Map maps n bytes from off, a multiple of MapAlign. Bytes after the end may be mapped; they
	// can be read when the file has grown over them. The error is errors.ErrUnsupported if files
	// cannot be mapped: on all systems but 64-bit Linux.
	Map(off int64, n int) (Mapping, error)
}
