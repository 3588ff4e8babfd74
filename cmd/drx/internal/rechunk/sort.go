package rechunk

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dataset"
)

// sortSelection puts the selected indices of the dimension of --sort in the order of its
// coordinate.
func (c *copyCommand) sortSelection(src *drx.Array, found selection.Selection) error {
	if c.sort == "" {
		return nil
	}
	d, err := cli.ParseDim(src, c.sort)
	if err != nil {
		return err
	}
	coordinate, err := found.Axes.Coordinate(d)
	if err == nil && coordinate == nil {
		return cli.Usagef("--sort %s: %s has no coordinate of that dimension", cli.Printable(c.sort), cli.Printable(src.Name()))
	}
	if err != nil {
		return err
	}
	sorted, err := coordinate.Sorted()
	if err != nil {
		return cli.AsSelectUsageError(err)
	}
	chosen := make(map[int]bool, found.Sel[d].Len())
	for i := range found.Sel[d].Len() {
		chosen[found.Sel[d].At(i)] = true
	}
	var kept cube.Indices
	for i := range sorted.Len() {
		if at := sorted.Slice(i, 1); chosen[at.At(0)] {
			kept = kept.Append(at)
		}
	}
	found.Sel[d] = kept
	return nil
}

// sortDataset copies a dataset whose dimension is sorted.
func (c *copyCommand) sortDataset(cmd *cobra.Command, from, to string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"sort", "quiet", "json"}, f.Name) && err == nil {
			err = cli.Usagef("copy: a dataset is copied with --sort alone: leave out --%s", f.Name)
		}
	})
	if err != nil {
		return err
	}
	err = dataset.CopySorted(cmd.Context(), from, to, c.sort, nil)
	switch {
	case errors.Is(err, dataset.ErrDim), errors.Is(err, dataset.ErrValue), errors.Is(err, fs.ErrExist):
		return cli.AsUsageError(cli.AsWrongUsage(err))
	case err != nil:
		return err
	}
	return cli.Confirm(cmd, result.NewCopy(to, result.Copied, result.Cost{}), "%s: sorted by %s\n", cli.Printable(to), cli.Printable(c.sort))
}
