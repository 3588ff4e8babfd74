package drxmp

import (
	"encoding/json"
	"sync"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
)

// An Array is an array file that this proc and the others of its group have open together.
//
// Methods and functions whose comment says collective are called by all procs, in the same order,
// also across all arrays that were opened with the same group. If one proc has an error, all get
// the same error. To make such calls on two arrays from two goroutines at the same time, open each
// array with a group of its own, see par.Comm.Split. All other methods are calls of one proc, from
// any of its goroutines.
type Array struct {
	name    string
	dtype   dtype.DType
	options Options
	comm    par.Comm // used by this array only
	member  *membership
	engine  engine
	log     []byte // the part of the log that all procs know

	calls        *callSequence // the collective calls
	background   queue         // calls begun by StartRead and StartWrite
	globalArrays int           // the number opened so far

	// mu is held shared by calls that read or write elements, and exclusively by calls that change
	// the decomposition or the bounds.
	mu            sync.RWMutex
	decomposition *Decomposition
	closed        bool

	// engineWrites is held exclusively while an engine that rewrites gaps writes, and shared by all
	// others that may write chunks to the file: rewriting a gap would undo their writes.
	engineWrites sync.RWMutex

	cancelAtEnd func() // cancels closeAtEnd

	// The reasons why nothing can be written, the same on all procs; nil if there is none.
	// uncovered: the file system has no space for the chunk table. uncommitted: the last commit has
	// failed, and may stay in the journal until another one succeeds.
	uncovered, uncommitted error

	pending pendingRemoteWrites
}

// Name returns the name of the array, without extension.
func (a *Array) Name() string { return a.name }

// DType returns the element type.
func (a *Array) DType() dtype.DType { return a.dtype }

// Shape returns the present extents, in elements.
func (a *Array) Shape() []int { return a.now().Shape() }

// Bounds returns the present bounds as the section of the whole array.
func (a *Array) Bounds() nd.Section { return a.now().Bounds() }

// ChunkShape returns the extents of a chunk, in elements.
func (a *Array) ChunkShape() []int { return a.now().ChunkShape() }

// FillValue returns the value of elements never written, as little-endian bytes.
func (a *Array) FillValue() []byte { return a.now().FillValue() }

// Attrs returns the attributes: JSON values by name.
func (a *Array) Attrs() map[string]json.RawMessage { return a.now().Attrs() }

// Dims returns the names of the dimensions; "" for a dimension without a name.
func (a *Array) Dims() []string { return a.now().Dims() }

// Layout returns the layout of the array's bytes in its .xta file.
func (a *Array) Layout() drx.Layout { return a.now().Layout() }

// Grid returns the present chunk grid, see drx.Array.Grid.
func (a *Array) Grid() *axial.Grid { return a.now().Grid() }

// Proc returns the number of this proc in the group that has the array open.
func (a *Array) Proc() int { return a.comm.Proc() }

// Decomposition returns the present decomposition, which says which proc owns which elements. The
// result does not change when the array grows; call Decomposition again for the new one.
func (a *Array) Decomposition() *Decomposition {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.decomposition
}

// Zone returns the present zone of this proc.
func (a *Array) Zone() *Zone { return a.Decomposition().Zone(a.comm.Proc()) }

func (a *Array) now() *drx.Array {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.member.array
}

// zone is Zone with a.mu held.
func (a *Array) zone() *Zone { return a.decomposition.Zone(a.comm.Proc()) }

// distribute computes the decomposition, equally on all procs. a.mu must be held exclusively.
func (a *Array) distribute(d Distribution) error {
	s := a.member.array
	lo, hi := s.Bounds().Bounds()
	m, err := NewDecomposition(d, a.comm.Procs(), s.Grid(), s.ChunkShape(), lo, hi)
	if err == nil {
		a.decomposition = m
	}
	return a.errorf("distribute", err)
}

// usable returns an error if the array cannot be read or, if write is set, written at present.
func (a *Array) usable(write bool) error {
	switch {
	case a.closed:
		return drx.ErrClosed
	case write && !a.options.Write:
		return drx.ErrReadOnly
	case write && a.uncovered != nil:
		return a.uncovered
	case write:
		return a.uncommitted
	}
	return nil
}

// agree returns the same error on all procs, collective: the error of the first proc that has one.
func (a *Array) agree(what string, err error) error {
	return a.comm.Agree(what+" of "+a.name, err)
}

// errorf prefixes an error with the name of the array and the operation.
func (a *Array) errorf(op string, err error) error { return errorf(a.name, op, err) }
