package outfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"drx/internal/errkind"
	"drx/internal/vfs"
)

// A Resumed says what Resume has found, and what it has left.
type Resumed struct {
	Left int64 // bytes that an interrupted Resume of the same name had left
	Same int64 // bytes of these that were not written again: the first ones
	Kept bool  // after an error: another Resume goes on with what is there
}

// partialName returns the name of the hidden file in which Resume writes a file.
func partialName(name string) string {
	return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".partial")
}

// Resume is Replace for contents that write produces again, byte for byte, if it is called again.
// After an error or a kill what was written stays in a hidden file beside the new one. The next
// Resume compares it with what it writes, from the beginning, trusts nothing in it, and writes only
// what comes behind the part that is the same. RemovePartial removes it.
func Resume(name string, write func(io.Writer) error) (r Resumed, err error) {
	name, old, err := replaced(name)
	if err != nil {
		return r, err
	}
	if old != nil && !old.Mode().IsRegular() {
		return r, writeTo(name, os.O_WRONLY, nil, write)
	}
	f, left, err := openPartial(name, old)
	if err != nil {
		return r, err
	}
	defer f.Close() // after Sync there is nothing more to fail
	p := &partialFile{f: f, left: left, same: true}
	if err = write(p); err == nil {
		err = p.end()
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	r = Resumed{Left: left, Same: p.resumed}
	if err != nil {
		if r.Kept = max(p.at, left) > 0; !r.Kept {
			os.Remove(f.Name())
		}
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == f.Name() {
		path.Path = name // the name that the user knows
	}
	return r, err
}

// openPartial opens the hidden file for a new file, which will replace old unless that is nil, and
// locks it. left is its length. It must belong to this user alone, or to the owner of old.
func openPartial(name string, old fs.FileInfo) (f *os.File, left int64, err error) {
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = 0o600
	}
	for {
		f, err = os.OpenFile(partialName(name), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, perm)
		if err != nil {
			return nil, 0, err
		}
		now, err := lockPartial(f, name, old)
		if err == nil && now {
			break
		}
		if closeErr := f.Close(); err != nil || closeErr != nil {
			return nil, 0, errors.Join(err, closeErr)
		}
	}
	if old != nil {
		keepAccess(f, old)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// lockPartial locks the hidden file for name, and reports whether it has its name still, which
// another process that was just ready may have changed. The error wraps vfs.ErrLocked if another
// process writes it.
func lockPartial(f *os.File, name string, old fs.FileInfo) (now bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	own := int(stat.Uid) == os.Geteuid() || old != nil && stat.Uid == old.Sys().(*syscall.Stat_t).Uid
	if !info.Mode().IsRegular() || stat.Nlink > 1 || !own {
		return false, errkind.Errorf(fs.ErrExist, "%s is in the way, and not what an interrupted program of this user has left: remove it", f.Name())
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return false, errkind.Errorf(vfs.ErrLocked, "%s: another process is writing it", name)
	}
	named, err := os.Lstat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(info, named), err
}

// HasPartial reports whether an interrupted Resume has left something of a file.
func HasPartial(name string) bool {
	info, err := os.Lstat(partialName(name))
	return err == nil && info.Mode().IsRegular()
}

// RemovePartial removes what an interrupted Resume has left of a file. The error wraps
// vfs.ErrLocked if a process is writing it.
func RemovePartial(name string) error {
	f, _, err := openPartial(name, nil)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(f.Name()), f.Close())
}

// A partialFile is the hidden file of a Resume, which writes it from the beginning.
type partialFile struct {
	f       *os.File
	at      int64 // what was written so far
	left    int64 // length of what was there
	same    bool  // so far all is as it was there
	resumed int64 // bytes that were there and are the same
	buf     []byte
}

// Write implements io.Writer.
func (p *partialFile) Write(b []byte) (int, error) {
	n := 0
	if p.same && p.at < p.left {
		var err error
		if n, err = p.compare(b[:min(int64(len(b)), p.left-p.at)]); err != nil {
			return 0, err
		}
	}
	if n == len(b) {
		return n, nil
	}
	k, err := p.f.WriteAt(b[n:], p.at)
	p.at += int64(k)
	return n + k, err
}

// compare returns how many of the bytes are there already. If not all are, it cuts off the rest.
func (p *partialFile) compare(b []byte) (n int, err error) {
	if len(p.buf) < len(b) {
		p.buf = make([]byte, len(b))
	}
	there := p.buf[:len(b)]
	if _, err := p.f.ReadAt(there, p.at); err != nil {
		return 0, fmt.Errorf("%s: what was left cannot be read: %w", p.f.Name(), err)
	}
	if n = len(b); !bytes.Equal(there, b) {
		for n = 0; there[n] == b[n]; n++ {
			continue
		}
		p.same = false
	}
	p.at, p.resumed = p.at+int64(n), p.resumed+int64(n)
	if !p.same {
		err = p.f.Truncate(p.at)
	}
	return n, err
}

// end cuts off what was there behind the new contents, and makes them durable.
func (p *partialFile) end() error {
	if p.same && p.at < p.left {
		if err := p.f.Truncate(p.at); err != nil {
			return err
		}
	}
	return p.f.Sync()
}
