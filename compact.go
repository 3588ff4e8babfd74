package drx

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"sync"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
)

// Compact commits all changes, as Sync does, and rewrites the array as if it had been created with
// its present bounds: the history becomes one segment, which determines the numbers of the chunks
// and their order in the file. Holes left by a Shrink, old values and chunks outside the bounds
// disappear. Indices, elements, names, attributes, fill value, element order and alignment stay as
// they are, and chunks that were never written remain so. History begins anew.
//
// Compressed chunks are copied in their stored form, without decompression. Compact needs space for
// a second copy of the written chunks, and memory for a few chunks per goroutine. Changes wait
// until it returns; reads continue. The files are replaced atomically: after a crash the array has
// its old or its new files, with the same elements. Readers in other processes keep the old files
// until Refresh. The new files get the mode, group and owner of the old log, as far as this process
// may set them. If progress is not nil, it is called with the number of chunks copied so far and
// the number of all written chunks; it must not change the array.
//
// Compact refuses an array whose principal array is a symbolic link to another volume, because the
// link would be replaced by a file. The error is ctx's or the file system's, or wraps fs.ErrInvalid
// for a symbolic link, ErrCorrupt for a damaged chunk (see Recover), ErrReadOnly or ErrClosed.
// After an error the array is unchanged, unless the error came when the new files were complete:
// then the array continues with these, and the next Sync, or whoever opens the array for writing,
// completes the replacement.
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

