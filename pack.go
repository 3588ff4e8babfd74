package drx

import (
	"context"
	"fmt"
	"io"

	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/pack"
)

// Pack writes the stored contents of an array's files to a stream, without the holes, for a pipe or
// for storage without holes. internal/pack/FORMAT.md describes the stream. NewUnpacker reads it. As
// CopyFiles does, Pack first completes the work of a writer that died, and packs the last commit;
// it refuses an array that is open for writing elsewhere (ErrLocked) or cannot be opened for
// writing. Damaged chunks are packed unchanged.
//
// The array's name in the stream is the last element of name. If progress is not nil, it is called
// with the number of bytes packed so far, and the number of all bytes. The error is one of those of
// Open, ctx's or the io.Writer's. After an error the stream has no end mark, which Unpack notices.
func Pack(ctx context.Context, array, name string, w io.Writer, progress func(done, total int64)) error {
	a, err := Open(array, Options{Write: true, Incomplete: true})
	if err != nil {
		return err
	}
	defer func() { _ = a.Discard() }() // nothing was changed
	p, err := NewPacker(w, name, false)
	if err == nil {
		err = p.Add(ctx, name, a, progress)
	}
	if err == nil {
		err = p.Close()
	}
	return err
}

// A Packer packs arrays into a stream.
type Packer struct{ w *pack.Writer }

// NewPacker begins a stream. name is the name of the array or, if several is set, of the dataset.
// The error is the io.Writer's.
func NewPacker(w io.Writer, name string, several bool) (*Packer, error) {
	p, err := pack.NewWriter(w, pack.Head{Name: name, Several: several})
	return &Packer{p}, err
}

// Add packs an array that is open for writing, but not with Options.Shared. It first commits
// pending changes. The name is relative to the dataset, with slashes. progress is as in Pack. The
// error wraps ErrReadOnly or ErrClosed, or is ctx's, the file system's or the io.Writer's.
func (p *Packer) Add(ctx context.Context, name string, a *Array, progress func(done, total int64)) error {
	const op = "pack"
	a.changesMu.Lock() // excludes changes
	defer a.changesMu.Unlock()
	if err := a.rlockFiles(true); err != nil {
		return a.errorf(op, err)
	}
	defer a.filesMu.RUnlock()
	if a.writer == nil {
		return a.errorf(op, ErrReadOnly)
	}
	err := a.sync()
	if err == nil {
		err = a.upgradeNow()
	}
	if err != nil {
		return a.errorf(op, err)
	}
	c, err := a.newCopyJob("", progress)
	if err == nil {
		err = c.Pack(ctx, p.w, name)
	}
	return a.errorf(op, err)
}

// Close ends the stream, which is incomplete without it. It does not close the io.Writer. The error
// is that of the io.Writer.
func (p *Packer) Close() error { return p.w.Close() }

// An Unpacker unpacks the arrays of a stream one by one.
type Unpacker struct {
	r    *pack.Reader
	next pack.Array
}

// NewUnpacker reads the beginning of a stream. Its errors, and those of the methods, wrap
// ErrCorrupt if the data are no stream, or a modified or incomplete one, and say where; ErrVersion
// for an unknown version; or are the io.Reader's.
func NewUnpacker(r io.Reader) (*Unpacker, error) {
	p, err := pack.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return &Unpacker{r: p}, nil
}

// Name returns the name of the contents of the stream, without a folder, and whether they are a
// dataset or another collection of several arrays.
func (u *Unpacker) Name() (name string, several bool) { return u.r.Head().Name, u.r.Head().Several }

// Next returns the name of the next array, relative to the dataset and with slashes, for Unpack.
// The error is io.EOF after the last array, which proves that the stream was complete. A name
// neither begins nor ends with a slash, and has no element that is empty, "." or "..".
func (u *Unpacker) Next() (name string, err error) {
	if u.next, err = u.r.Array(); err != nil && err != io.EOF { //nolint:errorlint // io.EOF is not wrapped
		err = fmt.Errorf("unpack: %w", err)
	}
	return u.next.Name, err
}

// Unpack creates the array that Next has found under the name to, in one file if that ends in .drx
// and in several files otherwise. The array appears when it was completely read and verified, and
// the data after it in the stream were found. If Unpack fails or is interrupted, there is no new
// array, unless all of it was already durable; leftover files do not prevent another attempt. The
// new files grant no permission that the log of the packed array did not grant.
//
// The error is one of those of the stream, of CopyFiles for the new name, or ctx's.
func (u *Unpacker) Unpack(ctx context.Context, to string) error {
	fsys := fileset.OS()
	to = fileset.NewName(fsys, BaseName(to))
	err := fileset.CheckName(to)
	if err == nil {
		err = fileset.Unpack(ctx, fsys, to, u.next, u.r)
	}
	if err != nil {
		return errkind.Doing(to, "unpack", err)
	}
	return nil
}
