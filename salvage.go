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
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/onefile"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/internal/vfs"
)

// RecoverOptions control Recover. The zero value copies only chunks that can be checked.
type RecoverOptions struct {
	// AcceptUnchecked also copies chunks whose entry in the chunk table is missing or damaged,
	// although they may be damaged themselves. Compressed chunks are among them if they can be
	// decoded.
	AcceptUnchecked bool
	// Progress, if not nil, is called after each chunk with the number of chunks examined so far
	// and the number of all chunks to examine.
	Progress func(done, total int64)

	fs vfs.FS // nil for the operating system's
}

// A RecoverReport lists what Recover found and copied. It can be encoded as JSON.
type RecoverReport struct {
	Commits   int    `json:"commits"`    // intact lines of the log
	LostLines int    `json:"lost_lines"` // lines of the log that are damaged, or follow a damaged one
	LogDamage string `json:"log_damage,omitempty"`
	// MissingLines is the number of lines that are missing at the end of the log, as far as the
	// presence map or, in an array of version 1, the chunk table knows: there may be more.
	MissingLines int64 `json:"missing_lines"`
	// Stale is the number of chunks that the last commit changed through the journal, if the
	// journal is damaged or missing. Some of them may still be as they were before that commit; it
	// is unknown which.
	Stale int64 `json:"stale"`
	// LostEntries is the number of entries of the chunk table that the last commit has written and
	// that are lost without a trace, because its writer died. The chunks that may be affected are
	// in Lost, unless they consist of zeros.
	LostEntries int64 `json:"lost_entries"`
	// JournalDamage describes the damage of a journal that is complete but contradicts the array.
	// Recover then ignores the journal, with its part of the last commit.
	JournalDamage string `json:"journal_damage,omitempty"`

	// FileDamage describes the damage of a one-file array outside of its chunks and its log: that
	// it was cut short, that something was appended, which is ignored, or that a part of its header
	// was lost, which Recover guesses.
	FileDamage string `json:"file_damage,omitempty"`
	// LostBytes is the number of bytes that such a file lacks, or whose location is unknown. Chunks
	// that were there are in Lost only if other evidence shows that they were written.
	LostBytes int64 `json:"lost_bytes,omitempty"`
	// LostRecords is the number of lost records of its header, and of lost entries of the directory
	// of a file with several arrays, whose contents are unknown. Records that certainly belong to
	// other arrays are not counted.
	LostRecords int `json:"lost_records,omitempty"`

	Missing   []string `json:"missing"`   // names of missing files
	Chunks    int64    `json:"chunks"`    // chunks of the grid
	Saved     int64    `json:"saved"`     // copied chunks
	Unchecked int64    `json:"unchecked"` // copied chunks without a checksum to compare with
	// Lost lists the chunks that were written and could not be copied, in ascending order of their
	// numbers; those after the end of the chunk table come last. Their elements read as the fill
	// value in the new array.
	Lost []Damage `json:"lost"`
	// Uncheckable is the number of chunks in Lost that have lost only their checksum:
	// AcceptUnchecked copies them.
	Uncheckable int64 `json:"uncheckable"`
	// Beyond is the number of written chunks that belong to expansions in lost lines, so that their
	// indices are unknown.
	Beyond int64 `json:"beyond"`
}

// Complete reports whether nothing was lost.
func (r *RecoverReport) Complete() bool {
	return r.LostBytes == 0 && r.LostRecords == 0 && r.LostLines == 0 && r.MissingLines == 0 && r.Stale == 0 && r.LostEntries == 0 && r.JournalDamage == "" &&
		len(r.Missing) == 0 && len(r.Lost) == 0 && r.Beyond == 0
}

// Recover copies the intact parts of the array src to a new array dst of one segment: the history
// up to the first damaged line of the log, and every chunk that agrees with its checksum. It never
// writes to src. Files of src other than its log may be missing. The file of a one-file array may
// be cut short, longer than it was, or have a damaged header. So may a file with several arrays, of
// which Recover copies one. Nobody should write to src meanwhile. The report lists what was lost;
// see RecoverOptions for chunks that the chunk table does not vouch for. A chunk that has no entry
// in the table and consists of zeros counts as never written. The files of dst grant no permission
// that the log of src does not grant.
//
// The error wraps fs.ErrNotExist if src has no log, ErrCorrupt if the first line of the log is
// damaged, ErrVersion, or fs.ErrExist if a file of dst exists, or is ctx's or the file system's.
// After an error there is no dst, unless the error came when all of it was durable already; then
// whoever opens dst for writing completes it. If the process is killed, there is no dst either, and
// the next call can make it.
func Recover(ctx context.Context, src, dst string, o RecoverOptions) (RecoverReport, error) {
	v := &recovery{o: o, report: RecoverReport{Missing: []string{}, Lost: []Damage{}}}
	dst = fileset.NewName(Options{fs: o.fs}.filesystem(), BaseName(dst))
	src, err := resolve(Options{fs: o.fs}.filesystem(), src)
	if err == nil {
		err = v.run(ctx, src, dst)
	}
	if err != nil {
		return RecoverReport{}, errkind.Doing(src, "recover to "+dst, err)
	}
	return v.report, nil
}

