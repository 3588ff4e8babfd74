package arrays

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dataset"
)

// CompleteDims completes the dimensions of the array in the first argument.
func CompleteDims(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	switch {
	case len(args) > 0 && IsDataset(args[0]):
		_ = WithDataset(args[0], func(d *dataset.Dataset) error { // see below
			for _, dim := range d.Dims() {
				names = append(names, cli.Printable(dim.Name))
			}
			return nil
		})
	case len(args) > 0:
		// An array that cannot be opened has no dimensions to offer; the verb will say why.
		_ = With(args[0], false, func(a *drx.Array) error {
			names = cli.DimNames(a)
			return nil
		})
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// mostCompleted is the largest number of labels that are offered.
const mostCompleted = 1000

// CompleteConditions completes conditions of --sel: the dimensions of the array in the first
// argument, and after one of them and = its labels or the values of its coordinate.
func CompleteConditions(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	before, last := "", prefix
	if at := strings.LastIndexAny(prefix, ",|"); at >= 0 && strings.LastIndex(prefix, "=") < at || strings.Contains(prefix, "|") {
		before, last = prefix[:at+1], prefix[at+1:]
	}
	condition := prefix[strings.LastIndex(before, ",")+1:]
	dim, _, hasValue := strings.Cut(condition, "=")
	if !hasValue {
		names, directive := CompleteDims(cmd, args, prefix)
		for i, name := range names {
			names[i] = before + name + "="
		}
		return names, directive | cobra.ShellCompDirectiveNoSpace
	}
	if before == "" || strings.HasSuffix(before, ",") {
		_, last, _ = strings.Cut(last, "=")
		before = strings.TrimSuffix(prefix, last)
	}
	var names []string
	for _, label := range labelsOf(args, dim) {
		if strings.HasPrefix(label, last) && len(names) < mostCompleted {
			names = append(names, before+label)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// CubeOf returns the axes of an array, with the coordinates of its dataset, and its labels.
func CubeOf(a *drx.Array) (*dataset.Axes, *cube.Cube, error) {
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return nil, nil, err
	}
	c, err := axes.Cube()
	return axes, c, err
}

// labelsOf returns the labels, or the values of the coordinate, of a dimension of the array or the
// dataset in the first argument.
func labelsOf(args []string, dim string) (labels []string) {
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	if IsDataset(name) {
		name = filepath.Join(name, dim) // the coordinate
	}
	// See CompleteDims.
	_ = With(name, false, func(a *drx.Array) error {
		d, err := a.Dim(dim)
		if err != nil {
			return err
		}
		axes, c, err := CubeOf(a)
		if err != nil {
			return err
		}
		coordinate, err := axes.Coordinate(d)
		if _, named := c.Labels(d); err != nil || coordinate == nil && len(named) == 0 {
			return err // numbers are no help
		}
		for i, r := 0, axes.Bounds()[d]; i < r.Len() && i < mostCompleted; i++ {
			labels = append(labels, cli.Printable(c.Label(d, r.Lo+i)))
		}
		return nil
	})
	return labels
}

// CompleteVersions completes the commit numbers of the array in the first argument.
func CompleteVersions(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var versions []string
	if len(args) > 0 {
		// See CompleteDims.
		_ = With(args[0], false, func(a *drx.Array) error {
			changes, err := a.History()
			for _, c := range changes {
				versions = append(versions, strconv.Itoa(c.Commit))
			}
			versions = slices.Compact(versions) // a commit may have several changes
			return err
		})
	}
	return versions, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
