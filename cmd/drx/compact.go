package main

import (
	"github.com/spf13/cobra"

	"drx"
)

func newCompact() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "compact ARRAY | FOLDER",
		Short:   "Rewrite an array so that its history is one segment",
		GroupID: groupArray,
		Long: `Rewrite an array as if it had been created with its present bounds: one segment, chunks in
row-major order, no holes, no chunks outside of the bounds. Indices and elements stay the same.

This needs disk space for a second copy. The files are replaced all at once or, after an error
or an interruption, not at all. Programs that are reading the array keep reading the old files.

In a folder, which is a dataset, one array after the other is rewritten.`,
		Example: `  drx compact radar
  drx compact weather`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			rewrite := func(name string) error {
				return changeArray(cmd, name, func(a *drx.Array) error { return compact(cmd, a) })
			}
			if isDataset(args[0]) {
				return eachVariable(cmd, args[0], rewrite)
			}
			return rewrite(args[0])
		},
	}
	addWaitFlag(cmd)
	return cmd
}

func compact(cmd *cobra.Command, a *drx.Array) error {
	before, err := a.Usage()
	if err != nil {
		return err
	}
	segments := a.Grid().Segments()
	p := newCount(cmd, before.Written)
	err = a.Compact(cmd.Context(), func(int64, int64) { p.add(1) })
	p.end()
	if err != nil {
		return err
	}
	after, err := a.Usage()
	if err != nil {
		return err
	}
	bytes := func(u drx.Usage) string { return byteSize(u.LogBytes + u.TableBytes + u.DataBytes) }
	result := struct {
		Name   string        `json:"name"`
		Before storageResult `json:"before"`
		After  storageResult `json:"after"`
	}{a.Name(), newStorageResult(before, segments), newStorageResult(after, a.Grid().Segments())}
	return confirm(cmd, result, "%s: segments %d -> %d, chunks %d -> %d, bytes %s -> %s\n",
		printable(a.Name()), segments, a.Grid().Segments(), before.Chunks, after.Chunks, bytes(before), bytes(after))
}
