package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// file builds a file of version 1.0 from the text of its header.
func file(header string, elements ...byte) []byte {
	b := append([]byte(Magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), elements...)
}

// pipe hides all methods but Read, so that the size of the input is unknown.
type pipe struct{ io.Reader }

func TestHeaderSpelling(t *testing.T) {
	for _, header := range []string{
		"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }   \n",
		"{'descr':'<i2','fortran_order':False,'shape':(2,1)}",
		`{"shape": (2L, 1L), "fortran_order": False, "descr": "<i2"}`,
		" { 'shape' : ( 2 ,\t1 , ) , 'descr' : '<i2' ,\n'fortran_order' : False } \r\n",
	} {
		r, err := NewReader(bytes.NewReader(file(header, 1, 2, 3, 4)))
		if err != nil {
			t.Errorf("%s: %v", header, err)
			continue
		}
		got, err := io.ReadAll(r)
		if err != nil || r.DType != dtype.Int16 || !slices.Equal(r.Shape, []int{2, 1}) || !bytes.Equal(got, []byte{1, 2, 3, 4}) {
			t.Errorf("%s: %+v, % x, %v", header, r.Header, got, err)
		}
	}
}

func TestByteOrders(t *testing.T) {
	for descr, want := range map[string]struct {
		t dtype.DType
		b []byte
	}{
		"<u2":  {dtype.Uint16, []byte{1, 2, 3, 4}},
		">u2":  {dtype.Uint16, []byte{2, 1, 4, 3}},
		"=u2":  {dtype.Uint16, native(dtype.Uint16)},
		"|u2":  {dtype.Uint16, native(dtype.Uint16)},
		"u2":   {dtype.Uint16, native(dtype.Uint16)},
		"|V2":  {dtype.BFloat16, []byte{1, 2, 3, 4}},
		"<V2":  {dtype.BFloat16, []byte{1, 2, 3, 4}},
		">V2":  {dtype.BFloat16, []byte{2, 1, 4, 3}},
		">u1":  {dtype.Uint8, []byte{1, 2, 3, 4}},
		"=i1":  {dtype.Int8, []byte{1, 2, 3, 4}},
		">f4":  {dtype.Float32, []byte{4, 3, 2, 1}},
		">c8":  {dtype.Complex64, []byte{4, 3, 2, 1, 8, 7, 6, 5}},
		">i8":  {dtype.Int64, []byte{8, 7, 6, 5, 4, 3, 2, 1}},
		">c16": {dtype.Complex128, []byte{8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9}},
	} {
		elements := make([]byte, len(want.b))
		for i := range elements {
			elements[i] = byte(i + 1)
		}
		shape := pythonTuple([]int{len(want.b) / want.t.Size()})
		r, err := NewReader(bytes.NewReader(file("{'descr': '"+descr+"', 'fortran_order': False, 'shape': "+shape+"}", elements...)))
		if err != nil {
			t.Errorf("%s: %v", descr, err)
			continue
		}
		got, err := io.ReadAll(r)
		if err != nil || r.DType != want.t || !bytes.Equal(got, want.b) {
			t.Errorf("%s: %v, %v, %v; want %v, %v", descr, r.DType, got, err, want.t, want.b)
		}
	}
}

// native returns the bytes 1, 2, 3, 4 of elements in this machine's order.
func native(t dtype.DType) []byte {
	b := []byte{1, 2, 3, 4}
	t.ToLittle(b)
	return b
}

