package chunkstore

import (
	"sync/atomic"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/journal"
)

// A change is an entry of a chunk that the table does not have yet, and the position of the chunk's
// bytes: an image of the journal, or journal.NoImage for the slot in the principal array, overlaid
// with patch if that is not nil.
type change struct {
	entry chunktable.Entry
	image int64
	patch *patch
	// promised marks a change that a reader knows from the journal of another process. That process
	// may have written the chunk again since, so its bytes are checked at each read.
	promised bool
}

// changeInPlace returns the change of a chunk whose bytes are all in the principal array.
func changeInPlace(e chunktable.Entry) change { return change{entry: e, image: journal.NoImage} }

// inPlace reports whether the bytes are all in the principal array.
func (c change) inPlace() bool { return c.image == journal.NoImage && c.patch == nil }

// An overlay has the changes that take precedence over the table. It is guarded by the lock of the
// store, except for some.
type overlay struct {
	of      map[axial.Number]change
	patches int         // bytes of memory of their patches
	some    atomic.Bool // whether there are any; readers check it before they wait for the lock
}

func (o *overlay) set(q axial.Number, to change) {
	o.patches += to.patch.size() - o.of[q].patch.size()
	o.of[q] = to
	o.some.Store(true)
}

func (o *overlay) remove(q axial.Number) {
	o.patches -= o.of[q].patch.size()
	delete(o.of, q)
	o.some.Store(len(o.of) > 0)
}

func (o *overlay) clear() { o.replace(map[axial.Number]change{}) }

// replace exchanges all changes at once: readers find the old ones or the new ones.
func (o *overlay) replace(of map[axial.Number]change) {
	o.of, o.patches = of, 0
	for _, to := range of {
		o.patches += to.patch.size()
	}
	o.some.Store(len(of) > 0)
}
