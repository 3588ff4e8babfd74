package cube

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"drx/dataset/meaning"
	"drx/formats/texttable"
	"drx/internal/errkind"
)

// ErrFormat is wrapped by errors about CSV without a line of headings, without a required column,
// or with a row of more than MaxRow bytes.
var ErrFormat = errors.New("wrong CSV")

// CSV describes the rows that AppendCSV reads, or those of another Source.
type CSV struct {
	Coords  []string // per dimension, the heading of the column with its coordinates
	Value   string   // the heading of the column with the values; other columns are ignored
	Values  []string // for a Loader of several arrays their headings; then Value is ignored
	Wide    *Wide    // for a table with several columns of values; then Value is ignored
	Blank   string   // the coordinate for empty fields; "" makes them errors
	Combine Combine
	Table   texttable.Options // how numbers and separators are meant
	// Progress, if not nil, is called repeatedly with the number of bytes read since the previous
	// call.
	Progress func(bytes int)
}

// Check reads the headings of a table and checks that it has the columns of o. The error wraps
// ErrFormat, or is that of the source.
func (o CSV) Check(in Source) error {
	_, err := o.layout(in)
	return err
}

// progressRows is the number of rows between two calls of CSV.Progress.
const progressRows = 4096

// AppendCSV appends the rows of a CSV file with a line of headings by means of a Loader, in one
// pass and bounded memory, and commits them. It returns the number of rows. Blanks at the beginning
// of a field are ignored unless they are quoted.
//
// An error of a row names its line. Errors are those of ctx, of r, of encoding/csv, of Loader.Add
// and of drx.Array.Sync, or wrap ErrFormat. After an error the array may hold some of the rows;
// drx.Array.Discard undoes them.
func (c *Cube) AppendCSV(ctx context.Context, r io.Reader, o CSV) (rows int, err error) {
	return c.AppendRows(ctx, newCSVReader(r, o.Table), o)
}

// AppendRows appends the rows of a table as AppendCSV does. Errors of the source take the place of
// those of r and of encoding/csv.
func (c *Cube) AppendRows(ctx context.Context, in Source, o CSV) (rows int, err error) {
	l, err := c.Loader(o.Combine)
	if err != nil {
		return 0, err
	}
	if rows, err = l.AddRows(ctx, in, o); err != nil {
		return rows, err
	}
	return rows, l.Commit()
}

// AddRows adds the rows of a table, without a commit. It is otherwise like Cube.AppendRows; for
// several arrays CSV.Values has as many headings.
func (l *Loader) AddRows(ctx context.Context, in Source, o CSV) (rows int, err error) {
	t, err := o.layout(in)
	if err != nil {
		return 0, err
	}
	for i, head := range t.heads {
		if err := l.columns[i].setUnits(head); err != nil {
			return 0, err
		}
	}
	return l.addRows(ctx, in, t, o.Progress)
}

// setUnits compares the units of a heading with those of the array, to which it gives them if it
// has no elements yet.
func (c *column) setUnits(heading string) error {
	_, units := texttable.CutUnits(heading)
	if units == "" {
		return nil
	}
	var own string
	found, err := c.a.Attr("units", &own)
	if err == nil && !found && slices.Contains(c.a.Shape(), 0) {
		return c.a.SetAttr("units", units)
	}
	if err == nil && found && !meaning.SameUnits(own, units) {
		return errkind.Errorf(ErrFormat, "column %q: %s has the units %q: convert the values, or correct the heading", heading, c.a.Name(), own)
	}
	return err
}

// addRows adds the remaining rows of in.
func (l *Loader) addRows(ctx context.Context, in Source, t *tableLayout, progress func(bytes int)) (rows int, err error) {
	reported := int64(0)
	report := func() {
		if progress != nil {
			progress(int(in.InputOffset() - reported))
		}
		reported = in.InputOffset()
	}
	for ; ; rows++ {
		record, err := in.Read()
		err = cmp.Or(ctx.Err(), err) // after an interruption io.EOF is not the end of the table
		if rows%progressRows == 0 || err != nil {
			report()
		}
		if err == io.EOF {
			return rows, nil
		} else if err != nil {
			return rows, err // err names the line
		}
		if err := t.add(l, in, record); err != nil {
			return rows, err
		}
	}
}
