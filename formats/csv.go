package formats

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"drx/dtype"
	"drx/formats/texttable"
	"drx/internal/errkind"
)

// ErrTable is returned for a text file that is not a table of numbers.
var ErrTable = errors.New("not a table of numbers")

// ErrText is returned with ErrTable for a field of a table that is text.
var ErrText = texttable.ErrText

// csvFormat is a table of numbers as text: a row per line, with tabs, semicolons, commas, bars or
// blanks between the columns. It is an array of float64 of shape (rows, columns), or (rows) if
// there is one column. A first line with text in it has the names of the columns, and a first
// column that is no numbers, or has no heading, those of the rows; see nameRows. Fields may be in
// quotes as RFC 4180 has them; lines that begin with # are comments. Package texttable reads
// numbers and times.
var csvFormat = Format{
	Name:       "csv",
	Text:       true,
	Extensions: []string{".csv", ".txt"},
	Open:       openCSV,
	List:       listCSV,
	Create:     createCSV,
}

// tsvFormat is the same, written with tabs between the columns.
var tsvFormat = Format{Name: "tsv", Text: true, Extensions: []string{".tsv", ".tab"}, Open: openCSV, List: listCSV, Create: createTSV}

const (
	// columnsAttr is the attribute that has the names of the columns.
	columnsAttr = "columns"
	// maxLine limits the bytes of a row, as a share of Options.Memory.
	maxLine = 8
	// fieldMemory is the number of bytes that a field counts against a row's limit. Even a field of
	// one byte takes a string and a number in memory.
	fieldMemory = 16
	// maxExact is the integer up to which all integers are exact in a float64.
	maxExact = 1 << 53
)

// missing is the NaN of missing values, with the bits that most programs give it.
var missing = math.Float64frombits(0x7ff8 << 48)

func openCSV(in *Input) (Reader, error) {
	in, err := inMemory(in)
	if err != nil {
		return nil, err
	}
	return newCSV(in, func() (io.Reader, error) { return io.NewSectionReader(in.File, 0, in.Size), nil })
}

func listCSV(in *Input) (Content, error) {
	in, err := inMemory(in)
	if err != nil {
		return Content{}, err
	}
	s, err := scanCSV(in, func() (io.Reader, error) { return io.NewSectionReader(in.File, 0, in.Size), nil })
	return Content{Vars: s.vars}, err
}

// A scannedCSV has the variables of a table, the numbers first.
type scannedCSV struct {
	vars      []Info
	open      []func() (io.Reader, error) // opens the elements of each variable
	separated int                         // the number of columns that are variables
}

// names lists the variables.
func (s *scannedCSV) names() string {
	names := make([]string, len(s.vars))
	for i, v := range s.vars {
		names[i] = v.Name
	}
	return strings.Join(names, ", ")
}

// add adds a variable whose elements are in memory.
func (s *scannedCSV) add(v *Info, elements []byte) {
	s.vars = append(s.vars, *v)
	s.open = append(s.open, func() (io.Reader, error) { return bytes.NewReader(elements), nil })
}

// newCSV opens a variable of a table; without a name it opens the numbers. open opens the file
// anew.
func newCSV(in *Input, open func() (io.Reader, error)) (Reader, error) {
	s, err := scanCSV(in, open)
	if err != nil {
		return nil, err
	}
	for i, v := range s.vars {
		if in.Variable != "" && v.Name != in.Variable {
			continue
		}
		if in.Variable == "" && s.separated > 1 {
			return nil, fmt.Errorf("columns of different units are variables: %w: name one of %s", ErrVariable, s.names())
		}
		r, err := s.open[i]()
		if err != nil {
			return nil, err
		}
		return newStream(v, r, s.open[i])
	}
	if s.separated > 1 {
		return nil, fmt.Errorf("%s: %w: there are %s", in.Variable, ErrVariable, s.names())
	}
	return nil, in.checkUnnamed()
}

