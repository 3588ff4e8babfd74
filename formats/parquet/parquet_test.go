//go:build parquet

package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	_ "drx/formats/parquet"
	"drx/nd"
)

// A sample is a column of a table with its elements as DRX has them.
type sample struct {
	field  arrow.Field
	append func(b array.Builder, i int)
	info   formats.Info
	want   func(i int) any // of the element type
}

const sampleRows = 1000

// isNull says which rows of columns with nulls are null.
func isNull(i int) bool { return i%7 == 3 }

func samples() []sample {
	at := func(i int) time.Time { return time.Date(2024, 1, 30, i, 0, 0, 0, time.UTC) }
	numbers := func(name string, t arrow.DataType, d dtype.DType) sample {
		return sample{field: arrow.Field{Name: name, Type: t}, info: formats.Info{DType: d}}
	}
	all := []sample{
		numbers("i64", arrow.PrimitiveTypes.Int64, dtype.Int64), numbers("f32", arrow.PrimitiveTypes.Float32, dtype.Float32),
		numbers("b", arrow.FixedWidthTypes.Boolean, dtype.Bool), numbers("s", arrow.BinaryTypes.String, dtype.Uint32),
		numbers("ts", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, dtype.Int64), numbers("day", arrow.FixedWidthTypes.Date32, dtype.Int32),
		numbers("dec", &arrow.Decimal128Type{Precision: 30, Scale: 2}, dtype.Int64), numbers("nb", arrow.FixedWidthTypes.Boolean, dtype.Uint8),
		numbers("ni", arrow.PrimitiveTypes.Int16, dtype.Int16), numbers("nf", arrow.PrimitiveTypes.Float64, dtype.Float64),
	}
	do := []struct {
		append func(b array.Builder, i int)
		want   func(i int) any
	}{
		{func(b array.Builder, i int) { b.(*array.Int64Builder).Append(int64(i) - 1<<62) }, func(i int) any { return int64(i) - 1<<62 }},
		{func(b array.Builder, i int) { b.(*array.Float32Builder).Append(float32(i) / 3) }, func(i int) any { return float32(i) / 3 }},
		{func(b array.Builder, i int) { b.(*array.BooleanBuilder).Append(i%3 == 0) }, func(i int) any { return i%3 == 0 }},
		{func(b array.Builder, i int) { b.(*array.StringBuilder).Append(fmt.Sprint("k", i%5)) }, func(i int) any { return uint32(i % 5) }},
		{func(b array.Builder, i int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(at(i).UnixMicro())) }, func(i int) any { return at(i).UnixMicro() }},
		{func(b array.Builder, i int) { b.(*array.Date32Builder).Append(arrow.Date32(i - 500)) }, func(i int) any { return int32(i - 500) }},
		{func(b array.Builder, i int) { b.(*array.Decimal128Builder).Append(decimal128.FromI64(int64(-i))) }, func(i int) any { return int64(-i) }},
		{func(b array.Builder, i int) { b.(*array.BooleanBuilder).Append(i%2 == 0) }, func(i int) any { return uint8((i + 1) % 2) }},
		{func(b array.Builder, i int) { b.(*array.Int16Builder).Append(int16(i)) }, func(i int) any { return int16(i) }},
		{func(b array.Builder, i int) { b.(*array.Float64Builder).Append(float64(i)) }, func(i int) any { return float64(i) }},
	}
	marks := map[string]any{"nb": uint8(255), "ni": int16(math.MinInt16), "nf": math.Float64frombits(0x7ff8 << 48)}
	for k := range all {
		s := &all[k]
		s.append, s.want = do[k].append, do[k].want
		s.info.Name, s.info.Shape, s.info.Dims = s.field.Name, []int{sampleRows}, []string{"row"}
		if mark, nulls := marks[s.field.Name]; nulls {
			s.field.Nullable = true
			s.append = func(b array.Builder, i int) {
				if isNull(i) {
					b.AppendNull()
				} else {
					do[k].append(b, i)
				}
			}
			s.want = func(i int) any {
				if isNull(i) {
					return mark
				}
				return do[k].want(i)
			}
		}
	}
	return all
}

