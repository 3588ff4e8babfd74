package chunkstore

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// A Reader is the store of a process that only reads, beside others that may write. It has no lock.
// While a commit goes to its place, each of its chunks is whole in the journal until it is whole in
// its slot. So a chunk that disagrees with its checksum is searched for in both.
type Reader struct {
	foreignTable
	others Others
}

// SetPast makes the store one of the chunks as they were after a commit. check returns an error for
// a chunk whose present entry, zero for none, is another one than then. Nobody may use the store
// meanwhile.
func (r *Reader) SetPast(check func(q axial.Number, e chunktable.Entry) error) { r.past = check }

// picks is false for chunks of the past, whose entries have to be looked at.
func (r *Reader) picks() bool { return r.past == nil }

// Others informs a Reader about the processes that write. Functions may be nil.
type Others struct {
	// Writing reports whether a process has the array open for writing. Nil means never.
	Writing func() bool
	// Current reports whether the files are still those of the array. If not, the journal with that
	// name does not belong to them. Nil means always.
	Current func() (bool, error)
	// Commits returns the current number of lines of the log. Nil means the number passed to
	// Refresh.
	Commits func() (int, error)
}

// OpenReader returns the store of chunks of size bytes, slot bytes apart, of a process that only
// reads them.
func OpenReader(files Files, size int, slot int64, others Others) *Reader {
	s := open(files, size, slot)
	r := &Reader{foreignTable{s}, others}
	s.role = r
	return r
}

// locate finds a chunk in the table. A chunk in a journal must be checked, which Read does.
func (r *Reader) locate(q axial.Number, unmapped bool) (location, bool) {
	if _, ok := r.changed(q); ok {
		return location{}, false
	}
	l, ok := r.foreignTable.locate(q, unmapped)
	return l, ok && r.checkPast(q, l.change.entry) == nil
}

// undisturbed reports whether nobody has the array open for writing.
func (r *Reader) undisturbed() bool { return !r.writing() }

func (r *Reader) writing() bool { return r.others.Writing != nil && r.others.Writing() }

func (r *Reader) current() (bool, error) {
	if r.others.Current == nil {
		return true, nil
	}
	return r.others.Current()
}

// closeJournal closes the journal, which is not the reader's own.
func (r *Reader) closeJournal(bool) error {
	if r.journal == nil {
		return nil
	}
	return r.journal.Close()
}

// Refresh makes the store read the files anew: it drops everything it remembers of them. It
// searches the journal for a commit for a log of commits lines, and returns the line that the log
// lacks, nil if it lacks none. Chunks of that commit are read from the journal.
func (r *Reader) Refresh(commits int) (line []byte, err error) {
	j, block, err := r.findCommit(commits, false, r.current)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits = int64(commits)
	err = r.closeJournal(false)
	return r.adopt(j, block, commits, true), err
}

// IgnoreJournal drops the commit that Refresh has found in the journal.
func (r *Reader) IgnoreJournal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.block = nil
	r.overlay.clear()
}

// IgnoreAfter makes the store forget the commit that Refresh has found in the journal if it is one
// after the given one: its chunks may still be in their places as they were before. It returns the
// chunks that the commit clears, which the table may lack although the log does not say why.
func (r *Reader) IgnoreAfter(commit int64) (cleared map[axial.Number]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.block == nil || r.block.Commit <= commit {
		return nil
	}
	cleared = map[axial.Number]bool{}
	for q, c := range r.overlay.of {
		if c.entry.Length == 0 {
			cleared[q] = true
		}
	}
	r.block = nil
	r.overlay.clear()
	return cleared
}

