package fileset

import (
	"bytes"
	"context"
	"errors"
	"io"

	"drx/internal/pack"
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

// packPart writes the data of one part. Pieces end at multiples of their largest length, so that
// the stream depends on the contents alone, and not on where the file system says that there are
// holes: who packs again, to go on after an interruption, gets the same one.
func (c *CopyJob) packPart(ctx context.Context, w *pack.Writer, p part, buf []byte) error {
	return eachData(p.from, p.size, func(off, n int64) error {
		for end := off + n; off < end; {
			if err := ctx.Err(); err != nil {
				return err
			}
			piece := buf[:min(int64(len(buf))-off%int64(len(buf)), end-off)]
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
