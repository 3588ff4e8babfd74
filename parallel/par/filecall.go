package par

import (
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"drx/internal/errkind"
)

// A RawFile is the part of a File that an implementation of Comm provides. Each method does one
// proc's part of the method of File with that name. When it is called the pieces are checked and
// all procs have agreed. Sync and Close may wait for other procs.
type RawFile interface {
	// Name returns the name that the file was opened by, Size its length in bytes.
	Name() string
	Size() (int64, error)

	// ReadAll and WriteAll move the pieces of this proc, perhaps none, while the other procs move
	// theirs.
	ReadAll(pieces []Piece) error
	WriteAll(pieces []Piece) error

	// Sync returns when everything is on disk. Close ends the use of the file.
	Sync() error
	Close() error
}

// NewFile returns a File that makes its collective calls by a RawFile. It is for implementations of
// Comm.
func NewFile(c Comm, raw RawFile, writable bool) File {
	return &file{RawFile: raw, c: c, writable: writable}
}

type file struct {
	RawFile
	c        Comm
	writable bool
	busy     atomic.Bool // a collective call is in progress
	closed   atomic.Bool
	oneProc  sync.RWMutex // held shared by Size, exclusively by Close
}

// usable returns an error if the file cannot be read or, if write is set, written.
func (f *file) usable(write bool) error {
	switch {
	case f.closed.Load():
		return fmt.Errorf("%s: file %w", f.Name(), ErrClosed)
	case write && !f.writable:
		return errkind.Errorf(fs.ErrPermission, "%s: open for reading only", f.Name())
	}
	return nil
}

// Size returns the length, see File. The error wraps ErrClosed.
func (f *file) Size() (int64, error) {
	f.oneProc.RLock()
	defer f.oneProc.RUnlock()
	if err := f.usable(false); err != nil {
		return 0, err
	}
	return f.RawFile.Size()
}

// collective makes a collective call: all procs agree to begin it, each does its part, and all
// return the same error.
func (f *file) collective(what string, err error, part func() error) error {
	if f.closed.Load() {
		return f.usable(false)
	}
	if !f.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: %s: %w", f.Name(), what, ErrBusy)
	}
	defer f.busy.Store(false)
	if err = f.c.Agree(what+" of "+f.Name(), err); err != nil {
		return err
	}
	return f.c.Agree(what+" of "+f.Name()+": end", part())
}

// ReadAll reads the pieces of all procs, see File.
func (f *file) ReadAll(pieces []Piece) error {
	return f.collective("read", f.checkRead(pieces), func() error { return f.RawFile.ReadAll(pieces) })
}

// WriteAll writes the pieces of all procs, see File.
func (f *file) WriteAll(pieces []Piece) error {
	return f.collective("write", f.checkWrite(pieces), func() error { return f.RawFile.WriteAll(pieces) })
}

func (f *file) checkWrite(pieces []Piece) error {
	if err := f.usable(true); err != nil {
		return err
	}
	return CheckPieces(pieces)
}

// checkRead also compares the pieces with the size: MPI-IO does not report a read beyond the end.
func (f *file) checkRead(pieces []Piece) error {
	if err := CheckPieces(pieces); err != nil || len(pieces) == 0 {
		return err
	}
	size, err := f.Size()
	if err != nil {
		return err
	}
	for i, p := range pieces {
		if end := p.Off + int64(len(p.Data)); end > size && len(p.Data) > 0 {
			return fmt.Errorf("%s: piece %d ends at offset %d: %w: the file has %d bytes", f.Name(), i, end, io.ErrUnexpectedEOF, size)
		}
	}
	return nil
}

// Sync makes durable what all procs have written, see File.
func (f *file) Sync() error { return f.collective("sync", nil, f.RawFile.Sync) }

// Close closes the file when no goroutine is in Size any more, see File.
func (f *file) Close() error {
	return f.collective("close", nil, func() error {
		f.closed.Store(true)
		f.oneProc.Lock()
		defer f.oneProc.Unlock()
		return f.RawFile.Close()
	})
}
