package ingest

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/progress"
	"drx/dataset"
	"drx/dataset/rows"
)

// A rowsJob appends tables to a dataset.
type rowsJob struct {
	rows.Table
	cmd    *cobra.Command
	create bool
	spec   drx.Spec // of new variables
	added  rows.Result
	files  []string
	done   int // files that are committed
}

// A rowsResult says what append has added to a dataset from tables.
type rowsResult struct {
	Name       string            `json:"name"`
	Dimensions map[string]int    `json:"dimensions"` // extent
	Bounds     map[string][2]int `json:"bounds"`
	Rows       int               `json:"rows"`
}

// toDataset reports whether the rows are for a dataset: one that exists, or a new one for several
// columns of values. For an array --value is one heading, whatever is in it.
func (t *csvTable) toDataset(name string, create bool) (bool, error) {
	exists := arrays.IsDataset(name)
	if t.Wide != nil {
		if exists {
			return false, cli.Usagef("append: --wide is for one array, and %s is a dataset", cli.Printable(name))
		}
		return false, nil
	}
	invalid := t.parseValues(t.Value)
	if exists {
		return true, invalid
	}
	if isArray, err := drx.Exists(name); err != nil || isArray || invalid != nil || len(t.vars) < 2 {
		t.Values = nil
		return false, err
	}
	if !create {
		return false, cli.Usagef("append: --value names %d columns, which become variables of a dataset: there is no %s; --create makes it", len(t.vars), cli.Printable(name))
	}
	return true, nil
}

// runRows appends the rows of files to the variables of a dataset, which it creates if it does not
// exist.
func (o *csvOptions) runRows(cmd *cobra.Command, name string, t *csvTable, files []string, total int64) error {
	spec, err := o.creation.specOfRows(t.dims)
	if err != nil {
		return err
	}
	p := progress.New(cmd, total)
	j := &rowsJob{Table: rows.Table{Dims: t.dims, Vars: t.vars, CSV: t.CSV}, cmd: cmd, create: o.creation.create, spec: spec, files: files}
	j.CSV.Progress = p.Add
	if !arrays.IsDataset(name) {
		err = dataset.CreateFilled(name, drx.Options{}, func(d *dataset.Dataset) error { return j.add(d) })
	}
	if err == nil && j.done < len(files) {
		err = arrays.WaitForLock(cmd, name, func() error { return datasets.Change(name, j.addAll) })
	}
	p.End()
	if err != nil {
		if j.done > 0 {
			err = interrupt.WithKept(err, fmt.Sprintf(keptFiles, j.done, len(files)))
		}
		return cli.AsOptionUsageError(err)
	}
	if len(j.added.Unsorted) > 0 {
		noteTo(cmd)(fmt.Sprintf("%s: the times along %s are not in order; drx sort puts them in order", cli.Printable(name), strings.Join(j.added.Unsorted, ", ")))
	}
	return j.print(name)
}

// addAll adds the files that are left, and commits each.
func (j *rowsJob) addAll(d *dataset.Dataset) error {
	for j.done < len(j.files) {
		if err := j.add(d); err != nil {
			return err
		}
	}
	return nil
}

// add adds the next file, creates the variables that it needs, and commits both.
func (j *rowsJob) add(d *dataset.Dataset) error {
	t, err := openTable(j.cmd.InOrStdin(), j.files[j.done], j.CSV.Table)
	if err != nil {
		return err
	}
	defer t.close() // it was only read
	if j.create {
		sample, err := t.sample(j.CSV)
		if err == nil {
			err = j.Create(d, sample, j.spec)
		}
		if err != nil {
			return t.named(err)
		}
	}
	in, err := t.rows()
	if err != nil {
		return err
	}
	added, err := j.Append(j.cmd.Context(), d, in)
	if err != nil {
		return t.named(blankHint(err))
	}
	if err := d.Sync(); err != nil {
		return err
	}
	j.done++
	j.added.Rows += added.Rows
	j.added.Unsorted = added.Unsorted
	return nil
}

// print prints the dimensions of the dataset.
func (j *rowsJob) print(name string) error {
	return arrays.WithDataset(name, func(d *dataset.Dataset) error {
		result := rowsResult{d.Folder(), map[string]int{}, map[string][2]int{}, j.added.Rows}
		var texts []string
		for _, dim := range j.Dims {
			known, err := d.Dim(dim)
			if err != nil {
				return err
			}
			r := known.Bounds
			result.Dimensions[dim], result.Bounds[dim] = r.Len(), [2]int{r.Lo, r.Hi}
			texts = append(texts, fmt.Sprintf("%s %d", cli.Printable(dim), r.Len()))
		}
		return cli.Confirm(j.cmd, result, "%s: %s, %d rows\n", cli.Printable(d.Folder()), strings.Join(texts, ", "), j.added.Rows)
	})
}
