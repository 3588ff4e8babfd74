package drx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/chunktable"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/internal/vfs"
)

// RecoverOptions say how Recover works. The zero value takes what can be checked.
type RecoverOptions struct {
	// AcceptUnchecked takes chunks too whose entry in the chunk table is missing or damaged:
	// nothing tells whether their bytes are those that were written.
	AcceptUnchecked bool
	// Progress, if not nil, is called after each chunk with the number of chunks looked at
	// and to look at.
	Progress func(done, total int64)

	fs vfs.FS // nil is the operating system's
}

// A RecoverReport says what Recover found. Its JSON is for other programs.
type RecoverReport struct {
	Commits   int    `json:"commits"`    // lines of the log that were good
	LostLines int    `json:"lost_lines"` // and that were not, or came behind one
	LogDamage string `json:"log_damage,omitempty"`
	// MissingLines counts the lines that the log had and that are not in the file any more, as far as
	// the presence map knows, or, in an array of version 1, the chunk table: there may be more.
	MissingLines int64 `json:"missing_lines"`
	// Stale counts the chunks that the last commit changed through the journal, if that is damaged
	// or gone: some of them are as they were before that commit, and nothing tells which.
	Stale int64 `json:"stale"`
	// JournalDamage is what is wrong with a journal that is whole but cannot be; it is left out then, and
	// what it has of the last commit.
	JournalDamage string `json:"journal_damage,omitempty"`

	Missing   []string `json:"missing"`   // files that were not there
	Chunks    int64    `json:"chunks"`    // of the grid
	Saved     int64    `json:"saved"`     // chunks copied
	Unchecked int64    `json:"unchecked"` // of these, without a checksum to compare with
	// Lost holds the chunks that were written and could not be saved, by ascending number, those beyond
	// the table last. Their elements read as the fill value in the new array.
	Lost []Damage `json:"lost"`
	// Uncheckable counts the chunks in Lost of which only the checksum is lost: AcceptUnchecked takes them.
	Uncheckable int64 `json:"uncheckable"`
	// Beyond counts chunks that were written but belong to expansions in lost lines: their
	// indices are not known.
	Beyond int64 `json:"beyond"`
}

// Complete reports whether nothing was lost.
func (r *RecoverReport) Complete() bool {
	return r.LostLines == 0 && r.MissingLines == 0 && r.Stale == 0 && r.JournalDamage == "" &&
		len(r.Missing) == 0 && len(r.Lost) == 0 && r.Beyond == 0
}

// Recover makes a new array dst, of one segment, from what is good of the array src: its
// history up to the first damaged line of the log, and every chunk that agrees with its
// checksum. It never writes to src, whose chunk table and principal array may be missing;
// nobody should be writing to it. The report tells what was lost; see RecoverOptions for
// chunks that the table does not vouch for. (A chunk that the table has no entry for, and
// that is all zeros, counts as never written.) Nobody may use the files of dst who may not use those
// of src.
//
// The error wraps fs.ErrNotExist when there is no log, ErrCorrupt when not even its first
// line is good, ErrVersion, fs.ErrExist when a file of dst exists, or is ctx's or the file
// system's. There is no dst then, unless the error came when all of it was durable already: whoever
// opens it for writing does the rest. A process that is killed leaves no dst either, and nothing that
// keeps the next call from making it.
func Recover(ctx context.Context, src, dst string, o RecoverOptions) (RecoverReport, error) {
	src, dst = BaseName(src), BaseName(dst)
	v := &recovery{o: o, report: RecoverReport{Missing: []string{}, Lost: []Damage{}}}
	if err := v.run(ctx, src, dst); err != nil {
		return RecoverReport{}, fmt.Errorf("%s: recover to %s: %w", src, dst, err)
	}
	return v.report, nil
}

// A recovery is one call of Recover.
type recovery struct {
	o           RecoverOptions
	src         *Array
	dst         *rewrite
	report      RecoverReport
	buf         []byte
	done, total int64
}

func (v *recovery) run(ctx context.Context, src, dst string) error {
	a, err := withFiles(src, Options{fs: v.o.fs}, v.standIn(src), v.open(src))
	if err != nil {
		return err
	}
	defer func() { _, _ = a.store.Close(true), a.file.Close() }() // nothing was written to them
	v.src, v.buf = a, make([]byte, a.state.Load().ChunkBytes)
	v.report.Chunks = int64(a.Grid().Chunks())
	as, err := limitOf(a.file)
	if err != nil {
		return err
	}
	if v.dst, err = newTarget(dst, Options{Write: true, fs: v.o.fs}, a.state.Load(), as); err != nil {
		return err
	}
	made, err := v.make(ctx)
	if !made {
		v.dst.abandon()
		return err
	}
	v.dst.close()
	return err
}

// make makes the new array, and reports whether it is there, which it may be after an error.
func (v *recovery) make(ctx context.Context) (made bool, err error) {
	if err := v.copy(ctx); err != nil {
		return false, err
	}
	if _, err := v.dst.commit(); err != nil {
		return false, err
	}
	return v.dst.publish()
}