// compact returns the array in the new files. They have replaced the old ones or, after an error,
// are about to replace them. It returns nil if nothing was replaced.
func (a *Array) compact(ctx context.Context, progress func(done, total int64)) (*Array, error) {
	if err := a.errUnlessExclusive(); err != nil {
		return nil, err
	}
	link, err := fileset.DataLink(a.fsys, a.name)
	if err != nil {
		return nil, err
	}
	if link != nil {
		return nil, errkind.Errorf(fs.ErrInvalid, "%s is a symbolic link to %s, which would become a file here: "+
			"put all files of the array into one folder, or copy it instead", link.Name, link.Target)
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

// rewriteFiles copies the written chunks to the new files, makes them durable, and returns the
// array in these files.
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
		_ = next.store.Close(true) // closes the journal's handle only; the old array keeps the journal
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
	if progress == nil {
		progress = func(done, total int64) {}
	}
	workers := make([]*rewriter, a.chunkWorkers(usage.Written))
	return a.eachWritten(ctx, chunks, len(workers), func(done int64) { progress(done, usage.Written) }, func(worker int, q axial.Number) error {
		if workers[worker] == nil {
			workers[worker] = r.rewriter()
		}
		return workers[worker].copyChunk(a.store, q)
	})
}

// parallelChunks is the number of bytes of chunks above which goroutines are worth their start.
const parallelChunks = 1 << 20

// chunkWorkers returns the number of goroutines for the given number of chunks.
func (a *Array) chunkWorkers(chunks int64) int {
	if chunks*int64(a.store.ChunkBytes()) < parallelChunks {
		return 1
	}
	return a.chunks.Readers
}

// eachWritten calls f for each written chunk below limit, see forEachChunk.
func (a *Array) eachWritten(
	ctx context.Context, limit axial.Number, workers int, progress func(done int64), f func(worker int, q axial.Number) error,
) error {
	return forEachChunk(ctx, workers, progress, f, func(next func(axial.Number) error) error {
		return a.store.Each(limit, func(q axial.Number, err error) error {
			if err != nil {
				return err
			}
			return next(q)
		})
	})
}

// forEachChunk calls f for each chunk that each passes to its argument, in up to the given number
// of goroutines. It calls progress, one call at a time, with the number of chunks done so far.
// After an error, or the end of ctx, it begins no more chunks.
func forEachChunk(
	ctx context.Context, workers int, progress func(done int64), f func(worker int, q axial.Number) error,
	each func(next func(axial.Number) error) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	chunks := make(chan axial.Number)
	var wait sync.WaitGroup
	var mu sync.Mutex
	var done int64
	for worker := range workers {
		wait.Go(func() {
			for q := range chunks {
				if ctx.Err() != nil {
					continue
				}
				if err := f(worker, q); err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				done++
				progress(done)
				mu.Unlock()
			}
		})
	}
	err := each(func(q axial.Number) error {
		select {
		case chunks <- q:
		case <-ctx.Done():
		}
		return context.Cause(ctx)
	})
	close(chunks)
	wait.Wait()
	return cmp.Or(err, context.Cause(ctx))
}

// replaceFiles replaces the old files by the new ones. If it cannot complete that, it sets
// a.unfinishedCompact, and the next commit must complete it first: nothing may be committed while
// it is uncertain which files count.
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

// useFilesOf makes the array continue with the files of b, which must not be used any more, and
// closes its old files. The caller holds a.changesMu exclusively.
func (a *Array) useFilesOf(b *Array) {
	a.filesMu.Lock()
	defer a.filesMu.Unlock()
	// Errors do not matter: these are no longer the array's files.
	_, _ = a.store.Close(true), a.file.Close()
	a.chunks, a.store, a.pool, a.file = b.chunks, b.store, b.pool, b.file
	a.reader, a.writer, a.committer = b.reader, b.writer, b.committer
	a.log, a.logged, a.nextCheckpoint = b.log, b.logged, b.nextCheckpoint
	a.journaledLine = b.journaledLine
	a.state.Store(b.state.Load())
}

// A rewrite creates new files for an array, chunk by chunk. The present bounds become the initial
// ones, so that there is one segment, and elements outside of the bounds are dropped. The chunks
// keep their indices and get new numbers.
type rewrite struct {
	fsys     vfs.FS
	name     string
	files    fileset.Files  // the new files; their names end in .new
	claimed  fileset.Files  // empty files with the final names, if there is no array with the name yet
	records  []state.Record // the first line of the log
	from, to *state.State
	store    *chunkstore.Writer
}

// newRewrite creates the new files with the mode and owner given by access, and locks them.
func newRewrite(name string, o Options, from *state.State, access vfs.Access) (*rewrite, error) {
	r := &rewrite{fsys: o.filesystem(), name: name, from: from}
	r.records = []state.Record{{Header: from.Header()}}
	if attrs := from.Attrs.Map(); len(attrs) > 0 {
		r.records = append(r.records, state.Record{SetAttrs: &state.SetAttrs{Attrs: attrs}})
	}
	r.records = append(r.records, identify())
	for _, record := range r.records {
		to, err := r.to.Apply(record)
		if err != nil {
			return nil, err
		}
		r.to = to
	}
	var err error
	if r.files, err = fileset.CreateNew(r.fsys, name, &access); err != nil {
		return nil, err
	}
	if err := r.files.Format(r.to.Slot(), r.to.Align, false); err != nil {
		fileset.Discard(r.fsys, r.files)
		return nil, err
	}
	r.store = chunkstore.OpenWriter(chunkstore.Files{
		FS: r.fsys, Data: r.files.Data, Table: r.files.Table, Presence: r.files.Presence, Journal: fileset.Journal(name),
		Codec: newCodec(r.to),
	}, r.to.ChunkBytes, r.to.Slot())
	return r, nil
}

// newArrayRewrite is newRewrite for an array that does not exist yet. It claims the names with
// empty files, as Create does, and writes to files beside them, as Compact does. Thus a killed
// process leaves only empty files and files that do not count, neither of which prevents the next
// attempt.
func newArrayRewrite(name string, o Options, from *state.State, access vfs.Access) (*rewrite, error) {
	fsys := o.filesystem()
	claimed, err := fileset.Claim(fsys, name, &access)
	if err != nil {
		return nil, err
	}
	var r *rewrite
	if err = fileset.RemoveNew(fsys, name); err == nil {
		r, err = newRewrite(name, o, from, access)
	}
	if err != nil {
		fileset.Discard(fsys, claimed)
		return nil, err
	}
	r.claimed = claimed
	return r, nil
}

// A rewriter writes chunks of a rewrite, one at a time. Several rewriters may run concurrently.
type rewriter struct {
	*rewrite
	clip        // the present chunk
	buf  []byte // a copy of the chunk, used if part of it is outside of the bounds
	read []byte // the chunk as it is stored, or its elements
}

func (r *rewrite) rewriter() *rewriter {
	return &rewriter{r, newClip(r.to), make([]byte, r.from.ChunkBytes), make([]byte, r.from.ChunkBytes)}
}

// find returns the new number of the chunk that had number q in the old files, and reports whether
// the chunk is within the bounds.
func (r *rewriter) find(q axial.Number) (axial.Number, bool) {
	r.from.Grid.Index(q, r.index)
	return r.to.Grid.Number(r.index)
}

// copyChunk copies the chunk that had number q in the old files, unless it is outside of the
// bounds. An unmodified chunk is copied in its stored form, without decompression.
func (r *rewriter) copyChunk(from *chunkstore.Store, q axial.Number) error {
	number, inside := r.find(q)
	// If the bounds have never shrunk, a chunk has only the fill value outside of them.
	if inside && (r.clipChunk() || r.from.WidestLo == nil) {
		if stored, err := from.ReadStored(q, r.read); err == nil {
			return r.store.WriteStored(number, stored)
		}
	}
	if err := from.Check(q, r.read); err != nil {
		return err
	}
	return r.writeChunk(q, r.read)
}

// writeChunk writes the chunk that had number q in the old files, unless it is outside of the
// bounds. Elements outside of the bounds, which a Shrink may have left, are set to the fill value.
func (r *rewriter) writeChunk(q axial.Number, data []byte) error {
	number, inside := r.find(q)
	if !inside {
		return nil
	}
	if !r.clipChunk() {
		copy(r.buf, data)
		r.blankOutside(r.buf)
		data = r.buf
	}
	return r.store.Write(number, data)
}

// commit makes the new files durable. It appends the line to the log last, because the line makes
// the array exist.
func (r *rewrite) commit() (*metalog.Log, error) {
	if err := r.store.Prepare(); err != nil {
		return nil, err
	}
	log := metalog.NewLog(r.files.Log)
	if err := log.Append(r.records, true); err != nil {
		return nil, err
	}
	r.store.SetCommitted(r.to.Grid.Chunks(), log.Commits())
	if err := r.store.Finish(headOf(log)); err != nil {
		return nil, err
	}
	if err := r.files.Presence.Sync(); err != nil {
		return nil, err
	}
	return log, r.fsys.SyncDir(filepath.Dir(r.name))
}

// publish gives the files of a newArrayRewrite their names, after commit. It reports whether the
// array exists or may exist. If so, the files must stay even after an error, and whoever opens the
// array for writing completes the work.
func (r *rewrite) publish() (made bool, err error) {
	if err := fileset.MarkNew(r.fsys, r.name, r.files.Log); err != nil {
		return fileset.Unmark(r.fsys, r.name) != nil, err
	}
	return true, fileset.PutInPlace(r.fsys, r.name)
}

// abandon removes all files that the rewrite has created.
func (r *rewrite) abandon() {
	fileset.Discard(r.fsys, r.files)
	fileset.Discard(r.fsys, r.claimed)
}

// close closes the files, which are durable.
func (r *rewrite) close() {
	r.files.Close()
	r.claimed.Close()
}
