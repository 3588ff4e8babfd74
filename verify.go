package drx

import (
	"context"
	"errors"
	"fmt"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/metalog"
)

// A VerifyReport says what Verify found.
type VerifyReport struct {
	Chunks  int64 // chunks of the grid
	Written int64 // of these, ever written: all of them were read
	Damaged []Damage
	// LogDamage says what is wrong with the end of the log, as far as it concerns no chunk that is
	// in Damaged; nil for nothing. It wraps ErrCorrupt.
	LogDamage error
}

// Good reports whether nothing is damaged.
func (r VerifyReport) Good() bool { return len(r.Damaged) == 0 && r.LogDamage == nil }

// Verify reads every chunk that was ever written and checks it against its checksum, after
// writing back what has changed; changes wait meanwhile. (The log was checked when the
// array was opened, but for lines missing at its end: see VerifyLog, which is a part of Verify.)
// Damaged chunks are in the report, in the order of their numbers; an error means that the check
// itself could not be done, or ctx's. progress, if not nil, is called after each chunk with the
// chunks checked so far.
func (a *Array) Verify(ctx context.Context, progress func(done int64)) (VerifyReport, error) {
	return a.verify(func(r *VerifyReport, chunks axial.Number) error {
		if err := a.verifyChunks(ctx, r, 0, chunks, progress); err != nil {
			return err
		}
		return a.verifyEnd(r)
	})
}

// VerifyRange is Verify for the chunks numbered from and more, below to, and without VerifyLog: for
// programs that divide the work among processes. Chunks in the report counts all chunks of the grid.
func (a *Array) VerifyRange(ctx context.Context, from, to axial.Number, progress func(done int64)) (VerifyReport, error) {
	return a.verify(func(r *VerifyReport, chunks axial.Number) error {
		return a.verifyChunks(ctx, r, from, min(to, chunks), progress)
	})
}

// VerifyLog looks for lines that are missing at the end of the log. If a chunk belongs to a commit that
// the log does not have, it is reported as damaged, even if it is outside the bounds now, its
// ChunkIndex being nil then; if no chunk does, LogDamage tells. No chunk is read.
func (a *Array) VerifyLog() (VerifyReport, error) {
	return a.verify(func(r *VerifyReport, _ axial.Number) error { return a.verifyEnd(r) })
}

// verify calls f with an empty report and the number of chunks while nothing is changed.
func (a *Array) verify(f func(r *VerifyReport, chunks axial.Number) error) (VerifyReport, error) {
	done, err := a.begin("verify", false)
	if err != nil {
		return VerifyReport{}, err
	}
	defer done()
	a.commit.Lock()
	defer a.commit.Unlock()
	if err := a.pool.Flush(); err != nil {
		return VerifyReport{}, a.errorf("verify", err)
	}
	chunks := a.Grid().Chunks()
	r := VerifyReport{Chunks: int64(chunks)}
	err = f(&r, chunks)
	return r, a.errorf("verify", err)
}

// verifyChunks checks the written chunks with numbers in [from, to).
func (a *Array) verifyChunks(ctx context.Context, r *VerifyReport, from, to axial.Number, progress func(done int64)) error {
	buf := make([]byte, a.store.ChunkBytes())
	return a.store.Each(to, func(q axial.Number, err error) error {
		if q < from {
			return nil
		}
		a.verifyChunk(r, q, err, buf)
		if progress != nil {
			progress(r.Written)
		}
		return ctx.Err()
	})
}

// verifyEnd looks for commits that the end of the log should have but has not. A chunk can be
// of the commit after the last, which is in the journal, or was not made, or had no line.
func (a *Array) verifyEnd(r *VerifyReport) error {
	q, generation, err := a.store.Newest()
	if err != nil {
		return err
	}
	if generation <= a.lines()+1 {
		r.LogDamage, err = a.verifyLog()
		return err
	}
	// The log may have more lines than when it was read.
	_, log, err := metalog.ReadLogTo(a.file, 0, nil)
	if err != nil || generation <= int64(log.Commits())+1 {
		return err
	}
	r.Damaged = append(r.Damaged, a.damage(q, fmt.Errorf("%s: lines at its end are missing: it has %d commits, chunk %d is of commit %d: %w",
		a.file.Name(), log.Commits(), q, generation, ErrCorrupt)))
	return nil
}

// verifyLog compares the log with what the presence map says of it. While a writer goes on the two are
// of different moments: then the log has more lines the next time.
func (a *Array) verifyLog() (damage, err error) {
	a.grow.Lock()
	now, chunks := *headOf(a.log), a.Grid().Chunks()
	a.grow.Unlock()
	for seen := int64(-1); ; {
		err := a.store.CheckLog(a.file.Name(), now, chunks)
		if err == nil {
			err = a.checkVersion()
		}
		if !errors.Is(err, ErrCorrupt) {
			return nil, err
		}
		if now.Commits == seen {
			return err, nil
		}
		seen = now.Commits
		state, log, err := metalog.ReadLogTo(a.file, 0, nil)
		if err != nil {
			return nil, err
		}
		now, chunks = *headOf(log), max(chunks, state.Grid.Chunks())
	}
}

// lines returns the number of lines of the log.
func (a *Array) lines() int64 {
	a.grow.Lock()
	defer a.grow.Unlock()
	return int64(a.log.Commits())
}

// verifyChunk checks one chunk, unless err says that its entry is damaged, and adds it to a report.
func (a *Array) verifyChunk(r *VerifyReport, q axial.Number, err error, buf []byte) {
	if err == nil {
		err = a.store.Check(q, buf)
	}
	if errors.Is(err, chunkstore.ErrUnwritten) {
		return // a writer has cleared it since its entry was found
	}
	if err != nil {
		r.Damaged = append(r.Damaged, a.damage(q, err))
	}
	r.Written++
}
