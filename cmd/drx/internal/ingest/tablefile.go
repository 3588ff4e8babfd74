package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/formats/texttable"
	"drx/formats/transfer"
)

// sampleBytes are the bytes of a table of text from which the types of coordinates are found.
const sampleBytes = 1 << 18

// A tableFile is a file with the rows of a table: text, or columns of another format.
type tableFile struct {
	path, name string // name is for errors
	how        texttable.Options
	text       io.Reader   // nil for columns
	open       []io.Closer // to be closed
}

// openTable opens a file with rows; - is standard input, which is text.
func openTable(stdin io.Reader, path string, how texttable.Options) (*tableFile, error) {
	t := &tableFile{path: path, name: path, how: how}
	if path == "-" {
		t.name, t.text = "standard input", stdin
		return t, nil
	}
	hasColumns, err := transfer.HasColumns(path)
	if err != nil || hasColumns {
		return t, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t.text, t.open = f, append(t.open, f)
	return t, nil
}

// rows returns the rows of the table. Its error names the file.
func (t *tableFile) rows() (cube.Source, error) {
	if t.text != nil {
		return cube.NewCSV(t.text, t.how), nil
	}
	c, err := transfer.OpenColumns(t.path, t.how)
	if err != nil {
		return nil, cli.AsOptionUsageError(err)
	}
	t.open = append(t.open, c)
	return c, nil
}

// sample reads the beginning of the table, which rows returns again.
func (t *tableFile) sample(how cube.CSV) (cube.Sample, error) {
	if t.text == nil {
		in, err := t.rows()
		if err != nil {
			return cube.Sample{}, err
		}
		return how.Sample(in)
	}
	head, err := io.ReadAll(io.LimitReader(t.text, sampleBytes))
	if err != nil {
		return cube.Sample{}, err
	}
	t.text = io.MultiReader(bytes.NewReader(head), t.text)
	return how.Sample(cube.NewCSV(bytes.NewReader(head), t.how))
}

// check checks the headings of the table.
func (t *tableFile) check(how cube.CSV) error {
	in, err := t.rows()
	if err != nil {
		return err
	}
	return t.named(how.Check(in))
}

// named adds the name of the file to an error about its rows.
func (t *tableFile) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", t.name, err)
}

// close closes the file.
func (t *tableFile) close() (err error) {
	for _, c := range t.open {
		err = errors.Join(err, c.Close())
	}
	return err
}
