package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/nd"
)

func newWrite() *cobra.Command {
	var at string
	var input inputOptions
	cmd := &cobra.Command{
		Use:     "write ARRAY FILE",
		Short:   "Write a file into an array",
		GroupID: groupData,
		Long: `Write the elements of a file, .npy or a picture (PNG, TIFF, PGM, PPM, PBM), into an array.
It must fit the bounds at the position of --at; extend the array first, or use append. Unlike
that of other verbs, this --at has one index for every dimension and no names: 5,0,0. A file
with fewer dimensions than the array is written as if it had leading dimensions of extent one,
as a frame of a series. FILE - is standard input.

The array must have all values of the file's element type, as int16 and float32 have those of
uint8. With --clip others are rounded, halves to even; those out of range become the nearest
limit, and NaN in an integer array the fill value. Elements keep what their attributes say that they
mean: other packing, missing values and units become those of the array, or the file is refused;
--as-stored takes the numbers as they are. Files without attributes, as .npy, have stored numbers.

.npy, PGM, PPM and PBM files are streamed: memory does not grow with their size. Other
pictures are decoded one page at a time, which takes at most --memory; a picture on standard
input may be as large as a quarter of that. After an error or an interruption the array is as
it was before.`,
		Example: `  drx write A --at 2,3 in.npy
  drx write radar --at 5,0,0 frame.png
  drx write A --at=-5,0 - < in.npy`,
		Args:              exactly("ARRAY", "FILE"),
		ValidArgsFunction: completeInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			index, err := parseInts("--at", at)
			if err != nil {
				return err
			}
			return changeArray(cmd, args[0], func(a *drx.Array) error { return write(cmd, a, args[1], index, input) })
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "`index` of the first element to write (default: the low bounds)")
	input.flags(cmd)
	addWaitFlag(cmd)
	return cmd
}

func write(cmd *cobra.Command, a *drx.Array, name string, at []int, input inputOptions) error {
	in, err := openSourceFor(a, name, input)
	if err != nil {
		return err
	}
	defer in.Close()
	note(cmd, a, in.note)
	sec, err := targetSection(a, in, at)
	if err != nil {
		return err
	}
	p := newProgress(cmd, in.bytes())
	err = in.copyTo(cmd.Context(), a, sec, p)
	p.end()
	if err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return err
	}
	return confirm(cmd, result.NewSection(a.Name(), sec), "%s: wrote %v\n", printable(a.Name()), sec)
}

// targetSection returns the section of the array that the source covers if its first element goes to index
// at, nil for the low bounds. A source with fewer dimensions than the array gets leading ones of extent one.
func targetSection(a *drx.Array, in *source, at []int) (nd.Section, error) {
	if len(in.Shape) > a.Rank() {
		return nil, fmt.Errorf("%s: has %d dimensions, %s has %d: %w", in.name, len(in.Shape), a.Name(), a.Rank(), drx.ErrRank)
	}
	for len(in.Shape) < a.Rank() {
		in.addDim(0)
	}
	bounds, shape := a.Bounds(), in.Shape
	given := at != nil
	if !given {
		for _, r := range bounds {
			at = append(at, r.Lo)
		}
	}
	if err := nd.CheckRank("indices in --at", len(at), a.Rank()); err != nil {
		return nil, usagef("%s: %w", a.Name(), err)
	}
	sec := make(nd.Section, len(at))
	for d, lo := range at {
		hi, ok := nd.Add(lo, shape[d])
		if !ok || lo < bounds[d].Lo || hi > bounds[d].Hi {
			err := fmt.Errorf("%s: dimension %s: %d indices from %d on, but %s has %v: %w",
				in.name, dimNames(a)[d], shape[d], lo, a.Name(), bounds[d], drx.ErrBounds)
			if given {
				err = usageError{err}
			}
			return nil, err
		}
		sec[d] = nd.Span(lo, hi).By(1)
	}
	return sec, nil
}
