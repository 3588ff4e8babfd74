package cube

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"drx/internal/errkind"
)

// ErrFormat is wrapped by errors about CSV without a line of headings, without a required column,
// or with a row of more than MaxRow bytes.
var ErrFormat = errors.New("wrong CSV")

// CSV describes the rows that AppendCSV reads.
type CSV struct {
	Coords  []string // per dimension, the heading of the column with its coordinates
	Value   string   // the heading of the column with the values; other columns are ignored
	Wide    *Wide    // for a table with several columns of values; then Value is ignored
	Blank   string   // the coordinate for empty fields; "" makes them errors
	Combine Combine
	// Progress, if not nil, is called repeatedly with the number of bytes read since the previous
	// call.
	Progress func(bytes int)
}

// Check reads the line of headings of a CSV file and checks that it has the columns of o. The error
// wraps ErrFormat, or is that of encoding/csv or of r.
func (o CSV) Check(r io.Reader) error {
	_, err := o.layout(newCSVReader(r))
	return err
}

// MaxRow is the largest size of a row of CSV in bytes. A row is held in memory.
const MaxRow = 4 << 20

// byteOrderMark is written by spreadsheets at the beginning of a table.
const byteOrderMark = "\ufeff"

// A csvReader reads tables with rows of at most MaxRow bytes. Without the limit, a quote that is
// never closed would make the rest of the file one field.
type csvReader struct {
	*csv.Reader
	in   *rowReader
	line int // the line of the next row
}

func newCSVReader(r io.Reader) *csvReader {
	in := &rowReader{r: r}
	b := bufio.NewReaderSize(in, headBytes)
	in.startRow(0)
	if mark, _ := b.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = b.Discard(len(mark))
	}
	c := &csvReader{Reader: csv.NewReader(b), in: in, line: 1}
	c.Comma = separator(b)
	c.ReuseRecord = true
	c.TrimLeadingSpace = c.Comma != '\t' // "a, b"; with tabs it would trim empty fields
	return c
}

// headBytes limits the part of the line of headings in which separator searches.
const headBytes = 1 << 16

// separator returns the separator of a table: the first of a tab, a semicolon and a comma that
// occurs outside of quotes in its line of headings. Imports use the same rule.
func separator(b *bufio.Reader) rune {
	head, _ := b.Peek(headBytes) // the next read returns the error again
	found, quoted := map[rune]bool{}, false
	for _, c := range string(head) {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			head = nil
		case !quoted:
			found[c] = true
		}
		if head == nil {
			break
		}
	}
	for _, c := range "\t;" {
		if found[c] {
			return c
		}
	}
	return ','
}

// Read reads the next row. The error wraps ErrFormat if it is too long.
func (c *csvReader) Read() ([]string, error) {
	c.in.startRow(c.InputOffset())
	record, err := c.Reader.Read()
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
func (r *rowReader) startRow(at int64) { r.limit = at + MaxRow + int64(len(byteOrderMark)) }

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
	in := newCSVReader(r)
	t, err := o.layout(in)
	if err != nil {
		return 0, err
	}
	if rows, err = l.addRows(ctx, in, t, o.Progress); err != nil {
		return rows, err
	}
	return rows, l.Commit()
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
