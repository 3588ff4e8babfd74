//go:build parquet

package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// rowDim is the name of the dimension of columns.
const rowDim = "row"

// A column is a column of a table as a variable.
type column struct {
	info    formats.Info
	refused error
	leaf    int  // its number in the file
	scanned bool // its strings, or what stands for nulls, are known
	labels  *formats.Labeler
}

// Describe implements cformat.Variable.
func (c *column) Describe() (*formats.Info, error) { return &c.info, c.refused }

// plainTypes are the types whose elements Arrow stores as DRX does.
var plainTypes = map[arrow.Type]dtype.DType{
	arrow.INT8: dtype.Int8, arrow.INT16: dtype.Int16, arrow.INT32: dtype.Int32, arrow.INT64: dtype.Int64,
	arrow.UINT8: dtype.Uint8, arrow.UINT16: dtype.Uint16, arrow.UINT32: dtype.Uint32, arrow.UINT64: dtype.Uint64,
	arrow.FLOAT16: dtype.Float16, arrow.FLOAT32: dtype.Float32, arrow.FLOAT64: dtype.Float64,
	arrow.DATE32: dtype.Int32, arrow.DATE64: dtype.Int64, arrow.TIMESTAMP: dtype.Int64,
	arrow.TIME32: dtype.Int32, arrow.TIME64: dtype.Int64, arrow.DURATION: dtype.Int64,
}

// unitNames are the names of units of time in attributes.
var unitNames = map[arrow.TimeUnit]string{
	arrow.Second: "seconds", arrow.Millisecond: "milliseconds", arrow.Microsecond: "microseconds", arrow.Nanosecond: "nanoseconds",
}

// newColumn describes a column, which may have nulls.
func newColumn(field *arrow.Field, rows int, nulls bool) *column {
	c := &column{info: formats.Info{Name: field.Name, Shape: []int{rows}, Dims: []string{rowDim}, Attrs: map[string]any{}}}
	for i, key := range field.Metadata.Keys() {
		addAttr(c.info.Attrs, key, field.Metadata.Values()[i])
	}
	t := field.Type
	c.info.DType = plainTypes[t.ID()]
	switch t := t.(type) {
	case *arrow.BooleanType:
		c.info.DType = dtype.Bool
		if nulls {
			c.info.DType, c.info.Fill, nulls = dtype.Uint8, markOf(dtype.Uint8), false
		}
	case *arrow.StringType, *arrow.LargeStringType:
		c.setStrings()
	case *arrow.DictionaryType:
		if id := t.ValueType.ID(); id == arrow.STRING || id == arrow.LARGE_STRING {
			c.setStrings()
		}
	case *arrow.TimestampType:
		c.setTimes(unitNames[t.Unit])
	case *arrow.Date32Type:
		c.setTimes("days")
	case *arrow.Date64Type:
		c.setTimes("milliseconds")
	case arrow.TemporalWithUnit: // times of a day and durations
		c.info.Attrs["units"] = unitNames[t.TimeUnit()]
	case arrow.DecimalType:
		c.info.DType = dtype.Int64
		if scale := t.GetScale(); scale != 0 {
			c.info.Attrs["scale_factor"] = math.Pow10(-int(scale))
		}
	}
	if !c.info.DType.Valid() {
		c.refused = errkind.Errorf(formats.ErrType, "a column of %v: columns of numbers, texts and times are read", t)
	}
	c.scanned = !nulls && c.info.Labels == nil
	return c
}

// setStrings makes the column a variable of strings.
func (c *column) setStrings() { c.info.DType, c.info.Labels = dtype.Uint32, []string{} }

// setTimes makes the column a variable of times.
func (c *column) setTimes(unit string) {
	c.info.Attrs["units"], c.info.Attrs["calendar"] = unit+" since 1970-01-01", "proleptic_gregorian"
}

// scan reads the column for its strings, and for nulls, which need a value that stands for them.
// The error wraps formats.ErrMemory if the strings take more than memory bytes, and formats.ErrType
// if no value is left for nulls.
func (c *column) scan(f *file, memory int64) error {
	if c.scanned {
		return nil
	}
	isText := c.info.Labels != nil
	if isText {
		c.labels = formats.NewLabeler(memory)
	}
	nulls, used := 0, false
	mark := markOf(c.info.DType)
	buf := make([]byte, 0, batchRows*8)
	s, err := f.newStream(c.leaf, 0)
	if err != nil {
		return err
	}
	defer s.close()
	for s.end() < f.rows() {
		if err := s.next(); err != nil {
			return err
		}
		buf = buf[:s.batch.Len()*c.info.DType.Size()]
		if err := c.decode(s.batch, buf, nil); err != nil {
			return err
		}
		nulls += s.batch.NullN()
		used = used || !isText && contains(s.batch, buf, mark)
	}
	c.scanned = true
	switch {
	case isText:
		c.info.Labels = c.labels.Labels()
	case nulls == 0:
	case used:
		return errkind.Errorf(formats.ErrType, "%d nulls, and rows with %s, which would stand for them: no %v is left that marks them", nulls, c.info.DType.Format(mark), c.info.DType)
	default:
		c.info.Fill = mark
	}
	return nil
}

