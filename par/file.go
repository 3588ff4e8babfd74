package par

import "fmt"

// A File is a file that all procs of a group have open. ReadAt and WriteAt are calls of one
// proc, of any of its goroutines; all other methods but Name and Size are collective. A collective
// call returns the same error on all procs, and leaves the file open.
//
// What one proc writes another reads after both have called Sync, or after the end of the
// collective call that wrote it. A collective write may, on its way, read and write back bytes
// between the pieces: nobody else may be writing those.
type File interface {
	// Name returns the name it was opened by.
	Name() string
	// Size returns its length in bytes.
	Size() (int64, error)
	// ReadAt reads len(p) bytes from an offset, as io.ReaderAt: with io.EOF if the file ends before.
	ReadAt(p []byte, off int64) (int, error)
	// WriteAt writes len(p) bytes at an offset, as io.WriterAt.
	WriteAt(p []byte, off int64) (int, error)
	// ReadAll reads the pieces of this proc, while the others read theirs; a proc that has
	// none takes part with none. Pieces are by ascending offsets and do not overlap, those of
	// different procs may. The error wraps io.ErrUnexpectedEOF if one is beyond the end.
	ReadAll(pieces []Piece) error
	// WriteAll writes the pieces of this proc, while the others write theirs. No two overlap,
	// of whichever procs.
	WriteAll(pieces []Piece) error
	// StartReadAll is ReadAll in the background. The pieces belong to it until Wait returns;
	// until then no other collective call on this file but Wait (ErrBusy).
	StartReadAll(pieces []Piece) (Request, error)
	// StartWriteAll is WriteAll in the background, under the same conditions.
	StartWriteAll(pieces []Piece) (Request, error)
	// SetSize sets the length, the same on all procs, with zeros where it grows.
	SetSize(size int64) error
	// Sync makes what all procs have written durable, and visible to all.
	Sync() error
	// Close closes it on all procs.
	Close() error
}

// A Request is a collective call going on in the background.
type Request interface {
	// Test reports whether the part of this proc is done. It does not wait, and is no
	// collective call.
	Test() bool
	// Wait waits for the end. It is collective, and returns the same error on all procs.
	Wait() error
}

// A Piece is a run of contiguous bytes in a file, and the memory they are read to or written
// from. A list of them is an MPI hindexed type in file and memory at once (the globalMap and
// the inMemoryMap of the listing in Otoo and Rotem 2007, section IV).
type Piece struct {
	Off  int64  // where the run begins, in bytes
	Data []byte // as long as the run
}

// CheckPieces returns an error that wraps ErrArgument unless the pieces have ascending offsets
// from 0 and do not overlap.
func CheckPieces(pieces []Piece) error {
	end := int64(0)
	for i, p := range pieces {
		if p.Off < end {
			return fmt.Errorf("piece %d at offset %d: %w: pieces ascend, the one before ends at %d", i, p.Off, ErrArgument, end)
		}
		if end = p.Off + int64(len(p.Data)); end < p.Off {
			return fmt.Errorf("piece %d at offset %d: %w: its end is no offset", i, p.Off, ErrArgument)
		}
	}
	return nil
}
