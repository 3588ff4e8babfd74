package chunkstore

import (
	"drx/axial"
	"drx/internal/chunktable"
)

// A role has what a store does differently in each kind of process that has the array open:
//
//	Reader   reader.go   reads, while other processes may write
//	Writer   writer.go   changes the array, and is the only process that does
//	Sharer   sharer.go   writes the chunks that it has reserved, beside other sharers
//	Member   member.go   writes as one of several processes that commit together
//	Leader   leader.go   is the member that has its Writer commit for all
//
// A Sharer, a Member and a Leader take the place of a Writer of the same files before these are
// used; after that a store keeps its role. The code that reads is the same for all roles, and asks
// its role these questions.
type role interface {
	// entry returns what the table says of chunk q, or an error wrapping state.ErrCorrupt.
	entry(q axial.Number) (chunktable.Entry, error)
	// confirmDamage returns the error for chunk q if its entry, which was damaged in the file,
	// still is.
	confirmDamage(q axial.Number, err error) error
	// locate finds the entry of chunk q for Pin. It reports false if the chunk cannot be used in
	// place. unmapped asks not to map files.
	locate(q axial.Number, unmapped bool) (location, bool)
	// picks reports whether Pick may look at entries where they are mapped.
	picks() bool
	// undisturbed reports whether nobody can be writing chunks at present, this process included,
	// so that a chunk may be checked after its bytes were used.
	undisturbed() bool
	// reread reads chunk q after reading it has failed with err: the failure may be temporary.
	reread(q axial.Number, buf []byte, checking Checking, err error) error
	// closeJournal closes the journal that the store has open, if any. If keep is set, it leaves
	// the file as it is.
	closeJournal(keep bool) error
}

// A ChunkWriter is a role that changes chunks: any but Reader.
type ChunkWriter interface {
	// Write stores chunk q. Others see it with the next commit; at once without a journal, if a
	// commit has the chunk.
	Write(q axial.Number, buf []byte) error
	// WriteFresh stores chunks from q on, which are Fresh, in one piece; buf has them one behind
	// the other: one chunk, unless they Adjoin. If it fails they are as before.
	WriteFresh(q axial.Number, buf []byte) error
}

// A Committer is a role that commits chunks: Writer, which a Leader leaves its commits to, or
// Sharer. The order of a commit is Prepare, Journal if Changed, the line of the log, Apply, Finish.
// Nobody writes chunks meanwhile.
type Committer interface {
	ChunkWriter

	// Prepare makes durable what was written to the places of chunks, and after that the entries
	// that need no journal: of a Writer those of chunks beyond the grid of the last commit, or all
	// if its Durability is not Full; of a Sharer all.
	Prepare() error
	// Changed reports whether chunks in the grid of the last commit have changed, or got their
	// first entry, so that a commit needs the journal.
	Changed() bool
	// Journal puts the changes into the journal, durably, which makes the commit. With the commit
	// the log has commits lines; line is the last one, or empty if the commit adds none.
	Journal(commits int, line []byte) error
	// Retract undoes Journal, whether it succeeded or not, as long as the commit is not in the log.
	// It can be called again after an error.
	Retract() error
	// Apply puts what is in the journal in its place. It can be called again after an error.
	Apply() error
	// Finish notes in the presence map that a commit is made and in its place: it sets the bytes of
	// the chunks that are new, then writes head, which says how long the log is. If head is nil,
	// that of the map stays: another process may have made the log longer. Then it empties the
	// journal. It can be called again after an error.
	Finish(head *chunktable.Head) error
	// Abandon gives back to the file system what was written since the last commit, before the
	// store is closed without another one. A commit in the journal that is not in its place yet
	// stays as it is.
	Abandon() error
}
