package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"drx/cmd/internal/result"
	"drx/internal/wording"
)

// printJSON writes a value as one line of JSON that is safe to print.
func printJSON(w io.Writer, v any) error { return result.Print(w, v) }

// byteSize formats a number of bytes for people: 1.5 MiB.
func byteSize(n int64) string { return wording.Bytes(n) }

// replaceFile writes a file under a temporary name in the same folder and then renames it, so that after
// an error the old file is unchanged. It keeps the mode, the group and the owner of the old file as far as
// the process is allowed to. A file that is not regular, such as a device or a pipe, is written directly.
func replaceFile(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	if err == nil {
		if !info.Mode().IsRegular() {
			return writeTo(name, os.O_WRONLY, nil, write)
		}
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	// The name is random, because a process that was killed may have left a temporary file.
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%s", filepath.Base(name), rand.Text()[:10]))
	err = writeTo(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info, func(w io.Writer) error {
		temporary.add(temp)
		return write(w)
	})
	defer temporary.done(temp)
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		os.Remove(temp)
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == temp {
		path.Path = name // the name that the user knows
	}
	return err
}

// writeTo opens a file, writes it and syncs it if it is a regular file. If it is to replace an old file
// (nil for none), only the owner can access it until it gets the old file's mode.
func writeTo(name string, flags int, old fs.FileInfo, write func(io.Writer) error) error {
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = 0o600
	}
	f, err := os.OpenFile(name, flags, perm)
	if err != nil {
		return err
	}
	if old != nil {
		keepAccess(f, old)
	}
	err = write(f)
	if info, statErr := f.Stat(); err == nil && statErr == nil && info.Mode()&fs.ModeType == 0 {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// keepAccess gives a new file the owner, the group and the mode of an old one, as far as the process is
// allowed to. If the group cannot be set, the new group gets no more permissions than everybody.
func keepAccess(f *os.File, old fs.FileInfo) {
	mode := old.Mode().Perm()
	stat := old.Sys().(*syscall.Stat_t)
	if f.Chown(int(stat.Uid), int(stat.Gid)) != nil && f.Chown(-1, int(stat.Gid)) != nil {
		mode = mode&^0o070 | mode&(mode<<3)&0o070
	}
	_ = f.Chmod(mode) // on failure the file stays accessible to the owner only
}
