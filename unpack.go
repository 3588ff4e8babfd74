package drx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/pack"
	"drx/internal/vfs"
)

// An Unpacker unpacks the arrays of a stream one by one.
type Unpacker struct {
	r       *pack.Reader
	next    pack.Array
	fs      vfs.FS
	made    map[string]bool // the arrays that were unpacked
	resumed int64
	kept    bool
}

// NewUnpacker reads the beginning of a stream. Its errors, and those of the methods, wrap
// ErrCorrupt if the data are no stream, or a modified or incomplete one, and say where; ErrVersion
// for an unknown version; or are the io.Reader's.
func NewUnpacker(r io.Reader) (*Unpacker, error) {
	p, err := pack.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return &Unpacker{r: p, fs: fileset.OS(), made: map[string]bool{}}, nil
}

// Name returns the name of the contents of the stream, without a folder, and whether they are a
// dataset or another collection of several arrays.
func (u *Unpacker) Name() (name string, several bool) { return u.r.Head().Name, u.r.Head().Several }

// Next returns the name of the next array, relative to the dataset and with slashes, for Unpack.
// The error is io.EOF after the last array, which proves that the stream was complete. A name
// neither begins nor ends with a slash, and has no element that is empty, "." or "..".
func (u *Unpacker) Next() (name string, err error) {
	if u.next, err = u.r.Array(); err != nil && err != io.EOF { //nolint:errorlint // io.EOF is not wrapped
		u.kept = len(u.made) > 0 && errors.Is(err, pack.ErrCut)
		err = fmt.Errorf("unpack: %w", err)
	}
	return u.next.Name, err
}

// Unpack creates the array that Next has found under the name to, in one file if that ends in .drx
// and in several files otherwise. The array appears when it was completely read and verified, and
// the data after it in the stream were found. If Unpack fails or is interrupted, there is no new
// array, unless all of it was already durable. The new files grant no permission that the log of
// the packed array did not grant.
//
// Unless the stream was wrong, what was written stays, under other names (see Kept), and another
// Unpack to the same name goes on with it: it compares that with its stream from the beginning, and
// writes only what differs. Remove removes it.
//
// The error is one of those of the stream, of CopyFiles for the new name, or ctx's.
func (u *Unpacker) Unpack(ctx context.Context, to string) error {
	to = fileset.NewName(u.fs, BaseName(to))
	err := fileset.CheckName(to)
	if err == nil {
		var resumed int64
		resumed, u.kept, err = fileset.Unpack(ctx, u.fs, to, u.next, u.r)
		u.resumed += resumed
	}
	if err != nil {
		return errkind.Doing(to, "unpack", err)
	}
	u.made[to] = true
	return nil
}

// UnpackAgain is Unpack into a folder that nobody uses yet, where an interrupted Unpack may have
// completed the array: it is not trusted, but compared with the stream.
func (u *Unpacker) UnpackAgain(ctx context.Context, to string) error {
	name := fileset.NewName(u.fs, BaseName(to))
	if err := fileset.Unfinish(u.fs, name); err != nil {
		return errkind.Doing(name, "unpack", err)
	}
	return u.Unpack(ctx, to)
}

// Resumed returns the number of bytes that interrupted Unpacks had left and that were not written
// again.
func (u *Unpacker) Resumed() int64 { return u.resumed }

// Kept reports whether the last Unpack or Next, which has failed, has left arrays or files with
// which another attempt goes on.
func (u *Unpacker) Kept() bool { return u.kept }

// RemoveOthers removes the files in a folder, or in a file with several arrays, that belong to no
// unpacked array: interrupted Unpacks of other streams have left them. It also removes subfolders
// without files. The error is the file system's.
func (u *Unpacker) RemoveOthers(folder string) error {
	_, err := u.removeOthers(folder)
	return err
}

// removeOthers is RemoveOthers, and reports whether nothing is left in the folder.
func (u *Unpacker) removeOthers(folder string) (empty bool, err error) {
	files, folders, err := u.fs.List(folder)
	if err != nil {
		return false, err
	}
	left := len(files) + len(folders)
	for _, file := range files {
		name := filepath.Join(folder, file)
		if u.made[fileset.BaseName(name)] {
			continue
		}
		if err := u.fs.Remove(name); err != nil {
			return false, err
		}
		left--
	}
	for _, sub := range folders {
		name := filepath.Join(folder, sub)
		empty, err := u.removeOthers(name)
		if err != nil {
			return false, err
		}
		if !empty {
			continue
		}
		if err := u.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err // folders in a file, or in memory, are there only with files
		}
		left--
	}
	return left == 0, nil
}
