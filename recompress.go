package drx

import (
	"cmp"
	"context"
	"io/fs"

	"drx/axial"
	"drx/internal/codec"
	"drx/internal/errkind"
	"drx/internal/state"
)

// Recompress changes the codec of the array, named as in Spec.Codec, and rewrites in place, one by
// one, all chunks that another codec has compressed or that are not compressed. It commits after
// each 64 MiB of chunks, through the journal like other changes. Elements, bounds and history stay
// the same; versions of chunks change.
//
// Changes wait until Recompress returns; reads continue, also in other processes, with any mixture
// of codecs. If Recompress is interrupted, by an error, by ctx or by a kill, the array is valid:
// some chunks have the new codec, others still the previous one, and the log names the new one for
// later writes. The next Recompress to the same codec continues; one to another codec starts over.
// If the array already has the codec, and no Recompress to it was interrupted, nothing is done.
//
// If progress is not nil, it is called with the number of finished chunks and the number of all
// written chunks. The error is ctx's or the file system's, or wraps fs.ErrInvalid if there is no
// such codec, ErrCorrupt for a damaged chunk (see Recover), ErrReadOnly or ErrClosed.
func (a *Array) Recompress(ctx context.Context, codec string, progress func(done, total int64)) error {
	a.changesMu.Lock()
	defer a.changesMu.Unlock()
	err := a.rlockFiles(true)
	if err == nil {
		var to *state.State
		to, err = a.beginRecompress(codec)
		a.filesMu.RUnlock()
		if err == nil && to != nil {
			err = a.recompress(ctx, to, progress)
		}
	}
	return a.errorf("recompress", err)
}

// Recompressing reports whether a Recompress of the array is in progress or was interrupted, so
// that chunks may have frames of several codecs.
func (a *Array) Recompressing() bool { return a.now().Recompressing != nil }

// beginRecompress commits the change of the codec and returns the state after it, or nil if nothing
// is to be done.
func (a *Array) beginRecompress(name string) (*state.State, error) {
	if err := a.errUnlessExclusive(); err != nil {
		return nil, err
	}
	if a.writer == nil || a.chunks.Writer != a.writer {
		return nil, errkind.Errorf(ErrReadOnly, "the array is open in a group of processes")
	}
	spec, err := parseCodec(cmp.Or(name, codec.None))
	if err != nil {
		return nil, err
	}
	if err := a.sync(); err != nil {
		return nil, err
	}
	if err := a.upgradeNow(); err != nil {
		return nil, err
	}
	s := a.state.Load()
	if s.Codec == spec {
		if s.Recompressing == nil {
			return nil, nil
		}
		return s, nil
	}
	if codec.Confusable(s.Codec, spec, s.ChunkBytes) {
		return nil, errkind.Errorf(fs.ErrInvalid, "frames of %s and of %s would begin alike for chunks of %d bytes: copy the array instead", s.Codec, spec, s.ChunkBytes)
	}
	err = a.commitRecord(state.Record{Recompress: &state.Recompress{Codec: spec.String(), After: a.commits()}})
	return a.state.Load(), err
}

// commitRecord commits one record; there must be no other changes to commit. After an error the
// record is dropped, unless the commit counts.
func (a *Array) commitRecord(r state.Record) error {
	before := a.state.Load()
	s, err := before.Apply(r)
	if err != nil {
		return err
	}
	a.stateMu.Lock()
	a.pending = append(a.pending, r)
	a.state.Store(s)
	a.stateMu.Unlock()
	err = a.sync()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err != nil && len(a.pending) > 0 {
		a.pending = nil
		a.state.Store(before)
	}
	return err
}

// useCodec sets the codec of the store to that of a state. The caller holds a.changesMu
// exclusively.
func (a *Array) useCodec(s *state.State) {
	a.filesMu.Lock()
	defer a.filesMu.Unlock()
	if !a.open {
		return
	}
	a.store.SetCodec(newCodec(s), s.Recompressing != nil)
	a.pool.Storers = 0
	if a.store.Encodes() {
		a.pool.Storers = a.chunks.Writers
	}
}

// recompressBatch is the number of bytes of chunks recompressed between two commits. The journal
// grows to their stored size.
const recompressBatch = 64 << 20

// recompress rewrites the chunks that were written before the array got its codec.
func (a *Array) recompress(ctx context.Context, s *state.State, progress func(done, total int64)) error {
	a.useCodec(s)
	if err := a.rlockFiles(true); err != nil {
		return err
	}
	err := a.recompressChunks(ctx, s, progress)
	if err == nil {
		err = a.commitRecord(state.Record{Recompressed: &state.Recompressed{Codec: s.Codec.String()}})
	}
	a.filesMu.RUnlock()
	if now := a.state.Load(); now.Recompressing == nil {
		a.useCodec(now)
	}
	return err
}

func (a *Array) recompressChunks(ctx context.Context, s *state.State, progress func(done, total int64)) error {
	usage, err := a.store.Usage(s.Grid.Chunks())
	if err != nil {
		return err
	}
	done, batch := int64(0), make([]axial.Number, 0, max(1, recompressBatch/s.ChunkBytes))
	run := func() error {
		err := a.recompressBatch(ctx, batch, func(n int64) {
			if progress != nil {
				progress(done+n, usage.Written)
			}
		})
		done, batch = done+int64(len(batch)), batch[:0]
		return cmp.Or(err, a.sync())
	}
	err = a.store.Each(s.Grid.Chunks(), func(q axial.Number, err error) error {
		if err != nil {
			return err
		}
		isNew, err := a.store.WrittenAfter(q, s.Recompressing.After+1)
		if err != nil {
			return err
		}
		if isNew {
			done++
			return ctx.Err()
		}
		if batch = append(batch, q); len(batch) < cap(batch) {
			return nil
		}
		return run()
	})
	if err == nil {
		err = run()
	}
	if ctx.Err() != nil { // finished chunks are committed and need not be redone
		err = cmp.Or(a.sync(), context.Cause(ctx), err)
	}
	return err
}

// recompressBatch rewrites some chunks, on all cores.
func (a *Array) recompressBatch(ctx context.Context, batch []axial.Number, progress func(done int64)) error {
	workers := a.chunkWorkers(int64(len(batch)))
	buffers := make([][]byte, workers)
	return forEachChunk(ctx, workers, progress, func(worker int, q axial.Number) error {
		if buffers[worker] == nil {
			buffers[worker] = make([]byte, a.store.ChunkBytes())
		}
		return a.writer.Recompress(q, buffers[worker])
	}, func(next func(axial.Number) error) error {
		for _, q := range batch {
			if err := next(q); err != nil {
				return err
			}
		}
		return nil
	})
}