// A recovery is one call of Recover.
type recovery struct {
	o           RecoverOptions
	src         *Array
	dst         *rewrite
	writer      *rewriter // of dst
	report      RecoverReport
	buf         []byte
	done, total int64
}

// run opens src, makes dst and fills the report.
func (v *recovery) run(ctx context.Context, src, dst string) error {
	a, err := withFiles(src, Options{fs: v.o.fs}, v.substituteMissing(src), v.open(src))
	if err != nil {
		return err
	}
	// Errors do not matter: nothing was written.
	defer func() { _, _ = a.store.Close(true), a.file.Close() }()
	v.src, v.buf = a, make([]byte, a.state.Load().ChunkBytes)
	v.report.Chunks = int64(a.Grid().Chunks())
	access, err := limitedAccess(a.file)
	if err != nil {
		return err
	}
	if v.dst, err = newArrayRewrite(dst, Options{Write: true, fs: v.o.fs}, a.state.Load(), access); err != nil {
		if is, existsErr := fileset.Exists(a.fsys, dst); existsErr == nil && is && errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w; if an interrupted recovery made it, it is whole, and drx verify checks it", err)
		}
		return err
	}
	v.writer = v.dst.rewriter()
	made, err := v.writeTarget(ctx)
	if !made {
		v.dst.abandon()
		return err
	}
	v.dst.close()
	return err
}

// writeTarget creates the new array. made reports whether the array exists, which is possible even
// after an error.
func (v *recovery) writeTarget(ctx context.Context) (made bool, err error) {
	if err := v.copy(ctx); err != nil {
		return false, err
	}
	if _, err := v.dst.commit(); err != nil {
		return false, err
	}
	return v.dst.publish()
}

// substituteMissing returns a function that substitutes an empty file for a missing one, except for
// the log, and accepts damage to the file of an array in one file.
func (v *recovery) substituteMissing(src string) fileset.Absent {
	return func(ext string, err error) (vfs.File, error) {
		if damage := (*onefile.Damage)(nil); errors.As(err, &damage) {
			v.report.FileDamage, v.report.LostBytes, v.report.LostRecords = damage.Error(), damage.Lost, damage.LostRecords
			return nil, nil
		}
		if ext == fileset.LogExt {
			return nil, err
		}
		if !slices.Contains(v.report.Missing, src+ext) {
			v.report.Missing = append(v.report.Missing, src+ext)
		}
		return vfs.NewMem().Create(src + ext)
	}
}

// open returns a function that opens src for reading, up to the first damaged line of the log.
func (v *recovery) open(src string) func(fileset.Files) (*Array, error) {
	return func(files fileset.Files) (*Array, error) {
		state, log, lost, damage, err := metalog.Salvage(files.Log)
		if err != nil {
			return nil, err
		}
		o := Options{fs: v.o.fs}
		if o.noPresence, err = v.lacksPresence(src, state, files); err != nil {
			return nil, err
		}
		a := newArray(src, o, state, log, files)
		if err := v.finishCommit(a); err != nil {
			return a, err
		}
		v.report.Commits, v.report.LostLines = log.Commits(), lost
		if a.state.Load() != state { // the journal has one more line
			v.report.Commits++
			v.report.LostLines = max(0, lost-1)
		}
		if damage != nil {
			v.report.LogDamage = damage.Error()
		}
		lines := int64(v.report.Commits + v.report.LostLines)
		if v.report.MissingLines, err = a.store.Table().MissingLines(lines); err != nil || state.HasPresenceMap() {
			return a, err
		}
		if head, known, err := fileset.PresenceHead(o.filesystem(), src); known && err == nil {
			v.report.MissingLines = max(v.report.MissingLines, head.Commits-lines)
		}
		return a, nil
	}
}

// lacksPresence reports whether the presence map is missing, and adds it to the report's missing
// files.
func (v *recovery) lacksPresence(src string, state *state.State, files fileset.Files) (bool, error) {
	if files.Presence != nil { // part of a one-file array
		return false, nil
	}
	name := fileset.Presence(src)
	id, err := vfs.IfExists(Options{fs: v.o.fs}.filesystem().Identity(name))
	if err != nil || id != nil || !state.HasPresenceMap() {
		return false, err
	}
	if !slices.Contains(v.report.Missing, name) {
		v.report.Missing = append(v.report.Missing, name)
	}
	return true, nil
}

