package ingest

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dataset"
	"drx/formats/transfer"
	"drx/internal/errkind"
	"drx/nd"
)

// writeOptions are the flags of write.
type writeOptions struct {
	selection.Flags
	input inputOptions
}

// NewWrite returns the verb write.
func NewWrite() *cobra.Command {
	var o writeOptions
	cmd := &cobra.Command{
		Use:     "write ARRAY FILE",
		Short:   "Write a file into an array or a dataset",
		GroupID: cli.GroupData,
		Long: `Write the elements of a file, one that 'drx help formats' lists, into an array.
It must fit the bounds at the position of --at; extend the array first, or use append. Unlike
that of other verbs, this --at has one index for every dimension and no names: 5,0,0. A file
with fewer dimensions than the array is written as if it had leading dimensions of extent one,
as a slice of a series. FILE - is standard input.

--sel chooses the place by coordinates and labels, see read: one range of a dimension, as the
times of a day. Of a file that has coordinates itself they must be the values that the array
has there, also those of other dimensions; one that is reversed, permuted or shifted is
refused. Without --sel and --at such a file goes where the array has its values, next to each
other and in the same order, as with region="auto" of xarray.

ARRAY may be a dataset. Then all variables of the file are written, or those of --var, to the
places of their coordinates, as a new version of a day. Variables that have none of the
dimensions of which the file has a part keep their values; all others change in one commit.

The array must have all values of the file's element type, as int16 and float32 have those of
uint8. With --clip others are rounded, halves to even; those out of range become the nearest
limit, and NaN in an integer array the fill value. Elements keep what their attributes say that they
mean: other packing, missing values and units become those of the array, or the file is refused;
--as-stored takes the numbers as they are, and compares no coordinates of an array. Files without
attributes, as .npy, have stored numbers. --digits and --bits round floating-point data for an
array, or the variables of a dataset, that are rounded in the same way, see append.

.npy, PGM, PPM and PBM files are streamed: memory does not grow with their size. Other
pictures are decoded one page at a time, which takes at most --memory; a picture on standard
input may be as large as a quarter of that. After an error or an interruption the array is as
it was before.`,
		Example: `  drx write A --at 2,3 in.npy
  drx write radar --at 5,0,0 image.png
  drx write weather --sel time=2024-01-28 day28_corrected.nc
  drx write A --at=-5,0 - < in.npy`,
		Args:              cli.Exactly("ARRAY", "FILE"),
		ValidArgsFunction: cli.CompleteInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.At != "" && o.Sel != nil {
				return cli.Usagef("write: --at is the place of the first element: leave out --sel")
			}
			if arrays.IsDataset(args[0]) {
				return o.writeDataset(cmd, args[0], args[1])
			}
			return arrays.Change(cmd, args[0], func(a *drx.Array) error {
				var index []int
				if o.At != "" {
					var err error
					if index, err = selection.ParseIndex(a, o.At); err != nil {
						return err
					}
				}
				return o.write(cmd, a, args[1], index)
			})
		},
	}
	selection.AddAtTo(cmd, &o.At, "`index` of the first element to write, as 5,0,0 or time=5 (default: by coordinates, or the low bounds)")
	o.AddSelTo(cmd)
	o.input.flags(cmd)
	cli.AddWaitFlag(cmd)
	return cmd
}

// writeDataset writes the variables of a file to the indices of their coordinates in the dataset.
func (o *writeOptions) writeDataset(cmd *cobra.Command, name, file string) error {
	method, err := dataset.ParseMethod(o.Method)
	if err != nil {
		return cli.Usagef("--method %q: want usual, nearest or exact", o.Method)
	}
	if o.At != "" || o.input.clip || file == "-" {
		return cli.Usagef("write: --at, --clip and standard input are for one array, and %s is a dataset", cli.Printable(name))
	}
	memory, err := cli.ParseBytes("--memory", o.input.memory)
	if err != nil {
		return err
	}
	bars := &progress.Bars{Cmd: cmd}
	w := transfer.WriteOptions{
		Sel: o.Sel, Method: method, AsStored: o.input.asStored, Digits: o.input.digits, Bits: o.input.bits, Memory: int64(memory), Progress: bars.Report,
		Note: noteTo(cmd),
	}
	if o.input.variable != "" {
		w.Vars = []string{o.input.variable}
	}
	var done []transfer.Written
	err = arrays.WaitForLock(cmd, name, func() (err error) {
		done, err = transfer.Write(cmd.Context(), name, w, file)
		return err
	})
	bars.End()
	if err != nil {
		return cli.AsOptionUsageError(err)
	}
	written := result.Written{Name: name}
	text := ""
	for _, v := range done {
		written.Vars = append(written.Vars, result.NewSection(v.Variable, v.Section))
		text += fmt.Sprintf("%s: wrote %v of %s\n", cli.Printable(name), v.Section, cli.Printable(v.Variable))
	}
	return cli.Confirm(cmd, written, "%s", text)
}

