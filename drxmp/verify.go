package drxmp

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"drx"
	"drx/axial"
	"drx/nd"
)

// Verify checks all chunks that were ever written against their checksums, as drx.Array.Verify does,
// each proc its share of the file, collective. All procs get the report on all chunks.
func (a *Array) Verify() (drx.VerifyReport, error) {
	var r drx.VerifyReport
	err := a.exclusively("verify", a.options.Write, func() error {
		if a.options.Write {
			if err := a.settle(); err != nil {
				return err
			}
		}
		chunks, procs, proc := int64(a.array().Grid().Chunks()), int64(a.comm.Procs()), int64(a.comm.Proc())
		own, err := a.member.Verify(axial.Number(chunks*proc/procs), axial.Number(chunks*(proc+1)/procs))
		if err := a.agree("end of verify", err); err != nil {
			return err
		}
		r = own
		return a.mergeReports(&r)
	})
	return r, err
}

// A report is a drx.VerifyReport on its way to others.
type report struct {
	Written int64
	Damaged []damage
	Log     *damage // of the log, of which the leader tells
}

type damage struct {
	Number  axial.Number
	Chunk   []int
	Section nd.Section
	Text    string
	Corrupt bool
}

// mergeReports adds up the reports of all procs.
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
			r.LogDamage = told{*one.Log}
		}
		for _, d := range one.Damaged {
			r.Damaged = append(r.Damaged, drx.Damage{Number: d.Number, ChunkIndex: d.Chunk, Section: d.Section, Err: told{d}})
		}
	}
	slices.SortFunc(r.Damaged, func(a, b drx.Damage) int { return cmp.Compare(a.Number, b.Number) })
	return nil
}

// told is the error of a chunk, or of the log, as another proc has told it.
type told struct{ damage }

// Error returns the text of the other proc.
func (t told) Error() string { return t.Text }

// Is makes damage that another proc has found drx.ErrCorrupt here too.
func (t told) Is(target error) bool { return t.Corrupt && target == drx.ErrCorrupt }
