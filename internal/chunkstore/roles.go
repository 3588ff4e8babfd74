package chunkstore

import (
	"drx/axial"
	"drx/internal/chunktable"
)

// A role has the operations of a store that differ between the kinds of process that have the array
// open:
//
//	Reader   reader.go   reads, while other processes may write
//	Writer   writer.go   changes the array, and is the only process that does
//	Sharer   sharer.go   writes the chunks that it has reserved, beside other sharers
//	Member   member.go   writes as one of several processes that commit together
//	Leader   leader.go   is the member whose Writer commits for all
//
// A Sharer, a Member and a Leader replace a Writer of the same files before the store is used;
// after that a store keeps its role. The code that reads is the same for all roles, and calls these
// methods of its role.
type role interface {
	// entry returns the entry of chunk q, or an error wrapping state.ErrCorrupt.
	entry(q axial.Number) (chunktable.Entry, error)
	// confirmDamage returns the error for chunk q if its entry, which was damaged in the file,
	// still is.
	confirmDamage(q axial.Number, err error) error
	// locate finds the entry of chunk q for Pin. It reports false if the chunk cannot be used in
	// place. With unmapped it maps no files.
	locate(q axial.Number, unmapped bool) (location, bool)
	// picks reports whether Pick may read entries from the mapping.
	picks() bool
	// undisturbed reports whether no process, including this one, can be writing chunks at present,
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
	// Write stores chunk q. Others see it with the next commit; without a journal they see it at
	// once if a commit has the chunk.
	Write(q axial.Number, buf []byte) error
	// WriteFresh stores chunks from q on, which are Fresh, in one write. buf has the chunks one
	// after the other: a single one, unless they Adjoin. After an error the chunks are as before.
	WriteFresh(q axial.Number, buf []byte) error
}

// A Committer is a role that commits chunks: Writer, which commits for a Leader, or Sharer. The
// order of a commit is Prepare, Journal if Changed, the line of the log, Apply, Finish. Nobody
// writes chunks meanwhile.
type Committer interface {
	ChunkWriter

	// Prepare makes durable first the bytes that were written to slots, then the entries that need
	// no journal. For a Writer these are the entries of chunks beyond the grid of the last commit,
	// or all if its Durability is not Full; for a Sharer all.
	Prepare() error
	// Changed reports whether chunks in the grid of the last commit have changed, or got their
	// first entry, so that a commit needs the journal.
	Changed() bool
	// Journal writes the changes to the journal, durably, which makes the commit. With the commit
	// the log has commits lines; line is the last one, or empty if the commit adds none.
	Journal(commits int, line []byte) error
	// Retract undoes Journal, whether it succeeded or not, as long as the commit is not in the log.
	// It can be called again after an error.
	Retract() error
	// Apply moves the commit in the journal to its place. It can be called again after an error.
	Apply() error
	// Finish records in the presence map that a commit is made and in its place: it sets the bytes
	// of new chunks, then writes head, which has the length of the log. If head is nil, that of the
	// map stays: another process may have made the log longer. Then it empties the journal. It can
	// be called again after an error.
	Finish(head *chunktable.Head) error
	// Abandon frees the space of writes since the last commit, before the store is closed without
	// another commit. A commit in the journal that is not in its place yet stays there.
	Abandon() error
}
