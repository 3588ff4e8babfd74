package drxmp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"drx"
	"drx/axial"
	"drx/nd"
)

// Verify checks all written chunks against their checksums, as drx.Array.Verify does, each proc its
// share of the file, collective. All procs get the report on all chunks. If the ctx of any proc is
// canceled, all return its error.
func (a *Array) Verify(ctx context.Context) (drx.VerifyReport, error) {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agreeAfterWrites("verify"); err != nil {
		return drx.VerifyReport{}, err
	}
	r, err := a.verifyShare(ctx)
	if err := a.agree("end of verify", err); err != nil {
		return drx.VerifyReport{}, err
	}
	return r, a.mergeReports(&r)
}

// verifyShare checks this proc's share of the chunks, and the log on proc 0.
func (a *Array) verifyShare(ctx context.Context) (drx.VerifyReport, error) {
	from, to := shareOf(a.member.array.Grid().Chunks(), a.comm)
	r, err := a.member.array.VerifyRange(ctx, from, to, nil)
	if err != nil || a.member.leader == nil {
		return r, err
	}
	log, err := a.member.array.VerifyLog()
	r.Damaged, r.LogDamage = append(r.Damaged, log.Damaged...), log.LogDamage
	return r, err
}

// A report is a drx.VerifyReport in a message.
type report struct {
	Written int64
	Damaged []damage
	Log     *damage // LogDamage, from proc 0; nil for none
}

// A damage is a drx.Damage in a message.
type damage struct {
	Number  axial.Number
	Chunk   []int
	Section nd.Section
	Text    string
	Corrupt bool
}

// mergeReports adds the reports of all procs.
func (a *Array) mergeReports(r *drx.VerifyReport) error {
	own := report{Written: r.Written}
	if err := r.LogDamage; err != nil {
		own.Log = &damage{Text: err.Error(), Corrupt: errors.Is(err, drx.ErrCorrupt)}
	}
	for _, d := range r.Damaged {
		own.Damaged = append(own.Damaged, damage{d.Number, d.ChunkIndex, d.Section, d.Err.Error(), errors.Is(d.Err, drx.ErrCorrupt)})
	}
	message, err := json.Marshal(own)
	if err := a.agree("report", err); err != nil {
		return err
	}
	all, err := a.comm.AllGather(message)
	if err != nil {
		return err
	}
	r.Written, r.Damaged = 0, nil
	for _, message := range all {
		var one report
		if err := json.Unmarshal(message, &one); err != nil {
			return a.errorf("verify", err)
		}
		r.Written += one.Written
		if one.Log != nil {
			r.LogDamage = remoteError{*one.Log}
		}
		for _, d := range one.Damaged {
			r.Damaged = append(r.Damaged, drx.Damage{Number: d.Number, ChunkIndex: d.Chunk, Section: d.Section, Err: remoteError{d}})
		}
	}
	slices.SortFunc(r.Damaged, func(a, b drx.Damage) int { return cmp.Compare(a.Number, b.Number) })
	return nil
}

// A remoteError is the error that another proc has found in a chunk, or in the log.
type remoteError struct{ damage }

// Error returns the text of the other proc's error.
func (e remoteError) Error() string { return e.Text }

// Is reports whether the other proc's error wraps drx.ErrCorrupt, if that is the target.
func (e remoteError) Is(target error) bool { return e.Corrupt && target == drx.ErrCorrupt }
