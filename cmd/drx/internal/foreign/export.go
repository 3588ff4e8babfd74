package foreign

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/usage"
	"drx/formats"
	"drx/formats/transfer"
)

// NewExport returns the verb export.
func NewExport() *cobra.Command {
	var o exportCommand
	cmd := &cobra.Command{
		Use:     "export SRC DST",
		Short:   "Write an array or a dataset to a file in another format",
		GroupID: cli.GroupFirst,
		Long: `Write an array, or a dataset with all its variables, to a new file. Its extension tells the
format, or --format: 'drx help formats' lists those that are written. Element types, stored
values, attributes, names of dimensions and fill values are kept; labels become variables of
strings. An array of a dataset takes its coordinates along, cut like itself. Indices begin at 0 in
the file; the attribute geotransform is moved with the selection.

--var chooses variables of a dataset; their coordinates come along. --sel and --at select
from all variables that have the dimension. Coordinates and labels are left out, with a note,
if the format has one array per file or no strings.

--as converts the elements of all variables but coordinates to another type, if the format does
not have theirs. A value that does not fit it is an error; --clip takes the nearest that does.

What numbers mean stays: a raster file has one value that marks missing ones, and a format with
attributes of CF one scale per variable; what cannot be said so is converted, or refused.
--as-stored writes numbers and attributes as they are.

NetCDF-4, HDF5 and GeoTIFF are compressed with deflate, Zarr as zarr-python does or, if it
has the codec of the array, with that. --deflate sets the level, in other formats that can, too,
--codec the codec of Zarr, HDF5 and NetCDF-4: gzip, zstd, lz4, blosc, with a level as in zstd:9,
blosc with the codec inside as in blosc:zstd:5, or keep for that of each array. Readers of HDF5
and NetCDF-4 need a plugin for others than gzip. --codec none, or --deflate 0, compresses nothing.

--digits rounds floating-point data to significant digits, --bits to bits of the fraction, as
netCDF's quantize does, and sets its attribute. Coordinates and integers stay as they are.

The elements are streamed; the export takes at most about --memory. The file appears under its
name when it is complete; DST must not exist, unlike the file of 'drx read -o', which is replaced.

Parquet gets a table with a row for each element, and columns for coordinates and variables.

With --append DIM the file can grow along the dimension, in formats that can (HDF5 and NetCDF).
If it exists, it is brought up to date: it gets the indices that it does not have yet, at the
end. A copy of the file grows and then replaces it, so it is whole at every moment. The values
of its coordinates must be those with which the selection begins, and the other extents equal;
attributes stay as they are.`,
		Example: `  drx export weather out.nc
  drx export weather part.zarr --var rain --sel time=2024-02-01..2024-02-07 --deflate 4
  drx export weather weather.zarr --codec blosc:zstd:5
  drx export radar frame.npy --section 3,:,:
  drx export mask mask.tif --as uint8
  drx export weather out.nc --append time`,
		Args: cli.Exactly("SRC", "DST"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return cli.CompleteArrays(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cmd = cmd
			return o.run(cmd.Context(), args[0], args[1])
		},
	}
	f := cmd.Flags()
	o.Flags.AddTo(cmd)
	f.StringArrayVar(&o.Vars, "var", nil, "`name` of a variable of the dataset; may be repeated (default: all)")
	f.StringVar(&o.Append, "append", "", "`dimension` along which a file that exists is brought up to date")
	f.StringVar(&o.Format, "format", "", "`name` of the format (default: by the extension of DST)")
	f.IntVar(&o.Deflate, "deflate", 0, "`level` of deflate, 1 to 9, in formats that have it; 0 compresses nothing (default: as programs of the format do)")
	f.BoolVar(&o.AsStored, "as-stored", false, "write numbers and attributes as they are stored, whatever readers make of them")
	cli.AddTypeFlags(cmd, &o.As, &o.Clip, "file (default: that of the array)")
	usage.AddRoundingFlags(f, &o.Digits, &o.Bits)
	f.StringVar(&o.Codec, "codec", "", "none, which compresses nothing, keep, or a `codec` of Zarr, HDF5 or NetCDF-4: gzip, zstd, lz4 or blosc, with a level as in zstd:9 or blosc:zstd:3:bitshuffle")
	f.StringVar(&o.memoryText, "memory", "256MiB", "`bytes` of memory, as in 64MiB")
	cli.CompleteFlag(cmd, "format", cobra.FixedCompletions(writtenFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// writtenFormats returns the names of the formats that can be written.
func writtenFormats() []string { return formats.Names(formats.Format.Writes) }

// exportCommand is the command line of one export.
type exportCommand struct {
	selection.Flags
	transfer.ExportOptions
	memoryText string
	cmd        *cobra.Command
}

// run exports src. transfer.Export checks the options themselves.
func (o *exportCommand) run(ctx context.Context, src, dst string) error {
	memory, err := cli.ParseBytes("--memory", o.memoryText)
	if err != nil {
		return err
	}
	if o.cmd.Flags().Changed("deflate") {
		o.SetDeflate(o.Deflate)
	}
	if o.Section != "" && isFolder(src) {
		return cli.Usagef("export: --section is for one array; select from a dataset with --sel or --at, by the names of its dimensions")
	}
	debug.SetMemoryLimit(int64(max(memory, leastHeap))) // bounds the garbage on the heap
	bars, folder := &progress.Bars{Cmd: o.cmd}, ""
	o.Memory, o.Progress = int64(memory), bars.Report
	o.Select = selector{&o.Flags, o.cmd}
	o.Note = func(text string) { fmt.Fprintln(o.cmd.ErrOrStderr(), "drx: "+text) }
	o.Temporary = func(name string) {
		folder = name
		outfile.Temporary.AddAs(name, func() { os.RemoveAll(name) })
	}
	done, err := transfer.Export(ctx, src, dst, o.ExportOptions)
	bars.End()
	if outfile.Temporary.Done(folder); err != nil {
		return cli.AsOptionUsageError(err)
	}
	return o.print(done)
}

// isFolder reports whether a name denotes a folder or a file with several arrays, and no array.
func isFolder(name string) bool {
	if drx.IsContainer(name) {
		return true
	}
	isArray, err := drx.Exists(name)
	info, statErr := os.Stat(name)
	return err == nil && !isArray && statErr == nil && info.IsDir()
}

// print prints the variables of the file.
func (o *exportCommand) print(done transfer.ExportReport) error {
	if cli.WantsJSON(o.cmd) {
		return cli.PrintJSON(o.cmd.OutOrStdout(), done)
	}
	for _, v := range done.Vars {
		if _, err := fmt.Fprintf(o.cmd.OutOrStdout(), "%s: %s %s %s\n", cli.Printable(done.Name), cli.Printable(v.Name), v.DType, transfer.DescribeShape(v.Dims, v.Shape)); err != nil {
			return err
		}
	}
	if done.By != nil {
		_, err := fmt.Fprintf(o.cmd.OutOrStdout(), "%d new along %s\n", *done.By, cli.Printable(done.Dim))
		return err
	}
	return nil
}
