// Package storage has the verbs for the files of arrays: compact, convert, cp, mv, pack,
// recompress, recover, rm, unpack and verify.
package storage

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/progress"
)

// NewCompact returns the verb compact.
func NewCompact() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "compact ARRAY | FOLDER",
		Short:   "Rewrite an array so that its history is one segment",
		GroupID: cli.GroupStorage,
		Long: `Rewrite an array as if it had been created with its present bounds: one segment, chunks in
row-major order, no holes, no chunks outside of the bounds. Indices and elements stay the same.

This needs disk space for a second copy. The files are replaced all at once or, after an error
or an interruption, not at all. Programs that are reading the array keep reading the old files.

In a folder, which is a dataset, one array after the other is rewritten.`,
		Example: `  drx compact radar
  drx compact weather`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			rewrite := func(name string) error {
				return arrays.Change(cmd, name, func(a *drx.Array) error { return compact(cmd, a) })
			}
			if arrays.IsDataset(args[0]) {
				return datasets.EachVariable(cmd, args[0], rewrite)
			}
			return rewrite(args[0])
		},
	}
	cli.AddWaitFlag(cmd)
	return cmd
}

func compact(cmd *cobra.Command, a *drx.Array) error {
	before, err := a.Usage()
	if err != nil {
		return err
	}
	segments := a.Grid().Segments()
	p := progress.NewCount(cmd, before.Written)
	err = a.Compact(cmd.Context(), func(int64, int64) { p.Add(1) })
	p.End()
	if err != nil {
		return err
	}
	after, err := a.Usage()
	if err != nil {
		return err
	}
	bytes := func(u drx.Usage) string { return cli.ByteSize(u.LogBytes + u.TableBytes + u.DataBytes) }
	result := struct {
		Name   string        `json:"name"`
		Before storageResult `json:"before"`
		After  storageResult `json:"after"`
	}{a.Name(), newStorageResult(before, segments), newStorageResult(after, a.Grid().Segments())}
	return cli.Confirm(cmd, result, "%s: segments %d -> %d, chunks %d -> %d, bytes %s -> %s\n",
		cli.Printable(a.Name()), segments, a.Grid().Segments(), before.Chunks, after.Chunks, bytes(before), bytes(after))
}

// A storageResult has the sizes that compact changes.
type storageResult struct {
	Segments int   `json:"segments"`
	Chunks   int64 `json:"chunks"`
	OnDisk   int64 `json:"bytes_on_disk"`
	Log      int64 `json:"bytes_log"`
	Table    int64 `json:"bytes_table"`
}

func newStorageResult(u drx.Usage, segments int) storageResult {
	return storageResult{segments, u.Chunks, u.DataBytes, u.LogBytes, u.TableBytes}
}
