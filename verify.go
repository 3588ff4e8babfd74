package drx

import (
	"context"
	"encoding/json"
	"errors"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/errkind"
	"drx/internal/metalog"
	"drx/nd"
)

// A VerifyReport lists what Verify found.
type VerifyReport struct {
	Chunks  int64 // chunks of the grid
	Written int64 // chunks that were ever written, and were checked
	Damaged []Damage
	// LogDamage describes damage at the end of the log, unless an element of Damaged does so
	// already. It is nil without damage, and wraps ErrCorrupt otherwise.
	LogDamage error
}

// Good reports whether nothing is damaged.
func (r VerifyReport) Good() bool { return len(r.Damaged) == 0 && r.LogDamage == nil }

// Verify writes back changed chunks, then reads every chunk that was ever written and compares it
// with its checksum. Changes of the array wait meanwhile. It also does what VerifyLog does. Damaged
// chunks are in the report, in the order of their numbers. An error means that the check could not
// be completed; it may be ctx's, or wraps ErrCorrupt for a damaged line of the log that Open has
// not read because the log has a checkpoint. If progress is not nil, it is called after each chunk
// with the number of chunks checked so far.
func (a *Array) Verify(ctx context.Context, progress func(done int64)) (VerifyReport, error) {
	return a.verify(func(r *VerifyReport, chunks axial.Number) error {
		if err := a.verifyChunks(ctx, r, 0, chunks, progress); err != nil {
			return err
		}
		return a.verifyLogEnd(r)
	})
}

// VerifyRange is like Verify, but only for chunks with numbers in [from, to), and without
// VerifyLog. It is for programs that divide the work among processes. Chunks in the report is the
// number of all chunks of the grid.
func (a *Array) VerifyRange(ctx context.Context, from, to axial.Number, progress func(done int64)) (VerifyReport, error) {
	return a.verify(func(r *VerifyReport, chunks axial.Number) error {
		return a.verifyChunks(ctx, r, from, min(to, chunks), progress)
	})
}

// VerifyLog checks for lines that are missing at the end of the log. A chunk of a commit that the
// log lacks is reported as damaged, even if it is outside of the present bounds; its ChunkIndex may
// be nil then. Otherwise LogDamage reports missing lines. VerifyLog reads no chunk.
func (a *Array) VerifyLog() (VerifyReport, error) {
	return a.verify(func(r *VerifyReport, _ axial.Number) error { return a.verifyLogEnd(r) })
}

// verify calls f with an empty report and the number of chunks, while nothing in the array changes.
func (a *Array) verify(f func(r *VerifyReport, chunks axial.Number) error) (VerifyReport, error) {
	done, err := a.begin("verify", false)
	if err != nil {
		return VerifyReport{}, err
	}
	defer done()
	a.commitMu.Lock()
	defer a.commitMu.Unlock()
	if err := a.pool.Flush(); err != nil {
		return VerifyReport{}, a.errorf("verify", err)
	}
	chunks := a.Grid().Chunks()
	r := VerifyReport{Chunks: int64(chunks)}
	err = f(&r, chunks)
	return r, a.errorf("verify", err)
}

// verifiedTogether is the approximate number of chunks that each goroutine of verifyChunks checks
// between two updates of the report.
const verifiedTogether = 4

