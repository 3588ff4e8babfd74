// Package joint is what package drx does for package drxmp and for nobody else: an array that several
// processes have open as one reader, or one writer, together. Package drx has the code and sets the
// hooks; the rules of who may call what, and when, are in drxmp.
package joint

import (
	"drx/axial"
	"drx/nd"
)

// A Member is an array as one of the processes has it open. One of them, the leader, has opened or created
// the array and holds its locks; it alone reads the log, which it gives to the others, and commits.
// Between two commits a chunk is written by one member at most; others see it after Stage there and
// Adopt here. Array and Report are the types of package drx.
type Member[Array, Report any] interface {
	// Array returns the array: to read, to write to chunks that are this member's, and to Extend on
	// all members alike unless Regrows. It must not be committed or closed.
	Array() Array
	// Current reports whether the files are still those of the array: if the leader's are after all
	// have opened them, all have the same. The others then get an error wrapping fs.ErrInvalid if
	// their files are not those of the leader's log.
	Current() (bool, error)
	// Close closes the files, without a commit.
	Close() error

	// Cover prepares the files for chunks that an extension has brought, before any is written: the
	// leader does.
	Cover() error
	// Regrows reports whether extending the array may change chunks, which have to be blanked where
	// it was shrunk: the leader does that alone, with a commit before and after.
	Regrows() bool

	// Stage stores all chunks that were changed, and returns what to tell the others.
	Stage() ([]byte, error)
	// Adopt takes over what Stage has returned on another member.
	Adopt(changes []byte) error
	// Secure makes durable what was stored: every member does, before Commit.
	Secure() error
	// Commit commits what all members have changed, after Stage, Adopt and Secure: the leader does.
	// If it fails the changes are kept, and the next Commit tries again; no member may write before
	// that has succeeded, as the journal may have a commit to be finished.
	Commit() error

	// Log returns what the leader has read of the log, for Join and Follow.
	Log() ([]byte, error)
	// Refresh is the leader's Refresh of the array. It also reports whether Compact has replaced the
	// files: then the others have to close and Join again.
	Refresh() (replaced bool, err error)
	// Follow sees what the leader has committed, or refreshed, by the log that it has now.
	Follow(log []byte) error

	// Moves returns the chunk moves of a section, in the order of the file, between the array and a
	// part of a buffer as drx.Array.ReadStrided has it. They are valid until done is called.
	Moves(write bool, sec nd.Section, buf []byte, strides []int) (moves []Move, done func(), err error)

	// Verify checks the chunks from one number up to another as Verify of the array does; the leader
	// also looks for lines missing at the end of the log. Nothing may be waiting for Stage.
	Verify(from, to axial.Number) (Report, error)
}

// A Move is what a section has to do with one chunk, for those who move whole chunks between memory
// and the file by other means.
type Move interface {
	// Number returns that of the chunk.
	Number() axial.Number
	// ToRead reports whether the bytes of the chunk are those in the file at its offset. If not,
	// they are to be had by Serial.
	ToRead() (bool, error)
	// ToWrite reports whether the bytes of the chunk may be put in the file at its offset, by
	// whoever calls Placed then: all of a chunk that was never written. If not, Serial does it.
	ToWrite() (bool, error)
	// Serial does the move as the array alone would.
	Serial() error
	// CopyOut copies from the bytes of the chunk to the buffer, CopyIn the other way.
	CopyOut(chunk []byte)
	CopyIn(chunk []byte)
	// Check checks bytes of the chunk that were read from the file, whatever the array's Checking is.
	Check(chunk []byte) error
	// Placed says that the chunk has been put in the file, with these bytes.
	Placed(chunk []byte) error
}

// Hooks are how a process becomes a member.
type Hooks[Array, Options, Report any] struct {
	// Lead makes an array that has just been opened or created that of the leader, process proc of
	// procs. It belongs to the member from then on, if there is no error.
	Lead func(a Array, proc, procs int) (Member[Array, Report], error)
	// Join opens an array that the leader has open, with the log that it has read. The error wraps
	// what that of drx.Open does, or fs.ErrInvalid if the files of a writer are not those of the
	// log; see Current for those of a reader.
	Join func(name string, o Options, proc, procs int, log []byte) (Member[Array, Report], error)
}

var hooks any

// Set is called by package drx while it is initialised.
func Set[Array, Options, Report any](h Hooks[Array, Options, Report]) { hooks = h }

// Get returns what Set was given, by the same types.
func Get[Array, Options, Report any]() Hooks[Array, Options, Report] {
	return hooks.(Hooks[Array, Options, Report])
}
