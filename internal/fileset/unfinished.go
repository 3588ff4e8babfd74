package fileset

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"drx/internal/errkind"
	"drx/internal/vfs"
)

// unmarkConversion removes the mark of a conversion, durably.
func unmarkConversion(fsys vfs.FS, name string) error {
	if err := removeIfExists(fsys, conversionMark(name)); err != nil {
		return err
	}
	return syncDir(fsys, name)
}

// isConverted reports whether an array, which exists, replaces the array with the same name in the
// other form.
func isConverted(fsys vfs.FS, name string) (bool, error) {
	mark, err := identityOf(fsys, conversionMark(name))
	return mark != nil, err
}

// Converted reports whether the named array exists and replaces the array with the same name in the
// other form, whose files may still exist. The next writer removes these.
func Converted(fsys vfs.FS, name string) (bool, error) {
	if marked, err := isConverted(fsys, name); err != nil || !marked {
		return false, err
	}
	return Exists(fsys, name)
}

// finishConversion completes or undoes an interrupted Convert of the named array from or to this
// form. The caller has locked its files.
func finishConversion(fsys vfs.FS, name string) error {
	other := OtherForm(name)
	if marked, err := isConverted(fsys, other); err != nil {
		return err
	} else if marked {
		if err := undoConversion(fsys, name, other); err != nil {
			return err
		}
	}
	if converted, err := Converted(fsys, name); err != nil || !converted {
		return err
	}
	return completeConversion(fsys, other, name)
}

// undoConversion removes the files of a Convert that was interrupted before its copy counted.
func undoConversion(fsys vfs.FS, from, to string) error {
	if exists, err := Exists(fsys, to); err != nil {
		return err
	} else if exists {
		return errkind.Errorf(fs.ErrInvalid, "%s has become %s: use that name", Log(from), Log(to))
	}
	if err := RemoveNew(fsys, to); err != nil {
		return err
	}
	for _, ext := range exts(to) {
		if _, err := removeBlank(fsys, to+ext); err != nil {
			return err
		}
	}
	return unmarkConversion(fsys, to)
}

// completeConversion removes an array that was replaced by its other form. If the two are not the
// same array the mark is wrong, and nothing is removed.
func completeConversion(fsys vfs.FS, from, to string) error {
	if err := syncDir(fsys, to); err != nil { // the copy must count durably
		return err
	}
	same, err := sameLogs(fsys, from, to)
	if err != nil {
		return err
	}
	if !same {
		return errkind.Errorf(fs.ErrExist, "%s is not the array that %s was before: rename one of them, and remove %s", Log(from), Log(to), conversionMark(to))
	}
	if err := remove(fsys, from, func() error { return nil }); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return unmarkConversion(fsys, to)
}

// sameLogs reports whether the logs of two arrays have the same bytes, or there is no log from.
func sameLogs(fsys vfs.FS, from, to string) (bool, error) {
	one, err := vfs.IfExists(openSet(fsys, from, false, emptySubstitute))
	if one == nil || err != nil {
		return err == nil, err
	}
	defer one.close()
	other, err := openSet(fsys, to, false, emptySubstitute)
	if err != nil {
		return false, err
	}
	defer other.close()
	return sameBytes(one.files.Log, other.files.Log)
}

// comparePiece is how many bytes are compared at a time.
const comparePiece = 64 << 10

// sameBytes reports whether two files have the same bytes.
func sameBytes(one, other vfs.File) (bool, error) {
	size, err := one.Size()
	if err != nil {
		return false, err
	}
	if n, err := other.Size(); err != nil || n != size {
		return false, err
	}
	return sameRange(one, other, size)
}

// sameRange reports whether the first size bytes of two files are equal. Bytes beyond the end of a
// file count as zeros.
func sameRange(one, other vfs.File, size int64) (bool, error) {
	var bufs [2][]byte
	for i := range bufs {
		bufs[i] = make([]byte, min(size, comparePiece))
	}
	for off := int64(0); off < size; off += comparePiece {
		n := min(size-off, comparePiece)
		for i, f := range []vfs.File{one, other} {
			read, err := f.ReadAt(bufs[i][:n], off)
			if err != nil && !errors.Is(err, io.EOF) {
				return false, err
			}
			clear(bufs[i][read:n])
		}
		if !bytes.Equal(bufs[0][:n], bufs[1][:n]) {
			return false, nil
		}
	}
	return true, nil
}
