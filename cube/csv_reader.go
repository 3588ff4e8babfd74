package cube

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"drx/formats/texttable"
	"drx/internal/errkind"
)

// MaxRow is the largest size of a row of CSV in bytes. A row is held in memory.
const MaxRow = 4 << 20

// A csvReader reads tables with rows of at most MaxRow bytes. Without the limit, a quote that is
// never closed would make the rest of the file one field.
type csvReader struct {
	*csv.Reader
	in    *rowReader
	table texttable.Options
	line  int    // the line of the next row
	sep   byte   // between the columns
	head  string // the beginning of the table; the last row of it may be incomplete
}

func newCSVReader(r io.Reader, o texttable.Options) *csvReader {
	in := &rowReader{r: texttable.Decode(r)}
	b := bufio.NewReaderSize(in, headBytes)
	in.startRow(0)
	head, _ := b.Peek(headBytes) // the next read returns the error again
	sep := o.SeparatorOf(firstLine(string(head)))
	c := &csvReader{in: in, table: o, line: 1, head: string(head), sep: sep}
	c.Reader = newRows(b, sep)
	return c
}

// newRows returns a reader of rows with the given separator.
func newRows(b *bufio.Reader, sep byte) (r *csv.Reader) {
	if sep == texttable.Blank {
		r, sep = csv.NewReader(&blanksReader{r: b, begins: true}), '\t'
	} else {
		r = csv.NewReader(b)
	}
	r.Comma, r.Comment, r.ReuseRecord = rune(sep), comment, true
	r.TrimLeadingSpace = r.Comma != '\t' // "a, b"; with tabs it would trim empty fields
	return r
}

// headReader reads the rows at the beginning of the table once more.
func (c *csvReader) headReader() *csv.Reader {
	r := newRows(bufio.NewReader(strings.NewReader(c.head)), c.sep)
	r.FieldsPerRecord = -1
	return r
}

// comment begins lines that are no rows.
const comment = '#'

// headBytes limits the part of a table in which the separator and the decimal sign are searched.
const headBytes = 1 << 16

// firstLine returns the first line of a table that is neither empty nor a comment, with the lines
// that quotes continue.
func firstLine(head string) string {
	for head != "" && (head[0] == comment || head[0] == '\n' || head[0] == '\r') {
		_, head, _ = strings.Cut(head, "\n")
	}
	quoted := false
	for i := range len(head) {
		switch {
		case head[i] == '"':
			quoted = !quoted
		case head[i] == '\n' && !quoted:
			return head[:i]
		}
	}
	return head
}

// A blanksReader turns the blanks and tabs between columns into one tab, and leaves out those at
// both ends of a line. Blanks in quotes stay.
type blanksReader struct {
	r      *bufio.Reader
	begins bool // at the beginning of a line
	blank  bool // blanks were read since the last other byte
	quoted bool
	held   byte // was read and is not returned yet, 0 for none
}

