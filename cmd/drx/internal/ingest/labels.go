package ingest

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cube"
)

// newLabelsFlags are the flags of append for the labels of the indices that it adds.
type newLabelsFlags struct {
	labels []string
	from   string
}

// fromName is the value of --label-from with which the names of the files become labels.
const fromName = "name"

// flags adds the flags to append.
func (l *newLabelsFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&l.labels, "label", nil, "`label` of the new index; repeat it for each one")
	f.StringVar(&l.from, "label-from", "", "`what` labels each slice: name is the name of its file without folder and extension")
	cli.CompleteFlag(cmd, "label-from", cobra.FixedCompletions([]string{fromName}, cobra.ShellCompDirectiveNoFileComp))
}

// check returns an error for impossible flags.
func (l *newLabelsFlags) check(low bool) error {
	switch {
	case l.from != "" && l.from != fromName:
		return cli.Usagef("--label-from %q: the only value is %q, the name of the file", l.from, fromName)
	case slices.Contains(l.labels, ""):
		return cli.Usagef("--label: a label may not be empty")
	case l.from != "" && l.labels != nil:
		return cli.Usagef("append: --label and --label-from exclude each other")
	case (l.from != "" || l.labels != nil) && low:
		return cli.Usagef("append: --low excludes labels: a new label belongs to the index after the last one")
	}
	return nil
}

// set gives an appender the labels of the new indices, from the flags or else from the files, and
// checks them before the array grows. added has the number of indices that each file adds. Labels
// exist without gaps from the low bound on, so files with labels for only some of the new indices,
// or for the low side, are refused.
func (l *newLabelsFlags) set(p *appender, names []string, added []int, low bool) error {
	labels := l.labels
	if l.from == fromName {
		labels = []string{}
		for i, name := range names {
			if name == "-" {
				return cli.Usagef("append: --label-from name: standard input has no name; use --label")
			}
			if added[i] != 1 {
				return cli.Usagef("append: --label-from name: %s adds %d indices, and one label is for one; use --label", name, added[i])
			}
			base := filepath.Base(name)
			labels = append(labels, strings.TrimSuffix(base, filepath.Ext(base)))
		}
	}
	if labels == nil && l.from == "" && len(p.found) > 0 {
		if low || len(p.found) != sum(added) {
			return cli.Usagef("append: the files have labels for %d of %d new indices of %s, and labels go on without gaps at the high end: remove them with drx labels, or --as-stored appends without them",
				len(p.found), sum(added), cli.DimNames(p.a)[p.dim])
		}
		labels = p.found
	}
	if labels == nil {
		return nil
	}
	if total := sum(added); len(labels) != total {
		return cli.Usagef("append: %d labels for %d new indices: give --label once for each", len(labels), total)
	}
	c, err := cube.Of(p.a)
	if err != nil {
		return err
	}
	if err := c.CheckNewLabels(p.dim, p.a.Bounds()[p.dim].Hi, labels); err != nil {
		return cli.AsSelectUsageError(err)
	}
	p.cube, p.labels = c, labels
	return nil
}
