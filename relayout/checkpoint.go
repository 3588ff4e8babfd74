package relayout

import (
	"encoding/json"
	"errors"
	"fmt"

	"drx"
	"drx/internal/state"
	"drx/nd"
	"drx/relayout/internal/planner"
)

// ErrMismatch is returned by a copy that should resume an interrupted one but differs from it.
var ErrMismatch = planner.ErrMismatch

// IncompleteAttr is the attribute that marks an array as the target of a copy that is not complete:
// drx.Open refuses it without Options.Incomplete. The program that sets it removes it when the copy
// is complete.
const IncompleteAttr = state.IncompleteAttr

// Incomplete reports whether an array is the target of a copy that is in progress or was
// interrupted. Elements that were not copied yet read as the fill value.
func Incomplete(a ArrayInfo) bool { return a.Attrs()[IncompleteAttr] != nil }

// progressAttr is the attribute of a target that records the progress of the copy. Every commit
// sets it and adds a line with its value to the log. It is separate from the plan, because that is
// several times as long.
const progressAttr = "relayout.done"

// A checkpoint is in the attributes of a target until the copy is complete: the plan in
// IncompleteAttr, the position in progressAttr. They are committed together with the chunks that
// the position covers. A temporary array has its position in IncompleteAttr. The names of all
// fields are part of array files.
type checkpoint struct {
	planner.SavedPlan
	Temp             string `json:"temp,omitempty"`   // the folder of the temporary arrays
	Stored           bool   `json:"stored,omitempty"` // chunks are copied in their stored form
	Rounding         string `json:"rounding,omitempty"`
	planner.Position `json:"-"`
}

// A target is an array with a checkpoint. Sync commits the attributes together with everything that
// was written.
type target interface {
	ArrayInfo
	SetAttr(name string, value any) error
	DeleteAttr(name string) error
	Sync() error
}

// begin commits the checkpoint before any chunk is written.
func (c *checkpoint) begin(a target) error {
	if err := a.SetAttr(IncompleteAttr, c); err != nil {
		return err
	}
	return c.commit(a)
}

// commit commits the position together with the chunks written.
func (c *checkpoint) commit(a target) error {
	if err := a.SetAttr(progressAttr, c.Position); err != nil {
		return err
	}
	return a.Sync()
}

// end commits the last written chunks and the completion of the copy.
func (c *checkpoint) end(a target) error {
	for _, name := range []string{IncompleteAttr, progressAttr} {
		if err := a.DeleteAttr(name); err != nil {
			return err
		}
	}
	return a.Sync()
}

// endEmpty is end for a copy of no elements. The target is incomplete only if it was created so.
func (c *checkpoint) endEmpty(a target) error {
	if !Incomplete(a) {
		return nil
	}
	return c.end(a)
}

// checkpointToResume is readCheckpoint for a target. The error wraps drx.ErrIncomplete if the
// target has a checkpoint and resume is not set.
func checkpointToResume(a ArrayInfo, resume bool) (*checkpoint, error) {
	found, err := readCheckpoint(a)
	if found != nil && !resume {
		err = fmt.Errorf("the target: %w", &drx.IncompleteError{Name: a.Name()})
	}
	return found, err
}

// readCheckpoint returns the checkpoint of an array. It returns nil if there is none, or if the
// array was created incomplete and no copy to it began.
func readCheckpoint(a ArrayInfo) (*checkpoint, error) {
	attrs := a.Attrs()
	raw, ok := attrs[IncompleteAttr]
	if !ok || string(raw) == "true" { // the value that drx.Create sets
		return nil, nil
	}
	var c checkpoint
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, invalidCheckpoint(err)
	}
	if raw, ok = attrs[progressAttr]; !ok {
		return &c, nil
	}
	if err := json.Unmarshal(raw, &c.Position); err != nil {
		return nil, fmt.Errorf("attribute %s: %w", progressAttr, err)
	}
	return &c, nil
}

// restore returns the plan of the interrupted copy. The error wraps ErrMismatch if the requested
// copy is another one, and ErrMemory if the buffers of the plan exceed the bound.
func (c *checkpoint) restore(src, dst planner.Grid, order nd.Order, memory int64) (*planner.Plan, error) {
	p, err := c.Restore(src, dst, order, memory)
	if err != nil {
		return nil, invalidCheckpoint(err)
	}
	if err := p.CheckPosition(c.Position); err != nil {
		return nil, fmt.Errorf("attribute %s: %w", progressAttr, err)
	}
	return p, nil
}

// invalidCheckpoint adds the name of the attribute to an error about its value.
func invalidCheckpoint(err error) error {
	if err == nil || errors.Is(err, ErrMismatch) || errors.Is(err, ErrMemory) {
		return err
	}
	return fmt.Errorf("attribute %s: %w", IncompleteAttr, err)
}
