package drx

import "drx/internal/state"

// lookOn sets the state to the last commit, in the log, which has just been read, or in the journal. It
// calls each with what the log has more meanwhile. It is for readers, who take no lock.
//
// A writer completes the journal, then puts the line of the commit in the log, then the chunks in their
// places, then empties the journal. A reader that looks at the log first and then at the journal finds one
// of these:
//
//  1. The journal has a commit that counts for this log: the log lacks its line, or has it as the last
//     one. No later commit was made when the journal was read. The bounds are those of the log and of
//     that line, the chunks are in the journal or in their places.
//  2. The journal has none. Then the last commit of the log is in its place, but it need not be the last
//     one that somebody has seen: a later one may have been in the journal when the log was read, and
//     have gone from there when the journal was. So the log is read again. If it has not changed, there
//     was no such commit. If it has, it has all by now that anybody saw before this look began, and the
//     journal is read for this log, which gives 1 or 2 again: what was committed after that is for the
//     next look.
//
// So nobody sees an earlier commit than was seen before, or a commit in part, unless its writer could not
// finish the commit and took it back. Reservations are lines without a journal. Compact empties the
// journal before it replaces the files, and does not change those that a reader has open.
func (a *Array) lookOn(each func(commit int, r state.Record, s *state.State)) error {
	line, err := a.reader.Refresh(a.log.Commits())
	if err == nil && !a.store.Unfinished() {
		before := a.logged
		if err = a.readLog(each); err == nil && a.logged != before {
			line, err = a.reader.Refresh(a.log.Commits())
		}
	}
	if err == nil {
		err = a.checkJournaled(line)
	}
	if err != nil {
		return err
	}
	a.pool.Reset() // before anybody sees the new bounds: what they bring is not in there
	return a.replay(line)
}

// readLog reads on in the log.
func (a *Array) readLog(each func(commit int, r state.Record, s *state.State)) error {
	state, err := a.log.ReadOn(a.logged, 0, each)
	if err == nil {
		a.logged = state
	}
	return err
}
