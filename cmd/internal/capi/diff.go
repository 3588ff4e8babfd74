package capi

import (
	"context"

	"drx/formats/diff"
)

// diffOptions are the options of drx_diff, as JSON.
type diffOptions struct {
	Vars   []string `json:"var"`
	Data   bool     `json:"data"`
	ATol   float64  `json:"atol"`
	RTol   float64  `json:"rtol"`
	Memory int64    `json:"memory"`
	Bridge string   `json:"bridge"`
	Caller caller   `json:"caller"`
}

// Diff compares two arrays, datasets or files, and returns how they differ as JSON.
func Diff(a, b, options string, progress Progress) (string, error) {
	var o diffOptions
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	var r diff.Result
	err := longOnOwnThread(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		useBridge(o.Bridge)
		r, err = diff.Diff(ctx, a, b, diff.Options{
			Vars: o.Vars, Data: o.Data, ATol: o.ATol, RTol: o.RTol, Memory: o.Memory, Progress: report,
		})
		return err
	})
	if err != nil {
		return "", o.Caller.rename(err)
	}
	return toJSON(r)
}
