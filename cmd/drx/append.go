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
PPM, PBM), and write them there, one after the other. A file of the array's rank adds its
extent along the dimension; one with a dimension less is a frame and adds one. FILE - is
standard input. PNG and TIFF pictures are decoded in --memory at most, the others are streamed.

All files are checked before the array grows: element type, rank and the other extents.
Each is committed when it is complete. After an error or an interruption the array is as it
was after the last complete file.

With --low the array grows below its lowest index: the first file lies nearest to the old
elements, the next one below it. Within a file the order of the indices is kept.

With --coords the files are CSV with a line of headings. Each row is one element: --coords
names a column per dimension with its coordinate, which is text, --value the column with its
value; other columns are ignored. A dimension grows when a coordinate is new, which becomes
the label of the next index, so that labels are in the order in which they appear; see labels,
read --where and sum. A dimension that has indices but no labels does not grow, and takes
indices. A row replaces the value that is there, or is added to it with --combine sum; one
without a value leaves its cell empty, where a fill value other than 0 tells empty cells from
zeros. With --create an array is created that grows from nothing, if there is none. A bad row
is named by its line; each file is committed when it is complete, as above.`,
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
	p := &appender{a: a, dim: dim, memory: memory, room: func(by int) (nd.Section, error) {
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
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, %d new along %s\n", extents(a), added, dimNames(a)[dim])
	return err
}

// An appender writes files one after the other along one dimension.
type appender struct {
	a      *drx.Array
	dim    int
	memory pictureMemory
	room   func(by int) (nd.Section, error) // where the next indices of the dimension are

	stdin *source // read once only, so kept when it has been checked
}

// close closes what check has kept.
func (p *appender) close() {
	if p.stdin != nil {
		p.stdin.Close()
	}
}

// addAll appends the files, of so many bytes in all, and commits each.
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

// check opens every file once and returns the bytes and the indices they hold.
func (p *appender) check(names []string) (bytes int64, added int, err error) {
	for _, name := range names {
		if name == "-" && p.stdin != nil {
			return 0, 0, usagef("append: standard input is given twice")
		}
		in, err := p.open(name)
		if err != nil {
			return 0, 0, err
		}
		bytes += in.bytes()
		by, _ := p.fit(in)
		added += by
		if name == "-" {
			p.stdin = in
		} else {
			in.Close()
		}
	}
	return bytes, added, nil
}

// open opens a file that fits the array.
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

// fit returns the indices that a source adds along the dimension. A frame has one index there, and frame
// is the dimension; else it is -1.
func (p *appender) fit(in *source) (by, frame int) {
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
	by, frame := p.fit(in)
	if by == 0 {
		return nil
	}
	sec, err := p.room(by)
	if err != nil {
		return err
	}
	if sec, err = resolve(p.a, sec); err != nil {
		return err
	}
	return in.store(ctx, p.a, sec, frame, bar)
}