func TestMalformed(t *testing.T) {
	good := file("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", 1, 2, 3, 4)
	dict := func(descr, order, shape string) []byte {
		return file("{'descr': "+descr+", 'fortran_order': "+order+", 'shape': "+shape+"}", 1, 2, 3, 4)
	}
	for _, c := range []struct {
		data []byte
		is   error
		text string
	}{
		{nil, io.ErrUnexpectedEOF, ""},
		{good[:7], io.ErrUnexpectedEOF, ""},
		{good[:9], io.ErrUnexpectedEOF, ""},
		{good[:30], io.ErrUnexpectedEOF, "found 20"},
		{[]byte("\x89PNG\r\n\x1a\n"), ErrFormat, "begins with"},
		{slices.Concat([]byte(Magic), []byte{4, 0, 0, 0, 0, 0}), ErrFormat, "version 4.0"},
		{slices.Concat([]byte(Magic), []byte{1, 7, 0, 0}), ErrFormat, "version 1.7"},
		{slices.Concat([]byte(Magic), []byte{2, 0, 0, 0, 17, 0}), ErrFormat, "the limit is 1048576"},
		{file(""), ErrFormat, "a dict"},
		{file("[]"), ErrFormat, "a dict"},
		{file("{"), ErrFormat, "a quoted key"},
		{file("{descr: 1}"), ErrFormat, "a quoted key"},
		{file("{1: 1}"), ErrFormat, "a quoted key"},
		{file("{'descr' 1}"), ErrFormat, "a colon"},
		{file("{'descr': }"), ErrFormat, "a string, an integer"},
		{file("{'descr': None}"), ErrFormat, "a string, an integer"},
		{file("{'descr': 'a' 'b'}"), ErrFormat, "a comma or the end of the dict"},
		{file("{'descr': 'a"), ErrFormat, "a closing quote"},
		{file("{'descr': -}"), ErrFormat, "a digit"},
		{file("{'descr': 'a', 'descr': 'b'}"), ErrFormat, "twice"},
		{file("{'descr': '<i2', 'fortran_order': False, 'shape': ()} x"), ErrFormat, "nothing after the dict"},
		{file("{'descr': '<i2', 'fortran_order': False, 'shape': ()}\x00"), ErrFormat, "nothing after the dict"},
		{file("{'descr': '<i2', 'shape': (2,)}"), ErrFormat, "no fortran_order"},
		{file("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), 'x': 1}"), ErrFormat, "other keys"},
		{dict("'<i2'", "1", "(2,)"), ErrFormat, "fortran_order 1"},
		{dict("'<i2'", "False", "(2)"), ErrFormat, "shape (2)"},
		{dict("'<i2'", "False", "[2]"), ErrFormat, "shape [2]"},
		{dict("'<i2'", "False", "('2',)"), ErrFormat, "shape ('2',)"},
		{dict("'<i2'", "False", "(True, 2)"), ErrFormat, "shape (True, 2)"},
		{dict("'<i2'", "False", "(1 2)"), ErrFormat, "a comma or"},
		{dict("'<i2'", "False", "(,)"), ErrFormat, "a string, an integer"},
		{dict("'<i2'", "False", "(2"+strings.Repeat("0", 30)+",)"), ErrFormat, "does not fit an int"},
		{dict("'<i2'", "False", strings.Repeat("(", 99)), ErrFormat, "16 levels"},
		{dict("'<i2'", "False", "(-2,)"), nd.ErrBounds, "dimension 0: extent -2"},
		{dict("'<i2'", "False", "("+strings.Repeat("1,", nd.MaxRank+1)+")"), nd.ErrRank, "the limit is 64"},
		{dict("'<i2'", "False", "(9223372036854775807, 2)"), nd.ErrOverflow, "9223372036854775807"},
		{dict("'<i2'", "False", "(9223372036854775807,)"), nd.ErrOverflow, "elements of int16"},
		{dict("'<i2'", "False", "(3,)"), io.ErrUnexpectedEOF, "expected 6 bytes after the header, found 4"},
		{dict("'<i2'", "False", "(1,)"), ErrFormat, "expected 2 bytes after the header, found"},
		{dict("'<i2'", "False", "(0,)"), ErrFormat, "expected 0 bytes after the header, found"},
		{dict("'|b1'", "False", "(4,)"), ErrFormat, "element 1: bool 2"},
		{dict("'|O'", "False", "(2,)"), dtype.ErrDType, `descr "|O"`},
		{dict("'<U7'", "False", "(2,)"), dtype.ErrDType, `descr "<U7"`},
		{dict("'|S2'", "False", "(2,)"), dtype.ErrDType, `descr "|S2"`},
		{dict("'|V3'", "False", "(2,)"), dtype.ErrDType, `descr "|V3"`},
		{dict("'<f16'", "False", "(2,)"), dtype.ErrDType, `descr "<f16"`},
		{dict("'<M8[ns]'", "False", "(2,)"), dtype.ErrDType, `descr "<M8[ns]": only plain bool, integer, float and complex types are read; save times as integers`},
		{dict("'<U3'", "False", "(2,)"), dtype.ErrDType, "; save text as CSV"},
		{dict("''", "False", "(2,)"), dtype.ErrDType, "; convert it with astype"},
		{dict("'<f16'", "False", "(2,)"), dtype.ErrDType, "; convert it with astype"},
		{dict("'<<i2'", "False", "(2,)"), dtype.ErrDType, `descr "<<i2"`},
		{dict("''", "False", "(2,)"), dtype.ErrDType, `descr ""`},
		{dict("'<'", "False", "(2,)"), dtype.ErrDType, `descr "<"`},
		{dict("[('a', '<i2'), (('t', 'b'), '<f4', (2,))]", "False", "(2,)"), dtype.ErrDType, "descr [('a', '<i2')"},
		{dict("7", "False", "(2,)"), dtype.ErrDType, "descr 7"},
	} {
		for _, in := range []io.Reader{bytes.NewReader(c.data), pipe{bytes.NewReader(c.data)}} {
			r, err := NewReader(in)
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v; want %q and %v", c.data, err, c.text, c.is)
			}
		}
	}
}

