// Package foreign has the verbs import and export, for files in other formats.
package foreign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/ingest"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/internal/usage"
	"drx/formats"
	"drx/formats/transfer"
)

// NewImport returns the verb import.
func NewImport() *cobra.Command {
	var o importCommand
	cmd := &cobra.Command{
		Use:     "import SRC... DST",
		Short:   "Make an array or a dataset from a file in another format",
		GroupID: cli.GroupFirst,
		Long: `Make a new array from a file, or a dataset if the file has several variables or coordinates:
see 'drx help formats' for what is read. Element types and stored values are kept;
scale_factor and add_offset stay attributes. --unscale applies them and stores float64, with
NaN for missing values. The fill value is that of the file. A variable of strings becomes
the labels of its dimension, or else an array of indices in a list of strings, which is the
attribute import.strings. A variable of a type that DRX lacks is left out, and a note says why.

--as converts the elements of all variables but coordinates and strings to another type. A
value that does not fit it is an error; --clip takes the nearest that does. With --unscale the
values are scaled first. What is appended to an array gets the array's type.

--expand rgb stores the colours of rasters that are indices into a colour table: uint8 with the
dimensions band, y, x. rgba has the transparency as a fourth band. Without it the indices are
stored, and the colour table is the attribute palette.

--var chooses variables; their coordinates come along. --list only prints what is in the
files. --chunk is the chunk shape; without it, it follows the chunks of the file. --codec
compresses the chunks of new arrays, see create; without it those of variables are compressed that
are so in the file, by zstd and a shuffle unless the file has a codec of DRX. --codec none
compresses nothing. The import takes at most about --memory.

--digits rounds floating-point data to significant digits, --bits to bits of the fraction, as
netCDF's quantize does, and sets its attribute. Coordinates and integers stay as they are.

Tables of text are read with any separator; what could mean two things is refused. --na, --decimal,
--dates, --units and --separator say what is meant, see 'drx help formats'.

--append DIM grows DST along a dimension by the extent that each file has there, one file
after the other; its coordinate grows, too. A variable without the dimension is a slice and
adds one index; so do scalars, of which --coordinate makes one the coordinate of DIM. Other
extents and coordinates must be the same. Times are converted to the units of DST. If DST
does not exist, the first file makes it, with DIM as a new dimension if it is a slice. Each
file is committed when it is complete. --low grows below the lowest index; unlike those of
'drx append', several files stay in the order in which they are given. The coordinate of a
file must continue that of DST in its direction, so that no file is imported twice;
--any-order appends it all the same. The values of a file keep what they mean: packing,
missing values, units and times become those of DST, or the file is refused; --as-stored
keeps the numbers as they are.

--widen lets the other dimensions grow, too: DST gets all coordinates of a file, which must
continue its own on one side or both, and what no file has reads as the fill value. Images
without coordinates are placed by their attributes geotransform or CRPIX1, CRPIX2.

After an interruption, or if a library fails, DST is a valid array or dataset with the
attribute import.progress; elements that are missing read as the fill value, and small variables
may be missing. The same command with --resume continues, with the options with which the
import began, which may be left out. After an error in the file itself nothing new is left.`,
		Example: `  drx import era5.nc weather
  drx import --list era5.nc
  drx import day1.nc day2.nc day3.nc weather --append time
  drx import day4_larger.nc weather --append time --widen
  drx import frame*.nc radar --append time --coordinate valid_time
  drx import scan.h5 scan --var entry/data --chunk 1,512,512
  drx import map.gn3 map --expand rgb
  drx import era5.nc weather --unscale --as float32
  drx import era5.nc weather --codec blosc:zstd:5:shuffle`,
		Args: func(cmd *cobra.Command, args []string) error {
			if list, _ := cmd.Flags().GetBool("list"); list {
				return cli.AtLeast("SRC")(cmd, args)
			}
			if len(args) < 2 {
				return cli.Exactly("SRC...", "DST")(cmd, args)
			}
			return cli.AtLeast("SRC", "DST")(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(cmd); err != nil {
				return err
			}
			if o.list {
				return o.printList(cmd, args)
			}
			o.cmd = cmd
			dst := args[len(args)-1]
			if exists, err := drx.Exists(dst); err == nil && !exists && !arrays.IsDataset(dst) {
				if err := cli.CheckNewName(cmd, dst); err != nil {
					return err
				}
			}
			return o.run(cmd.Context(), dst, args[:len(args)-1])
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.Vars, "var", nil, "`name` of a variable to import, see --list; may be repeated (default: all)")
	f.StringVar(&o.Append, "append", "", "`dimension` along which DST grows by each file")
	f.StringVar(&o.Coordinate, "coordinate", "", "`name` of the variable that becomes the coordinate of the dimension of --append")
	f.BoolVar(&o.Low, "low", false, "grow below the lowest index")
	f.BoolVar(&o.Widen, "widen", false, "let other dimensions grow, too, to hold what the coordinates of a file have")
	f.BoolVar(&o.AsStored, "as-stored", false, "append the numbers as they are stored, whatever they mean")
	f.BoolVar(&o.AnyOrder, "any-order", false, "append also where the values of the coordinate do not go on")
	f.BoolVar(&o.list, "list", false, "print what is in the files and import nothing")
	f.BoolVar(&o.Unscale, "unscale", false, "apply scale_factor and add_offset, and store float64")
	cli.AddTypeFlags(cmd, &o.As, &o.Clip, "array (default: that of the file)")
	f.StringVar(&o.Expand, "expand", "", "store the colours of a colour table instead of indices: `rgb` or rgba")
	f.StringVar(&o.Format, "format", "", "`name` of the format (default: found from the file)")
	f.StringVar(&o.text.chunk, "chunk", "", "`extents` of a chunk (default: by the chunks of the file, about 1 MiB)")
	usage.AddRoundingFlags(f, &o.Digits, &o.Bits)
	f.StringVar(&o.Codec, "codec", "", "`codec` that compresses the chunks of new arrays, see create, or none (default: by the compression of the file)")
	f.StringVar(&o.text.memory, "memory", "256MiB", "`bytes` of memory, as in 64MiB")
	f.BoolVar(&o.Resume, "resume", false, "continue an import that was interrupted")
	cli.AddTableFlags(cmd, &o.ImportOptions.Options)
	cli.CompleteFlag(cmd, "expand", cobra.FixedCompletions(expansions(), cobra.ShellCompDirectiveNoFileComp))
	cli.CompleteFlag(cmd, "format", cobra.FixedCompletions(readFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// readFormats returns the names of the formats that can be read.
func readFormats() []string {
	return formats.Names(func(f formats.Format) bool { return f.Open != nil })
}

// expansions returns the values of --expand.
func expansions() []string { return slices.Sorted(maps.Keys(formats.Expansions)) }

// importCommand is the command line of one import.
type importCommand struct {
	transfer.ImportOptions
	list bool
	text struct{ chunk, memory string }
	cmd  *cobra.Command
}

// parse reads the flags. transfer.Import checks the options themselves.
func (o *importCommand) parse(cmd *cobra.Command) (err error) {
	if o.Chunk, err = cli.ParseInts("--chunk", o.text.chunk); err != nil {
		return err
	}
	memory, err := cli.ParseBytes("--memory", o.text.memory)
	if err != nil {
		return err
	}
	if o.Memory = int64(memory); cmd.Flags().Changed("append") && o.Append == "" {
		return cli.Usagef("import: --append needs the name or the number of a dimension")
	}
	return nil
}

// limitMemory sets the limit of the garbage collector to the part of --memory that the decoder,
// which may be another process, does not use. Without a limit the heap may hold as much garbage as
// live data, and the import twice the memory allowed.
func (o *importCommand) limitMemory() {
	debug.SetMemoryLimit(max(o.Memory-transfer.DecodingMemory(o.Memory), leastHeap))
}

// leastHeap is the memory that even a small import needs, in bytes. A smaller limit would only make
// the garbage collector run all the time.
const leastHeap = 16 << 20

// run imports files to dst.
func (o *importCommand) run(ctx context.Context, dst string, names []string) error {
	o.limitMemory()
	bars := &progress.Bars{Cmd: o.cmd}
	o.Progress = bars.Report
	o.Note = func(text string) {
		if !cli.IsQuiet(o.cmd) {
			fmt.Fprintln(o.cmd.ErrOrStderr(), "drx: "+text)
		}
	}
	made, err := transfer.Import(ctx, dst, o.ImportOptions, names...)
	bars.End()
	if err != nil {
		var incomplete *transfer.IncompleteError
		if errors.Is(err, context.Canceled) && errors.As(err, &incomplete) {
			fmt.Fprintln(o.cmd.ErrOrStderr(), "drx: "+incomplete.Hint.Rename(usage.Flag))
		}
		return cli.AsOptionUsageError(ingest.OrderHint(err))
	}
	for _, v := range made.Vars {
		if v.Codec != "" {
			cli.NoteHoles(o.cmd, made.Name, v.Codec)
			break
		}
	}
	return o.print(made)
}

// print prints what was made.
func (o *importCommand) print(made transfer.ImportReport) error {
	out := o.cmd.OutOrStdout()
	if cli.WantsJSON(o.cmd) {
		return cli.PrintJSON(out, made)
	}
	for _, r := range made.Refused {
		fmt.Fprintf(o.cmd.ErrOrStderr(), "drx: variable %s is left out: %s\n", cli.Printable(r.Name), cli.Escaped(r.Reason))
	}
	for _, v := range made.Vars {
		if _, err := fmt.Fprintf(out, "%s: %s %s, chunks of %s\n", cli.Printable(v.Name), v.DType, transfer.DescribeShape(v.Dims, v.Shape), cli.FormatShape(v.Chunk)); err != nil {
			return err
		}
	}
	if made.By != nil {
		_, err := fmt.Fprintf(out, "%d new along %s\n", *made.By, cli.Printable(made.Dim))
		return err
	}
	return nil
}
