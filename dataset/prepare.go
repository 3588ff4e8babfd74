package dataset

import (
	"maps"
	"slices"
)

// Prepare is the first phase of a commit: all changes so far become durable, but nothing of them
// visible, and the arrays of the variables are closed. So other processes can open them with
// drx.Open and Options.Shared, and write to what has grown and to variables that CreatePending has
// made, while the dataset stays locked here. Sync is the second phase: it shows everything at one
// moment, as Close does. Discard, and the next writer after a crash, take everything back.
//
// Coordinates of dimensions that have grown stay open here, as their commit is what readers see; a
// dimension without a coordinate is seen to grow at once. Variables that were returned before must
// not be used any more. The error is that of Sync.
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
