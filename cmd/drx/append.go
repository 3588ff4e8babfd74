package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/nd"
)

func newAppend() *cobra.Command {
	var dim string
	var low bool
	var rows csvOptions
	var memory pictureMemory
	cmd := &cobra.Command{
		Use:     "append ARRAY (--dim DIM | --coords COLUMNS --value COLUMN) FILE...",
		Short:   "Append the contents of files to an array",
		GroupID: groupData,
		Long: `Grow an array along a dimension by the extents of files, .npy or pictures (PNG, TIFF, PGM,
PPM, PBM), and write their elements there, one file after the other. A file of the array's
rank adds its extent along the dimension. A file with one dimension less is a frame and adds
one index. FILE - is standard input. Decoding a PNG or TIFF picture takes at most --memory;
other files are streamed.

All files are checked before the array grows: element type, rank and the other extents.
Each file is committed when it is complete. After an error or an interruption the array is as
it was after the last complete file.

With --low the array grows below its lowest index: the first file goes next to the old
elements, the next file below it. Within a file the order of the indices is kept.

With --coords the files are CSV with a line of headings, and each row is one element. --coords
names one column per dimension, which holds the coordinates as text, and --value the column
with the values; other columns are ignored. A coordinate that is new extends its dimension by
one index and becomes the label of that index, so labels are in order of appearance; see
labels, read --where and sum. A dimension that has indices but no labels does not grow; its
coordinates are indices. A row replaces the value of its element, or is added to it with
--combine sum. A row without a value sets its element to the fill value, or changes nothing
with --combine sum; it is an error if the fill value is 0. --create creates the array, with
extents of 0, if it does not exist. An error names the file and the line of the row. Each file
is committed when it is complete, as above.`,
		Example: `  drx append radar --dim time radar_*.png
  drx append A --dim 0 --low yesterday.npy
  drx append sales --coords date,store,item --value sales --create sales.csv`,
		Args:              atLeast("ARRAY", "FILE"),
		ValidArgsFunction: completeInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := rows.check(cmd); err != nil {
				return err
			}
			if cmd.Flags().Changed("coords") {
				return rows.run(cmd, args[0], args[1:])
			}
			return changeArray(args[0], func(a *drx.Array) error {
				d, err := parseDim(a, dim)
				if err != nil {
					return err
				}
				return appendFiles(cmd, a, d, low, memory, args[1:])
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&dim, "dim", "", "`dimension` to grow: number or name")
	f.BoolVar(&low, "low", false, "grow below the lowest index")
	completeFlag(cmd, "dim", completeDims)
	memory.flag(cmd)
	rows.flags(cmd)
	return cmd
}

// appendFiles checks the files and then appends them.
func appendFiles(cmd *cobra.Command, a *drx.Array, dim int, low bool, memory pictureMemory, names []string) error {
	p := &appender{a: a, dim: dim, memory: memory, nextSection: func(by int) (nd.Section, error) {
		return extend(a, dim, by, low)
	}}
	defer p.close()
	total, added, err := p.check(names)
	if err != nil {
		return err
	}
	if err := p.addAll(cmd, names, total); err != nil {
		return err
	}
	result := appendResult{arrayResult: newArrayResult(a), Dim: &dim, By: &added}
	return printResult(cmd, result, "%s, %d new along %s\n", extents(a), added, dimNames(a)[dim])
}

// An appender writes files one after the other along one dimension.
type appender struct {
	a           *drx.Array
	dim         int
	memory      pictureMemory
	nextSection func(by int) (nd.Section, error) // returns the section for the next indices along dim

	stdin *source // kept after check, because it cannot be opened twice
}

// close closes standard input, if check opened it.
func (p *appender) close() {
	if p.stdin != nil {
		p.stdin.Close()
	}
}

// addAll appends the files and commits after each. total is their size in bytes, for the progress bar.
func (p *appender) addAll(cmd *cobra.Command, names []string, total int64) error {
	bar := newProgress(cmd, total)
	defer bar.end()
	for _, name := range names {
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		if err := p.add(cmd.Context(), name, bar); err != nil {
			return err
		}
		if err := p.a.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// check opens every file once and returns the number of bytes and of new indices in all of them.
func (p *appender) check(names []string) (bytes int64, added int, err error) {
	for _, name := range names {
		if name == "-" && p.stdin != nil {
			return 0, 0, usagef("append: standard input (-) is given twice")
		}
		in, err := p.open(name)
		if err != nil {
			return 0, 0, err
		}
		bytes += in.bytes()
		by, _ := p.indicesAdded(in)
		added += by
		if name == "-" {
			p.stdin = in
		} else {
			in.Close()
		}
	}
	return bytes, added, nil
}

// open opens a file and checks that it fits the array.
func (p *appender) open(name string) (*source, error) {
	in := p.stdin
	if name != "-" || in == nil {
		var err error
		if in, err = openSource(p.a, name, p.memory); err != nil {
			return nil, err
		}
	}
	if err := p.checkShape(in); err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

func (p *appender) checkShape(in *source) error {
	shape, want := in.Shape, p.a.Shape()
	switch len(shape) {
	case len(want):
		want[p.dim] = shape[p.dim]
	case len(want) - 1:
		shape = slices.Insert(slices.Clone(shape), p.dim, 1)
		want[p.dim] = 1
	default:
		return fmt.Errorf("has %d dimensions, %s has %d: %w", len(shape), p.a.Name(), len(want), drx.ErrRank)
	}
	for d, n := range want {
		if shape[d] != n {
			return fmt.Errorf("dimension %s: extent %d, %s has %d: %w", dimNames(p.a)[d], shape[d], p.a.Name(), n, drx.ErrBounds)
		}
	}
	return nil
}

// indicesAdded returns the number of indices that a source adds along the dimension. For a frame, frame
// is that dimension, otherwise -1.
func (p *appender) indicesAdded(in *source) (by, frame int) {
	if len(in.Shape) == p.a.Rank() {
		return in.Shape[p.dim], -1
	}
	return 1, p.dim
}

// add appends one file.
func (p *appender) add(ctx context.Context, name string, bar *progress) error {
	in, err := p.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	by, frame := p.indicesAdded(in)
	if by == 0 {
		return nil
	}
	sec, err := p.nextSection(by)
	if err != nil {
		return err
	}
	if sec, err = resolve(p.a, sec); err != nil {
		return err
	}
	return in.copyTo(ctx, p.a, sec, frame, bar)
}
