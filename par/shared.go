package par

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"drx/internal/vfs"
	"drx/par/internal/call"
)

// OpenFile lets the first proc open the file for all, see Comm. Hints have no effect.
func (c *comm) OpenFile(name string, flag int, hints map[string]string) (File, error) {
	var opened *openFile
	what := fmt.Sprintf("open of %s with flag %#x and hints %q", name, flag, hints)
	err := c.collective(what, CheckFlag(flag), nil, func([]any) error {
		var f *openFile
		var err error
		if c.proc == 0 {
			f, err = c.w.open(name, flag)
		}
		all, err := c.meet(what+": opened", err, f)
		if err == nil {
			opened = all[0].(*openFile)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return NewFile(c, &sharedFile{opened, c.w, c.proc == 0}, flag&os.O_RDWR != 0), nil
}

// An openFile is what goroutine procs have in common of a file.
type openFile struct {
	vfs.File
	parts sync.RWMutex // held for reading by the parts of procs in collective calls
}

// open opens a file, to be closed at the end of the program if not before.
func (w *world) open(name string, flag int) (*openFile, error) {
	f, err := call.Open(w.fs, name, flag)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o := &openFile{File: f}
	w.files = append(w.files, o)
	return o, nil
}

// close closes a file and forgets it.
func (w *world) close(o *openFile) error {
	w.mu.Lock()
	w.files = slices.DeleteFunc(w.files, func(f *openFile) bool { return f == o })
	w.mu.Unlock()
	o.parts.Lock() // a program that has failed may end while there are parts in the background
	defer o.parts.Unlock()
	return o.File.Close()
}

// closeFiles closes what the program has left open, and returns the first error.
func (w *world) closeFiles() error {
	w.mu.Lock()
	files := slices.Clone(w.files)
	w.mu.Unlock()
	var first error
	for _, f := range files {
		if err := w.close(f); first == nil {
			first = err
		}
	}
	return first
}

// sharedFile is a file as one proc sees it; what happens once is up to the first.
type sharedFile struct {
	*openFile
	w     *world
	first bool
}

// ReadAll reads the pieces of this proc one by one. One that ends behind the file is io.ErrUnexpectedEOF.
func (f *sharedFile) ReadAll(pieces []Piece) error {
	f.parts.RLock()
	defer f.parts.RUnlock()
	for _, p := range pieces {
		if n, err := f.ReadAt(p.Data, p.Off); n < len(p.Data) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%s: read at offset %d: %w", f.Name(), p.Off, err)
		}
	}
	return nil
}

// WriteAll writes the pieces of this proc one by one.
func (f *sharedFile) WriteAll(pieces []Piece) error {
	f.parts.RLock()
	defer f.parts.RUnlock()
	for _, p := range pieces {
		if _, err := f.WriteAt(p.Data, p.Off); err != nil {
			return fmt.Errorf("%s: write at offset %d: %w", f.Name(), p.Off, err)
		}
	}
	return nil
}

// SetSize is done by the first proc.
func (f *sharedFile) SetSize(size int64) error {
	if !f.first {
		return nil
	}
	return f.Truncate(size)
}

// Sync is done by the first proc: all have one file.
func (f *sharedFile) Sync() error {
	if !f.first {
		return nil
	}
	return f.File.Sync()
}

// Close is done by the first proc, once no part of another goes on in the background.
func (f *sharedFile) Close() error {
	if !f.first {
		return nil
	}
	return f.w.close(f.openFile)
}
