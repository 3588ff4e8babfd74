package fileset

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"drx/internal/vfs"
)

const (
	copyPiece  = 16 << 20 // bytes that are copied between two looks at the context
	copyBuffer = 1 << 20
)

// Copy copies the files of an array to other names, where there is no array. The caller holds the locks of a writer,
// and the journal is empty. access is the mode and owner of the new files. progress gets the number of bytes
// copied so far, and of all. Copy does these steps:
//
//	claim    create empty files with the new names, so that nobody else creates an array there
//	copy     copy the files to names in .new, the log last, and make them durable; holes stay holes
//	mark     create the mark, which makes them count, and rename them, as Compact does
//
// An interrupted Copy leaves empty files, files that do not count, or the whole new array, which the next writer
// completes; the first two do not prevent the next Copy. The error wraps fs.ErrExist if a file with one of the new
// names exists, or is ctx's or the file system's. After an error none of the new files exists, unless all were
// durable already.
func Copy(ctx context.Context, fsys vfs.FS, from, to string, access vfs.Access, progress func(done, total int64)) error {
	claimed, err := Claim(fsys, to, &access)
	if err != nil {
		return err
	}
	c := &copying{ctx: ctx, fsys: fsys, from: from, to: to, progress: progress}
	if err = RemoveNew(fsys, to); err == nil {
		c.files, err = CreateNew(fsys, to, &access)
	}
	made := false
	if err == nil {
		made, err = c.run()
	}
	if made {
		c.files.Close()
		claimed.Close()
		return err
	}
	Discard(fsys, c.files)
	Discard(fsys, claimed)
	return err
}

// A copying is a Copy in progress.
type copying struct {
	ctx         context.Context
	fsys        vfs.FS
	from, to    string
	files       Files // the new files
	sources     [len(mainExts)]vfs.File
	progress    func(done, total int64)
	done, total int64
}

// run copies the files and makes them count. It reports whether they count, which is possible after an error, too.
func (c *copying) run() (made bool, err error) {
	defer func() {
		for _, f := range c.sources {
			if f != nil {
				_ = f.Close()
			}
		}
	}()
	if err := c.openSources(); err != nil {
		return false, err
	}
	buf := make([]byte, copyBuffer)
	for i := len(mainExts) - 1; i >= 0; i-- { // the log is the first
		if c.sources[i] == nil {
			continue
		}
		if err := c.copyFile(*c.files.file(i), c.sources[i], buf); err != nil {
			return false, err
		}
	}
	if err := syncDir(c.fsys, c.to); err != nil {
		return false, err
	}
	if err := MarkNew(c.fsys, c.to, c.files.Log); err != nil {
		return Unmark(c.fsys, c.to) != nil, err
	}
	return true, PutInPlace(c.fsys, c.to)
}

// openSources opens the files and counts their bytes, without holes.
func (c *copying) openSources() error {
	for i, ext := range mainExts {
		f, err := c.fsys.Open(c.from+ext, false)
		if errors.Is(err, fs.ErrNotExist) && ext == PresenceExt {
			continue // an array of version 1 has none
		}
		if err != nil {
			return err
		}
		c.sources[i] = f
		err = eachData(f, func(off, n int64) error {
			c.total += n
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies one file and makes it durable.
func (c *copying) copyFile(to, from vfs.File, buf []byte) error {
	err := eachData(from, func(off, n int64) error {
		for end := off + n; off < end; off += copyPiece {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			piece := min(copyPiece, end-off)
			if err := vfs.CopyRange(to, from, off, piece, buf); err != nil {
				return err
			}
			if c.done += piece; c.progress != nil {
				c.progress(c.done, c.total)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	size, err := from.Size()
	if err == nil {
		err = to.Truncate(size) // a hole may be at the end
	}
	if err != nil {
		return err
	}
	return to.Sync()
}

// eachData calls f for each range of a file that is no hole.
func eachData(file vfs.File, f func(off, n int64) error) error {
	size, err := file.Size()
	for end := int64(0); err == nil && end < size; {
		var off int64
		if off, end, err = file.Data(end); err == nil && off < size {
			end = min(end, size)
			err = f(off, end-off)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}
