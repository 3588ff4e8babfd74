package drx

import "drx/internal/state"

// readLastCommit sets the state to the last commit, whether it is in the log or in the journal. The log has
// just been read. readLastCommit calls each for the records of lines that were added since. It is for readers,
// which acquire no lock on the files.
//
// A writer first completes the journal, then appends the commit's line to the log, then writes the chunks to
// their places, and then empties the journal. A reader that reads first the log and then the journal finds one
// of two situations:
//
//  1. The journal has a commit that counts for this log: the log lacks the commit's line, or has it as the
//     last one. No later commit was made before the journal was read. The bounds are those of the log and of
//     that line, and the chunks are in the journal or in their places.
//  2. The journal has no such commit. Then the chunks of the log's last commit are in their places. But a
//     later commit may have been seen by somebody already: it was in the journal when the log was read, and
//     had left it when the journal was read. So the log is read again. If it is unchanged, there was no such
//     commit. If it has changed, it now has every commit that anybody can have seen before this call, and the
//     journal is read for the new log, which gives situation 1 or 2 again. Commits made after that are for the
//     next call.
//
// So nobody sees an earlier commit than was seen before, or a part of a commit, unless the writer could not
// complete the commit and took it back. A reservation is a line without a journal. Compact empties the journal
// before it replaces the files, and does not change the files that a reader has open.
func (a *Array) readLastCommit(each func(commit int, r state.Record, s *state.State)) error {
	line, err := a.reader.Refresh(a.log.Commits())
	if err == nil && !a.store.Unfinished() {
		before := a.logged
		if err = a.readNewLines(each); err == nil && a.logged != before {
			line, err = a.reader.Refresh(a.log.Commits())
		}
	}
	if err == nil {
		err = a.checkJournaled(line)
	}
	if err != nil {
		return err
	}
	a.pool.Reset() // before anybody sees the new bounds: the pool has old contents of the chunks
	return a.replay(line)
}

// readNewLines reads the lines that were appended to the log since it was last read.
func (a *Array) readNewLines(each func(commit int, r state.Record, s *state.State)) error {
	state, err := a.log.ReadOn(a.logged, 0, each)
	if err == nil {
		a.logged = state
	}
	return err
}