// writeTable writes a table with the library alone, in row groups of 300.
func writeTable(t *testing.T, all []sample, more ...arrow.Field) string {
	t.Helper()
	var fields []arrow.Field
	for _, s := range all {
		fields = append(fields, s.field)
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(append(fields, more...), nil))
	w, err := pqarrow.NewFileWriter(b.Schema(), f, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(300)), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	for i := range sampleRows {
		for k, s := range all {
			s.append(b.Field(k), i)
		}
		for k := range more {
			b.Field(len(all) + k).AppendNull()
		}
	}
	if err := errors.Join(w.Write(b.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// Columns of all types are read in any order of sections, over the borders of row groups.
func TestRead(t *testing.T) {
	all := samples()
	path := writeTable(t, all, arrow.Field{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true}, arrow.Field{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true})
	for _, s := range all {
		var want bytes.Buffer
		for i := range sampleRows {
			if err := binary.Write(&want, binary.LittleEndian, s.want(i)); err != nil {
				t.Fatal(err)
			}
		}
		formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{Variable: s.info.Name}) }, s.info, want.Bytes())
	}
	c, err := formats.List(path, formats.Options{})
	if err != nil || len(c.Vars) != len(all)+2 || c.Vars[len(all)].Refused == "" || c.Vars[len(all)+1].Refused == "" {
		t.Errorf("%v, %+v", err, c)
	}
	if units := c.Vars[4].Attrs["units"]; units != "microseconds since 1970-01-01" {
		t.Error(units)
	}
	if scale := c.Vars[6].Attrs["scale_factor"]; scale != 0.01 {
		t.Error(scale)
	}
}

// A value that would stand for nulls must not occur.
func TestNoMark(t *testing.T) {
	s := samples()[8]
	append8 := s.append
	s.append = func(b array.Builder, i int) {
		if i == 5 {
			b.(*array.Int16Builder).Append(math.MinInt16)
		} else {
			append8(b, i)
		}
	}
	path := writeTable(t, []sample{s})
	if _, err := formats.Open(path, formats.Options{}); !errors.Is(err, formats.ErrType) || !strings.Contains(err.Error(), "143 nulls, and rows with -32768") {
		t.Error(err)
	}
}