// finishCommit reads the last commit from the journal. If the journal is damaged and the log has
// the commit's line, the intact part of the journal counts.
func (v *recovery) finishCommit(a *Array) error {
	err := a.recoverFromCrash()
	var unapplied *chunktable.UnappliedError
	var entries *chunktable.LostEntriesError
	switch {
	case errors.As(err, &entries):
		v.report.LostEntries = entries.Chunks
		a.store.Suspect(entries.From)
		return nil // a journal that counts was already applied
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

// copy first copies the chunks with an entry in the table or the presence map, and then those that
// may have lost theirs.
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
			if err := v.saveChunk(q, err); err != nil {
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
		return nil // chunks beyond the grid were never committed
	}
	entries, err := v.src.store.Table().Entries()
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

// saveChunk copies chunk q or adds it to the report's lost chunks. entry is the error of the
// chunk's table entry, nil for an intact one. A returned error is about the new files.
func (v *recovery) saveChunk(q axial.Number, entry error) error {
	read := v.src.store.Read
	if entry != nil {
		read = v.src.store.ReadUnchecked
	}
	err := read(q, v.buf)
	empty := err == chunkstore.ErrUnwritten || err == nil && strided.IsZero(v.buf)
	if empty && isUnknown(entry) {
		return nil
	}
	if err == chunkstore.ErrUnwritten && entry != nil {
		err = fmt.Errorf("its place holds nothing: %w", entry)
	}
	if err == nil && entry != nil && !v.o.AcceptUnchecked {
		err = entry
		v.report.Uncheckable++
	}
	if err != nil {
		v.noteLost(q, err)
		return nil
	}
	v.report.Saved++
	if entry != nil {
		v.report.Unchecked++
	}
	return v.writer.writeChunk(q, v.buf)
}

// isUnknown reports whether the error of a table entry leaves open whether the chunk was ever
// written.
func isUnknown(entry error) bool {
	return errors.Is(entry, chunkstore.ErrNoEntry) || errors.Is(entry, chunkstore.ErrEmptyEntry)
}

// noteLost adds a chunk to the report's lost chunks, unless it is outside of the bounds.
func (v *recovery) noteLost(q axial.Number, reason error) {
	if d := v.src.damage(q, reason); d.Section != nil {
		v.report.Lost = append(v.report.Lost, d)
	}
}

// AcceptLoss makes a damaged array writable again, in place, by giving up what it has lost: commits
// whose lines are missing at the end of the log, a commit in a damaged journal, or a missing
// presence map. Open refuses to open such an array for writing, because a writer would overwrite
// what Recover could still save.
//
// Afterwards the array is what its log says. Chunks of lost expansions are cut off. Elements
// outside the bounds, which lost commits may have written, are set to the fill value, so that they
// never come back when the array grows again. Chunks within the bounds keep what was last written
// to them. An array that has lost nothing is left unchanged.
//
// AcceptLoss reads every chunk that reaches over the bounds or belongs to a lost commit. If it is
// interrupted, it can be called again, or the next writer completes the work. The error is ctx's,
// or one of those of Open.
func AcceptLoss(ctx context.Context, name string) error {
	return acceptLoss(ctx, name, Options{})
}

// acceptLoss is AcceptLoss with options, for the tests.
func acceptLoss(ctx context.Context, name string, o Options) error {
	o.Write, o.Incomplete, o.acceptLoss = true, true, true
	a, err := Open(name, o)
	if err != nil {
		return err
	}
	if err := a.repairLoss(ctx); err != nil {
		_ = a.Discard() // the first error is what the caller needs
		return a.errorf("accept the loss", err)
	}
	return a.Close()
}

// repairLoss makes the chunks and the presence map agree with the log.
func (a *Array) repairLoss(ctx context.Context) error {
	if !a.lost && !a.writer.Unjournaled() {
		return nil
	}
	if err := a.beginRepair(); err != nil {
		return err
	}
	if err := a.loseVersions(); err != nil {
		return err
	}
	if err := a.blankOutsideBounds(ctx); err != nil {
		return err
	}
	if err := a.sync(); err != nil {
		return err
	}
	a.opts.acceptLoss = false
	return a.writer.SetUnjournaled(false, *headOf(a.log))
}

// beginRepair durably records that elements may exist outside of the bounds, as after the death of
// a writer without journal, so that the next writer completes an interrupted repair. The record is
// in the presence map, so the array gets one, and the format version that has it, if necessary.
func (a *Array) beginRepair() error {
	if !a.store.HasPresence() {
		head := headOf(a.log)
		head.Unjournaled = true
		if err := a.addPresenceMap(head); err != nil {
			return err
		}
	}
	if err := a.writer.SetUnjournaled(true, *headOf(a.log)); err != nil {
		return err
	}
	if a.state.Load().Version >= state.PresenceVersion {
		return nil
	}
	if err := a.addFormatRecord(); err != nil {
		return err
	}
	return a.sync()
}
