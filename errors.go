package drx

import (
	"errors"

	"drx/dtype"
	"drx/internal/remote"
	"drx/internal/state"
	"drx/internal/transfer"
	"drx/internal/vfs"
	"drx/nd"
)

// Sentinel errors, for errors.Is. A file that does not exist, exists already or may not be opened
// is reported as fs.ErrNotExist, fs.ErrExist or fs.ErrPermission.
var (
	// ErrRank is returned if the number of indices, ranges or extents is not the number of
	// dimensions, if a dimension does not exist, and if the name of a new dimension is taken.
	ErrRank = nd.ErrRank
	// ErrBounds is returned if an index, a section, an extent or a chunk extent exceeds its limits.
	ErrBounds = nd.ErrBounds
	// ErrOverflow is returned if elements, chunks or bytes cannot be counted in 64 bits, or a
	// buffer would be larger than any memory.
	ErrOverflow = nd.ErrOverflow
	// ErrDType is returned if a type differs from that of the array, or a value does not fit it.
	ErrDType = dtype.ErrDType
	// ErrSize is returned if a buffer does not have the size of its section.
	ErrSize = errors.New("wrong size")
	// ErrClosed is returned by every method after Close.
	ErrClosed = errors.New("array is closed")
	// ErrReadOnly is returned by methods that change an array that is open for reading, and by
	// those that Options.Shared does not allow.
	ErrReadOnly = transfer.ErrReadOnly
	// ErrLocked is returned by Open if another process, or another Array of this process, has the
	// array open for writing.
	ErrLocked = vfs.ErrLocked
	// ErrVersion is returned if the array was written in a newer version of the format.
	ErrVersion = state.ErrVersion
	// ErrCorrupt is returned if a file does not hold what was written to it.
	ErrCorrupt = state.ErrCorrupt
	// ErrFenced is returned by methods that change an array, or that read it while it is open for
	// writing, after another process has taken its lock over, see SetLocks: nothing that this Array
	// knows counts any more. Close it, and open the array again.
	ErrFenced = remote.ErrFenced
	// ErrStale is returned if the file system shows an old state of a file that another machine has
	// changed, and did so for some time. The array may be sound: try again.
	ErrStale = vfs.ErrStale
	// ErrGone is returned for elements of an earlier commit that are not as they were then: their
	// chunk was overwritten or dropped since, or nothing says whether it was. See OpenAt.
	ErrGone = errors.New("gone")
	// ErrIncomplete is returned by Open for the target of a copy that is still in progress or was
	// interrupted, see relayout.IncompleteAttr, as an *IncompleteError.
	ErrIncomplete = errors.New("copy is not complete")
)

// An IncompleteError is the ErrIncomplete of an array.
type IncompleteError struct {
	Name string // of the array
}

// Error returns the text of ErrIncomplete.
func (e *IncompleteError) Error() string { return ErrIncomplete.Error() }

// Is reports that the error is ErrIncomplete.
func (e *IncompleteError) Is(target error) bool { return target == ErrIncomplete }
