package capi

import (
	"fmt"
	"slices"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
	"drx/relayout"
)

// MPRank returns the number of dimensions.
func MPRank(h Handle) (int, error) {
	a, err := mpArrays.get(h)
	if err != nil {
		return 0, err
	}
	return len(a.Shape()), nil
}

// MPDType returns the element type.
func MPDType(h Handle) (dtype.DType, error) {
	a, err := mpArrays.get(h)
	if err != nil {
		return 0, err
	}
	return a.DType(), nil
}

// MPBounds stores the bounds in lo and hi, either of which may be nil.
func MPBounds(h Handle, rank int, lo, hi []int64) error {
	a, err := mpArrays.get(h)
	if err != nil {
		return err
	}
	return storeSection(a.Bounds(), rank, lo, hi)
}

// MPChunkShape stores the extents of a chunk.
func MPChunkShape(h Handle, rank int, chunk []int64) error {
	a, err := mpArrays.get(h)
	if err != nil {
		return err
	}
	return storeExtents(a.ChunkShape(), rank, chunk)
}

// storeExtents stores extents in a list of length rank, unless it is nil.
func storeExtents(shape []int, rank int, to []int64) error {
	if to == nil {
		return nil
	}
	if err := nd.CheckRank("places for extents", rank, len(shape)); err != nil {
		return err
	}
	for d, n := range shape {
		to[d] = int64(n)
	}
	return nil
}

// MPOwner returns the process that owns an element.
func MPOwner(h Handle, index []int64) (int, error) {
	a, err := mpArrays.get(h)
	if err != nil {
		return 0, err
	}
	i, err := Ints(index)
	if err != nil {
		return 0, err
	}
	p, err := a.Decomposition().Owner(i...)
	if err != nil {
		return 0, fmt.Errorf("%s: owner: %w", a.Name(), err)
	}
	return p, nil
}

// A Zone is the part of an array that a process owns, or the part of a global array that it holds.
type Zone struct{ *drxmp.Zone }

// ZoneOf returns the zone of a process in an array, or its part of a global array; process -1 is
// this one.
func ZoneOf(h Handle, proc int) (Zone, error) {
	var m *drxmp.Decomposition
	own := 0
	if h.kind() == mpGlobalKind {
		g, err := mpGlobals.get(h)
		if err != nil {
			return Zone{}, err
		}
		m, own = g.Decomposition(), g.array.Proc()
	} else {
		a, err := mpArrays.get(h)
		if err != nil {
			return Zone{}, err
		}
		m, own = a.Decomposition(), a.Proc()
	}
	if proc == -1 {
		proc = own
	}
	if err := par.CheckProc(proc, m.Procs()); err != nil {
		return Zone{}, err
	}
	return Zone{m.Zone(proc)}, nil
}

// StoreShape stores the extents of the zone in memory.
func (z Zone) StoreShape(rank int, shape []int64) error { return storeExtents(z.Shape(), rank, shape) }

// StoreBox stores the bounds of one of the boxes that the zone consists of.
func (z Zone) StoreBox(i, rank int, lo, hi []int64) error {
	boxes := z.Sections()
	if i < 0 || i >= len(boxes) {
		return invalidf("box %d: the zone has %d boxes, counted from 0", i, len(boxes))
	}
	return storeSection(boxes[i], rank, lo, hi)
}

// StoreChunks stores the numbers of the zone's chunks in the order of the file, and their positions
// in memory. Both lists have length n, and may be nil.
func (z Zone) StoreChunks(n int, file, memory []int64) error {
	numbers, at := z.Chunks()
	if (file != nil || memory != nil) && n != len(numbers) {
		return invalidf("lists of %d chunks: the zone has %d", n, len(numbers))
	}
	for i, q := range numbers {
		if file != nil {
			file[i] = int64(q)
		}
		if memory != nil {
			memory[i] = int64(at[i])
		}
	}
	return nil
}

// CountChunks returns the number of chunks of the zone.
func (z Zone) CountChunks() int {
	numbers, _ := z.Chunks()
	return len(numbers)
}

// A Spec is an array that was described but not opened, with the communicator for it.
type Spec struct {
	Comm  int64
	DType dtype.DType
	Shape []int // nil if the array exists
	Chunk []int
}

var mpSpecs = table[*Spec]{kind: mpSpecKind}

// NewSpec returns a handle for a description.
func NewSpec(s Spec) (Handle, error) {
	if s.Shape == nil {
		return mpSpecs.add(&s)
	}
	if !s.DType.Valid() {
		return 0, invalidf("type %d: types are 1 to %d", s.DType, len(dtype.All()))
	}
	for d, n := range s.Shape {
		if n < 0 || s.Chunk[d] < 1 {
			return 0, invalidf("dimension %d: extent %d in chunks of %d: extents are at least 0 and those of chunks at least 1", d, n, s.Chunk[d])
		}
	}
	return mpSpecs.add(&s)
}

// SpecOf returns the description behind a handle.
func SpecOf(h Handle) (Spec, error) {
	s, err := mpSpecs.get(h)
	if err != nil {
		return Spec{}, err
	}
	return *s, nil
}

// FreeSpec frees the handle of a description.
func FreeSpec(h Handle) error {
	_, err := mpSpecs.remove(h)
	return err
}

// IsSpec reports whether a handle denotes a description, open or not.
func IsSpec(h Handle) bool { return h.kind() == mpSpecKind }

// Options returns the options of the description for MPCreate.
func (s Spec) Options() (string, error) { return toJSON(map[string][]int{"chunk": s.Chunk}) }

// CheckOpened closes an array again, without a commit, if it does not match its description. The
// error is the same on all processes, and wraps relayout.ErrMismatch.
func (s Spec) CheckOpened(h Handle) error {
	a, err := mpArrays.get(h)
	if err != nil || s.Shape == nil {
		return err
	}
	if a.DType() == s.DType && slices.Equal(a.ChunkShape(), s.Chunk) {
		return nil
	}
	err = errkind.Errorf(relayout.ErrMismatch, "%s: it has %v in chunks of %v, and not %v in chunks of %v, as DRXMP_Init was told", a.Name(), a.DType(), a.ChunkShape(), s.DType, s.Chunk)
	return firstError(MPDiscard(h), err)
}