// verifyChunks checks the written chunks with numbers in [from, to), several at a time in separate
// goroutines.
func (a *Array) verifyChunks(ctx context.Context, r *VerifyReport, from, to axial.Number, progress func(done int64)) error {
	var batch []axial.Number
	check := func() error {
		for i, err := range a.chunks.CheckAll(batch) {
			a.noteChecked(r, batch[i], err, progress)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return ctx.Err()
	}
	most := a.chunks.Readers * verifiedTogether
	err := a.store.Each(to, func(q axial.Number, entry error) error {
		if q < from {
			return nil
		}
		if entry == nil {
			batch = append(batch, q)
		}
		if entry == nil && len(batch) < most {
			return nil
		}
		err := check()
		if entry != nil { // after the chunks before it
			a.noteChecked(r, q, entry, progress)
		}
		return err
	})
	if err != nil {
		return err
	}
	return check()
}

// verifyLogEnd checks for commits that are missing at the end of the log. A chunk may belong to the
// commit after the last one without damage: that commit is in the journal, or was not completed, or
// changed no bounds or attributes.
func (a *Array) verifyLogEnd(r *VerifyReport) error {
	q, generation, err := a.store.Table().Newest()
	if err != nil {
		return err
	}
	if generation <= a.commits()+1 {
		r.LogDamage, err = a.verifyLogHead()
		return err
	}
	// A writer may have appended lines since the log was read.
	_, log, err := metalog.ReadLogTo(a.file, 0, nil)
	if err != nil || generation <= int64(log.Commits())+1 {
		return err
	}
	r.Damaged = append(r.Damaged, a.damage(q, errkind.Errorf(ErrCorrupt, "%s: lines at its end are missing: it has %d commits, chunk %d is of commit %d",
		a.file.Name(), log.Commits(), q, generation)))
	return nil
}

// verifyLogHead compares the log in the file with the head that the presence map stores. This
// process may have seen lines that are now lost. A writer may change both between the two reads, so
// if they differ verifyLogHead reads the log again. They differ by damage only if the log has no
// new lines.
func (a *Array) verifyLogHead() (damage, err error) {
	for seen := int64(-1); ; {
		state, log, err := metalog.ReadLogTo(a.file, 0, nil)
		if err != nil {
			return nil, err
		}
		now, chunks := *headOf(log), max(a.Grid().Chunks(), state.Grid.Chunks())
		if err = a.store.Table().CheckLog(a.file.Name(), now, chunks); err == nil {
			err = a.checkVersion()
		}
		if !errors.Is(err, ErrCorrupt) {
			return nil, err
		}
		if now.Commits == seen {
			return err, nil
		}
		seen = now.Commits
	}
}

// commits returns the number of lines of the log that were read.
func (a *Array) commits() int64 {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	return int64(a.log.Commits())
}

// noteChecked adds a chunk to the report. err is the error of the chunk or its table entry, nil for
// an intact one.
func (a *Array) noteChecked(r *VerifyReport, q axial.Number, err error, progress func(done int64)) {
	// A writer in another process may have removed the chunk since its entry was read.
	// And an array that was opened as it was has nothing to say of a later chunk.
	if !errors.Is(err, chunkstore.ErrUnwritten) && !errors.Is(err, ErrGone) {
		r.Written++
		if err != nil {
			r.Damaged = append(r.Damaged, a.damage(q, err))
		}
	}
	if progress != nil {
		progress(r.Written)
	}
}

// A Damage is a chunk that does not hold what was written to it, as found by Verify or Recover. Its
// JSON is an object with number, chunk, section and reason; section and reason are strings.
type Damage struct {
	Number     axial.Number
	ChunkIndex []int      // nil if the chunk is not in the chunk grid
	Section    nd.Section // the chunk's elements within the bounds; nil if there are none
	Err        error      // wraps ErrCorrupt, or is the file system's
}

// MarshalJSON implements json.Marshaler. The type's comment describes the result.
func (d Damage) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Number  axial.Number `json:"number"`
		Chunk   []int        `json:"chunk"`
		Section string       `json:"section"`
		Reason  string       `json:"reason"`
	}{d.Number, d.ChunkIndex, d.Section.String(), d.Err.Error()})
}

// damage returns the Damage of chunk q in the array's present state.
func (a *Array) damage(q axial.Number, err error) Damage {
	d := Damage{Number: q, Err: err}
	c := newClip(a.now())
	if !a.Grid().Index(q, c.index) {
		return d
	}
	d.ChunkIndex = c.index
	if c.clipChunk(); !c.outside() {
		d.Section = c.section()
	}
	return d
}
