package par

import (
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"drx/internal/errkind"
)

// A RawFile is what an implementation of Comm provides for a File. Each method does the part of one
// proc in the method of File with that name. When it is called the pieces have been checked and all
// procs have agreed. SetSize, Sync and Close may wait for other procs.
type RawFile interface {
	// Name returns the name that the file was opened by, Size its length in bytes.
	Name() string
	Size() (int64, error)

	// ReadAt and WriteAt are calls of one proc, see io.ReaderAt and io.WriterAt.
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)

	// ReadAll and WriteAll move the pieces of this proc, of which there may be none, while the
	// other procs move theirs.
	ReadAll(pieces []Piece) error
	WriteAll(pieces []Piece) error

	// SetSize cuts the file or extends it by zeros. Sync returns when everything is on disk. Close
	// ends the use of the file.
	SetSize(size int64) error
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
	busy     atomic.Bool // a collective call is going on, perhaps in the background
	closed   atomic.Bool
	oneProc  sync.RWMutex // held shared by calls of one proc, exclusively by Close
}

// usable returns an error if the file cannot be read, or written.
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

// ReadAt reads by this proc alone, see File. The error wraps ErrClosed or ErrArgument, or is
// io.EOF.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.oneProc.RLock()
	defer f.oneProc.RUnlock()
	if err := f.usable(false); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, fmt.Errorf("%s: offset %d: %w: from 0", f.Name(), off, ErrArgument)
	}
	return f.RawFile.ReadAt(p, off)
}

// WriteAt writes by this proc alone, see File. The error wraps ErrClosed, fs.ErrPermission or
// ErrArgument.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	f.oneProc.RLock()
	defer f.oneProc.RUnlock()
	if err := f.usable(true); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, fmt.Errorf("%s: offset %d: %w: from 0", f.Name(), off, ErrArgument)
	}
	return f.RawFile.WriteAt(p, off)
}

// begin lets all procs agree to begin a collective call. If it returns nil, end must follow.
func (f *file) begin(what string, err error) error {
	if f.closed.Load() {
		return f.usable(false)
	}
	if !f.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: %s: %w", f.Name(), what, ErrBusy)
	}
	if err = f.c.Agree(what+" of "+f.Name(), err); err != nil {
		f.busy.Store(false)
	}
	return err
}

// end ends a collective call: all procs return the same error.
func (f *file) end(what string, err error) error {
	defer f.busy.Store(false)
	return f.c.Agree(what+" of "+f.Name()+": end", err)
}

// collective makes a collective call: begin, the part of this proc, end.
func (f *file) collective(what string, err error, part func() error) error {
	if err := f.begin(what, err); err != nil {
		return err
	}
	return f.end(what, part())
}

// ReadAll reads the pieces of all procs, see File.
func (f *file) ReadAll(pieces []Piece) error {
	return f.collective("read", f.checkRead(pieces), func() error { return f.RawFile.ReadAll(pieces) })
}

// WriteAll writes the pieces of all procs, see File.
func (f *file) WriteAll(pieces []Piece) error {
	return f.collective("write", f.checkWrite(pieces), func() error { return f.RawFile.WriteAll(pieces) })
}

// StartReadAll begins ReadAll, and does the part of this proc in the background, see File.
func (f *file) StartReadAll(pieces []Piece) (Request, error) {
	return f.start("read", f.checkRead(pieces), func() error { return f.RawFile.ReadAll(pieces) })
}

// StartWriteAll begins WriteAll, and does the part of this proc in the background, see File.
func (f *file) StartWriteAll(pieces []Piece) (Request, error) {
	return f.start("write", f.checkWrite(pieces), func() error { return f.RawFile.WriteAll(pieces) })
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

// SetSize cuts or lengthens the file, see File.
func (f *file) SetSize(size int64) error {
	err := f.usable(true)
	if err == nil && size < 0 {
		err = fmt.Errorf("%s: size %d: %w: from 0", f.Name(), size, ErrArgument)
	}
	return f.collective(fmt.Sprintf("set size %d", size), err, func() error { return f.RawFile.SetSize(size) })
}

// Sync makes durable what all procs have written, see File.
func (f *file) Sync() error { return f.collective("sync", nil, f.RawFile.Sync) }

// Close closes the file when no proc is in ReadAt or WriteAt any more, see File.
func (f *file) Close() error {
	return f.collective("close", nil, func() error {
		f.closed.Store(true)
		f.oneProc.Lock()
		defer f.oneProc.Unlock()
		return f.RawFile.Close()
	})
}

// A request is the part of this proc in a collective call, done in the background.
type request struct {
	f    *file
	what string
	done chan struct{}
	err  error // once done is closed
	over atomic.Bool
}

func (f *file) start(what string, err error, part func() error) (Request, error) {
	if err := f.begin(what, err); err != nil {
		return nil, err
	}
	r := &request{f: f, what: what, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = part()
	}()
	return r, nil
}

// Test reports whether this proc's part is done, see Request.
func (r *request) Test() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Wait ends the call together with all procs, see Request. A second one returns ErrClosed.
func (r *request) Wait() error {
	if r.over.Swap(true) {
		return fmt.Errorf("%s: %s in the background: %w: waited for already", r.f.Name(), r.what, ErrClosed)
	}
	<-r.done
	return r.f.end(r.what, r.err)
}
