package par

import "drx/internal/errkind"

// A File is a file that all procs of a group have open. All methods but Name and Size are
// collective: they return the same error on all procs, and leave the file open.
//
// What one proc writes another reads after both have called Sync, or after the collective call that
// wrote it. A collective write may read the bytes between the pieces and write them back: no other
// program may write these bytes meanwhile.
type File interface {
	// Name returns the name it was opened by.
	Name() string
	// Size returns its length in bytes.
	Size() (int64, error)
	// ReadAll reads the pieces of this proc while the others read theirs; a proc may take part
	// without pieces. Pieces have ascending offsets and do not overlap; pieces of different procs
	// may overlap. The error wraps io.ErrUnexpectedEOF if a piece lies beyond the end.
	ReadAll(pieces []Piece) error
	// WriteAll writes the pieces of this proc while the others write theirs. No two pieces overlap,
	// within a proc or between procs.
	WriteAll(pieces []Piece) error
	// Sync makes durable, and visible to all procs, what all procs have written.
	Sync() error
	// Close closes the file on all procs.
	Close() error
}

// A Piece is a run of contiguous bytes in a file, and the memory for them. A list of pieces is an
// MPI hindexed type of the file and one of memory at the same time: the globalMap and the
// inMemoryMap of the listing in Otoo and Rotem 2007, section IV.
type Piece struct {
	Off  int64  // where the run begins, in bytes
	Data []byte // as long as the run
}

// CheckPieces returns an error that wraps ErrArgument unless the pieces have ascending offsets,
// from 0, and do not overlap.
func CheckPieces(pieces []Piece) error {
	end := int64(0)
	for i, p := range pieces {
		if p.Off < end {
			return errkind.Errorf(ErrArgument, "piece %d at offset %d: pieces ascend, the one before ends at %d", i, p.Off, end)
		}
		if end = p.Off + int64(len(p.Data)); end < p.Off {
			return errkind.Errorf(ErrArgument, "piece %d at offset %d: its end is no offset", i, p.Off)
		}
	}
	return nil
}
