package formats

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"drx/dtype"
	"drx/formats/texttable"
	"drx/internal/errkind"
	"drx/nd"
)

// A csvWriter writes a table: a line per row, or per element of an array with one dimension, a
// separator between the columns. Missing values are NaN, bools 1 and 0.
type csvWriter struct {
	*inOrder
	out     *bufio.Writer
	sep     byte
	columns int
	column  int                    // of the next element
	row     int                    // of the next element
	rowName func(index int) string // nil if rows have no names
}

func createCSV(w io.Writer, c Content) ([]Writer, error) { return createTable(w, c, ',') }
func createTSV(w io.Writer, c Content) ([]Writer, error) { return createTable(w, c, '\t') }

func createTable(w io.Writer, c Content, sep byte) ([]Writer, error) {
	if len(c.Vars) != 1 {
		return nil, errkind.Errorf(ErrVariable, "csv: %d variables: a file has one array", len(c.Vars))
	}
	info := c.Vars[0]
	switch {
	case len(info.Shape) > 2:
		return nil, errkind.Errorf(nd.ErrRank, "csv: shape %v: a table has one or two dimensions", info.Shape)
	case info.Order != nil && !slices.Equal(info.Order, nd.RowMajor.Dims(len(info.Shape))):
		return nil, errkind.Errorf(nd.ErrRank, "csv: order %v: a table is written row by row", info.Order)
	case info.DType.IsComplex():
		return nil, fmt.Errorf("csv: %v: %w; write real and imaginary parts to files of their own", info.DType, ErrType)
	}
	out := &csvWriter{out: bufio.NewWriter(w), sep: sep, columns: 1}
	if len(info.Shape) == 2 {
		out.columns = info.Shape[1]
	}
	var err error
	if out.inOrder, err = newInOrder("csv", info, w, out.emit); err != nil {
		return nil, err
	}
	names := columnNames(info)
	if len(c.Names) == len(info.Shape) && len(info.Shape) > 0 {
		names = out.setNames(c, names)
	}
	if len(names) == out.columns && len(info.Shape) > 0 {
		if out.rowName != nil {
			out.write(quote(corner(c)), false)
		}
		for i, name := range names {
			out.write(quote(name), i == len(names)-1)
		}
	}
	return []Writer{out}, nil
}

// setNames sets the names with which rows begin, and returns the names of columns; given are the
// ones in the attribute. Rows without names get their numbers if columns and both dimensions have
// names, so that an import finds the dimensions again.
func (w *csvWriter) setNames(c Content, given []string) []string {
	info := c.Vars[0]
	if w.rowName = c.Names[0]; len(info.Shape) == 1 {
		if w.rowName == nil {
			return given
		}
		return []string{texttable.WithUnits(cmp.Or(path.Base(info.Name), "value"), info.Attrs["units"])}
	}
	if c.Names[1] == nil && w.rowName == nil {
		return given
	}
	if w.rowName == nil && len(info.Dims) == 2 && info.Dims[0] != "" && info.Dims[1] != "" {
		w.rowName = strconv.Itoa
	}
	name := c.Names[1]
	if name == nil {
		name = strconv.Itoa
	}
	names := make([]string, w.columns)
	for i := range names {
		names[i] = name(i)
	}
	return names
}

// corner returns the heading of the names of rows: the dimensions of rows and columns, or only the
// first where an import needs no more.
func corner(c Content) string {
	info := c.Vars[0]
	dim := func(d int) string {
		if d < len(info.Dims) {
			return path.Base(info.Dims[d])
		}
		return ""
	}
	rows := cmp.Or(dim(0), "row")
	if len(info.Shape) == 2 {
		return rows + cornerSign + cmp.Or(dim(1), columnDim)
	}
	if info.Shape[0] > 0 {
		if _, err := strconv.ParseFloat(c.Names[0](0), 64); err == nil {
			return rows + cornerSign
		}
	}
	return rows
}

// columnNames returns the attribute columns, if it is a list of strings.
func columnNames(info Info) (names []string) {
	switch list := info.Attrs[columnsAttr].(type) {
	case []string:
		return list
	case []any:
		for _, v := range list {
			name, ok := v.(string)
			if !ok {
				return nil
			}
			names = append(names, name)
		}
	}
	return names
}

// quote puts a text in quotes if it needs them.
func quote(text string) string {
	if text != "" && !strings.ContainsAny(text, " ,;\t\"\r\n#") {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// write writes a field. The buffer keeps the first error.
func (w *csvWriter) write(field string, last bool) {
	_, _ = w.out.WriteString(field)
	_ = w.out.WriteByte(map[bool]byte{false: w.sep, true: '\n'}[last])
}

// emit writes elements.
func (w *csvWriter) emit(p []byte) error {
	size := w.info.DType.Size()
	for ; len(p) > 0; p = p[size:] {
		text, err := w.text(p[:size])
		if err != nil {
			return err
		}
		if w.column == 0 && w.rowName != nil {
			w.write(quote(w.rowName(w.row)), false)
			w.row++
		}
		w.column++
		w.write(text, w.column == w.columns)
		if w.column == w.columns {
			w.column = 0
		}
	}
	return w.out.Flush()
}

// text returns an element as text.
func (w *csvWriter) text(p []byte) (string, error) {
	if w.info.Labels != nil {
		i, err := w.info.Label(p, 0)
		if err != nil {
			return "", fmt.Errorf("csv: %w", err)
		}
		return quote(w.info.Labels[i]), nil
	}
	if w.info.DType == dtype.Bool {
		return map[bool]string{false: "0", true: "1"}[p[0] != 0], nil
	}
	return w.info.DType.Format(p), nil
}

// Close implements Writer.
func (w *csvWriter) Close() error { return w.end(w.out.Flush) }
