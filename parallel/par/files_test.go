package par

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"drx/internal/vfs"
)

// watched is a file system that counts its open files, and delays writes until the channel is
// closed.
type watched struct {
	vfs.FS
	open    atomic.Int64
	writing chan struct{}
	begun   atomic.Int64 // writes
	written atomic.Int64
}

func (w *watched) Create(name string) (vfs.File, error) { return w.count(w.FS.Create(name)) }

func (w *watched) Open(name string, write bool) (vfs.File, error) {
	return w.count(w.FS.Open(name, write))
}

func (w *watched) count(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	w.open.Add(1)
	return watchedFile{f, w}, nil
}

type watchedFile struct {
	vfs.File
	w *watched
}

func (f watchedFile) WriteAt(p []byte, off int64) (int, error) {
	f.w.begun.Add(1)
	<-f.w.writing
	n, err := f.File.WriteAt(p, off)
	f.w.written.Add(1)
	return n, err
}

func (f watchedFile) Close() error {
	f.w.open.Add(-1)
	return errors.Join(f.File.Close(), errDisk)
}

// TestFilesLeftOpen: the end of the program closes them, whether it has failed or not.
func TestFilesLeftOpen(t *testing.T) {
	for _, want := range []error{nil, errDisk} {
		files := &watched{FS: vfs.NewMem()}
		failed := errors.New("failed")
		err := (&world{fs: files}).run(3, func(c Comm) error {
			for i := range 3 {
				f, err := c.OpenFile(fmt.Sprint(i), rdwr|create, nil)
				if err != nil {
					return err
				}
				if i == 1 {
					if err := f.Close(); !errors.Is(err, errDisk) {
						return fmt.Errorf("close: %w", err)
					}
				}
			}
			if want == nil && c.Proc() == 2 {
				return failed
			}
			return nil
		})
		if want == nil {
			want = failed // this error takes precedence over that of closing
		}
		if !errors.Is(err, want) || files.open.Load() != 0 {
			t.Errorf("%d files open: got %v, want %v", files.open.Load(), err, want)
		}
	}
}

// TestFailedInBackground: a program that has failed does not end before its background calls, which
// use its buffers.
func TestFailedInBackground(t *testing.T) {
	files := &watched{FS: vfs.NewMem(), writing: make(chan struct{})}
	ended := make(chan error)
	go func() {
		ended <- (&world{fs: files}).run(2, func(c Comm) error {
			f, err := c.OpenFile("a", rdwr|create, nil)
			if err != nil {
				return err
			}
			go func() { _ = f.WriteAll([]Piece{{int64(c.Proc()), []byte{1}}}) }()
			for files.begun.Load() < 2 {
				time.Sleep(time.Millisecond)
			}
			return errors.New("failed")
		})
	}()
	select {
	case err := <-ended:
		t.Fatal("ended in the middle of a write: ", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(files.writing)
	if err := <-ended; err == nil || files.written.Load() != 2 || files.open.Load() != 0 {
		t.Errorf("%d writes, %d files open, %v", files.written.Load(), files.open.Load(), err)
	}
}
