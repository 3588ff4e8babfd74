package dataset

import (
	"maps"
	"slices"
)

// Prepare is the first phase of a commit: all changes so far become durable, but none visible, and
// the arrays of the variables are closed. Then other processes can open them with drx.Open and
// Options.Shared, and write to new indices and to variables of CreatePending, while the dataset
// stays locked here. Sync is the second phase: it shows everything at one moment, and so does
// Close. Discard, or the next writer after a crash, undoes everything.
//
// Coordinates of dimensions that have grown stay open here, because their commit makes the growth
// visible. The growth of a dimension without a coordinate is visible at once. Variables returned
// before must not be used any more. The error is that of Sync.
func (d *Dataset) Prepare() error {
	if err := d.check(true); err != nil {
		return err
	}
	if err := d.announce(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		v := d.vars[name]
		if _, grows := d.grown[name]; grows && v.IsCoordinate() {
			continue
		}
		delete(d.vars, name)
		if err := v.a.Close(); err != nil {
			return err
		}
	}
	return nil
}
