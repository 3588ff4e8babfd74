package capi

import (
	"context"

	"drx"
	"drx/cmd/internal/result"
	"drx/internal/errkind"
	"drx/relayout"
)

// Verify checks all chunks and returns the report as JSON. The error wraps ErrDamaged if anything
// is damaged; the report is valid in that case, too.
func Verify(h Handle, progress Progress) (report string, err error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	var r drx.VerifyReport
	err = long(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		u, err := a.Usage()
		if err != nil {
			return err
		}
		r, err = a.Verify(ctx, func(done int64) { report(done, u.Written) })
		return err
	})
	if err != nil {
		return "", err
	}
	if report, err = toJSON(result.NewVerify(a.Name(), r)); err == nil && !r.Good() {
		err = errkind.Errorf(ErrDamaged, "%s: %d damaged chunks", a.Name(), len(r.Damaged))
	}
	return report, err
}

// Compact rewrites the files of an array.
func Compact(h Handle, progress Progress) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_close, open the array by its name, and compact it"); err != nil {
		return err
	}
	return long(progress, func(ctx context.Context, report func(done, total int64)) error { return a.Compact(ctx, report) })
}

// Recompress gives an array another codec, or for drx.AutoCodec the one that ChooseCodec chooses.
func Recompress(h Handle, codec string, progress Progress) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_close, open the array by its name, and recompress it"); err != nil {
		return err
	}
	return long(progress, func(ctx context.Context, report func(done, total int64)) error {
		if codec == drx.AutoCodec {
			choice, err := a.ChooseCodec()
			if err != nil {
				return err
			}
			codec = choice.Codec
		}
		return a.Recompress(ctx, codec, report)
	})
}

// Relayout copies src into dst and returns the cost as JSON.
func Relayout(dst, src Handle, options string, progress Progress) (stats string, err error) {
	to, err := arrays.get(dst)
	if err != nil {
		return "", err
	}
	from, err := arrays.get(src)
	if err != nil {
		return "", err
	}
	if to.Array == from.Array {
		return "", invalidf("%s: source and target of a copy are the same array", to.Name())
	}
	if err := to.checkOwn("drx_relayout with an array that is opened by its name"); err != nil {
		return "", err
	}
	var c copyOptions
	if err := parseOptions(options, &c); err != nil {
		return "", err
	}
	o, err := c.options(from.Array)
	if err != nil {
		return "", err
	}
	var s relayout.Stats
	err = long(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		o.Progress = report
		s, err = relayout.Copy(ctx, to.Array, from.Array, o)
		return err
	})
	if err != nil {
		return "", err
	}
	return toJSON(copyStats{len(s.Plan.Passes), s.Cost.BytesRead, s.Cost.BytesWritten, s.PeakMemory, s.Elapsed.Seconds()})
}

// copyStats has the cost of a copy, as JSON.
type copyStats struct {
	Passes       int     `json:"passes"`
	BytesRead    int64   `json:"bytes_read"`
	BytesWritten int64   `json:"bytes_written"`
	PeakMemory   int64   `json:"peak_memory"`
	Seconds      float64 `json:"seconds"`
}
