package par

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"drx/internal/vfs"
	"drx/parallel/internal/call"
)

// OpenFile opens the file on the first proc, for all procs, see Comm. Hints have no effect.
func (c *comm) OpenFile(name string, flag int, hints map[string]string) (File, error) {
	var opened *openFile
	what := fmt.Sprintf("open of %s with flag %#x and hints %q", name, flag, hints)
	err := c.collective(what, CheckFlag(flag), nil, func([]any) error {
		var f *openFile
		var err error
		if c.proc == 0 {
			f, err = c.w.open(name, flag)
		}
		all, err := c.exchange(what+": opened", err, f)
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

// An openFile is the file that all goroutine procs share.
type openFile struct {
	vfs.File
	parts sync.RWMutex // held shared by the parts of procs in collective calls
}

// open opens a file. The end of the program closes it unless it is closed before.
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

// close closes a file and removes it from the list of open ones.
func (w *world) close(o *openFile) error {
	w.mu.Lock()
	w.files = slices.DeleteFunc(w.files, func(f *openFile) bool { return f == o })
	w.mu.Unlock()
	o.parts.Lock() // after a failure parts may still run in the background
	defer o.parts.Unlock()
	return o.File.Close()
}

// closeFiles closes the files that the program has left open, and returns the first error.
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

// A sharedFile is one proc's view of an openFile. The first proc does what must happen once.
type sharedFile struct {
	*openFile
	w     *world
	first bool
}

// ReadAll reads the pieces of this proc one by one. It returns io.ErrUnexpectedEOF if a piece ends
// beyond the end.
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

// Sync syncs the file, on the first proc.
func (f *sharedFile) Sync() error {
	if !f.first {
		return nil
	}
	return f.File.Sync()
}

// Close closes the file, on the first proc, when no part of another proc is running.
func (f *sharedFile) Close() error {
	if !f.first {
		return nil
	}
	return f.w.close(f.openFile)
}
