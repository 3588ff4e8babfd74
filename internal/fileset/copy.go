package fileset

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"drx/internal/pack"
	"drx/internal/vfs"
)

const (
	copyPiece  = 16 << 20 // bytes copied between two checks of the context
	copyBuffer = 1 << 20
)

// A CopyJob copies the files of an array, in the same form or in the other one, or packs or unpacks
// them. The caller holds the locks of a writer on the array, and the journal is empty.
type CopyJob struct {
	FS       vfs.FS
	From, To string       // the names of the array and of the copy
	Packed   *pack.Reader // unless it is nil, Copy reads the parts from it, see unpack
	Access   vfs.Access   // mode and owner of the new files
	Chunks   Chunks
	Progress func(done, total int64) // gets the bytes copied so far and the total; may be nil

	parts       []part
	sources     []vfs.File // to close
	files       Files      // the new files of a copy in the other form
	raw         []vfs.File // the new files of a copy in the same form, as they are in the folder
	done, total int64
	written     int64 // chunks of what is unpacked

	claimed Files  // the empty files with the new names
	left    bool   // an interrupted Unpack has left the new files
	resumed int64  // bytes in them that were there already
	kept    bool   // they stay after an error
	buf     []byte // to compare with
}

// Chunks says how the chunks of an array lie in its principal array.
type Chunks struct {
	Slot  int64 // bytes from one chunk to the next
	Bytes int64 // of a chunk
	Align int   // chunks begin at multiples of this number of bytes
	Count int64 // how many there are, written or not
}

// A part is a file that is copied, or what would be one in an array in one file.
type part struct {
	to, from vfs.File
	size     int64 // bytes
}

// Copy copies the files of an array to another name, which has no array. The steps are:
//
//	claim    create empty files with the new names, so that nobody else creates an array there
//	copy     copy the files to names in .new, the log last, and make them durable; holes stay holes
//	mark     create the mark, which makes them count, and rename them, as Compact does
//
// An interrupted Copy leaves empty files, files that do not count, or the whole new array, which
// the next writer completes; the first two do not prevent the next Copy. The error wraps
// fs.ErrExist if a file with one of the new names exists, or is ctx's or the file system's. After
// an error none of the new files exists, unless all were durable already.
func (c *CopyJob) Copy(ctx context.Context) error {
	var err error
	if c.claimed, err = Claim(c.FS, c.To, &c.Access); err != nil {
		return err
	}
	made, err := c.run(ctx)
	switch {
	case made:
		c.close()
		c.claimed.Close()
		return err
	case c.keeps(err):
		c.kept = len(c.parts) > 0
		c.close()
	default:
		c.discard()
	}
	Discard(c.FS, c.claimed)
	return err
}

// run copies the files and makes them count. It reports whether they count, which is possible after
// an error, too.
func (c *CopyJob) run(ctx context.Context) (made bool, err error) {
	fill := c.copyParts
	if c.Packed != nil {
		fill = c.unpack
	} else if err := RemoveNew(c.FS, c.To); err != nil {
		return false, err
	}
	if err := fill(ctx); err != nil {
		return false, err
	}
	if err := c.sync(); err != nil {
		return false, err
	}
	if err := MarkNew(c.FS, c.To, c.parts[0].to); err != nil {
		return Unmark(c.FS, c.To) != nil, err
	}
	return true, PutInPlace(c.FS, c.To)
}

// copyParts copies the files to new ones.
func (c *CopyJob) copyParts(ctx context.Context) error {
	if err := c.open(); err != nil {
		return err
	}
	if err := c.count(); err != nil {
		return err
	}
	buf := make([]byte, copyBuffer)
	for i := len(c.parts) - 1; i >= 0; i-- { // the log is the first
		if err := c.copyPart(ctx, c.parts[i], buf); err != nil {
			return err
		}
	}
	return nil
}

// open opens the files and creates the new ones.
func (c *CopyJob) open() error {
	if OneFile(c.From) != OneFile(c.To) || c.ofMember() {
		return c.openOtherForm()
	}
	var err error
	if c.raw, err = createRaw(c.FS, c.To, NewExt, &c.Access); err != nil {
		return err
	}
	for i, ext := range exts(c.From) {
		from, err := c.FS.Open(c.From+ext, false)
		if errors.Is(err, fs.ErrNotExist) && ext == PresenceExt {
			continue // an array of version 1 has none
		}
		if err != nil {
			return err
		}
		c.sources = append(c.sources, from)
		size, err := from.Size()
		if err != nil {
			return err
		}
		c.parts = append(c.parts, part{c.raw[i], from, size})
	}
	return nil
}

// ofMember reports whether the array or its copy is one of several in a file, which is not copied
// as a file then.
func (c *CopyJob) ofMember() bool {
	_, from := Container(c.FS, c.From)
	_, to := Container(c.FS, c.To)
	return from || to
}

// count counts the bytes of the parts, without holes.
func (c *CopyJob) count() error {
	for _, p := range c.parts {
		err := eachData(p.from, p.size, func(_, n int64) error {
			c.total += n
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyPart copies one part.
func (c *CopyJob) copyPart(ctx context.Context, p part, buf []byte) error {
	return eachData(p.from, p.size, func(off, n int64) error {
		for end := off + n; off < end; off += copyPiece {
			if err := ctx.Err(); err != nil {
				return err
			}
			piece := min(copyPiece, end-off)
			if err := vfs.CopyRange(p.to, p.from, off, piece, buf); err != nil {
				return err
			}
			if c.done += piece; c.Progress != nil {
				c.Progress(c.done, c.total)
			}
		}
		return nil
	})
}

// sync makes the new files durable, with their names.
func (c *CopyJob) sync() error {
	files := []vfs.File{}
	if c.files.container != nil {
		files = append(files, c.files.container.File())
	} else {
		for _, p := range c.parts {
			if err := p.to.Truncate(p.size); err != nil { // a hole may be at the end
				return err
			}
			files = append(files, p.to)
		}
	}
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return syncDir(c.FS, c.To)
}

// discard removes the new files.
func (c *CopyJob) discard() {
	Discard(c.FS, c.files)
	discard(c.FS, c.raw)
	c.files, c.raw = Files{}, nil
	c.close()
}

// close closes the files, which releases the locks.
func (c *CopyJob) close() {
	for _, f := range append(c.sources, c.raw...) {
		_ = f.Close()
	}
	c.files.Close()
	c.sources, c.raw, c.files = nil, nil, Files{}
}

// eachData calls f for each range of the first size bytes of a file that is no hole.
func eachData(file vfs.File, size int64, f func(off, n int64) error) error {
	for end := int64(0); end < size; {
		off, to, err := file.Data(end)
		if errors.Is(err, io.EOF) || err == nil && off >= size {
			return nil
		}
		if err != nil {
			return err
		}
		if end = min(to, size); end > off {
			if err := f(off, end-off); err != nil {
				return err
			}
		}
	}
	return nil
}
