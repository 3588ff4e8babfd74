package main

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dataset"
)

// sortSelection puts the selected indices of the dimension of --sort in the order of its coordinate.
func (c *copyCommand) sortSelection(src *drx.Array, found selected) error {
	if c.sort == "" {
		return nil
	}
	d, err := parseDim(src, c.sort)
	if err != nil {
		return err
	}
	coordinate, err := found.axes.Coordinate(d)
	if err == nil && coordinate == nil {
		return usagef("--sort %s: %s has no coordinate of that dimension", printable(c.sort), printable(src.Name()))
	}
	if err != nil {
		return err
	}
	sorted, err := coordinate.Sorted()
	if err != nil {
		return asSelectUsageError(err)
	}
	chosen := make(map[int]bool, found.sel[d].Len())
	for i := range found.sel[d].Len() {
		chosen[found.sel[d].At(i)] = true
	}
	var kept cube.Indices
	for i := range sorted.Len() {
		if at := sorted.Slice(i, 1); chosen[at.At(0)] {
			kept = kept.Append(at)
		}
	}
	found.sel[d] = kept
	return nil
}

// sortDataset copies a dataset whose dimension is sorted.
func (c *copyCommand) sortDataset(cmd *cobra.Command, from, to string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"sort", "quiet", "json"}, f.Name) && err == nil {
			err = usagef("copy: a dataset is copied with --sort alone: leave out --%s", f.Name)
		}
	})
	if err != nil {
		return err
	}
	err = dataset.CopySorted(cmd.Context(), from, to, c.sort, nil)
	switch {
	case errors.Is(err, dataset.ErrDim), errors.Is(err, dataset.ErrValue), errors.Is(err, fs.ErrExist):
		return asUsageError(usageError{err})
	case err != nil:
		return err
	}
	return confirm(cmd, result.NewCopy(to, result.Copied, result.Cost{}), "%s: sorted by %s\n", printable(to), printable(c.sort))
}