// Read implements io.Reader.
func (b *blanksReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := b.held
		if b.held = 0; c == 0 {
			if c, err = b.r.ReadByte(); err != nil {
				break
			}
		}
		ends := c == '\n' || c == '\r'
		switch {
		case !b.quoted && (c == ' ' || c == '\t'):
			b.blank = !b.begins
			continue
		case b.blank && !ends:
			c, b.held, b.blank = '\t', c, false
		default:
			b.blank = false
			b.quoted = b.quoted != (c == '"')
			b.begins = ends && !b.quoted
		}
		p[n] = c
		n++
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// Read reads the next row. The error wraps ErrFormat if it is too long.
func (c *csvReader) Read() ([]string, error) {
	c.in.startRow(c.InputOffset())
	record, err := c.Reader.Read()
	if last := len(record) - 1; errors.Is(err, csv.ErrFieldCount) && last == c.FieldsPerRecord && record[last] == "" {
		record, err = record[:last], nil // the row ends with a separator
	}
	if errors.Is(err, csv.ErrFieldCount) {
		line, _ := c.FieldPos(0)
		return nil, errkind.Errorf(ErrFormat, "line %d has %d fields, the heading has %d", line, len(record), c.FieldsPerRecord)
	}
	if errors.Is(err, errLongRow) {
		return nil, errkind.Errorf(ErrFormat, "line %d: a row of more than %d bytes: is a quote not closed?", c.line, MaxRow)
	}
	if err == nil {
		last := len(record) - 1
		c.line, _ = c.FieldPos(last)
		c.line += strings.Count(record[last], "\n") + 1
	}
	return record, err
}

// errLongRow is returned by a rowReader at the limit of a row.
var errLongRow = errors.New("row too long")

// A rowReader returns a limited number of bytes for each row.
type rowReader struct {
	r     io.Reader
	read  int64 // number of bytes returned so far
	limit int64 // largest value of read
}

// startRow sets the limit for a row that begins at byte at.
func (r *rowReader) startRow(at int64) { r.limit = at + MaxRow }

// Read implements io.Reader. It returns errLongRow at the limit.
func (r *rowReader) Read(p []byte) (int, error) {
	remaining := r.limit - r.read
	if remaining <= 0 {
		return 0, errLongRow
	}
	n, err := r.r.Read(p[:min(int64(len(p)), remaining)])
	r.read += int64(n)
	return n, err
}

// Headings implements Source. The headings are valid until the next row is read.
func (c *csvReader) Headings() ([]string, error) {
	heads, err := c.Read()
	if err == io.EOF {
		return nil, errkind.Errorf(ErrFormat, "no line of headings")
	} else if err != nil {
		return nil, err
	}
	for _, head := range heads {
		if err := texttable.CheckText(head); err != nil && strings.IndexByte(head, 0) < 0 {
			return nil, errkind.Of(ErrFormat, err)
		}
		if !utf8.ValidString(head) || strings.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }) {
			return nil, errkind.Errorf(ErrFormat, "is no CSV: the heading %.20q is no text", head)
		}
	}
	return heads, nil
}

// UnitsRow implements Source.
func (c *csvReader) UnitsRow(heads []string, values []int) ([]string, error) {
	r := c.headReader()
	r.ReuseRecord = false
	rows := [3][]string{}
	for i := range rows {
		var err error
		if rows[i], err = r.Read(); err != nil {
			if c.table.Units == "" || err != io.EOF {
				return heads, nil // those who read the row report errors
			}
		}
		if last := len(rows[i]) - 1; i > 0 && last == len(heads) && rows[i][last] == "" {
			rows[i] = rows[i][:last] // the row ends with a separator
		}
	}
	numbers := c.table.Numbers(byte(c.Comma))
	headings, err := c.table.UnitsRow(texttable.Head{
		Headings: heads, Row: rows[1], Next: rows[2],
		IsValue: func(column int) bool { return slices.Contains(values, column) },
		IsText:  func(field string) bool { return isText(numbers, field) },
	})
	if err != nil {
		line, _ := c.FieldPos(0)
		return nil, errkind.Errorf(ErrFormat, "line %d: %w", line+1, err)
	}
	if headings == nil {
		return heads, nil
	}
	_, err = c.Read()
	return headings, err
}

// isText reports whether a field is neither a number nor missing.
func isText(numbers *texttable.Numbers, field string) bool {
	text, err := numbers.Parse(field)
	if err != nil || text == "" {
		return errors.Is(err, texttable.ErrText)
	}
	_, err = strconv.ParseFloat(text, 64)
	return errors.Is(err, strconv.ErrSyntax)
}

// Use implements Source: all fields are read.
func (c *csvReader) Use([]int) error { return nil }

// IsExact implements Source.
func (c *csvReader) IsExact(int) bool { return false }

// Row implements Source.
func (c *csvReader) Row(column int) string {
	line, _ := c.FieldPos(column)
	return fmt.Sprintf("line %d", line)
}

// Numbers implements Source. It reads the values at the beginning of the table, which may show the
// decimal sign.
func (c *csvReader) Numbers(columns []int) *texttable.Numbers {
	n := c.table.Numbers(byte(c.Comma))
	r := c.headReader()
	if _, err := r.Read(); err != nil { // the headings
		return n
	}
	for {
		record, err := r.Read()
		if err != nil || len(c.head) == headBytes && int(r.InputOffset()) == headBytes {
			return n
		}
		for _, column := range columns {
			if column < len(record) {
				_, _ = n.Parse(record[column]) // those who read the row report errors
			}
		}
	}
}
