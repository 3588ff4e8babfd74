// Package ingest has the verbs that write elements: append, fill, reserve and write.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/formats/transfer"
	"drx/internal/errkind"
	"drx/nd"
)

// appendOptions are the flags of append.
type appendOptions struct {
	dim      string
	low      bool
	anyOrder bool
	input    inputOptions
	labels   newLabelsFlags
	creation creation
	rows     csvOptions
}

// NewAppend returns the verb append.
func NewAppend() *cobra.Command {
	var o appendOptions
	o.rows.creation, o.rows.read = &o.creation, &o.input.table
	cmd := &cobra.Command{
		Use:     "append ARRAY (--dim DIM | --coords COLUMNS (--value COLUMN | --wide DIM)) FILE|ARRAY...",
		Short:   "Append the contents of files, or of other arrays, to an array",
		GroupID: cli.GroupFirst,
		Long: `Grow an array along a dimension by the extents of files, and write their elements there, one
file after the other: .npy, pictures, tables and what else 'drx help formats' lists. A file of the
array's rank adds its extent along the dimension. A file with one dimension less is a slice and
adds one index. FILE - is standard input. Decoding a PNG or TIFF picture takes at most --memory;
other files are streamed.

All files are checked before the array grows: element type, rank and the other extents.
Each file is committed when it is complete. After an error or an interruption the array is as
it was after the last complete file, and takes no more space; the message says how many files
are committed.

FILE may be another array of DRX, in any form, which is read as a file is: units, scales and missing
values become those of the array, and its labels are those of the new indices. If ARRAY is a
dataset, FILE is another one, or a file with the same variables: all that have DIM grow, with its
coordinate. An array is not appended to itself.

The array must have all values of a file's element type, as int16 and float32 have those of
uint8. With --clip others are rounded, halves to even; those out of range become the nearest
limit, and NaN in an integer array the fill value. Elements keep what their attributes say that they
mean: other packing, missing values and units become those of the array, or the file is refused;
--as-stored takes the numbers as they are. Files without attributes, as .npy, have stored numbers.
The coordinates of a file must be those of the array, and along DIM its values must go on behind
those that are there; --any-order appends them in any order.

--digits and --bits round floating-point data as netCDF's quantize does, see copy: with --create, or
for an array that is rounded in the same way, as its attribute says. What is appended to such an
array without them is as it is, and a note says so.

--create creates the array, if it does not exist, with the element type and the extents of the
first file, and extent 0 along --dim. If --dim is a number, or the name of a dimension of the
file, that dimension grows. Another name is that of a new first dimension, and each file is a
slice. --dims names all dimensions: as many as the file has, or one more for slices, which may
then have any place. If no file is complete, the created array is removed again. The array has the
labels and levels of the first file; the others must have the same. Of a variable of a dataset that
has coordinates a dataset is made, which keeps them.

--label gives the new index a label, see labels; repeat it if there are several. --label-from
name labels each slice with the name of its file without folder and extension. A label is
committed together with its slice.

With --low the array grows below its lowest index: the first file goes next to the old
elements, the next file below it. Within a file the order of the indices is kept.

With --coords the files are CSV with a line of headings, and each row is one element. --coords
names one column per dimension, which holds the coordinates as text, and --value the column
with the values; other columns are ignored. A coordinate that is new extends its dimension by
one index and becomes the label of that index, so labels are in order of appearance; see
labels, read --sel and stats. A dimension that has indices but no labels does not grow; its
coordinates are indices. A row replaces the value of its element, or is added to it with
--combine sum. A row without a value sets its element to the fill value, or changes nothing
with --combine sum; it is an error if the fill value is 0. --create creates the array, with
extents of 0, if it does not exist. An error names the file and the line of the row. Each file
is committed when it is complete, as above.

A killed append whose file was committed appends it a second time when it is repeated: look at the
extents first, see info.

If ARRAY is a dataset, --value names a column for each variable, as in temp,rain; --create makes
those that are missing, and the dataset if there are several. A column of times becomes a
coordinate, of which later tables have values or new ones; the others become labels. Units in a
heading, as in temp [degC], become an attribute.

With --wide in place of --value a row has an element for each index of one dimension, as one per
day: every column that is neither in --coords nor in --drop has the values of one index, and its
heading is the label. That dimension is the last one, or has the place of its name in --coords.

The table may be a file of columns, as Parquet, or of other formats with variables of one
dimension: their times and texts are coordinates as those of CSV, and numbers that the array
does not have exactly are an error.

Tables may have any separator, decimal commas, comments, and units in headings or in the row under
them, which must be those of the array; --na, --decimal, --units and --separator say what a table
does not, as do --dates for files that are appended with --dim.

An empty coordinate is an error, unless --blank gives a label for it.`,
		Example: `  drx append radar --dim time --create radar_*.png
  drx append radar --dim time --label 2024-03-01T03:40 radar_0340.png
  drx append A --dim 0 --low yesterday.npy
  drx append january --dim time february march.drx
  drx append sales --coords date,store,item --value sales --create sales.csv
  drx append stations --coords time,station --value temp,rain --create rows.csv
  drx append sales --coords date,store,item --value sales --create sales.parquet
  drx append cases --coords country,province --wide date --drop lat,long --blank all --create cases.csv`,
		Args:              cli.AtLeast("ARRAY", "FILE"),
		ValidArgsFunction: cli.CompleteInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(o.rows.check(cmd, args[0]), o.creation.check(cmd), o.labels.check(o.low)); err != nil {
				return err
			}
			if o.toDataset(cmd, args[0], args[1]) {
				return o.runDataset(cmd, args[0], args[1:])
			}
			if cmd.Flags().Changed("coords") {
				return o.rows.run(cmd, args[0], args[1:])
			}
			return o.run(cmd, args[0], args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dim, "dim", "", "`dimension` to grow: number or name")
	f.BoolVar(&o.low, "low", false, "grow below the lowest index")
	addAnyOrderFlag(cmd, &o.anyOrder)
	cli.CompleteFlag(cmd, "dim", arrays.CompleteDims)
	o.input.flags(cmd)
	o.labels.flags(cmd)
	o.rows.flags(cmd)
	o.creation.flags(cmd)
	cli.AddWaitFlag(cmd)
	return cmd
}

// run opens or creates the array, and appends the files. After an error it removes an array that it
// has created, unless at least one file is committed.
func (o *appendOptions) run(cmd *cobra.Command, name string, files []string) error {
	var stdin *source // opened already if its type and extents describe the array to create
	r, err := o.input.rounding()
	if err != nil {
		return err
	}
	a, created, err := o.creation.open(cmd, name, func() (drx.Spec, error) {
		first, err := openSource(files[0], o.input)
		if err != nil {
			return drx.Spec{}, err
		}
		if files[0] == "-" {
			stdin = first
		} else {
			defer first.Close()
		}
		return o.creation.specOfFiles(first, o.dim, r)
	})
	if err != nil {
		if stdin != nil {
			stdin.Close()
		}
		return err
	}
	interrupt.Changes.Begin(a)
	p := &appender{a: a, low: o.low, anyOrder: o.anyOrder, created: created, input: o.input, stdin: stdin, kept: keptFiles}
	defer p.close()
	if err := o.appendFiles(cmd, p, files); err != nil {
		err = interrupt.Changes.Close(a, err)
		if created && p.done == 0 {
			removeCreated(a.Name())
		}
		outfile.Temporary.DoneArray(a.Name())
		return err
	}
	return interrupt.Changes.Close(a, nil)
}

// appendFiles checks the files and then appends them.
func (o *appendOptions) appendFiles(cmd *cobra.Command, p *appender, names []string) (err error) {
	a := p.a
	if p.dim, err = cli.ParseDim(a, o.dim); err != nil {
		return err
	}
	p.nextSection = func(by int) (nd.Section, error) { return arrays.Extend(a, p.dim, by, o.low) }
	total, added, err := p.check(cmd, names)
	if err != nil {
		return err
	}
	if err := o.labels.set(p, names, added, o.low); err != nil {
		return err
	}
	labels := p.labels
	if err := p.addAll(cmd, names, total); err != nil {
		return err
	}
	by := sum(added)
	result := appendResult{ArrayResult: cli.NewArrayResult(a), Dim: &p.dim, By: &by, Labels: labels}
	return cli.Confirm(cmd, result, "%s, %d new along %s\n", arrays.Extents(a), by, cli.DimNames(a)[p.dim])
}

// sum returns the sum of some numbers.
func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// An appender writes files one after the other along one dimension.
type appender struct {
	a           *drx.Array
	dim         int
	low         bool
	anyOrder    bool // the coordinates of files need not continue the array's
	created     bool // the array is new, and gets the labels of the first file
	input       inputOptions
	align       *transfer.Alignment              // nil until check was called
	nextSection func(by int) (nd.Section, error) // returns the section for the next indices along dim
	// the format of the phrase about committed files, see keptFiles
	kept string

	cube   *cube.Cube // of the array, if there are labels
	labels []string   // of the next indices; nil for no labels
	found  []string   // the labels that the files themselves have for those indices
	done   int        // files that are committed
	note   string     // how elements of the first file that needs it are converted

	stdin *source // kept after check, because it cannot be opened twice
}

// close closes standard input, if check opened it.
func (p *appender) close() {
	if p.stdin != nil {
		p.stdin.Close()
	}
	if p.align != nil {
		_ = p.align.Close() // it was only read
	}
}

// addAnyOrderFlag adds the flag --any-order.
func addAnyOrderFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "any-order", false, "append also where the values of the coordinate do not go on")
}

