package storage

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/progress"
	"drx/dataset"
)

// NewRecompress returns the verb recompress.
func NewRecompress() *cobra.Command {
	var codec string
	var vars []string
	cmd := &cobra.Command{
		Use:     "recompress ARRAY | FOLDER --codec CODEC",
		Short:   "Compress the chunks of an array by another codec",
		GroupID: cli.GroupStorage,
		Long: `Compress the chunks of an array by another codec, see create, one after the other in their places;
--codec none decompresses them, and --codec auto tries some codecs on up to eight chunks, and takes
the fastest of those that take about the least space, or none if nothing is saved. Elements, chunks,
bounds and history stay the same. Space for one batch of 64 MiB of chunks is needed, in the journal.

Programs that are reading the array can continue. After an error, an interruption or a kill the
array is valid: some chunks have the new codec already, and can be read beside the others. The same
command goes on from there, and one with another codec begins anew. drx copy --codec makes a new
array instead, and can give it other chunks.

In a folder, which is a dataset, or a file with several arrays, one array after the other is
recompressed: all variables, or those of --var.`,
		Example: `  drx recompress radar --codec zstd:9
  drx recompress weather --codec blosc:zstd:5:shuffle --var rain,wind`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if codec == "" {
				return cli.Usagef("recompress needs --codec; see 'drx recompress --help'")
			}
			to, err := cli.ParseCodecOrAuto(codec)
			if err != nil {
				return err
			}
			one := func(name string) error {
				return arrays.Change(cmd, name, func(a *drx.Array) error { return recompress(cmd, a, to) })
			}
			if !arrays.IsDataset(args[0]) {
				if len(vars) > 0 {
					return cli.Usagef("recompress: --var is for datasets, %s is an array", cli.Printable(args[0]))
				}
				return one(args[0])
			}
			if err := checkVariables(args[0], vars); err != nil {
				return err
			}
			return datasets.EachVariable(cmd, args[0], func(name string) error {
				variable, err := filepath.Rel(args[0], name)
				if err != nil || len(vars) > 0 && !slices.Contains(vars, filepath.ToSlash(variable)) {
					return err
				}
				return one(name)
			})
		},
	}
	cmd.Flags().StringVar(&codec, "codec", "", "`codec` that compresses the chunks, see create; none decompresses them, auto chooses one for each array")
	cmd.Flags().StringSliceVar(&vars, "var", nil, "`names` of the variables of a dataset to recompress (default: all)")
	cli.AddWaitFlag(cmd)
	return cmd
}

// checkVariables returns an error for a name that no variable of a dataset has.
func checkVariables(folder string, vars []string) error {
	return arrays.WithDataset(folder, func(d *dataset.Dataset) error {
		for _, name := range vars {
			if !slices.Contains(d.Variables(), name) {
				return cli.Usagef("--var %s: %s has no such variable: it has %s", cli.Printable(name), cli.Printable(folder), cli.OrList(d.Variables()))
			}
		}
		return nil
	})
}

// noteFrom is the number of bytes of chunks from which on recompress prints a note if no space is
// saved.
const noteFrom = 1 << 20

func recompress(cmd *cobra.Command, a *drx.Array, to string) error {
	before, err := a.Usage()
	if err != nil {
		return err
	}
	if to, err = chooseCodec(cmd, a, to); err != nil {
		return err
	}
	from, interrupted := a.Layout().Codec, a.Recompressing()
	p := progress.NewCount(cmd, before.Written)
	var shown int64
	err = a.Recompress(cmd.Context(), to, func(done, _ int64) {
		p.Add(int(done - shown))
		shown = done
	})
	p.End()
	if err != nil {
		if errors.Is(err, fs.ErrInvalid) {
			return cli.AsUsageError(err)
		}
		if a.Recompressing() {
			interrupt.Changes.Keep(a, "the array is valid, with chunks of several codecs: the same command goes on")
		}
		return err
	}
	after, err := a.Usage()
	if err != nil {
		return err
	}
	if isSaved := after.DataBytes < after.WrittenBytes; !isSaved && after.StoredBytes < after.WrittenBytes/2 && after.WrittenBytes > noteFrom {
		cli.NoteOf(cmd, a.Name(), "no space is saved: the file system has no holes, or chunks are so small that they share its blocks")
	}
	result := struct {
		Name   string           `json:"name"`
		Codec  string           `json:"codec"`
		Before recompressResult `json:"before"`
		After  recompressResult `json:"after"`
	}{a.Name(), to, newRecompressResult(from, before), newRecompressResult(to, after)}
	if from == to && !interrupted {
		return cli.Confirm(cmd, result, "%s: has the codec %s already\n", cli.Printable(a.Name()), to)
	}
	return cli.Confirm(cmd, result, "%s: codec %s -> %s, stored %s -> %s of %s\n", cli.Printable(a.Name()), from, to,
		cli.ByteSize(before.StoredBytes), cli.ByteSize(after.StoredBytes), cli.ByteSize(after.WrittenBytes))
}

// chooseCodec returns to, or the codec that drx chooses for an array if to is auto, and prints that
// choice.
func chooseCodec(cmd *cobra.Command, a *drx.Array, to string) (string, error) {
	if to != drx.AutoCodec {
		return to, nil
	}
	choice, err := a.ChooseCodec()
	if err == nil {
		cli.NoteOf(cmd, a.Name(), "codec "+choice.String())
	}
	return choice.Codec, err
}

// A recompressResult is the result of recompress.
type recompressResult struct {
	Codec  string `json:"codec"`
	Stored int64  `json:"bytes_stored"`
	OnDisk int64  `json:"bytes_on_disk"`
}

func newRecompressResult(codec string, u drx.Usage) recompressResult {
	return recompressResult{codec, u.StoredBytes, u.DataBytes}
}
