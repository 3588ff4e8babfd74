package fileset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"drx/internal/errkind"
	"drx/internal/metalog"
	"drx/internal/pack"
	"drx/internal/state"
	"drx/internal/vfs"
)

// packBlock is the length of what is left out of a stream if it is zeros, as it is where a file
// system has no holes.
const packBlock = 4096

// Pack writes the files of an array, c.From, to a stream, by the name that the array is to have
// there. The error is ctx's, the file system's or the stream's.
func (c *CopyJob) Pack(ctx context.Context, w *pack.Writer, name string) (err error) {
	defer c.close()
	var written int64
	if c.parts, written, err = c.openParts(); err != nil {
		return err
	}
	if err := c.count(); err != nil {
		return err
	}
	err = w.Array(pack.Array{
		Name: name, Slot: c.Chunks.Slot, Chunk: c.Chunks.Bytes, Align: c.Chunks.Align, Chunks: c.Chunks.Count,
		Written: written, Mode: uint32(c.Access.Mode.Perm()),
	})
	if err != nil {
		return err
	}
	buf := make([]byte, pack.MostData)
	for i, p := range c.parts {
		size, err := c.packedSize(p)
		if err == nil {
			err = w.Part(i, size)
		}
		if err == nil {
			err = c.packPart(ctx, w, p, buf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packedSize returns the length that a part has in a stream. That of a file is kept, with what is
// beyond the last chunk that was written; that of a part of a file has no meaning.
func (c *CopyJob) packedSize(p part) (int64, error) {
	if OneFile(c.From) {
		return p.size, nil
	}
	return p.from.Size()
}

// packPart writes the data of one part.
func (c *CopyJob) packPart(ctx context.Context, w *pack.Writer, p part, buf []byte) error {
	return eachData(p.from, p.size, func(off, n int64) error {
		for end := off + n; off < end; {
			if err := ctx.Err(); err != nil {
				return err
			}
			piece := buf[:min(int64(len(buf)), end-off)]
			read, err := p.from.ReadAt(piece, off)
			if err != nil && (!errors.Is(err, io.EOF) || read == 0) {
				return err
			}
			if err := packData(w, off, piece[:read]); err != nil {
				return err
			}
			off += int64(read)
			if c.done += int64(read); c.Progress != nil {
				c.Progress(c.done, c.total)
			}
		}
		return nil
	})
}

var zeros [packBlock]byte

// packData writes bytes without the blocks of zeros.
func packData(w *pack.Writer, off int64, b []byte) error {
	for len(b) > 0 {
		n := 0 // of what is not zero
		for n < len(b) && !isZero(b[n:min(n+packBlock, len(b))]) {
			n = min(n+packBlock, len(b))
		}
		if n == 0 {
			n = min(packBlock, len(b))
		} else if err := w.Data(off, bytes.TrimRight(b[:n], "\x00")); err != nil {
			return err
		}
		off, b = off+int64(n), b[n:]
	}
	return nil
}

func isZero(b []byte) bool { return bytes.Equal(b, zeros[:len(b)]) }

// Unpack creates the next array of a stream with the name "to", where there is no array. It takes
// effect as Copy does, after the parts are complete and agree with each other. Of a stream with one
// array its end has been found then. The error is that of Copy or of the stream.
func Unpack(ctx context.Context, fsys vfs.FS, to string, a pack.Array, r *pack.Reader) error {
	c := &CopyJob{
		FS: fsys, To: to, Packed: r, written: a.Written,
		// The group is another one on another machine.
		Access: vfs.Access{Mode: fs.FileMode(a.Mode).Perm(), UID: -1, GID: -1, Limit: true},
		Chunks: Chunks{Slot: a.Slot, Bytes: a.Chunk, Align: a.Align, Count: a.Chunks},
	}
	return c.Copy(ctx)
}

// unpack creates the new files from a stream.
func (c *CopyJob) unpack(ctx context.Context) error {
	parts := make([]part, pack.Parts)
	for i := range parts {
		size := c.Packed.Size()
		if parts[i].size = size; i == 0 {
			if err := c.createParts(c.written, size, parts); err != nil {
				return err
			}
		}
		if err := c.unpackPart(ctx, parts[i]); err != nil {
			return err
		}
	}
	return c.checkUnpacked()
}

// unpackPart writes the data of one part.
func (c *CopyJob) unpackPart(ctx context.Context, p part) error {
	for {
		off, b, err := c.Packed.Data()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			_, err = p.to.WriteAt(b, off)
		}
		if err != nil {
			return err
		}
	}
}

// checkUnpacked checks that the log says of the chunks what the stream has said of them, which an
// array in one file is laid out by.
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
