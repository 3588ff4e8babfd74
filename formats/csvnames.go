package formats

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"drx/dtype"
	"drx/formats/texttable"
	"drx/internal/errkind"
)

// cornerSign separates the names of the dimensions of rows and columns in the heading of the first
// column, as in time\station. It was chosen because units and names of quantities do not contain
// it.
const cornerSign = `\`

// withoutSlash turns headings into names of variables, in which a slash would denote a group.
var withoutSlash = strings.NewReplacer("/", "_")

// columnDim is the name of the dimension of named columns, unless the heading of the first column
// has one.
const columnDim = "column"

// findRowNames returns where the names of rows are: in the first column if its heading says so or
// is empty, or if its first field is text, and all other fields of that row are numbers. The table
// is not at its beginning then.
func (t *table) findRowNames() (rowNames, error) {
	if t.names == nil {
		return noRowNames, nil
	}
	first, err := t.next()
	if err == io.EOF {
		return noRowNames, nil
	}
	if err != nil {
		return noRowNames, err
	}
	t.ahead = append([]aheadRow{{first, t.line}}, t.ahead...)
	where := noRowNames
	switch len(first) {
	case len(t.names):
		if len(first) > 1 {
			where = headedNames
		}
	case len(t.names) + 1:
		if first[len(t.names)] == "" {
			if len(t.names) > 1 {
				where = headedNames
			}
			first = first[:len(t.names)]
		} else if !t.trailing {
			where = unheadedNames
		}
	}
	for i, field := range first {
		_, err := t.number(field)
		isNumber := err == nil || errors.Is(err, texttable.ErrDoubt)
		if i > 0 && !isNumber || i == 0 && isNumber && where == headedNames && t.names[0] != "" && !strings.Contains(t.names[0], cornerSign) {
			where = noRowNames
		}
	}
	t.setRowNames(where)
	return where, nil
}

// nameRows adds the names of rows and columns to a table of numbers: as variables, which are
// coordinates of times or numbers, or labels. The attribute columns repeats the names of columns,
// because duplicate or empty names make no coordinate, and some programs read only the numbers.
func (s *scannedCSV) nameRows(in *Input, t *table, rows []string) error {
	data := &s.vars[0]
	if t.names == nil {
		return nil
	}
	rowDim, columns := t.dims()
	named := t.rowNames != noRowNames
	name, byFile, units := tableName(in.Path), true, ""
	if named && t.columns == 1 && t.names[0] != "" {
		name, units = texttable.CutUnits(t.names[0])
		name, byFile = withoutSlash.Replace(name), false
	}
	if named {
		if err := s.addRowNames(rowDim, rows, t, in.Table); err != nil {
			return err
		}
		data = &s.vars[0]
		data.Dims = []string{rowDim, columns}[:len(data.Shape)]
	}
	data.Attrs = map[string]any{columnsAttr: asAny(t.names)}
	if units != "" {
		data.Attrs["units"] = units
	}
	if t.columns > 1 {
		names, all := t.headings()
		if all[0] != "" {
			data.Attrs["units"] = all[0] // of all columns, see separate
		}
		v, elements, err := coordinateOf(columns, names, in.Table)
		if errors.Is(err, texttable.ErrDoubt) {
			return fmt.Errorf("line of headings: %w", err)
		}
		// Other errors mean duplicate or empty names.
		if err == nil && (named || v != nil && v.Labels != nil) {
			data.Dims = []string{rowDim, columns}
			if v != nil {
				s.add(v, elements)
			}
			data = &s.vars[0]
		}
	}
	if len(s.vars) > 1 {
		data.Name, data.NamedByFile = name, byFile
	}
	return nil
}

// dims returns the names of the dimensions of rows and columns. That of the rows is empty if they
// have no names.
func (t *table) dims() (rows, columns string) {
	if t.rowNames == noRowNames {
		return "", columnDim
	}
	rows, columns, _ = strings.Cut(withoutSlash.Replace(strings.TrimSpace(t.corner)), cornerSign)
	if columns == "" {
		columns = columnDim
	}
	if rows == "" || rows == columns {
		rows = "row"
	}
	return rows, columns
}

// headings returns the names of the columns and their units, "" for none. Names keep their units if
// these are not all alike, and if several columns differ only by them.
func (t *table) headings() (names, units []string) {
	for _, heading := range t.names {
		name, u := texttable.CutUnits(heading)
		names, units = append(names, name), append(units, u)
	}
	if twice(names) != nil || slices.ContainsFunc(units, func(u string) bool { return u != units[0] }) {
		return t.names, make([]string, len(units))
	}
	return names, units
}

// addRowNames adds the names of the rows, which are in the first column.
func (s *scannedCSV) addRowNames(rowDim string, rows []string, t *table, o texttable.Options) error {
	if strings.TrimSpace(t.corner) == "" && isCounted(rows, 1) { // R counts rows so
		rows = nil
	}
	v, elements, err := coordinateOf(rowDim, rows, o)
	if err == nil && v != nil && v.Labels != nil {
		err = areWords(rows)
	}
	if err != nil {
		return fmt.Errorf("column 1: %w", err)
	}
	if v != nil {
		s.add(v, elements)
	}
	return nil
}

// tableName returns the name of the variable of numbers, beside the names of coordinates: the
// file's name.
func tableName(path string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	if base == "" || base == "-" {
		return "data"
	}
	return base
}

func asAny(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// coordinateOf returns the coordinate of a dimension whose indices have names: times, numbers, or
// labels. It returns nil if the names are just the indices, and an error if a name occurs twice.
func coordinateOf(dim string, names []string, o texttable.Options) (*Info, []byte, error) {
	v := &Info{Name: dim, Shape: []int{len(names)}, Dims: []string{dim}}
	if isCounted(names, 0) {
		return nil, nil, nil
	}
	if elements, err := v.asTimes(names, o); elements != nil || err != nil {
		return v, elements, cmp.Or(err, twice(names))
	}
	if elements := v.asNumbers(names); elements != nil {
		return v, elements, nil
	}
	v.DType, v.Attrs, v.Labels = dtype.Uint32, nil, slices.Clone(names)
	elements := make([]byte, 0, 4*len(names))
	for i, name := range names {
		if err := texttable.CheckText(name); err != nil {
			return nil, nil, errkind.Of(ErrTable, err)
		}
		if name == "" {
			return nil, nil, errkind.Of(ErrText, errkind.Errorf(ErrTable, "name %d is empty", i+1))
		}
		elements = binary.LittleEndian.AppendUint32(elements, uint32(i))
	}
	return v, elements, twice(names)
}

// twice returns an error if a name occurs twice, as in a table with a row for each value.
func twice(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return errkind.Errorf(ErrTable, "%.40q is there twice, and %w", name, ErrText)
		}
		seen[name] = true
	}
	return nil
}

// areWords returns an error if a name of a row has no letter: it is probably a number or a date in
// a form that is not recognised, and must not silently become a label.
func areWords(names []string) error {
	for _, name := range names {
		if !strings.ContainsFunc(name, unicode.IsLetter) {
			return errkind.Errorf(ErrTable, "%.40q %w", name, ErrText)
		}
	}
	return nil
}

// isCounted reports whether names are the indices, counted from some number.
func isCounted(names []string, from int) bool {
	for i, name := range names {
		if name != strconv.Itoa(from+i) {
			return false
		}
	}
	return true
}

// asTimes makes v a coordinate of times, and returns its elements; nil if some name is no time. The
// error is about times that may mean two things, or are not written alike.
func (v *Info) asTimes(names []string, o texttable.Options) ([]byte, error) {
	times, err := o.ParseTimes(names)
	if errors.Is(err, texttable.ErrTime) {
		return nil, nil
	}
	if err != nil {
		return nil, errkind.Of(ErrTable, err)
	}
	units, u, err := texttable.UnitsOf(times)
	if err != nil {
		return nil, errkind.Of(ErrTable, err)
	}
	elements := make([]byte, 0, 8*len(times))
	for _, t := range times {
		n, _ := u.ValueInt(t)
		elements = binary.LittleEndian.AppendUint64(elements, uint64(n))
	}
	v.DType, v.Attrs = dtype.Int64, map[string]any{"units": units, "calendar": "standard"}
	return elements, nil
}

// asNumbers makes v a coordinate of numbers, and returns its elements; nil if some name is no
// number.
func (v *Info) asNumbers(names []string) []byte {
	var elements []byte
	for _, name := range names {
		x, err := strconv.ParseFloat(name, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(x) {
			return nil
		}
		elements = binary.LittleEndian.AppendUint64(elements, math.Float64bits(x))
	}
	v.DType = dtype.Float64
	return elements
}
