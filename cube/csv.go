package cube

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"drx/dataset/meaning"
	"drx/formats/texttable"
	"drx/internal/errkind"
)

// ErrFormat is wrapped by errors about CSV without a line of headings, without a required column,
// or with a row of more than MaxRow bytes.
var ErrFormat = errors.New("wrong CSV")

// CSV describes the rows that AppendCSV reads.
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

// Check reads the line of headings of a CSV file and checks that it has the columns of o. The error
// wraps ErrFormat, or is that of encoding/csv or of r.
func (o CSV) Check(r io.Reader) error {
	_, err := o.layout(newCSVReader(r, o.Table))
	return err
}

// MaxRow is the largest size of a row of CSV in bytes. A row is held in memory.
const MaxRow = 4 << 20

// A csvReader reads tables with rows of at most MaxRow bytes. Without the limit, a quote that is
// never closed would make the rest of the file one field.
type csvReader struct {
	*csv.Reader
	in   *rowReader
	line int    // the line of the next row
	sep  byte   // between the columns
	head string // the beginning of the table; the last row of it may be incomplete
}

func newCSVReader(r io.Reader, o texttable.Options) *csvReader {
	in := &rowReader{r: texttable.Decode(r)}
	b := bufio.NewReaderSize(in, headBytes)
	in.startRow(0)
	head, _ := b.Peek(headBytes) // the next read returns the error again
	sep := o.SeparatorOf(firstLine(string(head)))
	c := &csvReader{in: in, line: 1, head: string(head), sep: sep}
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
	l, err := c.Loader(o.Combine)
	if err != nil {
		return 0, err
	}
	if rows, err = l.AddCSV(ctx, r, o); err != nil {
		return rows, err
	}
	return rows, l.Commit()
}

// AddCSV adds the rows of a CSV file, without a commit. It is otherwise like Cube.AppendCSV; for
// several arrays CSV.Values has as many headings.
func (l *Loader) AddCSV(ctx context.Context, r io.Reader, o CSV) (rows int, err error) {
	in := newCSVReader(r, o.Table)
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
func (l *Loader) addRows(ctx context.Context, in *csvReader, t *tableLayout, progress func(bytes int)) (rows int, err error) {
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
