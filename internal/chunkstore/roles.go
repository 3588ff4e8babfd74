package chunkstore

import (
	"drx/axial"
	"drx/internal/chunktable"
)

// A role is what a store does differently in each kind of process that has the array open:
//
//	Reader   reader.go   reads, while other processes may write
//	Writer   writer.go   changes the array, and is the only process that does
//	Sharer   sharer.go   writes the chunks that it has reserved, beside other sharers
//	Member   member.go   writes as one of several processes that commit together
//	Leader   leader.go   is the member that commits for all
//
// A store has its role as long as it is in use. Only the code of its own role knows of it; the rest asks this
// interface.
type role interface {
	// entry returns what the table says of chunk q, or an error wrapping state.ErrCorrupt.
	entry(q axial.Number) (chunktable.Entry, error)
	// confirmDamage returns the error for chunk q if its entry, which was damaged in the file, still is.
	confirmDamage(q axial.Number, err error) error
	// locate finds the entry of chunk q for Pin. It reports false if the chunk cannot be used in place. unmapped
	// asks not to map files.
	locate(q axial.Number, unmapped bool) (location, bool)
	// picks reports whether Pick may look at entries where they are mapped.
	picks() bool
	// undisturbed reports whether nobody can be writing chunks at present, so that a chunk may be checked
	// after its bytes were used.
	undisturbed() bool
	// reread reads chunk q after reading it has failed with err: the failure may be temporary.
	reread(q axial.Number, buf []byte, checking Checking, err error) error
	// closeJournal closes the journal that the store has open, if any. It leaves the file as it is if keep says so.
	closeJournal(keep bool) error
}

// A ChunkWriter is a role that changes chunks: any but Reader.
type ChunkWriter interface {
	// Write stores chunk q. Others see it with the next commit.
	Write(q axial.Number, buf []byte) error
	// WriteFresh stores chunks from q on, which are Fresh, in one piece; buf has them one behind the other:
	// one chunk, unless they Adjoin. If it fails they are as before.
	WriteFresh(q axial.Number, buf []byte) error
}

// A Committer is a role that commits chunks: Writer, Sharer or Leader. The order of a commit is Prepare, Journal if
// Changed, the line of the log, Apply, Finish. Nobody writes chunks meanwhile.
type Committer interface {
	ChunkWriter

	// Prepare makes durable what was written in place, and the entries of chunks that no commit has.
	Prepare() error
	// Changed reports whether chunks of earlier commits have changed, so that a commit needs the journal.
	Changed() bool
	// Journal puts the changes into the journal, durably, which makes the commit. The log has so many lines
	// afterwards, the last of them being line if it is not empty.
	Journal(commits int, line []byte) error
	// Retract undoes Journal, whether it succeeded or not, as long as the commit is not in the log. It can be
	// called again after an error.
	Retract() error
	// Apply puts what is in the journal in its place, and empties the journal. It can be called again after an
	// error.
	Apply() error
	// Finish notes that a commit is made and in its place: the presence map vouches for its chunks, and says of
	// the log what head says. head is nil if others may know more of the log.
	Finish(head *chunktable.Head) error
}
