package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/usage"
	"drx/cube"
)

// csvOptions are the flags of append for CSV files.
type csvOptions struct {
	coords, value, combine string
	creation               *creation
}

// flags adds the flags to append.
func (o *csvOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.coords, "coords", "", "`columns` of CSV files that hold coordinates: COLUMN,DIM=COLUMN")
	f.StringVar(&o.value, "value", "", "`column` of CSV files that holds the values")
	f.StringVar(&o.combine, "combine", "replace", "`how` a row changes an existing value: replace or sum")
	completeFlag(cmd, "combine", cobra.FixedCompletions([]string{"replace", "sum"}, cobra.ShellCompDirectiveNoFileComp))
}

// check checks the flags given for CSV files, and that none is given without --coords.
func (o *csvOptions) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if !given("coords") {
		for _, flag := range []string{"value", "combine"} {
			if given(flag) {
				return usagef("append: --%s is for CSV files and needs --coords", flag)
			}
		}
		if !given("dim") {
			return usagef("append needs --dim, or --coords for CSV files; see 'drx append --help'")
		}
		return nil
	}
	if given("dim") || given("low") {
		return usagef("append: --coords excludes --dim and --low: coordinates determine where rows go")
	}
	for _, flag := range []string{"dims", "label", "label-from", "clip", "var"} {
		if given(flag) {
			return usagef("append: --%s is not for CSV files, and --coords is", flag)
		}
	}
	if o.combine != "replace" && o.combine != "sum" {
		return usagef("--combine %q: want replace or sum", o.combine)
	}
	return requireFlags(cmd, "value")
}

// run appends the rows of files to an array, which it creates if asked to.
func (o *csvOptions) run(cmd *cobra.Command, name string, files []string) error {
	dims, columns, err := o.columns()
	if err != nil {
		return err
	}
	total, err := checkCSVs(cube.CSV{Coords: columns, Value: o.value}, files)
	if err != nil {
		return err
	}
	a, created, err := o.creation.open(cmd, name, func() (drx.Spec, error) { return o.creation.specOfRows(dims) })
	if err != nil {
		return err
	}
	underChange.begin(a)
	p := newProgress(cmd, total)
	rows, err := o.addAll(cmd, a, dims, columns, files, p)
	p.end()
	if err != nil {
		err = underChange.close(a, err)
		if created && rows == 0 {
			removeCreated(a.Name())
		}
		temporary.doneArray(a.Name())
		return err
	}
	text, result := extents(a), appendResult{arrayResult: newArrayResult(a), Rows: &rows}
	if err := underChange.close(a, nil); err != nil {
		return err
	}
	return confirm(cmd, result, "%s, %d rows\n", text, rows)
}

// columns parses --coords, a list of DIM=COLUMN. A field without = is the name of both the dimension
// and the column.
func (o *csvOptions) columns() (dims, columns []string, err error) {
	list := csv.NewReader(strings.NewReader(o.coords))
	list.TrimLeadingSpace = true // as in the headings
	fields, err := list.Read()
	if err != nil {
		return nil, nil, usagef("--coords %q: want a list of columns; quote names that contain a comma", o.coords)
	}
	for _, field := range fields {
		dim, column, named := strings.Cut(field, "=")
		if !named {
			column = dim
		}
		if dim == "" || column == "" || slices.Contains(dims, dim) {
			return nil, nil, usagef("--coords %q at %q: want one column for each dimension", o.coords, field)
		}
		dims, columns = append(dims, dim), append(columns, column)
	}
	return dims, columns, nil
}

// checkCSVs checks the headings of all files, before an array is created or changed, and returns
// the sum of their sizes. It does not read standard input.
func checkCSVs(how cube.CSV, files []string) (total int64, err error) {
	for i, name := range files {
		if name == "-" {
			if slices.Contains(files[:i], name) {
				return 0, usagef("append: standard input (-) is given twice")
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
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := how.Check(f); err != nil {
		return 0, fmt.Errorf("%s: %w", name, usage.WithoutKind(err, cube.ErrFormat))
	}
	return info.Size(), nil
}

// addAll appends the files, each committed when it is complete, and returns the number of
// rows.
func (o *csvOptions) addAll(cmd *cobra.Command, a *drx.Array, dims, columns, files []string, p *progress) (rows int, err error) {
	how, err := o.csvSpec(a, dims, columns)
	if err != nil {
		return 0, err
	}
	how.Progress = p.add
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
		temporary.doneArray(a.Name())
		underChange.keep(a, fmt.Sprintf(keptFiles, i+1, len(files)))
	}
	return rows, nil
}

// addCSV appends one file.
func addCSV(ctx context.Context, stdin io.Reader, c *cube.Cube, name string, how cube.CSV) (rows int, err error) {
	in := stdin
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		in = f
	}
	if rows, err = c.AppendCSV(ctx, in, how); err != nil {
		return rows, fmt.Errorf("%s: %w", name, usage.WithoutKind(err, cube.ErrFormat))
	}
	return rows, nil
}

// csvSpec returns the columns to read, in the order of the array's dimensions.
func (o *csvOptions) csvSpec(a *drx.Array, dims, columns []string) (cube.CSV, error) {
	how := cube.CSV{Coords: make([]string, a.Rank()), Value: o.value}
	if o.combine == "sum" {
		how.Combine = cube.Add
	}
	for i, name := range dims {
		d, err := parseDim(a, name)
		if err != nil {
			return how, err
		}
		if how.Coords[d] != "" {
			return how, usagef("--coords %s: dimension %s is given twice", o.coords, dimNames(a)[d])
		}
		how.Coords[d] = columns[i]
	}
	if d := slices.Index(how.Coords, ""); d >= 0 {
		return how, usagef("--coords %s: no column for dimension %s of %s", o.coords, dimNames(a)[d], a.Name())
	}
	return how, nil
}
