package fileset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/vfs"
)

// Convert gives an array its other form, under its name in that form, c.To. The steps are:
//
//	mark     create the mark of the conversion, durably
//	claim    create empty files with the new name
//	copy     copy the files, as Copy does; once the copy counts, it replaces the array
//	remove   remove the files of the array in the old form, the log first
//	unmark   remove the mark of the conversion
//
// So at any moment the name without extension leads to the whole array, see Resolve. An interrupted
// Convert is undone or completed by the next writer. The error is one of those of Copy, or wraps
// fs.ErrInvalid if the principal array is a symbolic link. After an error the array has its old
// form, unless the copy counted already.
func (c *CopyJob) Convert(ctx context.Context) error {
	link, err := DataLink(c.FS, c.From)
	if err != nil {
		return err
	}
	if link != nil {
		return errkind.Errorf(fs.ErrInvalid, "%s is a symbolic link to %s, which would be left over: copy the array, then remove it", link.Name, link.Target)
	}
	if err := mustNotBeArray(c.FS, c.To); err != nil {
		return err
	}
	if err := c.markConversion(); err != nil {
		return err
	}
	made := false
	claimed, err := claim(c.FS, c.To, &c.Access)
	if err == nil {
		made, err = c.run(ctx)
	}
	if !made {
		c.discard()
		Discard(c.FS, claimed)
		_ = unmarkConversion(c.FS, c.To) // if it remains, the next writer removes it
		return err
	}
	if err == nil {
		if err = RemoveLocked(c.FS, c.From); err == nil {
			err = unmarkConversion(c.FS, c.To)
		}
	}
	c.close() // after that others may write to the array
	claimed.Close()
	return err
}

// openOtherForm opens the files and creates the new ones for a copy in the other form.
func (c *CopyJob) openOtherForm() error {
	from, written, err := c.openParts()
	if err != nil {
		return err
	}
	return c.createParts(written, from[0].size, from)
}

// openParts opens the files of the array as parts, without the bytes beyond the last chunk that was
// written. written is the number of that chunk plus 1.
func (c *CopyJob) openParts() (parts []part, written int64, err error) {
	from, err := c.openAll()
	if err != nil {
		return nil, 0, err
	}
	c.sources = from.all()
	if written, err = writtenChunks(from, c.Chunks.Count); err != nil {
		return nil, 0, err
	}
	log, err := from.Log.Size()
	if err != nil {
		return nil, 0, err
	}
	data := int64(0)
	if written > 0 {
		data = (written-1)*c.Chunks.Slot + c.Chunks.Bytes
	}
	return []part{
		{nil, from.Log, log},
		{nil, from.Data, data},
		{nil, from.Table, written * chunktable.EntrySize},
		{nil, from.Presence, chunktable.PresenceHead + written},
	}, written, nil
}

// createParts creates the new files for the written chunks and a log of log bytes, and makes them
// the targets of parts, which are in the order of openParts.
func (c *CopyJob) createParts(written, log int64, parts []part) (err error) {
	if c.files, err = createFiles(c.FS, c.To, NewExt, &c.Access); err != nil {
		return err
	}
	// The end of the copy makes all of it durable.
	if err := c.files.Format(c.Chunks.Slot, c.Chunks.Align, true); err != nil {
		return err
	}
	if c.files.container != nil {
		if err := c.files.container.Preallocate(written, log); err != nil {
			return err
		}
	}
	c.setTargets(parts)
	return nil
}

// setTargets makes the new files the targets of parts.
func (c *CopyJob) setTargets(parts []part) {
	for i := range parts {
		parts[i].to = *c.files.file(i)
	}
	c.parts = parts
}

// openAll opens the files, with the presence map, for reading.
func (c *CopyJob) openAll() (files Files, err error) {
	if OneFile(c.From) {
		return openInOne(c.FS, c.From, false)
	}
	for i, ext := range mainExts {
		if *files.file(i), err = c.FS.Open(c.From+ext, false); err != nil {
			*files.file(i) = nil
			files.Close()
			return Files{}, err
		}
	}
	return files, nil
}

// writtenChunks returns the number of the last written chunk plus 1, at most count.
func writtenChunks(files Files, count int64) (int64, error) {
	table, err := lastNonzero(files.Table, count*chunktable.EntrySize)
	if err != nil {
		return 0, err
	}
	// A chunk whose entry was lost has a presence byte.
	presence, err := lastNonzero(files.Presence, chunktable.PresenceHead+count)
	return max(0, (table+chunktable.EntrySize)/chunktable.EntrySize, presence-chunktable.PresenceHead+1), err
}

// lastNonzero returns the offset of the last byte that is not zero among the first size bytes of a
// file, -1 if there is none.
func lastNonzero(file vfs.File, size int64) (last int64, err error) {
	last = -1
	buf := make([]byte, copyBuffer)
	err = eachData(file, size, func(off, n int64) error {
		for end := off + n; off < end; off += copyBuffer {
			piece := buf[:min(copyBuffer, end-off)]
			read, err := file.ReadAt(piece, off)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if used := bytes.TrimRight(piece[:read], "\x00"); len(used) > 0 {
				last = off + int64(len(used)) - 1
			}
		}
		return nil
	})
	return last, err
}

// markConversion creates the mark of the conversion, durably.
func (c *CopyJob) markConversion() error {
	mark, err := c.FS.CreateAs(conversionMark(c.To), c.Access)
	if err != nil {
		return err
	}
	if err := mark.Close(); err != nil {
		return err
	}
	return syncDir(c.FS, c.To)
}
