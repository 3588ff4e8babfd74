package cube

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"drx/formats/texttable"
	"drx/internal/errkind"
)

// A Wide describes a table with one column of values for each index of a dimension, such as one per
// day. The headings of these columns are the coordinates. They are all columns that are neither in
// CSV.Coords nor in Drop.
type Wide struct {
	Dim  int      // the dimension; its entry in CSV.Coords is ignored
	Drop []string // headings of columns to ignore
}

// A tableLayout assigns the columns of a table.
type tableLayout struct {
	coords []int    // per dimension, the column with its coordinates
	blank  string   // the coordinate of empty fields
	values []int    // the columns with values
	heads  []string // their headings, with units; nil for wide tables
	wide   int      // of a wide table, the dimension spread over the columns
	labels []string // of a wide table, the coordinates in that dimension; nil for other tables

	row []string // the coordinates of the row that is being added

	exact    []bool   // per column with values, see Source.IsExact
	texts    []string // the values of the row that is being added; nil for wide tables
	numbers  *texttable.Numbers
	trailing int // the column without heading behind the last separator of each row; -1 for none
}

// layout reads the line of headings and returns the columns of the coordinates and values.
func (o CSV) layout(in Source) (*tableLayout, error) {
	heads, err := in.Headings()
	if err != nil {
		return nil, err
	}
	t := &tableLayout{coords: make([]int, len(o.Coords)), blank: o.Blank, row: make([]string, len(o.Coords)), trailing: -1}
	var used []int
	for d, name := range o.Coords {
		if o.Wide != nil && d == o.Wide.Dim {
			continue
		}
		if t.coords[d], err = findColumn(heads, name); err != nil {
			return nil, err
		}
		used = append(used, t.coords[d])
	}
	if o.Wide != nil {
		if err := o.Table.CheckNoUnits("the headings of a table with a column for each index are labels, which have no units"); err != nil {
			return nil, err
		}
		err = t.spread(o.Wide, heads)
	} else {
		err = t.findValues(heads, o)
	}
	if err == nil {
		err = in.Use(append(used, t.values...))
	}
	if err == nil && o.Wide == nil {
		err = t.findHeads(in, heads)
	}
	if err != nil {
		return nil, err
	}
	t.numbers = in.Numbers(t.values)
	for _, column := range t.values {
		t.exact = append(t.exact, in.IsExact(column))
	}
	return t, nil
}

// findValues assigns the columns with values of a table that is not wide.
func (t *tableLayout) findValues(heads []string, o CSV) error {
	names := o.Values
	if names == nil {
		names = []string{o.Value}
	}
	t.values, t.texts = make([]int, len(names)), make([]string, len(names))
	for i, name := range names {
		var err error
		if t.values[i], err = findColumn(heads, name); err != nil {
			return err
		}
	}
	return nil
}

// findHeads sets the headings of the columns with values, with the units of a row below them.
func (t *tableLayout) findHeads(in Source, heads []string) error {
	heads, err := in.UnitsRow(slices.Clone(heads), t.values)
	if err != nil {
		return err
	}
	for _, column := range t.values {
		t.heads = append(t.heads, heads[column])
	}
	return nil
}

// A Sample is the beginning of a table.
type Sample struct {
	Headings []string   // of the columns with values
	Coords   [][]string // per dimension, the coordinates of the first rows
}

// Sample reads the beginning of a table, for what it says about the type of coordinates. The error
// is that of Check.
func (o CSV) Sample(in Source) (s Sample, err error) {
	heads, err := in.Headings()
	if err != nil {
		return s, err
	}
	t := &tableLayout{}
	if err := t.findValues(heads, o); err != nil {
		return s, err
	}
	heads = slices.Clone(heads)
	if err := t.findHeads(in, heads); err != nil {
		return s, err
	}
	s.Headings = t.heads
	columns := make([]int, len(o.Coords))
	s.Coords = make([][]string, len(columns))
	for d, name := range o.Coords {
		if columns[d], err = findColumn(heads, name); err != nil {
			return s, err
		}
	}
	if err := in.Use(columns); err != nil {
		return s, err
	}
	for in.InputOffset() < headBytes {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return s, err
		}
		for d, column := range columns {
			s.Coords[d] = append(s.Coords[d], strings.Clone(record[column]))
		}
	}
	return s, nil
}