// scanCSV reads the whole table once, for its shape, its names, its decimal sign and its errors.
// open opens it anew.
func scanCSV(in *Input, open func() (io.Reader, error)) (s scannedCSV, err error) {
	o, names := in.Table, noRowNames
	reopen := func() (*table, error) {
		text, err := open()
		if err != nil {
			return nil, err
		}
		return newTable(text, int(min(in.Memory/maxLine, math.MaxInt32)), names, o)
	}
	t, err := reopen()
	if err != nil {
		return s, err
	}
	if names, err = t.findRowNames(); err != nil {
		return s, err
	}
	rows, found, err := t.scan(in.Memory / 4)
	if err != nil {
		return s, err
	}
	if o.Decimal = t.numbers.Decimal(); o.Decimal == "" && t.doubt != nil {
		return s, t.doubt
	}
	if rows == 0 {
		return s, errkind.Errorf(ErrTable, "no rows of numbers")
	}
	info := Info{DType: dtype.Float64, Shape: []int{rows, t.columns}, Fill: binary.LittleEndian.AppendUint64(nil, math.Float64bits(missing))}
	if t.columns == 1 {
		info.Shape = info.Shape[:1]
	}
	if s.separate(info, t, reopen) {
		rowDim, _ := t.dims()
		return s, s.addRowNames(rowDim, found, t, in.Table)
	}
	s.vars, s.open = []Info{info}, []func() (io.Reader, error){func() (io.Reader, error) { return reopen() }}
	return s, s.nameRows(in, t, found)
}

// scan reads all rows. It returns their number and their names, which may take memory bytes.
func (t *table) scan(memory int64) (rows int, names []string, err error) {
	for ; err == nil; rows++ {
		if _, err = t.row(); err == nil && t.rowNames != noRowNames {
			names = append(names, strings.Clone(t.rowName))
			if memory -= int64(len(t.rowName) + labelMemory); memory < 0 {
				return 0, nil, fmt.Errorf("the names of rows: %w: they need more memory than they may take", ErrMemory)
			}
		}
	}
	if err != io.EOF {
		return 0, nil, err
	}
	return rows - 1, names, nil
}

// rowNames says where the names of rows are.
type rowNames int

const (
	noRowNames    rowNames = iota
	headedNames            // in the first column, which has a heading, perhaps an empty one
	unheadedNames          // in the first column, without a heading: it is not counted in the headings
)

// A table reads the numbers of a table as float64, little-endian.
type table struct {
	in       *bufio.Reader
	limit    int  // bytes of a row
	line     int  // the number of the line that was read last, from 1
	sep      byte // between the columns; texttable.Blank: any blanks
	columns  int  // of numbers; 0 before the first row
	rowNames rowNames
	rowName  string // name of the row that was read last
	corner   string // the heading of the names of rows
	options  texttable.Options
	numbers  *texttable.Numbers
	doubt    error      // about the first number that may mean two things
	names    []string   // of the columns; nil if the file has none
	trailing bool       // each line ends with a separator
	ahead    []aheadRow // rows that have been read and not returned yet
	empty    int        // the number of an empty line, 0 if there was none yet
	values   []float64
	bytes    []byte // of a row, which Read has not returned yet
}

// newTable reads the names of the columns and the first row. The error wraps ErrTable if there is
// none.
func newTable(r io.Reader, limit int, names rowNames, o texttable.Options) (*table, error) {
	t := &table{in: bufio.NewReaderSize(texttable.Decode(r), 1<<16), limit: limit, options: o}
	first, err := t.fields()
	if err == io.EOF {
		return nil, errkind.Of(io.ErrUnexpectedEOF, errkind.Errorf(ErrTable, "no row in it"))
	}
	if err != nil {
		return nil, err
	}
	t.columns = len(first)
	for _, field := range first {
		if _, err := t.number(field); errors.Is(err, ErrText) {
			t.names = first
		}
	}
	if t.names == nil {
		if err := o.CheckNoUnits("the table has no headings, below which units could be"); err != nil {
			return nil, errkind.Errorf(ErrTable, "line %d: %w", t.line, err)
		}
		t.ahead = []aheadRow{{first, t.line}}
		return t, nil
	}
	for _, name := range t.names {
		if err := texttable.CheckText(name); err != nil {
			return nil, errkind.Errorf(ErrTable, "line %d: %w", t.line, err)
		}
	}
	if last := len(t.names) - 1; last > 0 && t.names[last] == "" {
		t.trailing, t.names, t.columns = true, t.names[:last], last
	}
	if err := t.addUnits(); err != nil {
		return nil, err
	}
	t.setRowNames(names)
	return t, nil
}

// An aheadRow is a row that was read ahead, with the number of its last line.
type aheadRow struct {
	fields []string
	line   int
}

// next returns the next row, also one that was read ahead, or io.EOF.
func (t *table) next() ([]string, error) {
	if len(t.ahead) == 0 {
		return t.fields()
	}
	row := t.ahead[0]
	t.ahead, t.line = t.ahead[1:], row.line
	if len(t.ahead) == 0 {
		t.ahead = nil
	}
	return row.fields, nil
}

