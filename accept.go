package drx

import (
	"context"

	"drx/internal/state"
)

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
