//go:build parquet

package parquet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	pqfile "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// batchRows is the number of rows that are decoded at a time.
const batchRows = 1 << 16

// A file is a table that is open for reading.
type file struct {
	cformat.Catalog[*column]
	reader *pqarrow.FileReader
	groups []int // the first row of each row group, and the number of rows
}

// openFile reads the description of a table.
func openFile(in *formats.Input) (f *file, err error) {
	defer recovered(&err)
	if in.File == nil {
		return nil, errkind.Errorf(formats.ErrNotRead, "a table of format parquet is read from a file, not from a pipe")
	}
	properties := parquet.NewReaderProperties(nil)
	properties.BufferedStreamEnabled = true
	properties.MaxUncompressedPageSize, properties.MaxCompressedPageSize = in.Memory/4, in.Memory/4
	r, err := pqfile.NewParquetReader(io.NewSectionReader(in.File, 0, in.Size), pqfile.WithReadProps(properties))
	if err != nil {
		return nil, damaged(err)
	}
	f = &file{groups: []int{0}}
	for i := range r.NumRowGroups() {
		f.groups = append(f.groups, f.rows()+int(r.RowGroup(i).NumRows()))
	}
	if f.reader, err = pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: batchRows}, memory.DefaultAllocator); err != nil {
		return nil, damaged(err)
	}
	return f, f.describe(r)
}

// damaged marks an error of the library about the description at the end of a file.
func damaged(err error) error {
	return errkind.Errorf(formats.ErrFormat, "%v; the file is cut off or damaged: get it again", err)
}

// rows returns the number of rows.
func (f *file) rows() int { return f.groups[len(f.groups)-1] }

// ownKeys begin the keys of metadata that libraries write for themselves.
var ownKeys = []string{"ARROW:", "PARQUET:", "pandas", "org.apache.spark"}

// describe lists the columns and the attributes of the file.
func (f *file) describe(r *pqfile.Reader) error {
	for i := range f.reader.Manifest.Fields {
		field := &f.reader.Manifest.Fields[i]
		c := newColumn(field.Field, f.rows(), !field.IsLeaf() || mayHaveNulls(r, field.ColIndex))
		if c.leaf = field.ColIndex; !field.IsLeaf() {
			c.refused = errkind.Errorf(formats.ErrType, "a column of %v: columns of numbers, texts and times are read", field.Field.Type)
		}
		f.Add(c)
	}
	f.Attrs = map[string]any{}
	metadata := r.MetaData().KeyValueMetadata()
	for i, key := range metadata.Keys() {
		addAttr(f.Attrs, key, metadata.Values()[i])
	}
	return nil
}

// mayHaveNulls reports whether a column has nulls, or does not say that it has none.
func mayHaveNulls(r *pqfile.Reader, leaf int) bool {
	if r.MetaData().Schema.Column(leaf).MaxDefinitionLevel() == 0 {
		return false
	}
	for i := range r.NumRowGroups() {
		chunk, err := r.MetaData().RowGroup(i).ColumnChunk(leaf)
		if err != nil {
			return true
		}
		s, err := chunk.Statistics()
		if err != nil || s == nil || !s.HasNullCount() || s.NullCount() > 0 {
			return true
		}
	}
	return false
}

// addAttr adds an attribute that metadata hold as text, or as JSON if it is no text.
func addAttr(attrs map[string]any, key, text string) {
	if slices.ContainsFunc(ownKeys, func(own string) bool { return strings.HasPrefix(key, own) }) {
		return
	}
	attrs[key] = formats.Text(text)
	if json.Valid([]byte(text)) {
		if value, err := formats.DecodeAttr(json.RawMessage(text)); err == nil && value != nil {
			attrs[key] = value
		}
	}
}

// Open implements cformat.File. It reads the column once if its strings, or whether it has nulls,
// are not known otherwise.
func (f *file) Open(in *formats.Input) (e cformat.Elements, err error) {
	defer recovered(&err)
	c, err := f.Find(in.Variable)
	if err == nil {
		err = c.refused
	}
	if err != nil {
		return nil, err
	}
	if err := c.scan(f, in.Memory/4); err != nil {
		return nil, fmt.Errorf("%s: %w", c.info.Name, err)
	}
	return &elements{file: f, column: c}, nil
}

// recovered makes a panic of the library an error: it panics on some damaged files.
func recovered(err *error) {
	if failed := recover(); failed != nil {
		*err = errkind.Errorf(formats.ErrFormat, "is damaged: %v", failed)
	}
}

// Close implements cformat.File. The input belongs to the caller.
func (f *file) Close() error { return nil }

// A stream reads a column from some row on.
type stream struct {
	in    pqarrow.RecordReader
	batch arrow.Array // nil before the first one
	first int         // the row of the table at which the batch begins
}

// newStream begins at the row group that has a row.
func (f *file) newStream(leaf, row int) (*stream, error) {
	group, found := slices.BinarySearch(f.groups, row)
	for ; !found && group > 0 && f.groups[group] > row; group-- {
	}
	var groups []int
	for i := group; i < len(f.groups)-1; i++ {
		groups = append(groups, i)
	}
	in, err := f.reader.GetRecordReader(context.Background(), []int{leaf}, groups)
	if err != nil {
		return nil, errkind.Of(formats.ErrFormat, err)
	}
	return &stream{in: in, first: f.groups[group]}, nil
}

// end is the row behind the batch.
func (s *stream) end() int {
	if s.batch == nil {
		return s.first
	}
	return s.first + s.batch.Len()
}

// next reads the next batch. The error wraps io.ErrUnexpectedEOF at the end of the table.
func (s *stream) next() error {
	s.first = s.end()
	s.batch = nil
	if !s.in.Next() {
		if err := s.in.Err(); err != nil && !errors.Is(err, io.EOF) {
			return errkind.Of(formats.ErrFormat, err)
		}
		return errkind.Errorf(io.ErrUnexpectedEOF, "the table ends behind row %d", s.first)
	}
	s.batch = s.in.RecordBatch().Column(0)
	return nil
}

// close releases the reader.
func (s *stream) close() { s.in.Release() }