// What is written in boxes of any order is read by the library as a long table.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	times, rng := []byte{}, rand.New(rand.NewPCG(1, 2))
	for i := range 50 {
		times = binary.LittleEndian.AppendUint32(times, uint32(6*i))
	}
	vars := []formats.Info{
		{Name: "temp", DType: dtype.Float32, Shape: []int{50, 70, 60}, Dims: []string{"time", "station", "level"}, Attrs: map[string]any{"units": "K", "n": []int64{1, 2}}, Fill: dtype.Bytes([]float32{-1})},
		{Name: "time", DType: dtype.Int32, Shape: []int{50}, Dims: []string{"time"}, Attrs: map[string]any{"units": "hours since 2024-01-30", "long_name": "7"}},
		{Name: "station", DType: dtype.Uint32, Shape: []int{70}, Dims: []string{"station"}, Labels: []string{"B", "A"}},
		{Name: "depth", DType: dtype.Float64, Shape: []int{60, 70}, Dims: []string{"level", "station"}},
	}
	writers, err := formats.CreateFile(path, "parquet", formats.Content{Vars: vars, Attrs: map[string]any{"title": "t"}})
	if err != nil {
		t.Fatal(err)
	}
	temp, depth := make([]float32, 50*70*60), make([]float64, 60*70)
	for i := range temp {
		temp[i] = float32(i%100 - 1)
	}
	for i := range depth {
		depth[i] = rng.Float64()
	}
	for _, k := range rng.Perm(50) {
		sec := nd.Section{nd.At(k), nd.Span(0, 70), nd.Span(0, 60)}
		if err := writers[0].WriteSection(sec, dtype.Bytes(temp[k*4200:][:4200])); err != nil {
			t.Fatal(err)
		}
	}
	stations := make([]uint32, 70)
	for i := range stations {
		stations[i] = uint32(i % 2)
	}
	err = errors.Join(writers[1].WriteSection(nil, times), writers[2].WriteSection(nil, dtype.Bytes(stations)), writers[3].WriteSection(nil, dtype.Bytes(depth)))
	for _, w := range writers {
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := pqarrow.ReadTable(context.Background(), f, nil, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	const heads = "[time timestamp[us] station utf8 level int64 temp float32 depth float64]"
	var names []any
	for _, field := range table.Schema().Fields() {
		names = append(names, field.Name, field.Type)
	}
	if got := fmt.Sprint(names); got != heads {
		t.Errorf("%s, want %s", got, heads)
	}
	if md := table.Schema().Field(3).Metadata.String(); md != `["PARQUET:field_id": "-1", "n": "[1,2]", "units": "K"]` {
		t.Error(md)
	}
	rows := array.NewTableReader(table, 1<<15)
	i := 0
	for rows.Next() {
		b := rows.RecordBatch()
		for k := range int(b.NumRows()) {
			hour := time.Duration(i/4200*6) * time.Hour
			want := []string{
				time.Date(2024, 1, 30, 0, 0, 0, 0, time.UTC).Add(hour).Format("2006-01-02 15:04:05.000000Z"), []string{"B", "A"}[i/60%70%2], fmt.Sprint(i % 60),
				fmt.Sprint(temp[i]), fmt.Sprint(depth[i%60*70+i/60%70]),
			}
			if temp[i] == -1 {
				want[3] = array.NullValueStr
			}
			for c := range want {
				got := b.Column(c).ValueStr(k)
				if c == 0 {
					at := b.Column(0).(*array.Timestamp).Value(k).ToTime(arrow.Microsecond)
					got = at.Format("2006-01-02 15:04:05.000000Z")
				}
				if got != want[c] {
					t.Fatalf("row %d, column %d: %s, want %s", i, c, got, want[c])
				}
			}
			i++
		}
	}
	if i != len(temp) {
		t.Errorf("%d rows", i)
	}
}

// Variables of other grids and complex numbers are refused, and an incomplete table does not exist.
func TestRefused(t *testing.T) {
	a := formats.Info{Name: "a", DType: dtype.Int8, Shape: []int{2, 3}, Dims: []string{"y", "x"}}
	path := filepath.Join(t.TempDir(), "a.parquet")
	for _, c := range []struct {
		other formats.Info
		is    error
	}{
		{formats.Info{Name: "b", DType: dtype.Int8, Shape: []int{4}, Dims: []string{"z"}}, formats.ErrVariable},
		{formats.Info{Name: "y", DType: dtype.Int8, Shape: []int{3}, Dims: []string{"x"}}, formats.ErrVariable},
		{formats.Info{Name: "c", DType: dtype.Complex64, Shape: []int{2}, Dims: []string{"y"}}, formats.ErrType},
		{formats.Info{Name: "d", DType: dtype.Int8, Shape: []int{2, 2, 2}, Dims: []string{"u", "x", "x"}}, nd.ErrRank},
	} {
		if _, err := formats.CreateFile(path, "parquet", formats.Content{Vars: []formats.Info{a, c.other}}); !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.other.Name, err)
		}
	}
	writers, err := formats.CreateFile(path, "parquet", formats.Content{Vars: []formats.Info{a}})
	if err != nil {
		t.Fatal(err)
	}
	if err := writers[0].Close(); err == nil {
		t.Error("no error although elements are missing")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the table exists")
	}
}

// Damaged files give errors or other elements, and end neither the process nor its memory.
func TestDamaged(t *testing.T) {
	path := writeTable(t, samples())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 300 {
		b := bytes.Clone(whole)
		for range 1 + k%3 {
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
		if k%5 == 0 {
			b = b[:rng.IntN(len(b))]
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := formats.List(path, formats.Options{Memory: 1 << 20})
		if err != nil {
			continue
		}
		for _, v := range c.Vars {
			r, err := formats.Open(path, formats.Options{Variable: v.Name, Memory: 1 << 20})
			if err != nil {
				continue
			}
			if n, err := r.Info().Bytes(); err == nil && n < 1<<20 {
				_ = r.ReadSection(nil, make([]byte, n)) // whatever it is
			}
			_ = r.Close()
		}
	}
}
