package fileset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"

	"drx/internal/errkind"
	"drx/internal/metalog"
	"drx/internal/onefile"
	"drx/internal/pack"
	"drx/internal/state"
	"drx/internal/vfs"
)

// Unpack creates the next array of a stream with the name "to", which has no array. It takes effect
// as Copy does, after the parts are complete and agree with each other. For a stream with one
// array, it also checks the end of the stream. The error is that of Copy or of the stream.
//
// If the stream ends too early, the disk is full or ctx is done, the new files stay, without
// counting, and the next Unpack to the same name resumes with them. It does not trust them: it
// compares them with the stream, writes only differing bytes, and returns the number of bytes that
// were already right, and whether an error has left such files. So they may be of another stream,
// and may have lost anything in a crash. An invalid stream leaves no files.
func Unpack(ctx context.Context, fsys vfs.FS, to string, a pack.Array, r *pack.Reader) (resumed int64, kept bool, err error) {
	c := &CopyJob{
		FS: fsys, To: to, Packed: r, written: a.Written,
		// The group is another one on another machine.
		Access: vfs.Access{Mode: fs.FileMode(a.Mode).Perm(), UID: -1, GID: -1, Limit: true},
		Chunks: Chunks{Slot: a.Slot, Bytes: a.Chunk, Align: a.Align, Count: a.Chunks},
	}
	err = c.Copy(ctx)
	return c.resumed, c.kept, err
}

// keeps reports whether the new files stay after an error, for the next Unpack.
func (c *CopyJob) keeps(err error) bool {
	return c.Packed != nil && (!errors.Is(err, state.ErrCorrupt) || errors.Is(err, pack.ErrCut))
}

// unpack fills the new files from a stream.
func (c *CopyJob) unpack(ctx context.Context) error {
	parts := make([]part, pack.Parts)
	for i := range parts {
		size := c.Packed.Size()
		if parts[i].size = size; i == 0 {
			if err := c.createOrReopen(size, parts); err != nil {
				return err
			}
		}
		if err := c.unpackPart(ctx, parts[i]); err != nil {
			return err
		}
	}
	return c.checkUnpacked()
}

// createOrReopen creates the new files, for a log of log bytes, or opens those of an interrupted
// Unpack. They become the targets of parts.
func (c *CopyJob) createOrReopen(log int64, parts []part) error {
	files, err := c.reopen(log)
	if err != nil {
		return err
	}
	if c.left = files.Log != nil; c.left {
		c.files = files
		c.setTargets(parts)
		return nil
	}
	if err := RemoveNew(c.FS, c.To); err != nil {
		return err
	}
	return c.createParts(c.written, log, parts)
}

// reopen opens and locks the new files of an interrupted Unpack. It returns none if they are
// incomplete, belong to another user, or have another layout.
func (c *CopyJob) reopen(log int64) (files Files, err error) {
	var raw []vfs.File
	for _, ext := range exts(c.To) {
		f, err := c.FS.OpenNoFollow(c.To+ext+NewExt, true)
		if err != nil {
			break // if it exists, it is not ours; createParts reports that
		}
		raw = append(raw, f)
		if own, err := c.ownsNew(f); err != nil || !own {
			closeAll(raw)
			return Files{}, err
		}
	}
	if len(raw) < len(exts(c.To)) {
		closeAll(raw)
		return Files{}, nil
	}
	if !OneFile(c.To) {
		return several(raw), nil
	}
	container, err := onefile.Open(raw[0], true)
	if err != nil || !container.Fits(c.Chunks.Slot, c.Chunks.Align, c.written) {
		closeAll(raw)
		return Files{}, nil // damaged by a crash, or for another array
	}
	files = inOne(container)
	files.created = raw[0].Name()
	files.Relax(true) // as in createParts
	err = cmp.Or(files.Data.Lock(), files.Table.Lock(), container.Preallocate(c.written, log))
	if err != nil {
		files.Close()
		return Files{}, err
	}
	return files, nil
}

// ownsNew locks a file of an interrupted Unpack. It reports whether no other process has it, and
// whether its owner, group and permissions equal those of the files with which this process has
// just claimed the name.
func (c *CopyJob) ownsNew(f vfs.File) (bool, error) {
	own, err := lockIfUnused(c.FS, f, func(vfs.File) (bool, error) { return true, nil })
	if err != nil || !own {
		return false, err
	}
	was, err := f.Access()
	if err != nil {
		return false, err
	}
	now, err := c.claimed.Log.Access()
	return was == now, err
}

