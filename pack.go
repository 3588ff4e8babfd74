package drx

import (
	"context"
	"io"

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