// addUnits adds the units of a row below the headings to these, if there is one.
func (t *table) addUnits() error {
	for range 2 {
		row, err := t.fields()
		if err == io.EOF {
			return t.options.CheckNoUnits("the table has no row of values below units")
		}
		if err != nil {
			return err
		}
		t.ahead = append(t.ahead, aheadRow{row, t.line})
	}
	return t.addUnitsOf(t.ahead[0])
}

// addUnitsOf adds the units of a row to the headings, if it has units.
func (t *table) addUnitsOf(row aheadRow) error {
	all := t.names
	if t.trailing && len(row.fields) == len(all)+1 && row.fields[len(all)] == "" {
		row.fields = row.fields[:len(all)]
	}
	headings, err := t.options.UnitsRow(texttable.Head{
		Headings: all, Row: row.fields, Next: t.ahead[1].fields[:min(len(row.fields), len(t.ahead[1].fields))],
		IsValue: func(column int) bool { return column > 0 || len(all) == 1 },
		IsText:  func(field string) bool { _, err := t.number(field); return errors.Is(err, ErrText) },
	})
	if err != nil {
		return errkind.Errorf(ErrTable, "line %d: %w", row.line, err)
	}
	if headings != nil {
		t.names, t.ahead = headings, t.ahead[1:]
	}
	return nil
}

// setRowNames says where the names of rows are, once the headings are known.
func (t *table) setRowNames(where rowNames) {
	t.rowNames = where
	if where == headedNames {
		t.columns--
		t.corner, t.names = t.names[0], t.names[1:]
	}
}

// row returns the numbers of the next row, valid until the next call, or io.EOF after the last one.
func (t *table) row() ([]float64, error) {
	fields, err := t.next()
	if err != nil {
		return nil, err
	}
	if t.columns == 1 && t.empty > 0 && t.empty < t.line {
		return nil, errkind.Errorf(ErrTable, "line %d is empty, and so is neither a number nor missing: write NA in it", t.empty)
	}
	named, given := 0, len(fields)
	if t.rowNames != noRowNames {
		named = 1
	}
	if last := given - 1; t.names != nil && last == t.columns+named {
		if t.trailing && fields[last] != "" {
			return nil, errkind.Errorf(ErrTable, "line %d, column %d: the column has no heading: give it one", t.line, given)
		}
		if fields[last] == "" {
			fields = fields[:last]
		}
	}
	if len(fields) != t.columns+named {
		return nil, errkind.Errorf(ErrTable, "line %d has %d columns, the first row has %d", t.line, given, t.columns+named)
	}
	if named > 0 {
		t.rowName, fields = strings.TrimSpace(fields[0]), fields[1:]
	}
	t.values = t.values[:0]
	for i, field := range fields {
		v, err := t.number(field)
		if errors.Is(err, texttable.ErrDoubt) {
			if t.doubt == nil {
				t.doubt = errkind.Errorf(ErrTable, "line %d, column %d: %w", t.line, i+named+1, err)
			}
		} else if err != nil {
			return nil, errkind.Errorf(ErrTable, "line %d, column %d: %w", t.line, i+named+1, err)
		}
		t.values = append(t.values, v)
	}
	return t.values, nil
}

// number parses a field. The error wraps ErrText for text, and texttable.ErrDoubt for what may be
// two numbers.
func (t *table) number(field string) (float64, error) {
	if t.sep == texttable.Blank && t.options.Decimal == "" && strings.ContainsRune(field, ',') {
		return missing, fmt.Errorf("%.40q %w", field, ErrText) // the comma may separate columns
	}
	text, err := t.numbers.Parse(field)
	if err != nil {
		return missing, err
	}
	if text == "" {
		return missing, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%.40q is beyond the range of float64", field)
	}
	if err != nil {
		return 0, fmt.Errorf("%.40q %w", field, ErrText)
	}
	if math.Abs(v) >= maxExact {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && (math.Abs(v) >= math.MaxInt64 || int64(v) != n) {
			return 0, fmt.Errorf("%.40q is not exact in float64", field)
		}
	}
	return v, nil
}

// appendFloat64 appends a number, little-endian.
func appendFloat64(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// Read implements io.Reader.
func (t *table) Read(p []byte) (int, error) {
	if len(t.bytes) == 0 {
		values, err := t.row()
		if err != nil {
			return 0, err
		}
		t.bytes = t.bytes[:0]
		for _, v := range values {
			t.bytes = appendFloat64(t.bytes, v)
		}
	}
	n := copy(p, t.bytes)
	t.bytes = t.bytes[n:]
	return n, nil
}
