package query

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/cftime"
	"drx/dataset/stats"
)

// groupFlags are the flags that divide a dimension into groups.
type groupFlags struct {
	by             []string
	every, rolling string
}

func (g *groupFlags) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&g.by, "by", nil, "have a result for each `group`: "+strings.Join(cftime.PartNames, ", ")+", a level of labels, several as in year/month, DIM=GROUP, or DIM=FILE.csv; may be repeated")
	f.StringVar(&g.every, "every", "", "have a result for each `period`, as 6h, 1D, 1M, 1Y, or for each 10 indices: 10, DIM=10")
	f.StringVar(&g.rolling, "rolling", "", "have a result for each window of as many `indices`: 7, DIM=7")
	cli.CompleteFlag(cmd, "by", cobra.FixedCompletions(cftime.PartNames, cobra.ShellCompDirectiveDefault))
}

// grouping returns the groups that the flags ask for, nil for none.
func (g *groupFlags) grouping(a *drx.Array, sel cube.Selection) ([]*stats.Grouping, error) {
	given := ""
	for _, flag := range []struct{ name, value string }{{"by", strings.Join(g.by, "")}, {"every", g.every}, {"rolling", g.rolling}} {
		switch {
		case flag.value == "":
		case given != "":
			return nil, cli.Usagef("--%s and --%s exclude each other", given, flag.name)
		default:
			given = flag.name
		}
	}
	if given == "" {
		return nil, nil
	}
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return nil, err
	}
	values := g.by
	if len(values) == 0 {
		values = []string{g.every + g.rolling}
	}
	var all []*stats.Grouping
	for _, value := range values {
		found, err := g.groupsOf(a, axes, sel, value)
		if errors.Is(err, drx.ErrRank) || errors.Is(err, drx.ErrBounds) {
			return nil, cli.AsUsageError(err)
		}
		if err != nil {
			return nil, cli.AsOptionUsageError(err)
		}
		if slices.ContainsFunc(all, func(o *stats.Grouping) bool { return o.Dim == found.Dim }) {
			return nil, cli.Usagef("--by %s: dimension %s is divided twice: give its levels together, as in year/month", value, cli.DimNames(a)[found.Dim])
		}
		all = append(all, found)
	}
	return all, nil
}

// groupsOf returns the groups of one value of one of the flags.
func (g *groupFlags) groupsOf(a *drx.Array, axes *dataset.Axes, sel cube.Selection, text string) (*stats.Grouping, error) {
	name, value, named := strings.Cut(text, "=")
	if !named {
		name, value = "", name
	}
	c, err := axes.Cube()
	if err != nil {
		return nil, err
	}
	dim, err := g.dimOfGroups(a, axes, c, name, value)
	if err != nil {
		return nil, err
	}
	n, notInt := strconv.Atoi(value)
	switch {
	case g.rolling != "" && notInt != nil:
		return nil, cli.Usagef("--rolling %q: want a number of indices, as 7 or DIM=7", g.rolling)
	case g.rolling != "":
		return stats.Rolling(c, sel, dim, n)
	case g.every != "" && notInt == nil:
		return stats.EveryN(c, sel, dim, n)
	case g.every != "":
		p, err := stats.ParsePeriod(value)
		if err != nil {
			return nil, err
		}
		return stats.EveryPeriod(a, axes, sel, dim, p)
	case !strings.Contains(value, "."):
		return stats.By(a, axes, sel, dim, strings.Split(value, "/")...)
	}
	heading, groups, err := cli.ReadGroups(value)
	if err != nil {
		return nil, err
	}
	return stats.ByTable(c, sel, dim, heading, groups)
}

// dimOfGroups returns the dimension with the given name. Without a name it returns the only
// dimension, the one with a level or of the name that value has, or else the dimension of times.
func (g *groupFlags) dimOfGroups(a *drx.Array, axes *dataset.Axes, c *cube.Cube, name, value string) (int, error) {
	if name != "" {
		return cli.ParseDim(a, name)
	}
	if a.Rank() == 1 {
		return 0, nil
	}
	found := -1
	for _, level := range strings.Split(value, "/") {
		for d, dim := range a.Dims() {
			if level == "" || d == found || level != dim && !slices.Contains(c.Levels(d), level) {
				continue
			}
			if found >= 0 {
				return 0, cli.Usagef("%s: dimensions %s and %s have levels of it: name one, as in %s=%s", value, cli.DimNames(a)[found], cli.DimNames(a)[d], cli.DimNames(a)[d], value)
			}
			found = d
		}
	}
	if found >= 0 {
		return found, nil
	}
	if first, _, _ := strings.Cut(value, "/"); len(g.by) > 0 && !strings.Contains(value, ".") && !slices.Contains(cftime.PartNames, first) {
		return 0, cli.Usagef("--by %s: no dimension has that name or such a level: want a part of dates (%s), a level that labels --level keeps%s, or DIM=FILE.csv",
			value, strings.Join(cftime.PartNames, ", "), levelsOf(a, c))
	}
	return stats.TimeDim(a, axes)
}

// levelsOf returns the levels of the dimensions, in brackets, for an error.
func levelsOf(a *drx.Array, c *cube.Cube) string {
	var names []string
	for d, dim := range cli.DimNames(a) {
		for _, level := range c.Levels(d) {
			names = append(names, dim+"="+level)
		}
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
