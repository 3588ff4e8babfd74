package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cube"
	"drx/formats/texttable"
)

// csvOptions are the flags of append for CSV files.
type csvOptions struct {
	coords, value, combine string
	wide, drop, blank      string
	creation               *creation
	read                   *texttable.Options
}

// flags adds the flags to append.
func (o *csvOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.coords, "coords", "", "`columns` of CSV files that hold coordinates: COLUMN,DIM=COLUMN")
	f.StringVar(&o.value, "value", "", "`column` of CSV files that holds the values, of a dataset several: VARIABLE=COLUMN")
	f.StringVar(&o.wide, "wide", "", "`dimension` of which CSV files have a column per index, with its label as the heading")
	f.StringVar(&o.drop, "drop", "", "`columns` of CSV files that --wide leaves out")
	f.StringVar(&o.blank, "blank", "", "`label` for empty coordinates of CSV files (default: an error)")
	f.StringVar(&o.combine, "combine", "replace", "`how` a row changes an existing value: replace or sum")
	cli.CompleteFlag(cmd, "wide", arrays.CompleteDims)
	cli.CompleteFlag(cmd, "combine", cobra.FixedCompletions([]string{"replace", "sum"}, cobra.ShellCompDirectiveNoFileComp))
}

// checkThere returns the error for an array or a dataset that does not exist.
func checkThere(name string) error {
	if arrays.IsDataset(name) {
		return nil
	}
	err := arrays.With(name, false, func(*drx.Array) error { return nil })
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; --create makes a new array", err)
	}
	return nil
}

// check checks the flags given for CSV files, and that none is given without --coords.
func (o *csvOptions) check(cmd *cobra.Command, name string) error {
	given := cmd.Flags().Changed
	if !given("coords") {
		for _, flag := range []string{"value", "wide", "drop", "blank", "combine"} {
			if given(flag) {
				return cli.Usagef("append: --%s is for CSV files and needs --coords", flag)
			}
		}
		if !given("dim") {
			if err := checkThere(name); err != nil && !given("create") {
				return err
			}
			return cli.Usagef("append needs --dim, or --coords for CSV files; see 'drx append --help'")
		}
		return nil
	}
	if given("dim") || given("low") {
		return cli.Usagef("append: --coords excludes --dim and --low: coordinates determine where rows go")
	}
	for _, flag := range []string{"dims", "label", "label-from", "clip", "var", "digits", "bits"} {
		if given(flag) {
			return cli.Usagef("append: --%s is not for CSV files, and --coords is", flag)
		}
	}
	if o.combine != "replace" && o.combine != "sum" {
		return cli.Usagef("--combine %q: want replace or sum", o.combine)
	}
	switch {
	case given("wide") && given("value"):
		return cli.Usagef("append: --wide and --value exclude each other: the values are in one column or in many")
	case given("drop") && !given("wide"):
		return cli.Usagef("append: --drop is for --wide: other columns than those of --coords and --value are ignored")
	case given("wide") && o.wide == "", given("blank") && o.blank == "":
		return cli.Usagef("append: --wide and --blank must not be empty")
	case given("wide"):
		return nil
	}
	if !given("value") {
		return cli.Usagef("append needs --value, the column of the values of a table, or --wide, if each label has a column of values")
	}
	return nil
}

// run appends the rows of files to an array, which it creates if asked to.
func (o *csvOptions) run(cmd *cobra.Command, name string, files []string) error {
	t, err := o.table()
	if err != nil {
		return err
	}
	toDataset, err := t.toDataset(name, o.creation.create)
	if err != nil {
		return err
	}
	total, err := checkCSVs(t.CSV, files)
	if err != nil {
		return err
	}
	if toDataset {
		return o.runRows(cmd, name, t, files, total)
	}
	a, created, err := o.creation.open(cmd, name, func() (drx.Spec, error) { return o.creation.specOfRows(t.dims) })
	if err != nil {
		return err
	}
	interrupt.Changes.Begin(a)
	p := progress.New(cmd, total)
	rows, err := o.addAll(cmd, a, t, files, p)
	p.End()
	if err != nil {
		err = interrupt.Changes.Close(a, err)
		if created && rows == 0 {
			removeCreated(a.Name())
		}
		outfile.Temporary.DoneArray(a.Name())
		return err
	}
	text, result := arrays.Extents(a), appendResult{ArrayResult: cli.NewArrayResult(a), Rows: &rows}
	if err := interrupt.Changes.Close(a, nil); err != nil {
		return err
	}
	return cli.Confirm(cmd, result, "%s, %d rows\n", text, rows)
}

// checkCSVs checks the headings of all files, before an array is created or changed, and returns
// the sum of their sizes. It does not read standard input.
func checkCSVs(how cube.CSV, files []string) (total int64, err error) {
	for i, name := range files {
		if name == "-" {
			if slices.Contains(files[:i], name) {
				return 0, cli.Usagef("append: standard input (-) is given twice")
			}
			continue
		}
		bytes, err := checkCSV(how, name)
		if err != nil {
			return 0, err
		}
		total += bytes
	}
	return total, nil
}

// checkCSV checks the headings of one file and returns its size. It skips files that cannot be read
// twice, such as pipes.
func checkCSV(how cube.CSV, name string) (bytes int64, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	t, err := openTable(nil, name, how.Table)
	if err != nil {
		return 0, err
	}
	defer t.close() // it was only read
	if err := t.check(how); err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// addAll appends the files, each committed when it is complete, and returns the number of
// rows.
func (o *csvOptions) addAll(cmd *cobra.Command, a *drx.Array, t *csvTable, files []string, p *progress.Progress) (rows int, err error) {
	how, err := t.of(a)
	if err != nil {
		return 0, err
	}
	how.Progress = p.Add
	c, err := cube.Of(a)
	if err != nil {
		return 0, err
	}
	for i, name := range files {
		n, err := addCSV(cmd.Context(), cmd.InOrStdin(), c, name, how)
		if err != nil {
			return rows, err
		}
		rows += n
		outfile.Temporary.DoneArray(a.Name())
		interrupt.Changes.Keep(a, fmt.Sprintf(keptFiles, i+1, len(files)))
	}
	return rows, nil
}

// addCSV appends one file.
func addCSV(ctx context.Context, stdin io.Reader, c *cube.Cube, name string, how cube.CSV) (rows int, err error) {
	t, err := openTable(stdin, name, how.Table)
	if err != nil {
		return 0, err
	}
	defer t.close() // it was only read
	in, err := t.rows()
	if err != nil {
		return 0, err
	}
	rows, err = c.AppendRows(ctx, in, how)
	return rows, t.named(blankHint(err))
}