// markOf returns the value that stands for nulls: NaN, the least signed integer, or the largest
// unsigned one.
func markOf(t dtype.DType) []byte {
	mark := make([]byte, t.Size())
	switch {
	case t.IsFloat():
		mark, _ = t.EncodeValue(math.NaN()) // every float has it
	case t.String()[0] == 'i':
		mark[len(mark)-1] = 0x80
	default:
		for i := range mark {
			mark[i] = 0xff
		}
	}
	return mark
}

// contains reports whether a value occurs among the elements of a batch that are not null.
func contains(batch arrow.Array, elements, value []byte) bool {
	size := len(value)
	for i := range batch.Len() {
		if string(elements[i*size:][:size]) == string(value) && batch.IsValid(i) {
			return true
		}
	}
	return false
}

// decode writes the elements of a batch to buf. Nulls become fill; without one they are zeros.
func (c *column) decode(batch arrow.Array, buf, fill []byte) error {
	size := c.info.DType.Size()
	switch a := batch.(type) {
	case *array.Boolean:
		for i := range a.Len() {
			buf[i] = 0
			if a.IsValid(i) && a.Value(i) {
				buf[i] = 1
			}
		}
	case *array.String, *array.LargeString, *array.Dictionary:
		return c.decodeTexts(batch, buf)
	case *array.Decimal128, *array.Decimal256, *array.Decimal32, *array.Decimal64:
		if err := decodeDecimals(batch, buf); err != nil {
			return err
		}
	default:
		data := batch.Data()
		if plainTypes[batch.DataType().ID()] == 0 || len(data.Buffers()) < 2 {
			return errkind.Errorf(formats.ErrType, "a column of %v", batch.DataType())
		}
		if data.Buffers()[1] == nil {
			clear(buf)
		} else {
			copy(buf, data.Buffers()[1].Bytes()[data.Offset()*size:])
		}
	}
	if batch.NullN() == 0 {
		return nil
	}
	for i := range batch.Len() {
		if batch.IsNull(i) {
			clear(buf[i*size:][:size])
			copy(buf[i*size:], fill)
		}
	}
	return nil
}

// decodeTexts writes the labels of texts. A null is the empty text.
func (c *column) decodeTexts(batch arrow.Array, buf []byte) error {
	text := func(i int) string { return batch.(interface{ Value(int) string }).Value(i) }
	if d, ok := batch.(*array.Dictionary); ok {
		values, known := d.Dictionary().(interface{ Value(int) string })
		if !known {
			return errkind.Errorf(formats.ErrType, "a column of %v", batch.DataType())
		}
		text = func(i int) string { return values.Value(d.GetValueIndex(i)) }
	}
	number := c.labels.Add
	if c.scanned {
		number = c.labels.Index
	}
	for i := range batch.Len() {
		s := ""
		if batch.IsValid(i) {
			s = text(i)
		}
		n, err := number(s)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(buf[4*i:], n)
	}
	return nil
}

// decodeDecimals writes the digits of decimals as int64.
func decodeDecimals(batch arrow.Array, buf []byte) error {
	for i := range batch.Len() {
		if batch.IsNull(i) {
			continue
		}
		var n int64
		fits := true
		switch a := batch.(type) {
		case *array.Decimal32:
			n = int64(a.Value(i))
		case *array.Decimal64:
			n = int64(a.Value(i))
		case *array.Decimal128:
			v := a.Value(i)
			n = int64(v.LowBits())
			fits = v.HighBits() == n>>63
		case *array.Decimal256:
			v := a.Value(i).BigInt()
			n, fits = v.Int64(), v.IsInt64()
		}
		if !fits {
			return errkind.Errorf(formats.ErrType, "%s has more digits than an int64", batch.ValueStr(i))
		}
		binary.LittleEndian.PutUint64(buf[8*i:], uint64(n))
	}
	return nil
}

// elements are an open column.
type elements struct {
	file   *file
	column *column
	stream *stream // nil before the first section
	buf    []byte  // a decoded batch
	have   int     // the row at which it begins, -1 for none
}

// Info implements cformat.Elements.
func (e *elements) Info() formats.Info { return e.column.info }

// Read implements cformat.Elements. Sections that ascend are read in one pass.
func (e *elements) Read(sec nd.Section, buf []byte) (err error) {
	defer recovered(&err)
	size := e.column.info.DType.Size()
	lo, hi := sec[0].Lo, sec[0].Hi
	if e.stream == nil || lo < e.stream.first {
		if e.stream != nil {
			e.stream.close()
		}
		if e.stream, err = e.file.newStream(e.column.leaf, lo); err != nil {
			return err
		}
		e.have = -1
	}
	for row := lo; row < hi; {
		for e.stream.end() <= row {
			if err := e.stream.next(); err != nil {
				return err
			}
		}
		if e.have != e.stream.first {
			n := e.stream.batch.Len() * size
			e.buf = append(e.buf[:0], make([]byte, n)...)
			if err := e.column.decode(e.stream.batch, e.buf, e.column.info.Fill); err != nil {
				return err
			}
			if e.stream.batch.NullN() > 0 && e.column.info.Fill == nil && e.column.info.Labels == nil {
				return fmt.Errorf("rows from %d on have nulls in a column without them", e.stream.first)
			}
			e.have = e.stream.first
		}
		end := min(hi, e.stream.end())
		copy(buf[(row-lo)*size:(end-lo)*size], e.buf[(row-e.have)*size:])
		row = end
	}
	return nil
}

// Close implements cformat.Elements.
func (e *elements) Close() error {
	if e.stream != nil {
		e.stream.close()
	}
	return nil
}