// findColumn returns the number of the only column with a heading, which may have units behind the
// name.
func findColumn(heads []string, name string) (int, error) {
	i := slices.Index(heads, name)
	if i < 0 {
		names := make([]string, len(heads))
		for k, head := range heads {
			names[k], _ = texttable.CutUnits(head)
		}
		if k := slices.Index(names, name); k >= 0 {
			i, heads = k, names
		}
	}
	switch {
	case i < 0:
		return 0, errkind.Errorf(ErrFormat, "no column %q, the columns are %s", name, quoted(heads))
	case slices.Contains(heads[i+1:], name):
		return 0, errkind.Errorf(ErrFormat, "two columns %q", name)
	}
	return i, nil
}

// spread assigns all columns that are neither coordinates nor dropped to the values of a wide
// table.
func (t *tableLayout) spread(w *Wide, heads []string) error {
	t.wide, t.labels = w.Dim, []string{}
	dropped, seen := map[string]bool{}, map[string]bool{}
	for _, name := range w.Drop {
		if !slices.Contains(heads, name) {
			return errkind.Errorf(ErrFormat, "no column %q to leave out, the columns are %s", name, quoted(heads))
		}
		dropped[name] = true
	}
	for i, head := range heads {
		switch {
		case dropped[head] || t.isCoordinate(i):
			continue
		case head == "" && i == len(heads)-1 && i > 0:
			t.trailing = i
			continue
		case head == "":
			return errkind.Errorf(ErrFormat, "column %d has no heading, which would be a label: give it one or leave the column out", i+1)
		case seen[head]:
			return errkind.Errorf(ErrFormat, "two columns %q", head)
		}
		seen[head] = true
		t.values, t.labels = append(t.values, i), append(t.labels, head)
	}
	if len(t.values) == 0 {
		return errkind.Errorf(ErrFormat, "no column with values is left of %s", quoted(heads))
	}
	return nil
}

// isCoordinate reports whether a column has the coordinates of a dimension.
func (t *tableLayout) isCoordinate(column int) bool {
	for d, c := range t.coords {
		if c == column && (t.labels == nil || d != t.wide) {
			return true
		}
	}
	return false
}

// add adds a row of the table. If the table is wide, that is several rows for the loader.
func (t *tableLayout) add(l *Loader, in Source, record []string) error {
	if t.trailing >= 0 && record[t.trailing] != "" {
		return errkind.Errorf(ErrFormat, "%s, column %d: the column has no heading, which would be a label: give it one or leave the column out", in.Row(t.trailing), t.trailing+1)
	}
	for d, column := range t.coords {
		if t.row[d] = record[column]; t.row[d] == "" {
			t.row[d] = t.blank
		}
	}
	if t.labels == nil {
		return t.addLong(l, in, record)
	}
	var texts [1]string
	for i, column := range t.values {
		t.row[t.wide] = t.labels[i]
		var err error
		if texts[0], err = t.numbers.Parse(record[column]); err == nil {
			err = l.addRow(t.row, texts[:], t.exact[i:i+1])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.Row(0), t.inColumn(i, err))
		}
		if err := l.flushFull(); err != nil { // names no line: an earlier row may be the cause
			return err
		}
	}
	return nil
}

// addLong adds a row with a value for each array.
func (t *tableLayout) addLong(l *Loader, in Source, record []string) (err error) {
	for i, column := range t.values {
		if t.texts[i], err = t.numbers.Parse(record[column]); err != nil {
			break
		}
	}
	if err == nil {
		err = l.addRow(t.row, t.texts, t.exact)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.Row(0), err)
	}
	return l.flushFull() // names no line: an earlier row may be the cause
}

// inColumn adds the column of a wide table to the error about a value.
func (t *tableLayout) inColumn(i int, err error) error {
	if t.labels == nil || errors.Is(err, ErrLabel) {
		return err
	}
	return fmt.Errorf("column %q: %w", t.labels[i], err)
}

// shownHeadings limits the headings in an error, because a wide table may have thousands.
const shownHeadings = 20

// quoted formats a list of headings, each in quotes.
func quoted(heads []string) string {
	list := make([]string, min(len(heads), shownHeadings))
	for i := range list {
		list[i] = strconv.Quote(heads[i])
	}
	text := strings.Join(list, ", ")
	if more := len(heads) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
