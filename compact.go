package drx

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"

	"drx/axial"
	"drx/internal/fileset"
)

// Compact commits all changes, as Sync does, and rewrites the array as if it had been created with its present
// bounds: the history becomes one segment, which determines the numbers of the chunks and their order in the
// file. Holes left by a Shrink, old values and chunks outside the bounds disappear. Indices, elements, names,
// attributes, fill value, element order and alignment stay as they are, and chunks that were never written
// remain so. History begins anew.
//
// Compact needs space for a second copy of what is written, and memory for a few chunks. Changes wait until it
// returns; reads continue. The files are replaced atomically: after a crash the array has its old or its new
// files, with the same elements. Readers in other processes keep the old files until Refresh. The new files get
// the mode, group and owner of the old log, as far as this process may set them. If progress is not nil, it is
// called with the number of chunks copied so far and the number of all written chunks; it must not change the
// array.
//
// Compact refuses an array whose principal array is a symbolic link to another volume, because the link would
// be replaced by a file. The error is ctx's or the file system's, or wraps fs.ErrInvalid for a symbolic link,
// ErrCorrupt for a damaged chunk (see Recover), ErrReadOnly or ErrClosed. After an error the array is
// unchanged, unless the error came when the new files were complete: then the array continues with these, and
// the next Sync, or whoever opens the array for writing, completes the replacement.
func (a *Array) Compact(ctx context.Context, progress func(done, total int64)) error {
	a.changesMu.Lock()
	defer a.changesMu.Unlock()
	if err := a.rlockFiles(true); err != nil {
		return a.errorf("compact", err)
	}
	next, err := a.compact(ctx, progress)
	a.filesMu.RUnlock()
	if next != nil {
		a.useFilesOf(next)
	}
	return a.errorf("compact", err)
}

// compact returns the array in new files that have replaced the old ones, or, with an error, are about to
// replace them. It returns nil if nothing was replaced.
func (a *Array) compact(ctx context.Context, progress func(done, total int64)) (*Array, error) {
	if err := a.errUnlessExclusive(); err != nil {
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
	if err := fileset.RemoveNew(a.fsys, a.name); err != nil { // left by an earlier Compact that failed
		return nil, err
	}
	like, err := a.file.Access()
	if err != nil {
		return nil, err
	}
	r, err := newRewrite(a.name, a.opts, a.state.Load(), like)
	if err != nil {
		return nil, err
	}
	next, err := a.rewriteFiles(ctx, r, progress)
	if err != nil {
		r.abandon()
		return nil, err
	}
	return a.replaceFiles(r, next)
}

// rewriteFiles copies the written chunks to the new files, makes all of it durable, and returns the array in these
// files.
func (a *Array) rewriteFiles(ctx context.Context, r *rewrite, progress func(done, total int64)) (*Array, error) {
	if err := a.copyChunks(ctx, r, progress); err != nil {
		return nil, err
	}
	log, err := r.commit()
	if err != nil {
		return nil, err
	}
	// The new files will use the same journal: it must not hold a commit of the old files.
	if err := a.writer.EmptyJournal(); err != nil {
		return nil, err
	}
	files := r.files.Renamed(a.name)
	log.Renamed(files.Log)
	next := newArray(a.name, a.opts, r.to, log, files)
	next.store.SetCommitted(r.to.Grid.Chunks(), log.Commits())
	if err := next.writer.SetUnjournaled(a.opts.Durability != DurabilityFull, *headOf(log)); err != nil {
		return nil, err
	}
	_, err = next.writer.Recover(log.Commits())
	if err = cmp.Or(err, ctx.Err()); err != nil {
		_ = next.store.Close(true) // closes only the journal's handle; the old array uses the journal again
		return nil, err
	}
	return next, nil
}

// copyChunks copies the written chunks.
func (a *Array) copyChunks(ctx context.Context, r *rewrite, progress func(done, total int64)) error {
	chunks := r.from.Grid.Chunks()
	usage, err := a.store.Usage(chunks)
	if err != nil {
		return err
	}
	buf, done := make([]byte, r.from.ChunkBytes), int64(0)
	return a.store.Each(chunks, func(q axial.Number, err error) error {
		if err == nil {
			err = a.store.Check(q, buf)
		}
		if err == nil {
			err = r.writeChunk(q, buf)
		}
		if done++; progress != nil && err == nil {
			progress(done, usage.Written)
		}
		if err == nil {
			err = ctx.Err()
		}
		return err
	})
}

// replaceFiles puts the new files in the place of the old ones. What it cannot complete is left to the next
// commit, in a.unfinishedCompact: nothing may be committed as long as it is not certain which files count.
func (a *Array) replaceFiles(r *rewrite, next *Array) (*Array, error) {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := fileset.MarkNew(a.fsys, a.name, a.file); err != nil {
		a.unfinishedCompact = func() error {
			if err := fileset.Unmark(a.fsys, a.name); err != nil {
				return err
			}
			_ = next.store.Close(true)
			r.abandon()
			return nil
		}
		_ = a.finishCompact() // the caller needs the first error
		return nil, err
	}
	a.unfinishedCompact = func() error { return fileset.PutInPlace(a.fsys, a.name) }
	return next, a.finishCompact()
}

// useFilesOf makes the array continue with the files of b, which must not be used afterwards, and closes its
// own files. The caller holds a.changesMu exclusively.
func (a *Array) useFilesOf(b *Array) {
	a.filesMu.Lock()
	defer a.filesMu.Unlock()
	// Errors do not matter: these files are no longer the array's.
	_, _ = a.store.Close(true), a.file.Close()
	a.chunks, a.store, a.pool, a.file = b.chunks, b.store, b.pool, b.file
	a.reader, a.writer, a.committer = b.reader, b.writer, b.committer
	a.log, a.logged = b.log, b.logged
	a.state.Store(b.state.Load())
}
