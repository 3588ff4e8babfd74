package formats

import (
	"io"
	"slices"

	"drx/formats/texttable"
)

// separate makes each column of a table a variable if rows have names and the headings have
// different units, because an array has one unit. Otherwise it returns false, as it does for
// headings that cannot be names of variables; the headings are labels then, with their units.
func (s *scannedCSV) separate(info Info, t *table, reopen func() (*table, error)) bool {
	if t.rowNames == noRowNames || t.columns < 2 || len(t.names) != t.columns {
		return false
	}
	rowDim, _ := t.dims()
	names, units := []string{rowDim}, []string(nil)
	for _, heading := range t.names {
		name, u := texttable.CutUnits(heading)
		if name == "" {
			return false
		}
		names, units = append(names, withoutSlash.Replace(name)), append(units, u)
	}
	if twice(names) != nil || !slices.ContainsFunc(units, func(u string) bool { return u != units[0] }) {
		return false
	}
	for i, u := range units {
		v := info
		v.Name, v.Shape, v.Dims = names[i+1], info.Shape[:1], []string{rowDim}
		if u != "" {
			v.Attrs = map[string]any{"units": u}
		}
		s.vars = append(s.vars, v)
		s.open = append(s.open, func() (io.Reader, error) {
			t, err := reopen()
			return &column{table: t, number: i}, err
		})
	}
	s.separated = len(units)
	return true
}

// A column reads the numbers of a column of a table as float64, little-endian.
type column struct {
	*table
	number int
	rest   []byte // of a number, which Read has not returned yet
}

// Read implements io.Reader.
func (c *column) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		values, err := c.row()
		if err != nil {
			return 0, err
		}
		c.rest = appendFloat64(c.rest[:0], values[c.number])
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
