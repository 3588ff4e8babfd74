package drx

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/fileset"
	"drx/internal/state"
	"drx/internal/vfs"
)

// acceptBatch is how many bytes of chunks AcceptLoss rewrites between two commits.
const acceptBatch = 64 << 20

// AcceptLoss makes an array whose log has lost lines at its end, whose journal is damaged although the log
// has its commit, or whose presence map is missing, one that can be opened for writing again, in its place: the commits of the lost lines are given
// up. (Open refuses to, since a writer would overwrite what Recover could still save.) The array
// then is what its log says: chunks of lost expansions are cut off, and elements outside the bounds,
// which lost commits may have written, become the fill value, so that growing again never brings
// them back. Chunks within the bounds keep what was last written to them. An array that has lost
// nothing stays as it is.
//
// It reads every chunk that reaches over the bounds or is of a lost commit. If it is interrupted it can be
// called again, or the next writer does the rest. The error is ctx's, or as Open's.
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
	if !a.lost && !a.writer.Unjournaled() {
		return nil
	}
	if err := a.beginMending(); err != nil {
		return err
	}
	if err := a.blankBeyond(ctx); err != nil {
		return err
	}
	if err := a.sync(); err != nil {
		return err
	}
	a.acceptLoss = false
	return a.writer.SetUnjournaled(false, *headOf(a.log))
}

// beginMending notes durably that there may be elements outside of the bounds, as after a writer without
// journal: then the next writer does what an interruption has left undone. For that the array must
// have a presence map, and be of the version that has.
func (a *Array) beginMending() error {
	if !a.store.HasPresence() {
		head := headOf(a.log)
		head.Unjournaled = true
		if err := a.addPresence(head); err != nil {
			return err
		}
	}
	if err := a.writer.SetUnjournaled(true, *headOf(a.log)); err != nil {
		return err
	}
	if a.state.Load().Version >= state.PresenceVersion {
		return nil
	}
	if err := a.reformat(); err != nil {
		return err
	}
	return a.sync()
}

// blankUnjournaled does the same for a writer that overwrote chunks in place and died: what it wrote
// beyond the bounds of the last commit was never committed.
func (a *Array) blankUnjournaled() error {
	if a.acceptLoss {
		return nil
	}
	if a.writer.Unjournaled() {
		if err := a.blankBeyond(context.Background()); err != nil {
			return err
		}
		if err := a.sync(); err != nil {
			return err
		}
	}
	return a.writer.SetUnjournaled(a.durability != DurabilityFull, *headOf(a.log))
}

// addPresence gives an array that has none a presence map, durably, which says head of the log, nothing if
// that is nil.
func (a *Array) addPresence(head *chunktable.Head) error {
	file, err := vfs.CreateLike(a.fsys, fileset.Presence(a.name), a.file)
	if errors.Is(err, fs.ErrExist) { // left by a writer that died here
		file, err = a.fsys.OpenNoFollow(fileset.Presence(a.name), true)
	}
	if err != nil {
		return err
	}
	if err := a.writer.AddPresence(file, head); err != nil {
		_ = file.Close()
		return err
	}
	return a.syncDir()
}

// syncDir makes the names of the array's files durable.
func (a *Array) syncDir() error {
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
	var outside []axial.Number
	err := a.store.Each(s.Grid.Chunks(), func(q axial.Number, entry error) error {
		if err := ctx.Err(); err != nil || entry != nil {
			return err // a damaged entry is reported by whoever reads it
		}
		s.Grid.Index(q, c.index)
		whole := c.locate()
		if c.outside() {
			outside = append(outside, q)
			return nil
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
		if err := a.committer.Write(q, buf); err != nil {
			return err
		}
		if rewritten += int64(len(buf)); rewritten < acceptBatch {
			return nil
		}
		rewritten = 0
		return a.sync()
	})
	if err != nil {
		return err
	}
	return a.writer.Clear(outside)
}
