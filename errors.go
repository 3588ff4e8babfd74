package drx

import (
	"errors"

	"drx/dtype"
	"drx/internal/state"
	"drx/internal/transfer"
	"drx/internal/vfs"
	"drx/nd"
)

// Sentinel errors, to be recognised with errors.Is. A file that does not exist, exists
// already or may not be opened is reported as fs.ErrNotExist, fs.ErrExist and
// fs.ErrPermission.
var (
	// ErrRank is returned when there are more or fewer indices, ranges or extents than
	// dimensions, for a dimension that does not exist and for a name that is taken.
	ErrRank = nd.ErrRank
	// ErrBounds is returned when an index, a section, an extent or a chunk extent is
	// outside its limits.
	ErrBounds = nd.ErrBounds
	// ErrOverflow is returned when elements, chunks or bytes cannot be counted in 64 bits.
	ErrOverflow = nd.ErrOverflow
	// ErrDType is returned when a type is not the one of the array, or a value does not
	// fit it.
	ErrDType = dtype.ErrDType
	// ErrSize is returned when a buffer has not the size of its section.
	ErrSize = errors.New("wrong size")
	// ErrClosed is returned by every method after Close.
	ErrClosed = errors.New("array is closed")
	// ErrReadOnly is returned by methods that change an array opened for reading.
	ErrReadOnly = transfer.ErrReadOnly
	// ErrLocked is returned by Open when somebody else has the array open for writing.
	ErrLocked = vfs.ErrLocked
	// ErrVersion is returned when a newer version of the format wrote the array.
	ErrVersion = state.ErrVersion
	// ErrCorrupt is returned when a file does not hold what was written to it.
	ErrCorrupt = state.ErrCorrupt
	// ErrIncomplete is returned by Open for an array that is being filled by a copy, or was when
	// the copy was interrupted, see IncompleteAttr.
	ErrIncomplete = errors.New("copy is not complete")
)
