package formats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"drx/dtype"
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

// hasRowNames reports whether the first column has the names of rows: its heading says so, or its
// first field is text and all other fields of that row are numbers. The table is not at its
// beginning then.
func (t *table) hasRowNames() (bool, error) {
	if len(t.names) < 2 {
		return false, nil
	}
	first, err := t.fields()
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	named := len(first) == len(t.names)
	for i, field := range first {
		_, err := t.number(field)
		named = named && (i == 0 || err == nil) && (i > 0 || err != nil || strings.Contains(t.names[0], cornerSign))
	}
	t.first = first
	if named {
		t.named, t.corner, t.names = true, t.names[0], t.names[1:]
		t.columns--
	}
	return named, nil
}

// nameRows adds the names of rows and columns to a table of numbers: as variables, which are
// coordinates of times or numbers, or labels. The attribute columns repeats the names of columns,
// because duplicate or empty names make no coordinate, and some programs read only the numbers.
func (s *scannedCSV) nameRows(in *Input, t *table, rows []string) error {
	data := &s.vars[0]
	if t.names == nil {
		return nil
	}
	rowDim, columns := "", columnDim
	if t.named {
		rowDim, columns, _ = strings.Cut(withoutSlash.Replace(strings.TrimSpace(t.corner)), cornerSign)
		if columns == "" {
			columns = columnDim
		}
		if rowDim == "" || rowDim == columns {
			rowDim = "row"
		}
	}
	name, byFile := tableName(in.Path), true
	if t.named && t.columns == 1 && t.names[0] != "" {
		name, byFile = withoutSlash.Replace(t.names[0]), false
	}
	if t.named {
		v, elements, err := coordinateOf(rowDim, rows)
		if err == nil && v != nil && v.Labels != nil {
			err = areWords(rows)
		}
		if err != nil {
			return fmt.Errorf("column 1: %w", err)
		}
		if v != nil {
			s.vars, s.elements = append(s.vars, *v), append(s.elements, elements)
		}
		data = &s.vars[0]
		data.Dims = []string{rowDim, columns}[:len(data.Shape)]
	}
	data.Attrs = map[string]any{columnsAttr: asAny(t.names)}
	if t.columns > 1 {
		v, elements, err := coordinateOf(columns, t.names) // an error means duplicate or empty names
		if err == nil && (t.named || v != nil && v.Labels != nil) {
			data.Dims = []string{rowDim, columns}
			if v != nil {
				s.vars, s.elements = append(s.vars, *v), append(s.elements, elements)
			}
			data = &s.vars[0]
		}
	}
	if len(s.vars) > 1 {
		data.Name, data.NamedByFile = name, byFile
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
func coordinateOf(dim string, names []string) (*Info, []byte, error) {
	v := &Info{Name: dim, Shape: []int{len(names)}, Dims: []string{dim}}
	if isCounted(names) {
		return nil, nil, nil
	}
	if elements := v.asTimes(names); elements != nil {
		return v, elements, twice(names)
	}
	if elements := v.asNumbers(names); elements != nil {
		return v, elements, nil
	}
	v.DType, v.Attrs, v.Labels = dtype.Uint32, nil, slices.Clone(names)
	elements := make([]byte, 0, 4*len(names))
	for i, name := range names {
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

// isCounted reports whether names are the indices, counted from 0.
func isCounted(names []string) bool {
	for i, name := range names {
		if name != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// timeLayouts are those of ISO 8601 that spreadsheets and other programs write.
var timeLayouts = []string{
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15", time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02",
}

// asTimes makes v a coordinate of times, and returns its elements; nil if some name is no time.
func (v *Info) asTimes(names []string) []byte {
	times, fraction := make([]time.Time, len(names)), false
	layout := 0
	for i, name := range names {
		var err error
		for try := range timeLayouts {
			k := (layout + try) % len(timeLayouts) // try the layout of the previous name first
			if times[i], err = time.Parse(timeLayouts[k], name); err == nil {
				layout = k
				break
			}
		}
		if err != nil {
			return nil
		}
		fraction = fraction || times[i].Nanosecond() != 0
	}
	units, of := "seconds", time.Time.Unix
	if fraction {
		units, of = "microseconds", time.Time.UnixMicro
	}
	var elements []byte
	for _, t := range times {
		elements = binary.LittleEndian.AppendUint64(elements, uint64(of(t)))
	}
	v.DType, v.Attrs = dtype.Int64, map[string]any{"units": units + " since 1970-01-01", "calendar": "standard"}
	return elements
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