func (o *writeOptions) write(cmd *cobra.Command, a *drx.Array, name string, at []int) error {
	align, err := o.input.align(cmd, a, false, false)
	if err != nil {
		return err
	}
	defer align.Close()
	in, err := openSourceFor(a, align, name, o.input)
	if err != nil {
		return err
	}
	defer in.Close()
	cli.Note(cmd, a, in.note)
	sec, err := o.locate(a, align, in, at)
	if err != nil {
		return err
	}
	p := progress.New(cmd, in.bytes())
	err = in.copyTo(cmd.Context(), a, sec, p)
	p.End()
	if err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return err
	}
	return cli.Confirm(cmd, result.NewSection(a.Name(), sec), "%s: wrote %v\n", cli.Printable(a.Name()), sec)
}

// locate returns the section of the array that a file is written to: given by --at, by --sel and
// the coordinates of the file, or beginning at the low bounds.
func (o *writeOptions) locate(a *drx.Array, align *transfer.Alignment, in *source, at []int) (nd.Section, error) {
	given := at != nil
	info := in.Reader.Info()
	if !given {
		if err := padded(a, in); err != nil {
			return nil, err
		}
		at, _ = cli.LowHigh(a.Bounds())
		chosen, err := o.chosen(a, in, at)
		if err != nil {
			return nil, err
		}
		sec := make(nd.Section, a.Rank())
		for d, lo := range at {
			sec[d] = nd.Span(lo, lo+in.Shape[d])
		}
		if !in.isBare() {
			if sec, err = align.Locate(in.path, info, sec, chosen); err != nil {
				return nil, alignHint(err)
			}
		}
		at, _ = cli.LowHigh(sec)
	}
	sec, err := targetSection(a, in, at, given)
	if err == nil && !in.isBare() {
		err = alignHint(align.Within(in.path, info, sec))
	}
	if errors.Is(err, transfer.ErrOrder) {
		err = fmt.Errorf("%w; --as-stored writes it all the same", err)
	}
	return sec, err
}

// chosen sets in at the first index that --sel chooses in each of its dimensions, and reports for
// each dimension whether --sel chose it. The file must have as many indices there.
func (o *writeOptions) chosen(a *drx.Array, in *source, at []int) ([]bool, error) {
	chosen := make([]bool, len(at))
	if o.Sel == nil {
		return chosen, nil
	}
	found, err := o.Of(a)
	if err != nil {
		return nil, err
	}
	for _, text := range o.Sel {
		conditions, err := cube.ParseConditions(text)
		if err != nil {
			return nil, cli.AsSelectUsageError(err)
		}
		for _, one := range conditions {
			d, err := cli.ParseDim(a, one.Dim)
			if err != nil {
				return nil, err
			}
			x := found.Sel[d]
			if len(x) != 1 || x[0].Stride() != 1 {
				return nil, cli.Usagef("write: --sel chooses the indices %s of dimension %s: want one range; write one part after the other", selection.FormatIndices(x), cli.DimNames(a)[d])
			}
			if n := in.Shape[d]; n != x.Len() {
				return nil, cli.Usagef("%s: dimension %s: extent %d, --sel chooses %d indices, %s", in.name, cli.DimNames(a)[d], n, x.Len(), selection.FormatIndices(x))
			}
			at[d], chosen[d] = x[0].Lo, true
		}
	}
	return chosen, nil
}

// padded adds leading dimensions of extent one to a source that has fewer dimensions than the
// array.
func padded(a *drx.Array, in *source) error {
	if len(in.Shape) > a.Rank() {
		return errkind.Errorf(drx.ErrRank, "%s: has %d dimensions, %s has %d", in.name, len(in.Shape), a.Name(), a.Rank())
	}
	for len(in.Shape) < a.Rank() {
		in.addDim(0)
	}
	return nil
}

// targetSection returns the section of the array that the source covers if its first element goes
// to index at. given says whether the user chose that index, for the error if the source does not
// fit.
func targetSection(a *drx.Array, in *source, at []int, given bool) (nd.Section, error) {
	if err := cmp.Or(padded(a, in), nd.CheckRank("indices in --at", len(at), a.Rank())); err != nil {
		if errors.Is(err, nd.ErrRank) && given {
			err = cli.Usagef("%s: %w", a.Name(), err)
		}
		return nil, err
	}
	bounds, shape := a.Bounds(), in.Shape
	sec := make(nd.Section, len(at))
	for d, lo := range at {
		hi, ok := nd.Add(lo, shape[d])
		if !ok || lo < bounds[d].Lo || hi > bounds[d].Hi {
			err := errkind.Errorf(drx.ErrBounds, "%s: dimension %s: %d indices from %d on, but %s has %v",
				in.name, cli.DimNames(a)[d], shape[d], lo, a.Name(), bounds[d])
			if given {
				err = cli.AsWrongUsage(err)
			}
			return nil, err
		}
		sec[d] = nd.Span(lo, hi).By(1)
	}
	return sec, nil
}