// addAll appends the files and commits after each, so that an error costs one file and not all.
// total is their size in bytes, for the progress bar.
func (p *appender) addAll(cmd *cobra.Command, names []string, total int64) error {
	cli.Note(cmd, p.a, p.note)
	bar := progress.New(cmd, total)
	defer bar.End()
	for _, name := range names {
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		if err := p.add(cmd.Context(), name, bar); err != nil {
			return err
		}
		outfile.Temporary.DoneArray(p.a.Name()) // the commit may be made even if it returns an error
		if err := p.a.Sync(); err != nil {
			return err
		}
		p.done++
		interrupt.Changes.Keep(p.a, fmt.Sprintf(p.kept, p.done, len(names)))
	}
	return nil
}

// keptFiles is the format of the phrase that says after an error how many of the files are
// committed.
const keptFiles = "%d of %d files are appended and committed, the rest is rolled back"

// check opens and checks every file before the array grows. It returns the size of all files in
// bytes and the number of new indices of each.
func (p *appender) check(cmd *cobra.Command, names []string) (bytes int64, added []int, err error) {
	given := false
	if p.align, err = p.input.align(cmd, p.a, p.low, p.anyOrder); err != nil {
		return 0, nil, err
	}
	for _, name := range names {
		if name == "-" && given {
			return 0, nil, cli.Usagef("append: standard input (-) is given twice")
		}
		in, err := p.source(name)
		if err != nil {
			return 0, nil, err
		}
		if err := cmp.Or(p.labelLike(cmd, in), p.checkCoordinates(in), p.fit(in)); err != nil {
			in.Close()
			return 0, nil, err
		}
		bytes += in.bytes()
		if p.note == "" {
			p.note = in.note
		}
		added = append(added, in.Shape[p.dim])
		labels, err := p.align.Labels(in.path, in.Reader.Info(), p.dim)
		if err != nil {
			in.Close()
			return 0, nil, err
		}
		p.found = append(p.found, labels...)
		if name == "-" {
			p.stdin, given = in, true
		} else {
			in.Close()
		}
	}
	return bytes, added, nil
}

