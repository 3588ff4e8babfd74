//go:build parquet

package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// groupRows is the number of rows of a row group, which other programs read as a unit.
const groupRows = 1 << 17

// arrowTypes are the types of columns of numbers. Arrow has no bfloat16, and few programs read
// columns of float16.
var arrowTypes = map[dtype.DType]arrow.DataType{
	dtype.Bool: arrow.FixedWidthTypes.Boolean,
	dtype.Int8: arrow.PrimitiveTypes.Int8, dtype.Int16: arrow.PrimitiveTypes.Int16, dtype.Int32: arrow.PrimitiveTypes.Int32, dtype.Int64: arrow.PrimitiveTypes.Int64,
	dtype.Uint8: arrow.PrimitiveTypes.Uint8, dtype.Uint16: arrow.PrimitiveTypes.Uint16, dtype.Uint32: arrow.PrimitiveTypes.Uint32, dtype.Uint64: arrow.PrimitiveTypes.Uint64,
	dtype.Float16: arrow.PrimitiveTypes.Float32, dtype.BFloat16: arrow.PrimitiveTypes.Float32,
	dtype.Float32: arrow.PrimitiveTypes.Float32, dtype.Float64: arrow.PrimitiveTypes.Float64,
}

// write writes the table to w.
func (g *grid) write(w io.Writer) error {
	types := make([]arrow.DataType, len(g.columns))
	fields := make([]arrow.Field, len(g.columns))
	for i, o := range g.columns {
		isTime := o.asTimestamps()
		attrs := maps.Clone(o.info.Attrs)
		switch {
		case o.info.Labels != nil:
			types[i] = arrow.BinaryTypes.String
		case isTime:
			types[i] = &arrow.TimestampType{Unit: o.unit()}
			delete(attrs, "units")
			delete(attrs, "calendar")
		default:
			types[i] = arrowTypes[o.info.DType]
		}
		for _, name := range []string{"_FillValue", "missing_value", "nodata"} {
			delete(attrs, name) // missing values are null
		}
		md, err := metadataOf(attrs)
		if err != nil {
			return fmt.Errorf("%s: %w", o.info.Name, err)
		}
		fields[i] = arrow.Field{Name: o.info.Name, Type: types[i], Nullable: true, Metadata: md}
	}
	md, err := metadataOf(g.attrs)
	if err != nil {
		return err
	}
	schema := arrow.NewSchema(fields, &md)
	out := bufio.NewWriterSize(w, 1<<20)
	to, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{out}, parquet.NewWriterProperties(
		parquet.WithCompression(compress.Codecs.Snappy), parquet.WithMaxRowGroupLength(groupRows), parquet.WithCreatedBy("DRX"),
	), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return err
	}
	for first := 0; first < g.rows; first += groupRows {
		if err := g.writeGroup(to, schema, first, min(groupRows, g.rows-first)); err != nil {
			return err
		}
	}
	if err := to.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// metadataOf returns attributes as metadata: texts, and other values as JSON.
func metadataOf(attrs map[string]any) (arrow.Metadata, error) {
	var keys, values []string
	for _, key := range slices.Sorted(maps.Keys(attrs)) {
		value, isText := attrs[key].(string)
		if !isText || json.Valid([]byte(value)) {
			raw, err := formats.EncodeAttr(attrs[key])
			if err != nil {
				return arrow.Metadata{}, fmt.Errorf("attribute %s: %w", key, err)
			}
			value = string(raw)
		}
		keys, values = append(keys, key), append(values, value)
	}
	return arrow.NewMetadata(keys, values), nil
}

// writeGroup writes n rows as a row group.
func (g *grid) writeGroup(to *pqarrow.FileWriter, schema *arrow.Schema, first, n int) error {
	arrays := make([]arrow.Array, len(g.columns))
	for i, o := range g.columns {
		elements, err := o.gather(g, first, n)
		if err == nil {
			arrays[i], err = o.array(schema.Field(i).Type, elements, n)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", o.info.Name, err)
		}
		defer arrays[i].Release()
	}
	batch := array.NewRecordBatch(schema, arrays, int64(n))
	defer batch.Release()
	return to.Write(batch)
}

// gather returns the elements of n rows.
func (o *outColumn) gather(g *grid, first, n int) ([]byte, error) {
	size := o.info.DType.Size()
	out := make([]byte, n*size)
	if o.waiting != nil {
		_, err := o.waiting.ReadAt(out, int64(first)*int64(size))
		if err == io.EOF {
			err = nil // the last row
		}
		return out, err
	}
	index, rest := make([]int, len(g.shape)), first
	for d, stride := range nd.RowMajor.Strides(g.shape) {
		index[d], rest = rest/stride, rest%stride
	}
	lo := make([]int, len(g.shape))
	for row := range n {
		at := 0
		for d, i := range index {
			at += i * o.strides[d]
		}
		copy(out[row*size:][:size], o.held[at*size:])
		nd.Next(index, lo, g.shape)
	}
	return out, nil
}

// isMissing reports whether an element is null in the table.
func (o *outColumn) isMissing(element []byte) bool {
	if o.info.Fill != nil && bytes.Equal(element, o.info.Fill) {
		return true
	}
	return o.info.DType.IsFloat() && o.info.Labels == nil && math.IsNaN(o.info.DType.Float64(element))
}

// array returns n elements as an array of Arrow.
func (o *outColumn) array(t arrow.DataType, elements []byte, n int) (arrow.Array, error) {
	size := o.info.DType.Size()
	switch {
	case o.info.Labels != nil:
		b := array.NewStringBuilder(memory.DefaultAllocator)
		defer b.Release()
		for i := range n {
			k, err := o.info.Label(elements, i)
			if err != nil {
				return nil, err
			}
			b.Append(o.info.Labels[k])
		}
		return b.NewArray(), nil
	case o.info.DType == dtype.Bool:
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		defer b.Release()
		for i := range n {
			if element := elements[i : i+1]; o.isMissing(element) {
				b.AppendNull()
			} else {
				b.Append(element[0] != 0)
			}
		}
		return b.NewArray(), nil
	}
	valid, nulls := make([]byte, bitutil.BytesForBits(int64(n))), 0
	for i := range n {
		if o.isMissing(elements[i*size:][:size]) {
			nulls++
		} else {
			bitutil.SetBit(valid, i)
		}
	}
	if t.ID() == arrow.FLOAT32 && size == 2 {
		elements = widened(o.info.DType, elements)
	}
	data := array.NewData(t, n, []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(elements)}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// widened returns floats of 16 bits as float32, which has all of their values.
func widened(t dtype.DType, elements []byte) []byte {
	out := make([]byte, 0, 2*len(elements))
	for i := 0; i < len(elements); i += 2 {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(t.Float64(elements[i:i+2]))))
	}
	return out
}
