package query

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/outfile"
	"drx/dataset"
	"drx/dataset/stats"
	"drx/formats/transfer"
	"drx/internal/wording"
)

// makesArrays reports whether a name of -o is that of an array or dataset: it has no extension of a
// file.
func makesArrays(name string) bool {
	ext := filepath.Ext(name)
	return name != "" && name != "-" && (ext == "" || ext == drx.OneFileExt) && !isDevice(name)
}

func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe) != 0
}

// isForeign reports whether a name of -o is that of a file that an export writes.
func isForeign(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext != ".csv" && ext != ".npy" && slices.Contains(cli.WrittenExtensions(), ext)
}

// checkStatsOutput returns an error if the extension of -o is that of no format.
func checkStatsOutput(name string) error {
	if makesArrays(name) || isForeign(name) {
		return nil
	}
	if cli.CheckExtension(name, ".csv", ".npy") != nil {
		return cli.Usagef("-o %s: want a name that ends in .csv, .npy or in the extension of a format that drx export writes, or one without extension for an array or dataset", cli.Printable(name))
	}
	return nil
}

// saveArrays makes an array or dataset of a result.
func saveArrays(cmd *cobra.Command, name string, a *drx.Array, axes *dataset.Axes, req *stats.Request, r *stats.Result) error {
	if err := errors.Join(datasets.CheckNoArray(name), datasets.CheckOtherKind(name)); err != nil {
		return err
	}
	made, err := stats.Save(cmd.Context(), name, a, axes, req, r)
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, drx.ErrRank), errors.Is(err, dataset.ErrDim):
		return cli.AsUsageError(cli.AsWrongUsage(err))
	case err != nil:
		return err
	}
	for _, name := range made.Variables {
		if err := describeSaved(cmd, name); err != nil {
			return err
		}
	}
	return nil
}

// describeSaved prints the name, the type and the dimensions of a new array.
func describeSaved(cmd *cobra.Command, name string) error {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return err
	}
	err = cli.Confirm(cmd, nil, "%s: %s %s\n", cli.Printable(a.Name()), a.DType(), transfer.DescribeShape(a.Dims(), a.Shape()))
	return errors.Join(err, a.Close())
}

// exportStats writes a result as a file of another format, by way of a dataset in a hidden folder
// beside the file.
func exportStats(cmd *cobra.Command, name string, a *drx.Array, axes *dataset.Axes, req *stats.Request, r *stats.Result) (err error) {
	folder, err := os.MkdirTemp(filepath.Dir(name), ".drx-stats-")
	if err != nil {
		return err
	}
	outfile.Temporary.AddAs(folder, func() { os.RemoveAll(folder) })
	defer func() {
		outfile.Temporary.Done(folder)
		if err = errors.Join(err, os.RemoveAll(folder)); err != nil { // the user knows the file
			err = wording.Reworded(strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), name+": "), err)
		}
	}()
	own := strings.TrimSuffix(filepath.Base(drx.BaseName(a.Name())), drx.OneFileExt)
	made, err := stats.Save(cmd.Context(), filepath.Join(folder, own), a, axes, req, r)
	if errors.Is(err, drx.ErrRank) {
		return cli.AsUsageError(err)
	}
	if err != nil {
		return err
	}
	source := made.Dataset
	if source == "" {
		source = made.Variables[0]
	}
	_, err = transfer.Export(cmd.Context(), source, name, transfer.ExportOptions{})
	return cli.AsOptionUsageError(err)
}