// labelLike gives an array that is new the labels and levels of its first file, and says which
// coordinates it does not have.
func (p *appender) labelLike(cmd *cobra.Command, in *source) error {
	if !p.created {
		return nil
	}
	p.created = false
	lost, err := p.align.LabelLike(in.path, in.Reader.Info(), p.dim)
	if err == nil && len(lost) > 0 {
		cli.Note(cmd, p.a, fmt.Sprintf("an array alone, without the coordinates of %s (%s), with which later files are not compared; append to a dataset keeps them",
			cli.Printable(in.name), strings.Join(cli.PrintableDims(lost), ", ")))
	}
	return err
}

// checkCoordinates checks that a file has the coordinates of the array, and that along the
// dimension that grows its coordinate continues the array's.
func (p *appender) checkCoordinates(in *source) error {
	if in.isBare() {
		return nil
	}
	err := p.align.Append(in.path, in.Reader.Info(), p.dim)
	return alignHint(OrderHint(err))
}

// source opens a file, or returns standard input, which cannot be opened twice.
func (p *appender) source(name string) (*source, error) {
	if name == "-" && p.stdin != nil {
		return p.stdin, nil
	}
	in, err := openSource(name, p.input)
	if err == nil {
		p.align.Beside(in.Reader)
	}
	return in, err
}

// open opens a file and checks that it fits the array. A slice gets the dimension along which it is
// appended.
func (p *appender) open(name string) (*source, error) {
	in, err := p.source(name)
	if err != nil {
		return nil, err
	}
	if err := p.fit(in); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// fit checks that a source fits the array, and prepares it.
func (p *appender) fit(in *source) error {
	if err := in.convertTo(p.a, p.align, p.input); err != nil {
		return err
	}
	if len(in.Shape) == p.a.Rank()-1 {
		in.addDim(p.dim)
	}
	want := p.a.Shape()
	if len(in.Shape) != len(want) {
		return errkind.Errorf(drx.ErrRank, "%s: has %d dimensions, %s has %d", in.name, len(in.Shape), p.a.Name(), len(want))
	}
	for d, n := range want {
		if d != p.dim && in.Shape[d] != n {
			return errkind.Errorf(drx.ErrBounds, "%s: dimension %s: extent %d, %s has %d", in.name, cli.DimNames(p.a)[d], in.Shape[d], p.a.Name(), n)
		}
	}
	return nil
}

// add appends one file, without a commit.
func (p *appender) add(ctx context.Context, name string, bar *progress.Progress) error {
	in, err := p.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	by := in.Shape[p.dim]
	if by == 0 {
		return nil
	}
	sec, err := p.nextSection(by)
	if err != nil {
		return err
	}
	if sec, err = selection.Resolve(p.a, sec); err != nil {
		return err
	}
	if err := in.copyTo(ctx, p.a, sec, bar); err != nil || p.labels == nil {
		return err
	}
	err = p.cube.AddLabels(p.dim, sec[p.dim].Lo, p.labels[:by])
	p.labels = p.labels[by:]
	return err
}

// An appendResult says what append has added: indices along a dimension, or rows of CSV.
type appendResult struct {
	cli.ArrayResult
	Dim  *int `json:"dim,omitempty"`
	By   *int `json:"by,omitempty"`
	Rows *int `json:"rows,omitempty"`

	Labels []string `json:"labels,omitempty"` // of the new indices
}