func closeAll(files []vfs.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// unpackPart makes a part of the new array equal to the stream.
func (c *CopyJob) unpackPart(ctx context.Context, p part) error {
	for end := int64(0); ; {
		off, b, err := c.Packed.Data()
		if errors.Is(err, io.EOF) {
			return c.endPart(p, end)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = c.clearLeft(p.to, end, off)
		}
		if err == nil {
			err = c.unpackData(p.to, b, off)
		}
		if err != nil {
			return err
		}
		end = off + int64(len(b))
	}
}

// unpackData writes a piece, unless it is there already.
func (c *CopyJob) unpackData(to vfs.File, b []byte, off int64) error {
	if c.left {
		buf := c.buffer(len(b))
		n, err := to.ReadAt(buf, off)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n == len(b) && bytes.Equal(buf, b) {
			c.resumed += int64(n)
			return nil
		}
	}
	_, err := to.WriteAt(b, off)
	return err
}

// clearLeft fills a range that the stream has left out with zeros: the files of an interrupted
// Unpack may be of another array.
func (c *CopyJob) clearLeft(to vfs.File, from, end int64) error {
	for c.left && from < end {
		off, next, err := to.Data(from)
		if errors.Is(err, io.EOF) || err == nil && off >= end {
			return nil
		}
		if err != nil {
			return err
		}
		buf := c.buffer(int(min(next-off, end-off, pack.MostData)))
		n, err := to.ReadAt(buf, off)
		if err != nil && (!errors.Is(err, io.EOF) || n == 0) {
			return err
		}
		if buf = buf[:n]; len(bytes.TrimLeft(buf, "\x00")) > 0 {
			clear(buf)
			if _, err := to.WriteAt(buf, off); err != nil {
				return err
			}
		}
		from = off + int64(n)
	}
	return nil
}

// endPart truncates old bytes behind the data of a part. Parts of one file have a length that the
// stream does not determine.
func (c *CopyJob) endPart(p part, end int64) error {
	if !c.left {
		return nil
	}
	if c.files.container != nil {
		return p.to.Truncate(end)
	}
	if err := p.to.Truncate(p.size); err != nil {
		return err
	}
	return c.clearLeft(p.to, end, p.size)
}

// buffer returns memory for n bytes, at most pack.MostData.
func (c *CopyJob) buffer(n int) []byte {
	if c.buf == nil {
		c.buf = make([]byte, pack.MostData)
	}
	return c.buf[:n]
}

// checkUnpacked checks that log and stream agree on the chunks, from which the layout of an array
// in one file follows.
func (c *CopyJob) checkUnpacked() error {
	s, _, err := metalog.ReadLog(c.files.Log)
	if err != nil {
		return err
	}
	if said := (Chunks{s.Slot(), int64(s.ChunkBytes), s.Align, int64(s.Grid.Chunks())}); said != c.Chunks || !s.HasPresenceMap() {
		return errkind.Errorf(state.ErrCorrupt, "the stream describes chunks as %+v, and its log as %+v", c.Chunks, said)
	}
	return nil
}

// Unfinish turns the files of an array, which nobody uses, into new files that do not count, with
// which the next Unpack to this name resumes. It completes an interrupted Unfinish, and does
// nothing if there is no array. The error wraps vfs.ErrLocked if a process has the array open for
// writing.
func Unfinish(fsys vfs.FS, name string) error {
	exists, err := Exists(fsys, name)
	if err != nil {
		return err
	}
	if exists {
		err := Use(fsys, name, Writer, nil, func(f Files) error {
			defer f.Close()
			if err := fsys.Rename(Log(name), Log(name)+NewExt); err != nil {
				return err
			}
			return syncDir(fsys, name) // without a log the others belong to nothing
		})
		if err != nil {
			return err
		}
	}
	for _, ext := range exts(name) {
		if err := unfinishFile(fsys, name+ext); err != nil {
			return err
		}
	}
	return nil
}

// unfinishFile renames a file, unless it is missing or empty.
func unfinishFile(fsys vfs.FS, name string) error {
	f, err := vfs.IfExists(fsys.OpenNoFollow(name, true))
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	if blank, err := isBlank(fsys, f); err != nil || blank {
		return err
	}
	own, err := lockIfUnused(fsys, f, func(vfs.File) (bool, error) { return true, nil })
	if err == nil && !own {
		err = errkind.InFile(name, vfs.ErrLocked)
	}
	if err != nil {
		return err
	}
	return fsys.Rename(name, name+NewExt)
}
