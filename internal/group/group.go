// Package group declares how processes use an array that they have open together: to other programs
// the processes of a group are one reader, or one writer. Package drx implements the interfaces,
// and sets Lead and Join. Package drxmp calls them, and decides which process calls what, and when.
//
// Process 0 of a group is its leader, the others are followers. The leader opens or creates the
// array and holds its locks; it alone reads the log, which it passes to the followers, and it alone
// commits. Between two commits each chunk is written by one process at most. The others see the
// chunk as written once that process has called CollectChanges and they have called ApplyRemote
// with the result.
package group

import (
	"drx/axial"
	"drx/nd"
)

// Lead makes this process the leader of a group of procs processes that use one array together. The
// array, a *drx.Array, must just have been opened or created. If there is no error, it belongs to
// the leader, and must not be committed or closed by other means. The error wraps drx.ErrReadOnly
// for an array opened with Options.Shared or by OpenAt.
//
// Package drx sets Lead and Join when it is initialised. They are no functions of package drx
// because its users cannot name their results, and have no use for them.
var Lead func(array any, procs int) (Leader, error)

// Join opens an array that the leader of a group has open, as process proc of procs, with options
// of type drx.Options. log is the result of the leader's Log. The result is a *drx.Array. The error
// is one of those of drx.Open, or wraps fs.ErrInvalid if the files of a writer do not have the
// leader's log; for a reader Current returns that error.
var Join func(name string, options any, proc, procs int, log []byte) (array any, f Follower, err error)

// A Member is an array as one process of a group has it open. The process reads and writes the
// array, a *drx.Array, as usual, but only chunks that no other process writes, and it extends the
// array together with the others, unless Regrows. It must not call Sync, Close or Discard of the
// array.
type Member interface {
	// Current reports whether the files that the process has open are still the array's. Compact
	// may replace them while processes open them one after the other; if the leader's files are
	// current after all have opened theirs, all have the same files. A follower reports true, or an
	// error wrapping fs.ErrInvalid if its files do not have the leader's log.
	Current() (bool, error)
	// Close closes the files without a commit.
	Close() error

	// Regrows reports whether an extension may change chunks: an array that was shrunk has chunks
	// that must be filled with the fill value when they come back. Only the leader extends such an
	// array, between two commits.
	Regrows() bool

	// CollectChanges stores all changed chunks, and returns what ApplyRemote needs on the other
	// processes.
	CollectChanges() ([]byte, error)
	// ApplyRemote takes over the result of CollectChanges on another process. The error wraps
	// drx.ErrCorrupt if changes is no such result.
	ApplyRemote(changes []byte) error
	// Secure makes durable what this process has stored. Every process calls it before Commit.
	Secure() error

	// ReadMoves plans to read a section into buf, laid out as drx.Array.ReadStrided describes. It
	// returns one Move per chunk in file order; they are valid until done is called. The error is
	// that of ReadStrided.
	ReadMoves(sec nd.Section, buf []byte, strides []int) (moves []Move, done func(), err error)
	// WriteMoves plans to write a section from buf, see ReadMoves.
	WriteMoves(sec nd.Section, buf []byte, strides []int) (moves []Move, done func(), err error)
}

// A Leader is the Member of process 0.
type Leader interface {
	Member

	// Cover makes the chunk table long enough for the present chunks. It must be called after an
	// extension, before any process writes the new chunks.
	Cover() error
	// Commit commits what all processes have changed, after all have exchanged their changes
	// (CollectChanges, ApplyRemote) and called Secure. After an error the changes are kept, and no
	// process may write until another Commit has succeeded: the journal may hold a commit that is
	// to be finished.
	Commit() error
	// Log returns the log that the leader has read, for Join and Follow.
	Log() ([]byte, error)
	// Refresh refreshes the array, see drx.Array.Refresh. It reports whether Compact has replaced
	// the files: then followers must close the array and join again.
	Refresh() (replaced bool, err error)
}

// A Follower is the Member of a process other than 0.
type Follower interface {
	Member

	// Follow brings the array to the state that the leader has committed, or has seen by Refresh.
	// log is what the leader's Log returns now.
	Follow(log []byte) error
}

// A Move is the part of a section that lies in one chunk. A caller that transfers whole chunks
// between memory and the file by other means, such as MPI-IO, asks the Move whether it may, and
// reports to it what it has written.
type Move interface {
	// Number returns the number of the chunk.
	Number() axial.Number
	// Readable reports whether the file holds the chunk at its offset. If not, call Serial.
	Readable() (bool, error)
	// Writable reports whether the caller may write the chunk to the file at its offset, and call
	// NoteWritten then: the section has all of the chunk, which was never written. If not, call
	// Serial.
	Writable() (bool, error)
	// Serial moves the elements as ReadStrided or WriteStrided does.
	Serial() error
	// CopyOut copies from the bytes of the chunk to the buffer.
	CopyOut(chunk []byte)
	// CopyIn copies from the buffer to the bytes of the chunk.
	CopyIn(chunk []byte)
	// Check compares bytes that were read from the file with the checksum of the chunk, whatever
	// drx.Options.Checking says. The error wraps drx.ErrCorrupt.
	Check(chunk []byte) error
	// NoteWritten records that the caller has written the chunk to the file, with these bytes.
	NoteWritten(chunk []byte) error
}
