package ingest

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/formats/texttable"
)

// A csvTable says which columns of CSV files are coordinates and which are values. Coordinates are
// in the order of --coords.
type csvTable struct {
	cube.CSV
	dims  []string // names or numbers of the dimensions, in that order
	vars  []string // of a dataset, in the order of CSV.Values
	given string   // --coords, for errors
}

// table returns the columns that the flags name.
func (o *csvOptions) table() (*csvTable, error) {
	t := &csvTable{CSV: cube.CSV{Value: o.value, Blank: o.blank, Table: *o.read}, given: o.coords}
	if err := o.read.Check(); err != nil {
		return nil, cli.AsOptionUsageError(err)
	}
	if o.combine == "sum" {
		t.Combine = cube.Add
	}
	if err := t.parseCoords(o.wide); err != nil {
		return nil, err
	}
	if o.wide == "" {
		return t, nil
	}
	t.Wide = &cube.Wide{Dim: slices.Index(t.dims, o.wide)}
	if t.Wide.Dim < 0 { // the last dimension, unless --coords names it elsewhere
		t.Wide.Dim = len(t.dims)
		t.dims, t.Coords = append(t.dims, o.wide), append(t.Coords, "")
	}
	if o.drop == "" {
		return t, nil
	}
	var err error
	t.Wide.Drop, err = parseColumns("--drop", o.drop)
	return t, err
}

// parseCoords parses --coords, a list of DIM=COLUMN. A field without = is the name of both the
// dimension and the column; a field with the name of --wide only fixes the position of that
// dimension.
func (t *csvTable) parseCoords(wide string) error {
	fields, err := parseColumns("--coords", t.given)
	if err != nil {
		return err
	}
	for _, field := range fields {
		dim, column, named := strings.Cut(field, "=")
		if !named {
			column = dim
		}
		if dim == "" || column == "" || slices.Contains(t.dims, dim) {
			return cli.Usagef("--coords %q at %q: want one column for each dimension", t.given, field)
		}
		if named && dim == wide {
			return cli.Usagef("--coords %q at %q: --wide %s has a column for each index of this dimension: give its name alone", t.given, field, wide)
		}
		t.dims, t.Coords = append(t.dims, dim), append(t.Coords, column)
	}
	return nil
}

// parseValues parses --value, a list of VARIABLE=COLUMN. A field without = is a column; its
// variable has that name without units.
func (t *csvTable) parseValues(text string) error {
	fields, err := parseColumns("--value", text)
	if err != nil {
		return err
	}
	for _, field := range fields {
		name, column, named := strings.Cut(field, "=")
		if !named {
			column = name
			name, _ = texttable.CutUnits(name)
			name = strings.ReplaceAll(name, "/", "_") // which would be a group
		}
		if name == "" || column == "" || slices.Contains(t.vars, name) || slices.Contains(t.dims, name) {
			return cli.Usagef("--value %q at %q: want a column for each variable, whose name no dimension has: VARIABLE=COLUMN gives another name", text, field)
		}
		t.vars, t.Values = append(t.vars, name), append(t.Values, column)
	}
	return nil
}

// parseColumns parses a list of names of columns, written as a line of CSV.
func parseColumns(flag, text string) ([]string, error) {
	list := csv.NewReader(strings.NewReader(text))
	list.TrimLeadingSpace = true // as in the headings
	names, err := list.Read()
	if err != nil {
		return nil, cli.Usagef("%s %q: want a list of columns; quote names that contain a comma", flag, text)
	}
	return names, nil
}

// of returns the columns to read, in the order of the array's dimensions.
func (t *csvTable) of(a *drx.Array) (cube.CSV, error) {
	how := t.CSV
	how.Coords = make([]string, a.Rank())
	given := make([]bool, a.Rank())
	for i, name := range t.dims {
		d, err := cli.ParseDim(a, name)
		if err != nil {
			return how, err
		}
		if given[d] {
			return how, cli.Usagef("--coords %s: dimension %s is given twice", t.given, cli.DimNames(a)[d])
		}
		given[d], how.Coords[d] = true, t.Coords[i]
		if t.Wide != nil && i == t.Wide.Dim {
			how.Wide = &cube.Wide{Dim: d, Drop: t.Wide.Drop}
		}
	}
	if d := slices.Index(given, false); d >= 0 {
		return how, cli.Usagef("--coords %s: no column for dimension %s of %s", t.given, cli.DimNames(a)[d], a.Name())
	}
	return how, nil
}

// blankHint extends the error for an empty coordinate by the flag that gives it a label.
func blankHint(err error) error {
	if !errors.Is(err, cube.ErrBlank) {
		return err
	}
	return fmt.Errorf("%w; --blank LABEL gives empty fields a label", err)
}
