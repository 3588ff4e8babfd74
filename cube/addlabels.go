package cube

import (
	"fmt"

	"drx"
	"drx/internal/errkind"
)

// AddLabels adds labels to a dimension. The first one is for index from, which must be the index
// after the last label; in a dimension without labels it may be any index. The next Sync of the
// array makes the labels durable. The error is that of CheckNewLabels, wraps drx.ErrBounds if there
// are more labels than indices, or is that of drx.Array.SetAttr.
func (c *Cube) AddLabels(dim, from int, labels []string) error {
	if err := c.CheckNewLabels(dim, from, labels); err != nil {
		return err
	}
	if r := c.a.Bounds()[dim]; from < r.Lo || from > r.Hi || len(labels) > r.Hi-from {
		return errkind.Errorf(drx.ErrBounds, "dimension %s: %d labels from index %d on, but the indices are %v", c.dimName(dim), len(labels), from, r)
	}
	x := &c.axes[dim]
	if len(x.names) == 0 {
		x.first = from
	}
	for _, label := range labels {
		if err := x.add(label); err != nil {
			return fmt.Errorf("dimension %s: %w", c.dimName(dim), err)
		}
	}
	return x.store(c.a, dim)
}

// CheckNewLabels returns the error that AddLabels would return for labels at index from, which may
// be beyond the bounds. The error wraps drx.ErrRank if there is no such dimension, and ErrLabel for
// a label that is empty, is not UTF-8, occurs twice or exists already, and if from is not the index
// after the last label.
func (c *Cube) CheckNewLabels(dim, from int, labels []string) error {
	if err := c.checkDim(dim); err != nil {
		return err
	}
	x := &c.axes[dim]
	if next := x.nextIndex(); len(x.names) > 0 && next != from {
		return errkind.Errorf(ErrLabel, "dimension %s: the next label belongs to index %d, not to %d: labels have no gaps; set all labels of the dimension instead",
			c.dimName(dim), next, from)
	}
	seen := map[string]bool{}
	for _, label := range labels {
		err := x.check(label)
		if err == nil && seen[label] {
			err = errkind.Errorf(ErrLabel, "label %q occurs twice", label)
		}
		seen[label] = true
		if err != nil {
			return fmt.Errorf("dimension %s: %w", c.dimName(dim), err)
		}
	}
	return nil
}
