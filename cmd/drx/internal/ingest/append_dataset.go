package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/progress"
	"drx/dataset"
	"drx/formats/transfer"
	"drx/internal/errkind"
)

// toDataset reports whether append grows a dataset: one that exists, or one that --create makes
// like the first file, which is a dataset itself or a variable with coordinates of one.
func (o *appendOptions) toDataset(cmd *cobra.Command, name, first string) bool {
	if cmd.Flags().Changed("coords") {
		return false
	}
	if _, err := os.Stat(name); o.creation.create && errors.Is(err, fs.ErrNotExist) {
		isArray, err := drx.Exists(name)
		return err == nil && !isArray && o.input.variable == "" && (arrays.IsDataset(first) || o.hasCoordinates(cmd, first))
	}
	return arrays.IsDataset(name)
}

// arrayFlags are the flags of append that a dataset does not have.
var arrayFlags = []string{"label", "label-from", "fill", "dims"}

// hasCoordinates reports whether a file is an array with coordinates and with the dimension that
// grows, which a new dataset keeps, and no flag asks for one array.
func (o *appendOptions) hasCoordinates(cmd *cobra.Command, name string) bool {
	if isArray, err := drx.Exists(name); !isArray || err != nil || slices.ContainsFunc(arrayFlags, cmd.Flags().Changed) || o.input.clip || o.input.asStored {
		return false
	}
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return false // the caller opens it, too
	}
	defer func() { _ = a.Discard() }()
	found := false
	for d := range a.Rank() {
		c, err := dataset.OpenCoordinate(a, d)
		if err == nil && c != nil && c != a {
			found = true
			_ = c.Discard() // it was only opened
		}
	}
	return found && slices.Contains(a.Dims(), o.dim)
}

// An appendedResult says what append has added to a dataset.
type appendedResult struct {
	Name       string            `json:"name"`
	Dimensions map[string]int    `json:"dimensions"` // extent
	Bounds     map[string][2]int `json:"bounds"`
	By         int               `json:"by"`
}

// runDataset appends datasets, or files, to a dataset, in all of its variables that have the
// dimension.
func (o *appendOptions) runDataset(cmd *cobra.Command, name string, files []string) error {
	for _, flag := range arrayFlags {
		if cmd.Flags().Changed(flag) {
			return cli.Usagef("append: --%s is for one array, and %s is a dataset", flag, cli.Printable(name))
		}
	}
	if o.dim == "" {
		return cli.RequireFlags(cmd, "dim")
	}
	if !o.creation.create {
		if err := datasets.CheckDeclared(name, "drx append with one of its arrays, as "+filepath.Join(name, "ARRAY")+", instead of"); err != nil {
			return err
		}
	}
	memory, err := cli.ParseBytes("--memory", o.input.memory)
	if err != nil {
		return err
	}
	chunk, err := cli.ParseInts("--chunk", o.creation.chunk)
	if err != nil {
		return err
	}
	bars := &progress.Bars{Cmd: cmd}
	options := transfer.ImportOptions{
		Append: o.dim, Low: o.low, AnyOrder: o.anyOrder, AsStored: o.input.asStored, Clip: o.input.clip && o.creation.dtype != "",
		As: o.creation.dtype, Codec: o.creation.codec, Chunk: chunk, Memory: int64(memory), Progress: bars.Report, Note: noteTo(cmd),
		Digits: o.input.digits, Bits: o.input.bits, Options: o.input.table,
	}
	if o.input.variable != "" {
		options.Vars = []string{o.input.variable}
	}
	var made transfer.ImportReport
	err = arrays.WaitForLock(cmd, name, func() (err error) {
		made, err = transfer.Import(cmd.Context(), name, options, files...)
		return err
	})
	bars.End()
	if err != nil {
		return cli.AsOptionUsageError(alignHint(OrderHint(err)))
	}
	return arrays.WithDataset(name, func(d *dataset.Dataset) error {
		dim, err := d.Dim(o.dim)
		if err != nil {
			return err
		}
		if made.By == nil {
			return errkind.Errorf(drx.ErrBounds, "%s: nothing was appended along %s", name, o.dim)
		}
		r := dim.Bounds
		result := appendedResult{d.Folder(), map[string]int{o.dim: r.Len()}, map[string][2]int{o.dim: {r.Lo, r.Hi}}, *made.By}
		return cli.Confirm(cmd, result, "%s: %s %d, bounds %v, %d new\n", cli.Printable(d.Folder()), cli.Printable(o.dim), r.Len(), r, *made.By)
	})
}
