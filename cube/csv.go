package cube

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ErrFormat is returned for CSV that lacks a column, does not begin with a line of headings, or has a row of
// more than MaxRow bytes.
var ErrFormat = errors.New("wrong CSV")

// CSV says what rows AppendCSV reads.
type CSV struct {
	Coords  []string // per dimension, the heading of the column with its coordinates
	Value   string   // the heading of the column with the values; the others are ignored
	Combine Combine
	// Progress, if not nil, is called now and then with the number of bytes read since it was
	// called last.
	Progress func(bytes int)
}

// Check reads the line of headings of a CSV file and returns an error unless it has the columns
// asked for: ErrFormat, or one of encoding/csv or the reader.
func (o CSV) Check(r io.Reader) error {
	_, err := o.columns(newCSVReader(r))
	return err
}

// MaxRow is the most bytes of a row of CSV, which is in memory as a whole.
const MaxRow = 4 << 20

// byteOrderMark is what spreadsheets write in front of a table.
const byteOrderMark = "\ufeff"

// A csvReader reads tables as people write them, rows of MaxRow bytes at most: a quote that is never closed
// would make the rest of a file one field.
type csvReader struct {
	*csv.Reader
	in   *rowReader
	line int // the first one behind the rows that were read
}

func newCSVReader(r io.Reader) *csvReader {
	in := &rowReader{r: r}
	b := bufio.NewReader(in)
	in.next(0)
	if mark, _ := b.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = b.Discard(len(mark))
	}
	c := &csvReader{Reader: csv.NewReader(b), in: in, line: 1}
	c.ReuseRecord = true
	c.TrimLeadingSpace = true // "a, b"
	return c
}

// Read reads the next row. The error wraps ErrFormat for one that is too long.
func (c *csvReader) Read() ([]string, error) {
	c.in.next(c.InputOffset())
	record, err := c.Reader.Read()
	if errors.Is(err, errLongRow) {
		return nil, fmt.Errorf("line %d: a row of more than %d bytes: is a quote not closed?: %w", c.line, MaxRow, ErrFormat)
	}
	if err == nil {
		last := len(record) - 1
		c.line, _ = c.FieldPos(last)
		c.line += strings.Count(record[last], "\n") + 1
	}
	return record, err
}

// errLongRow is what a rowReader returns in the midst of a row that is too long.
var errLongRow = errors.New("row too long")

// A rowReader gives a limited number of bytes beyond the end of the last row.
type rowReader struct {
	r    io.Reader
	read int64 // bytes so far
	most int64 // that there may be
}

// next is called where a row begins.
func (r *rowReader) next(at int64) { r.most = at + MaxRow + int64(len(byteOrderMark)) }

// Read reads as long as the row may go on.
func (r *rowReader) Read(p []byte) (int, error) {
	left := r.most - r.read
	if left <= 0 {
		return 0, errLongRow
	}
	n, err := r.r.Read(p[:min(int64(len(p)), left)])
	r.read += int64(n)
	return n, err
}

// tellRows is after how many rows AppendCSV tells the progress.
const tellRows = 4096

// AppendCSV appends the rows of a CSV file with a line of headings, as a Loader does, in one
// pass and bounded memory, and commits them. It returns their number. Blanks that a field
// begins with are not part of it, unless they are in quotes.
//
// The error names the line where it is one of a row. It is ctx's or the reader's, or wraps
// ErrFormat, an error of encoding/csv, or is that of Loader.Add or drx.Array.Sync. What of
// the rows is in the array then is taken back by drx.Array.Discard.
func (c *Cube) AppendCSV(ctx context.Context, r io.Reader, o CSV) (rows int, err error) {
	l, err := c.Loader(o.Combine)
	if err != nil {
		return 0, err
	}
	in := newCSVReader(r)
	columns, err := o.columns(in)
	if err != nil {
		return 0, err
	}
	if rows, err = l.addRows(ctx, in, columns, o.Progress); err != nil {
		return rows, err
	}
	return rows, l.Commit()
}

// addRows adds the rows that in has left.
func (l *Loader) addRows(ctx context.Context, in *csvReader, columns []int, progress func(bytes int)) (rows int, err error) {
	told := int64(0)
	tell := func() {
		if progress != nil {
			progress(int(in.InputOffset() - told))
		}
		told = in.InputOffset()
	}
	coords := make([]string, len(columns)-1)
	for ; ; rows++ {
		record, err := in.Read()
		err = cmp.Or(ctx.Err(), err) // a table that an interruption broke off is not at its end
		if rows%tellRows == 0 || err != nil {
			tell()
		}
		if err == io.EOF {
			return rows, nil
		} else if err != nil {
			return rows, err // names the line
		}
		for d := range coords {
			coords[d] = record[columns[d]]
		}
		if err := l.take(coords, record[columns[len(coords)]]); err != nil {
			line, _ := in.FieldPos(0)
			return rows, fmt.Errorf("line %d: %w", line, err)
		}
		if err := l.flushFull(); err != nil { // of an earlier row, perhaps
			return rows, err
		}
	}
}

// columns reads the line of headings and returns the numbers of the columns with the
// coordinates and, the last one, of that with the values.
func (o CSV) columns(in *csvReader) ([]int, error) {
	heads, err := in.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("no line of headings: %w", ErrFormat)
	} else if err != nil {
		return nil, err
	}
	names := append(slices.Clone(o.Coords), o.Value)
	columns := make([]int, len(names))
	for i, name := range names {
		columns[i] = slices.Index(heads, name)
		if columns[i] < 0 {
			return nil, fmt.Errorf("no column %q, there are %s: %w", name, quoted(heads), ErrFormat)
		}
		if slices.Contains(heads[columns[i]+1:], name) {
			return nil, fmt.Errorf("two columns %q: %w", name, ErrFormat)
		}
	}
	return columns, nil
}

// quoted lists texts so that it can be seen where each ends.
func quoted(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = strconv.Quote(text)
	}
	return strings.Join(list, ", ")
}