// A shape must cost no memory until its elements arrive.
func TestHugeShapeAllocatesNothing(t *testing.T) {
	data := file("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}", 1, 2, 3)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := NewReader(pipe{bytes.NewReader(data)})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 64)); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated for a file of %d", n, len(data))
	}
}

func TestWriterCounts(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{DType: dtype.Int16, Shape: []int{3}})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Write([]byte{1, 2, 3, 4, 5}); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := w.Close(); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "expected 6 bytes, got 5") {
		t.Errorf("close: %v", err)
	}
	if n, err := w.Write([]byte{6, 7}); n != 1 || !errors.Is(err, io.ErrShortWrite) || !strings.Contains(err.Error(), "expected 6 bytes, got 7") {
		t.Errorf("%d, %v", n, err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if got := b.Bytes()[b.Len()-6:]; !bytes.Equal(got, []byte{1, 2, 3, 4, 5, 6}) {
		t.Errorf("elements % x", got)
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		h  Header
		is error
	}{
		{Header{}, dtype.ErrDType},
		{Header{DType: 200}, dtype.ErrDType},
		{Header{DType: dtype.Int8, Shape: make([]int, nd.MaxRank+1)}, nd.ErrRank},
		{Header{DType: dtype.Int8, Shape: []int{-1}}, nd.ErrBounds},
		{Header{DType: dtype.Int8, Shape: []int{math.MaxInt, 3}}, nd.ErrOverflow},
		{Header{DType: dtype.Int16, Shape: []int{math.MaxInt}}, nd.ErrOverflow},
	} {
		var b bytes.Buffer
		if _, err := NewWriter(&b, c.h); !errors.Is(err, c.is) || b.Len() > 0 {
			t.Errorf("%+v: %v, %d bytes written", c.h, err, b.Len())
		}
	}
}

// The longest possible header fits the 16-bit length, and is read unchanged.
func TestLongestHeader(t *testing.T) {
	shape := slices.Repeat([]int{math.MaxInt}, nd.MaxRank)
	shape[7] = 0
	var b bytes.Buffer
	if _, err := NewWriter(&b, Header{DType: dtype.Complex128, Shape: shape, ColMajor: true}); err != nil {
		t.Fatal(err)
	}
	if b.Len()%64 != 0 || b.Len() > 2048 {
		t.Errorf("%d bytes", b.Len())
	}
	r, err := NewReader(&b)
	if err != nil || !slices.Equal(r.Shape, shape) {
		t.Errorf("%v, %v", r, err)
	}
}