// standIn returns an empty file for a missing table or principal array.
func (v *recovery) standIn(src string) fileset.Absent {
	return func(ext string, err error) (vfs.File, error) {
		if ext == fileset.LogExt {
			return nil, err
		}
		if !slices.Contains(v.report.Missing, src+ext) {
			v.report.Missing = append(v.report.Missing, src+ext)
		}
		return vfs.NewMem().Create(src + ext)
	}
}

// open opens src for reading as far as its log is good.
func (v *recovery) open(src string) func(fileset.Files) (*Array, error) {
	return func(files fileset.Files) (*Array, error) {
		state, log, lost, damage, err := metalog.Salvage(files.Log)
		if err != nil {
			return nil, err
		}
		o := Options{fs: v.o.fs}
		if o.noPresence, err = v.lacksPresence(src, state); err != nil {
			return nil, err
		}
		a := newArray(src, o, state, log, files)
		if err := v.finishCommit(a); err != nil {
			return a, err
		}
		v.report.Commits, v.report.LostLines = log.Commits(), lost
		if a.state.Load() != state { // the journal has one line more
			v.report.Commits++
			v.report.LostLines = max(0, lost-1)
		}
		if damage != nil {
			v.report.LogDamage = damage.Error()
		}
		lines := int64(v.report.Commits + v.report.LostLines)
		if v.report.MissingLines, err = a.store.MissingLines(lines); err != nil || state.HasPresenceMap() {
			return a, err
		}
		if head, known, err := fileset.PresenceHead(o.filesystem(), src); known && err == nil {
			v.report.MissingLines = max(v.report.MissingLines, head.Commits-lines)
		}
		return a, nil
	}
}

// lacksPresence reports whether the presence map is missing, and notes that.
func (v *recovery) lacksPresence(src string, state *state.State) (bool, error) {
	name := fileset.Presence(src)
	_, err := Options{fs: v.o.fs}.filesystem().Identity(name)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return false, err
	}
	if !missing || !state.HasPresenceMap() {
		return false, nil
	}
	if !slices.Contains(v.report.Missing, name) {
		v.report.Missing = append(v.report.Missing, name)
	}
	return true, nil
}

// finishCommit sees what is in the journal. If that is damaged, what is good of it counts all the same
// where the log has the commit.
func (v *recovery) finishCommit(a *Array) error {
	err := a.recover()
	var unapplied *chunktable.UnappliedError
	switch {
	case errors.As(err, &unapplied):
	case errors.Is(err, ErrCorrupt):
		v.report.JournalDamage = err.Error()
		a.reader.IgnoreJournal()
		return nil
	default:
		return err
	}
	adopted, err := a.reader.AdoptDamaged(a.log.Commits())
	if !adopted {
		v.report.Stale = unapplied.Chunks
	}
	return err
}

// copy saves the chunks that the table and the presence map know, and then those that they may have
// known.
func (v *recovery) copy(ctx context.Context) error {
	chunks := v.src.Grid().Chunks()
	passes := []func(func(axial.Number, error) error) error{
		func(f func(axial.Number, error) error) error { return v.src.store.Each(chunks, f) },
		func(f func(axial.Number, error) error) error { return v.src.store.EachUnknown(chunks, f) },
	}
	for _, each := range passes {
		if err := each(func(axial.Number, error) error { v.total++; return ctx.Err() }); err != nil {
			return err
		}
	}
	for _, each := range passes {
		err := each(func(q axial.Number, err error) error {
			if err := v.save(q, err); err != nil {
				return err
			}
			if v.done++; v.o.Progress != nil {
				v.o.Progress(v.done, v.total)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	if v.report.LostLines == 0 && v.report.MissingLines == 0 {
		return nil // what is beyond was never committed
	}
	entries, err := v.src.store.Entries()
	if err != nil {
		return err
	}
	return v.src.store.Each(entries, func(q axial.Number, _ error) error {
		if q >= chunks {
			v.report.Beyond++
		}
		return ctx.Err()
	})
}

// save copies chunk q, with what is wrong with its table entry, or notes it as lost. The
// error is of the new files.
func (v *recovery) save(q axial.Number, entry error) error {
	read := v.src.store.Read
	if entry != nil {
		read = v.src.store.ReadUnchecked
	}
	err := read(q, v.buf)
	if err == nil && isUnknown(entry) && strided.IsZero(v.buf) {
		return nil
	}
	if err == nil && entry != nil && !v.o.AcceptUnchecked {
		err = entry
		v.report.Uncheckable++
	}
	if err != nil {
		v.lose(q, err)
		return nil
	}
	v.report.Saved++
	if entry != nil {
		v.report.Unchecked++
	}
	return v.dst.put(q, v.buf)
}

// isUnknown reports whether what is wrong with an entry is that there may never have been one.
func isUnknown(entry error) bool {
	return errors.Is(entry, chunkstore.ErrNoEntry) || errors.Is(entry, chunkstore.ErrEmptyEntry)
}

// lose notes a chunk as lost.
func (v *recovery) lose(q axial.Number, reason error) {
	v.src.Grid().Index(q, v.dst.index)
	if v.dst.locate(); v.dst.outside() {
		return
	}
	v.report.Lost = append(v.report.Lost, Damage{
		Number: q, ChunkIndex: slices.Clone(v.dst.index), Section: v.dst.section(), Err: reason,
	})
}
