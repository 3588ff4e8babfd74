package schema

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/internal/errkind"
)

// labelsOptions are the flags of labels.
type labelsOptions struct {
	dim, from string
	level     string
	remove    bool
	version   int
}

// NewLabels returns the verb labels.
func NewLabels() *cobra.Command {
	var o labelsOptions
	cmd := &cobra.Command{
		Use:     "labels ARRAY",
		Short:   "Print or set the labels of indices",
		GroupID: cli.GroupArray,
		Long: `Print the labels of an array, or of one of its dimensions, as CSV: dimension, index, label.
append --coords labels the indices that it adds; read and stats print labels and select by them.

--set-from replaces the labels of a dimension by the lines of a file, beginning at its lowest
index. No label may be empty or occur twice. Fewer lines than there are labels are refused, since
the labels of the last indices would be lost, unless --delete says so.

--level category=items.csv keeps a level above the labels of a dimension, for stats --by category:
the table has two columns, labels and their groups, below a line of headings. A label with an empty
group belongs to none. As long as a label has no line, a note says so and groups by the level are
refused: labels that come later need a new table. --level category= deletes the level.`,
		Example: `  drx labels sales --dim store
  drx labels sales --dim item --level category=items.csv
  printf 'mm\nkm\n' | drx labels A --dim unit --set-from -
  drx labels A --dim unit --set-from /dev/null --delete`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("level") {
				return o.runLevel(cmd, args[0])
			}
			if !cmd.Flags().Changed("set-from") {
				if o.remove {
					return cli.Usagef("labels: --delete is for --set-from with fewer labels; without labels: --set-from /dev/null --delete")
				}
				return arrays.WithVersion(cmd, args[0], o.version, func(a *drx.Array) error { return o.print(cmd, a) })
			}
			if cmd.Flags().Changed("at-version") {
				return cli.Usagef("labels: --set-from and --at-version exclude each other: only the last version can be changed")
			}
			if err := cli.RequireFlags(cmd, "dim"); err != nil {
				return err
			}
			return arrays.Change(cmd, args[0], func(a *drx.Array) error { return o.set(cmd, a) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dim, "dim", "", "`dimension`: number or name (default: all)")
	f.StringVar(&o.from, "set-from", "", "`file` with a label per line, - for standard input")
	f.StringVar(&o.level, "level", "", "`level` above the labels and the table that has it: NAME=FILE.csv")
	f.BoolVar(&o.remove, "delete", false, "let --set-from delete the labels of indices for which the file has none")
	arrays.AddVersionFlag(cmd, &o.version)
	cli.CompleteFlag(cmd, "dim", arrays.CompleteDims)
	cli.AddWaitFlag(cmd)
	return cmd
}

// print prints labels.
func (o *labelsOptions) print(cmd *cobra.Command, a *drx.Array) error {
	c, err := cube.Of(a)
	if err != nil {
		return err
	}
	only := -1
	if o.dim != "" {
		if only, err = cli.ParseDim(a, o.dim); err != nil {
			return err
		}
	}
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), labelList(c, only))
	}
	out := cmd.OutOrStdout()
	// w keeps the first error until Flush
	w, field := bufio.NewWriter(out), cli.CsvFields(cli.IsTerminal(out))
	w.WriteString("dim,index,label\n")
	for d, name := range cli.DimNames(a) {
		first, labels := c.Labels(d)
		for i := 0; i < len(labels) && (only < 0 || only == d); i++ {
			fmt.Fprintf(w, "%s,%d,%s\n", field(name), first+i, field(labels[i]))
		}
	}
	return w.Flush()
}

// set reads labels and sets them.
func (o *labelsOptions) set(cmd *cobra.Command, a *drx.Array) error {
	d, err := cli.ParseDim(a, o.dim)
	if err != nil {
		return err
	}
	c, err := cube.Of(a)
	if err != nil {
		return err
	}
	in, name := cmd.InOrStdin(), "standard input"
	if o.from != "-" {
		name = o.from
		f, err := os.Open(o.from)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	most := a.Shape()[d]
	labels, count, err := readLines(cmd.Context(), in, most)
	if err == nil && count > most {
		err = errkind.Errorf(drx.ErrBounds, "%s: dimension %s: %d labels for %d indices", a.Name(), cli.DimNames(a)[d], count, most)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", cli.Printable(name), err)
	}
	if _, present := c.Labels(d); len(labels) < len(present) && !o.remove {
		return cli.Usagef("%s: dimension %s: %d lines for %d labels: give all of them, or delete the others with --delete",
			cli.Printable(name), cli.DimNames(a)[d], len(labels), len(present))
	}
	if err := c.SetLabels(d, labels); err != nil {
		return fmt.Errorf("%s: %w", a.Name(), err)
	}
	if !cli.WantsJSON(cmd) {
		return nil
	}
	if err := a.Sync(); err != nil {
		return err
	}
	return cli.PrintJSON(cmd.OutOrStdout(), labelList(c, d))
}

// maxLabel is the largest length of a line that holds a label, in bytes.
const maxLabel = 1 << 20

// readLines returns the first most lines of a text, or fewer if it has fewer, and the number of all
// its lines.
func readLines(ctx context.Context, in io.Reader, most int) (lines []string, count int, err error) {
	r := bufio.NewScanner(in)
	r.Buffer(nil, maxLabel)
	for ; r.Scan() && ctx.Err() == nil; count++ {
		if count < most {
			lines = append(lines, strings.TrimRight(r.Text(), "\r"))
		}
	}
	if err := r.Err(); err != nil {
		return nil, 0, fmt.Errorf("line %d: a line may have %d bytes: %w", count+1, maxLabel, err)
	}
	return lines, count, ctx.Err()
}

// A labelResult is a label as JSON.
type labelResult struct {
	Dim   int     `json:"dim"`
	Index int     `json:"index"`
	Label string  `json:"label"`
	Group *string `json:"group,omitempty"` // at the level that was set
}

// labelList returns the labels of a dimension, or of all if only is negative.
func labelList(c *cube.Cube, only int) []labelResult {
	list := []labelResult{}
	for d := range c.Array().Rank() {
		first, labels := c.Labels(d)
		for i := 0; i < len(labels) && (only < 0 || only == d); i++ {
			list = append(list, labelResult{Dim: d, Index: first + i, Label: labels[i]})
		}
	}
	return list
}
