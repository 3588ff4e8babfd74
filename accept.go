package drx

import (
	"context"

	"drx/internal/state"
)

// AcceptLoss makes a damaged array writable again, in place, by giving up what it has lost: commits whose lines
// are missing at the end of the log, a commit in a damaged journal, or a presence map that does not exist. Open
// refuses to open such an array for writing, because a writer would overwrite what Recover could still save.
//
// Afterwards the array is what its log says. Chunks of lost expansions are cut off. Elements outside the
// bounds, which lost commits may have written, are set to the fill value, so that they never come back when the
// array grows again. Chunks within the bounds keep what was last written to them. An array that has lost
// nothing is left unchanged.
//
// AcceptLoss reads every chunk that reaches over the bounds or belongs to a lost commit. If it is interrupted,
// it can be called again, or the next writer completes the work. The error is ctx's, or one of those of Open.
func AcceptLoss(ctx context.Context, name string) error {
	return acceptLoss(ctx, name, Options{})
}

// acceptLoss is AcceptLoss with options, for the tests.
func acceptLoss(ctx context.Context, name string, o Options) error {
	o.Write, o.Incomplete, o.acceptLoss = true, true, true
	a, err := Open(name, o)
	if err != nil {
		return err
	}
	if err := a.repairLoss(ctx); err != nil {
		_ = a.Discard() // the first error is what the caller needs
		return a.errorf("accept the loss", err)
	}
	return a.Close()
}

// repairLoss makes the chunks and the presence map agree with the log.
func (a *Array) repairLoss(ctx context.Context) error {
	if !a.lost && !a.writer.Unjournaled() {
		return nil
	}
	if err := a.beginRepair(); err != nil {
		return err
	}
	if err := a.blankOutsideBounds(ctx); err != nil {
		return err
	}
	if err := a.sync(); err != nil {
		return err
	}
	a.opts.acceptLoss = false
	return a.writer.SetUnjournaled(false, *headOf(a.log))
}

// beginRepair records durably that there may be elements outside of the bounds, as after a writer without
// journal died, so that the next writer completes a repair that is interrupted. The record is in the presence
// map, so the array gets one, and the format version that has it, if necessary.
func (a *Array) beginRepair() error {
	if !a.store.HasPresence() {
		head := headOf(a.log)
		head.Unjournaled = true
		if err := a.addPresenceMap(head); err != nil {
			return err
		}
	}
	if err := a.writer.SetUnjournaled(true, *headOf(a.log)); err != nil {
		return err
	}
	if a.state.Load().Version >= state.PresenceVersion {
		return nil
	}
	if err := a.addFormatRecord(); err != nil {
		return err
	}
	return a.sync()
}