// AdoptDamaged adopts the intact part of a journal that CheckJournaled has found damaged, for a log
// of commits lines, and reports whether there is any. Chunks whose images are damaged are corrupt.
func (r *Reader) AdoptDamaged(commits int) (bool, error) {
	file, err := vfs.IfExists(r.files.FS.Open(r.files.Journal, false))
	if file == nil || err != nil {
		return false, err
	}
	j := journal.New(file, r.size)
	block, err := j.Block()
	block, err = r.checkBlock(j, block, err, r.current)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || block == nil || !counts(block, int64(commits)) {
		return false, first(err, j.Close())
	}
	err = r.closeJournal(false)
	r.adopt(j, block, commits, true)
	return true, err
}

const (
	// retryTimeout is how long a reader waits for a writer that is overwriting a chunk.
	retryTimeout = 10 * time.Second
	// quickTries is the number of attempts before the first wait; without a writer there are no
	// more.
	quickTries = 3
)

// staleTimeout is how long a reader waits for the file system to show new data, if it may show old
// ones. Most forget the length and the names of files after a second. Tests replace it.
var staleTimeout = 1500 * time.Millisecond

// reread reads a chunk that disagreed with its checksum, because a writer may just be moving a
// commit to its place. The chunk is whole in the journal until it is whole in its slot, so reread
// tries both in turn, each time with the current entry. While there is a writer it goes on for a
// while. Only then is the chunk corrupt.
// What the reader knows of the chunk from a commit in a journal takes precedence until the table
// has that entry, or a later one. An earlier entry, or none, is not accepted: it would turn a
// damaged chunk into one of an earlier commit, or one never written.
// Where the file system may show old bytes, reread makes it drop them. If the chunk is still wrong
// after a while, although others have committed since, the file system does not show their changes.
func (r *Reader) reread(q axial.Number, buf []byte, _ Checking, err error) error {
	if !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	wait := time.Millisecond
	before, start := r.versionOf(q), time.Now()
	for try := 0; try < quickTries || r.mayChange(time.Since(start)); try++ {
		if r.files.Stale {
			vfs.Refetch(r.files.Data, int64(r.OffsetOf(q)), r.slot)
		}
		if try >= quickTries {
			time.Sleep(wait)
			wait = min(2*wait, 50*time.Millisecond)
		}
		found, intact, journalErr := r.readFromJournals(q, buf)
		if intact || journalErr != nil {
			return journalErr
		}
		if found {
			continue // the journal says where the chunk is, and it is not there yet
		}
		if err := r.forgetReplaced(q); err != nil {
			return err
		}
		if err = r.read(q, buf, CheckAlways); !errors.Is(err, state.ErrCorrupt) {
			return err
		}
	}
	if r.files.Stale && r.versionOf(q) != before {
		return errkind.Errorf(vfs.ErrStale, "%v; but others have committed meanwhile, and %v: try again", err, vfs.ErrStale)
	}
	return err
}

// mayChange reports whether a chunk that is wrong may become right after it was so for some time:
// there is a writer, or the file system may have shown old bytes.
func (r *Reader) mayChange(since time.Duration) bool {
	return r.files.Stale && since < staleTimeout || since < retryTimeout && r.writing()
}

// A version shows whether others have committed: the number of lines of the log, and an entry.
type version struct {
	commits int
	entry   chunktable.Entry
}

// versionOf returns the version of chunk q. It is needed only on file systems that may show old
// bytes.
func (r *Reader) versionOf(q axial.Number) (v version) {
	if !r.files.Stale {
		return v
	}
	v.entry, _ = r.table.ReadEntry(q) // a damaged one is zero
	if r.others.Commits != nil {
		v.commits, _ = r.others.Commits()
	}
	return v
}

