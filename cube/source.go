package cube

import (
	"io"

	"drx/formats/texttable"
)

// A Source has the rows of a table with headings, from the first to the last. One goroutine at a
// time may use it.
type Source interface {
	// Headings returns the headings of the columns. It is called first.
	Headings() ([]string, error)
	// UnitsRow skips a row of units below the headings, and returns the headings with these units,
	// or as they are. values are the columns with values. The error wraps ErrFormat if the row may
	// be one of units or one of elements.
	UnitsRow(heads []string, values []int) ([]string, error)
	// Use says which columns are needed, before the first row: Read may leave other fields empty.
	Use(columns []int) error
	// Numbers returns what reads the numbers in some columns.
	Numbers(columns []int) *texttable.Numbers
	// IsExact reports whether the values of a column are numbers that must not be rounded, as those
	// of a file with types. Numbers of text become the nearest one that an array has.
	IsExact(column int) bool
	// Read returns the fields of the next row, which are valid until the next call. A missing value
	// is an empty field. The error is io.EOF at the end.
	Read() ([]string, error)
	// Row names the row that Read has returned last, for errors: "line 7".
	Row(column int) string
	// InputOffset returns the number of bytes that were read.
	InputOffset() int64
}

// NewCSV returns the rows of a table of text, with at most MaxRow bytes each. Errors of Read wrap
// ErrFormat, or are those of encoding/csv or of r.
func NewCSV(r io.Reader, o texttable.Options) Source { return newCSVReader(r, o) }
