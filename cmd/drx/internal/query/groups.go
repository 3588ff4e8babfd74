package query

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/stats"
)

// groupFlags are the flags that divide a dimension into groups.
type groupFlags struct{ by, every, rolling string }

func (g *groupFlags) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.by, "by", "", "have a result for each `group`: "+strings.Join(stats.PartNames, ", ")+", DIM=GROUP, or DIM=FILE.csv")
	f.StringVar(&g.every, "every", "", "have a result for each `period`, as 6h, 1D, 1M, 1Y, or for each 10 indices: 10, DIM=10")
	f.StringVar(&g.rolling, "rolling", "", "have a result for each window of as many `indices`: 7, DIM=7")
	cli.CompleteFlag(cmd, "by", cobra.FixedCompletions(stats.PartNames, cobra.ShellCompDirectiveDefault))
}

// grouping returns the groups that the flags ask for, nil for none.
func (g *groupFlags) grouping(a *drx.Array, sel cube.Selection) ([]*stats.Grouping, error) {
	given := ""
	for _, flag := range []struct{ name, value string }{{"by", g.by}, {"every", g.every}, {"rolling", g.rolling}} {
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
	found, err := g.groupsOf(a, axes, sel)
	if errors.Is(err, drx.ErrRank) || errors.Is(err, drx.ErrBounds) {
		return nil, cli.AsUsageError(err)
	}
	return []*stats.Grouping{found}, cli.AsOptionUsageError(err)
}

// groupsOf is grouping if exactly one of the flags is given.
func (g *groupFlags) groupsOf(a *drx.Array, axes *dataset.Axes, sel cube.Selection) (*stats.Grouping, error) {
	name, value, named := strings.Cut(g.by+g.every+g.rolling, "=")
	if !named {
		name, value = "", name
	}
	dim, err := dimOfGroups(a, axes, name)
	if err != nil {
		return nil, err
	}
	c, err := axes.Cube()
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
	case slices.Contains(stats.PartNames, value) || !strings.Contains(value, "."):
		return stats.ByTime(a, axes, sel, dim, value)
	}
	heading, groups, err := readGroups(value)
	if err != nil {
		return nil, err
	}
	return stats.ByTable(c, sel, dim, heading, groups)
}

// dimOfGroups returns the dimension with the given name. Without a name it returns the only
// dimension, or else the dimension of times.
func dimOfGroups(a *drx.Array, axes *dataset.Axes, name string) (int, error) {
	if name != "" {
		return cli.ParseDim(a, name)
	}
	if a.Rank() == 1 {
		return 0, nil
	}
	return stats.TimeDim(a, axes)
}

// readGroups reads a CSV file of two columns, labels and their groups, below a line of headings. It
// returns the heading of the groups and the group of each label.
func readGroups(name string) (heading string, groups map[string]string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = 2
	r.TrimLeadingSpace = true
	head, err := r.Read()
	if err == io.EOF {
		return "", nil, fmt.Errorf("%s: no line of headings, as in store,region", name)
	}
	groups = map[string]string{}
	for err == nil {
		var row []string
		if row, err = r.Read(); err != nil {
			break
		}
		if _, twice := groups[row[0]]; twice {
			line, _ := r.FieldPos(0)
			return "", nil, fmt.Errorf("%s: line %d: %q has a group already", name, line, row[0])
		}
		groups[row[0]] = row[1]
	}
	if err != io.EOF {
		return "", nil, fmt.Errorf("%s: want two columns, labels and groups: %w", name, err)
	}
	return head[1], groups, nil
}
