package drx

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"

	"drx/axial"
	"drx/internal/fileset"
)

// Compact commits what was changed, as Sync does, and rewrites the array: its history
// becomes one segment, so that the numbers of chunks, and their order in the file, are those
// of an array created with the present bounds. Holes left by a Shrink, old values and chunks
// outside the bounds are gone; indices, elements, names, attributes, fill value, order and
// alignment stay, and chunks never written stay so. History starts anew.
//
// It needs space for a second copy of what is written, and memory for a few chunks. Changes
// wait meanwhile, reading goes on. The files are replaced atomically: after a crash the array
// is the old one or the new one, whose elements are the same. Who has the array open for
// reading keeps the old files until Refresh. The new files have the mode, the group and the owner of the old
// log, as far as this process may give them. An array whose principal array is a symbolic link is
// refused: the link would become a file, on the volume that the link is to avoid. progress, if not nil, is called with the number
// of chunks copied and to copy; it must not change the array.
//
// The error is ctx's, or wraps fs.ErrInvalid for a symbolic link, ErrCorrupt for a damaged chunk (see Recover), ErrReadOnly or
// ErrClosed, or is the file system's. The array is then as it was, unless the error came when
// the new files were complete already: it goes on with them, and the next Sync, or whoever
// opens the array, does the rest.
func (a *Array) Compact(ctx context.Context, progress func(done, total int64)) error {
	a.gate.Lock()
	defer a.gate.Unlock()
	done, err := a.enter("compact", true)
	if err != nil {
		return err
	}
	next, err := a.compact(ctx, progress)
	done()
	if next != nil {
		a.adopt(next)
	}
	return a.errorf("compact", err)
}

// compact returns the array in new files that have replaced the old ones, or are about to
// (then with an error too); nil if nothing was replaced.
func (a *Array) compact(ctx context.Context, progress func(done, total int64)) (*Array, error) {
	if err := a.alone(); err != nil {
		return nil, err
	}
	link, err := fileset.DataLink(a.fsys, a.name)
	if err != nil {
		return nil, err
	}
	if link != nil {
		return nil, fmt.Errorf("%s is a symbolic link to %s, which would become a file here: "+
			"put all files of the array into one folder, or copy it instead: %w", link.Name, link.Target, fs.ErrInvalid)
	}
	if err := a.sync(); err != nil {
		return nil, err
	}
	if err := fileset.RemoveNew(a.fsys, a.name); err != nil { // after an error of an earlier Compact
		return nil, err
	}
	like, err := a.file.Access()
	if err != nil {
		return nil, err
	}
	r, err := newRewrite(a.name, a.options(), a.state.Load(), like)
	if err != nil {
		return nil, err
	}
	next, err := a.rewritten(ctx, r, progress)
	if err != nil {
		r.abandon()
		return nil, err
	}
	return a.replace(r, next)
}

// rewritten copies the chunks and returns the array in the new files, all of it durable.
func (a *Array) rewritten(ctx context.Context, r *rewrite, progress func(done, total int64)) (*Array, error) {
	chunks := r.from.Grid.Chunks()
	usage, err := a.store.Usage(chunks)
	if err != nil {
		return nil, err
	}
	buf, done := make([]byte, r.from.ChunkBytes), int64(0)
	err = a.store.Each(chunks, func(q axial.Number, err error) error {
		if err == nil {
			err = a.store.Check(q, buf)
		}
		if err == nil {
			err = r.put(q, buf)
		}
		if done++; progress != nil && err == nil {
			progress(done, usage.Written)
		}
		if err == nil {
			err = ctx.Err()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	log, err := r.commit()
	if err != nil {
		return nil, err
	}
	// The journal will be that of the new files. It must not be taken for one of theirs.
	if err := a.writer.EmptyJournal(); err != nil {
		return nil, err
	}
	files := r.files.Renamed(a.name)
	log.Renamed(files.Log)
	next := newArray(a.name, a.options(), r.to, log, files)
	next.store.SetCommitted(r.to.Grid.Chunks(), log.Commits())
	if err := next.writer.SetUnjournaled(a.durability != DurabilityFull, *headOf(log)); err != nil {
		return nil, err
	}
	_, err = next.writer.Recover(log.Commits())
	if err = cmp.Or(err, ctx.Err()); err != nil {
		_ = next.store.Close(true) // the journal, which is the old array's again
		return nil, err
	}
	return next, nil
}

// replace puts the new files in the place of the old ones. What it cannot finish is left to
// the next commit: nothing may be committed while it is not known which files count.
func (a *Array) replace(r *rewrite, next *Array) (*Array, error) {
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := fileset.MarkNew(a.fsys, a.name, a.file); err != nil {
		a.left = func() error {
			if err := fileset.Unmark(a.fsys, a.name); err != nil {
				return err
			}
			_ = next.store.Close(true)
			r.abandon()
			return nil
		}
		_ = a.finishLeft() // the first error is what the caller needs
		return nil, err
	}
	a.left = func() error { return fileset.PutInPlace(a.fsys, a.name) }
	return next, a.finishLeft()
}

// adopt goes on with the files of another Array, which must not be used any more, and closes
// its own. The gate must be held.
func (a *Array) adopt(b *Array) {
	a.life.Lock()
	defer a.life.Unlock()
	// The files are not the array's any more: that they cannot be closed matters to nobody.
	_, _ = a.store.Close(true), a.file.Close()
	a.chunks, a.store, a.pool, a.file = b.chunks, b.store, b.pool, b.file
	a.reader, a.writer, a.committer = b.reader, b.writer, b.committer
	a.log, a.logged = b.log, b.logged
	a.state.Store(b.state.Load())
}