// forgetReplaced drops the change of chunk q by the commit in a journal, if the table has that
// entry or a later one.
func (r *Reader) forgetReplaced(q axial.Number) error {
	r.mu.Lock()
	c, known := r.overlay.of[q]
	block := r.block
	r.mu.Unlock()
	if !known || block == nil {
		return nil
	}
	replaced, err := r.isReplaced(q, c.entry, block.Commit)
	if err != nil || !replaced {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.block == block { // unless Refresh has found another commit
		r.overlay.remove(q)
	}
	return nil
}

// isReplaced reports whether the table has the entry of chunk q from the given commit, or a later
// one. Another entry of the same commit number counts as later, because many commits without a line
// may have one number. If the chunk was cleared later the entry does not show it, but then the log
// has another line.
func (r *Reader) isReplaced(q axial.Number, known chunktable.Entry, commit int64) (bool, error) {
	now, err := r.table.ReadEntry(q)
	if errors.Is(err, state.ErrCorrupt) {
		return false, nil
	}
	if err != nil || now.Length > 0 && !now.Earlier(known) {
		return err == nil, err
	}
	if r.others.Commits == nil {
		return false, nil
	}
	commits, err := r.others.Commits()
	return int64(commits) > commit, err
}

// readFromJournals searches the journals of processes that write, or died, for chunk q. It reports
// whether a complete commit in one of them has the chunk, and whether the chunk is intact there.
func (r *Reader) readFromJournals(q axial.Number, buf []byte) (found, intact bool, err error) {
	for i, name := range Journals(r.files.Journal) {
		found, intact, err = r.readFromJournal(name, q, buf)
		missing := errors.Is(err, fs.ErrNotExist)
		if missing {
			err = nil
		}
		if found || err != nil || missing && i > 0 { // the numbers of sharers have no gaps
			break
		}
	}
	if !found || err != nil {
		return false, false, err
	}
	own, err := r.current()
	return own && err == nil, own && intact && err == nil, err
}

// readFromJournal searches one journal, which need not exist, for chunk q.
func (r *Reader) readFromJournal(name string, q axial.Number, buf []byte) (found, intact bool, err error) {
	file, err := r.files.FS.OpenNoFollow(name, false)
	if err != nil {
		return false, false, err
	}
	defer file.Close()
	j := journal.New(file, r.size)
	block, err := j.Block()
	if block, err = r.checkBlock(j, block, err, r.current); err != nil || block == nil {
		return false, false, err
	}
	r.mu.Lock()
	old := block.Commit >= 0 && block.Commit < r.commits
	r.mu.Unlock()
	i, found := block.Find(q)
	if old || !found {
		return false, false, nil
	}
	e, ok := chunktable.Decode(block.Entries[i].Table[:], q)
	if !ok || !r.isPossible(e.Length) {
		return false, false, nil
	}
	if err := r.checkPast(q, e); err != nil {
		return false, false, err
	}
	if !r.isRaw(e) {
		intact, err = r.readJournaledFrame(j, block.Entries[i], e, buf)
		return true, intact, err
	}
	intact, err = r.readJournaled(j, block.Entries[i], e.Sum, buf)
	return true, intact, err
}

// readJournaledFrame reads the chunk of a journal entry that is stored as a frame, and reports
// whether it is intact.
func (r *Reader) readJournaledFrame(j *journal.Journal, of journal.Entry, e chunktable.Entry, buf []byte) (bool, error) {
	memory := frameMemory(int(e.Length))
	defer frames.Put(memory)
	frame := (*memory)[:e.Length]
	if intact, err := r.readJournaled(j, of, e.Sum, frame); !intact || err != nil {
		return false, err
	}
	return true, r.decode(of.Number, buf, frame)
}

// readJournaled reads the stored bytes, which fill buf, of the chunk of an entry of a journal, and
// reports whether they agree with the checksum. If not, they are damaged, or the writer is done
// with the journal.
func (r *Reader) readJournaled(j *journal.Journal, e journal.Entry, sum uint32, buf []byte) (bool, error) {
	err := r.readJournaledBytes(j, e, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return err == nil && crc32c.Sum(buf) == sum, err
}

func (r *Reader) readJournaledBytes(j *journal.Journal, e journal.Entry, buf []byte) error {
	if e.Image != journal.NoImage {
		return j.Image(e.Image, buf)
	}
	_, err := r.files.Data.ReadAt(buf, int64(r.OffsetOf(e.Number)))
	patchOf(e.Pieces).apply(buf, 0)
	return err
}
