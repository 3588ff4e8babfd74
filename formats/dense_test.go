package formats

import (
	"math/rand/v2"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// A counter is an endless file of int32 elements that equal their own positions. It counts the
// reads.
type counter struct{ reads, bytes int }

// ReadAt implements io.ReaderAt.
func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	c.bytes += len(p)
	for i := 0; i < len(p); i += 4 {
		n := uint32((off + int64(i)) / 4)
		p[i], p[i+1], p[i+2], p[i+3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	}
	return len(p), nil
}

// checkCount reads a section of positions and returns the counts of its reads.
func checkCount(t *testing.T, info Info, sec nd.Section) counter {
	t.Helper()
	var c counter
	size, _ := Info{DType: info.DType, Shape: sec.Shape()}.Bytes()
	buf := make([]byte, size)
	if err := (&dense{info: info, elements: &c}).ReadSection(sec, buf); err != nil {
		t.Fatal(err)
	}
	dims, strides := info.Order.Dims(len(sec)), info.Order.Strides(info.Shape)
	index, lo, hi := make([]int, len(sec)), make([]int, len(sec)), info.Order.Apply(sec.Shape())
	for ; len(buf) > 0; buf = buf[4:] {
		want := 0
		for i, d := range dims {
			want += (sec[d].Lo + index[i]) * strides[d]
		}
		if got := int(buf[0]) | int(buf[1])<<8 | int(buf[2])<<16 | int(buf[3])<<24; got != want {
			t.Fatalf("section %v of %v, order %v: element %d at index %v, want %d", sec, info.Shape, info.Order, got, index, want)
		}
		nd.Next(index, lo, hi)
	}
	return c
}

// Only the section may be read from a large file, and at most a page between two of its runs.
func TestDenseReadsLittle(t *testing.T) {
	for _, c := range []struct {
		shape        []int
		order        nd.Order
		sec          nd.Section
		reads, bytes int // at most
	}{
		{[]int{1000, 1000, 1000}, nil, nd.Sec(nd.Span(7, 9), nd.Span(0, 1000), nd.Span(0, 1000)), 1, 8e6},
		{[]int{1000, 1000, 1000}, nil, nd.Sec(nd.Span(7, 8), nd.Span(3, 5), nd.Span(0, 1000)), 1, 8e3},
		{[]int{1000, 1000, 1000}, nd.ColMajor(3), nd.Sec(nd.Span(0, 1000), nd.Span(0, 1000), nd.Span(7, 9)), 1, 8e6},
		{[]int{1000, 2000}, nil, nd.Sec(nd.Span(0, 1000), nd.Span(5, 7)), 1000, 8e3},              // a column: the rows are far apart
		{[]int{1000, 2000}, nd.ColMajor(2), nd.Sec(nd.Span(5, 7), nd.Span(0, 1000)), 32 * 4, 4e6}, // near each other
		{[]int{1000, 10}, nil, nd.Sec(nd.Span(0, 1000), nd.Span(5, 7)), 1, 40e3},
		{[]int{1000, 1000, 10}, nil, nd.Sec(nd.Span(0, 1000), nd.Span(5, 7), nd.Span(1, 2)), 1000, 1000 * 44}, // lines of near runs
		{[]int{1 << 30, 1 << 30}, nil, nd.Sec(nd.At(1), nd.At(1)), 1, 4},
	} {
		got := checkCount(t, Info{DType: dtype.Int32, Shape: c.shape, Order: c.order}, c.sec)
		if got.reads > c.reads || got.bytes > c.bytes {
			t.Errorf("section %v of %v, order %v: %d reads of %d bytes, want %d of %d at most",
				c.sec, c.shape, c.order, got.reads, got.bytes, c.reads, c.bytes)
		}
	}
}

// Sections of arrays that are larger than a window must consist of the right elements.
func TestDenseSections(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, shape := range [][]int{{300, 400}, {40, 50, 60}, {3, 20000}, {20000, 3}, {7, 11, 13, 17}} {
		for _, order := range []nd.Order{nil, nd.ColMajor(len(shape))} {
			for range 20 {
				sec := make(nd.Section, len(shape))
				for d, n := range shape {
					lo := random.IntN(n)
					sec[d] = nd.Span(lo, lo+1+random.IntN(n-lo))
				}
				checkCount(t, Info{DType: dtype.Int32, Shape: shape, Order: order}, sec)
			}
		}
	}
}
