package drx

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"drx/axial"
	"drx/internal/meta"
	"drx/internal/vfs"
)

// acceptBatch is how many bytes of chunks AcceptLoss rewrites between two commits.
const acceptBatch = 64 << 20

// AcceptLoss makes an array whose log has lost lines at its end, or whose presence map is missing,
// one that can be opened for writing again, in its place: the commits of the lost lines are given
// up. (Open refuses to, since a writer would overwrite what Recover could still save.) The array
// then is what its log says: chunks of lost expansions are cut off, and elements outside the bounds,
// which lost commits may have written, become the fill value, so that growing again never brings
// them back. Chunks within the bounds keep what was last written to them. An array that has lost
// nothing stays as it is.
//
// It reads every chunk that reaches over the bounds or is of a lost commit. If it is interrupted the
// array is as it was, for Open, and AcceptLoss can be called again. The error is ctx's, or as Open's.
func AcceptLoss(ctx context.Context, name string) error {
	return acceptLoss(ctx, BaseName(name), Options{})
}

func acceptLoss(ctx context.Context, name string, o Options) error {
	o.Write, o.Incomplete, o.acceptLoss = true, true, true
	a, err := Open(name, o)
	if err != nil {
		return err
	}
	if err := a.mendLoss(ctx); err != nil {
		_ = a.Discard() // the first error is what the caller needs
		return a.errorf("accept the loss", err)
	}
	return a.Close()
}

// mendLoss brings chunks and presence map in line with the log.
func (a *Array) mendLoss(ctx context.Context) error {
	if err := a.replacePresence(); err != nil {
		return err
	}
	if a.lost {
		if err := a.blankBeyond(ctx); err != nil {
			return err
		}
		if err := a.sync(); err != nil {
			return err
		}
	}
	a.acceptLoss = false
	return a.store.SetUnjournaled(false, *headOf(a.log))
}

// blankUnjournaled does the same for a writer that overwrote chunks in place and died: what it wrote
// beyond the bounds of the last commit was never committed.
func (a *Array) blankUnjournaled() error {
	if a.acceptLoss {
		return nil
	}
	if a.store.Unjournaled() {
		if err := a.blankBeyond(context.Background()); err != nil {
			return err
		}
		if err := a.sync(); err != nil {
			return err
		}
	}
	return a.store.SetUnjournaled(a.durability != DurabilityFull, *headOf(a.log))
}

// replacePresence makes a presence map where it is missing.
func (a *Array) replacePresence() error {
	if a.store.HasPresence() || a.logged.Version < meta.PresenceVersion {
		return nil // see upgrade
	}
	return a.addPresence()
}

// addPresence gives an array that has none a presence map, durably.
func (a *Array) addPresence() error {
	file, err := vfs.CreateLike(a.fsys, a.name+presenceExt, a.file)
	if errors.Is(err, fs.ErrExist) { // left by a writer that died here
		file, err = a.fsys.OpenNoFollow(a.name+presenceExt, true)
	}
	if err != nil {
		return err
	}
	if err := a.store.AddPresence(file); err != nil {
		_ = file.Close()
		return err
	}
	if a.durability == DurabilityNone {
		return nil
	}
	return a.fsys.SyncDir(filepath.Dir(a.name))
}

// blankBeyond sets to the fill value what chunks hold outside of the bounds, makes those that lie
// outside as a whole unwritten, and gives those of commits that the log does not have the number of
// the next one.
func (a *Array) blankBeyond(ctx context.Context) error {
	s := a.state.Load()
	c := newClip(s)
	buf := make([]byte, s.ChunkBytes)
	var rewritten int64
	return a.store.Each(s.Grid.Chunks(), func(q axial.Number, entry error) error {
		if err := ctx.Err(); err != nil || entry != nil {
			return err // a damaged entry is reported by whoever reads it
		}
		s.Grid.Index(q, c.index)
		whole := c.locate()
		if c.outside() {
			return a.store.Clear([]axial.Number{q})
		}
		if future, err := a.store.OfLostCommit(q); err != nil || whole && !future {
			return err
		}
		if err := a.store.Check(q, buf); err != nil {
			if errors.Is(err, ErrCorrupt) {
				err = nil // so are the elements outside
			}
			return err
		}
		c.blankOutside(buf)
		if err := a.store.Write(q, buf); err != nil {
			return err
		}
		if rewritten += int64(len(buf)); rewritten < acceptBatch {
			return nil
		}
		rewritten = 0
		return a.sync()
	})
}
