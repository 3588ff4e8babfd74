package drx

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"drx/dtype"
	"drx/internal/codec"
	"drx/internal/state"
	"drx/nd"
)

// A counter counts the calls of a codec.
type counter struct {
	codec.Codec
	encoded, decoded *atomic.Int64
}

func (c counter) Encode(dst, src []byte) ([]byte, bool) {
	c.encoded.Add(1)
	return c.Codec.Encode(dst, src)
}

func (c counter) Decode(dst, frame []byte) error {
	c.decoded.Add(1)
	return c.Codec.Decode(dst, frame)
}

// countCodecs counts the codec calls of arrays that are opened from now on.
func countCodecs(t *testing.T) (encoded, decoded *atomic.Int64) {
	product := newCodec
	encoded, decoded = new(atomic.Int64), new(atomic.Int64)
	newCodec = func(s *state.State) codec.Codec {
		c := product(s)
		if c == nil {
			return nil
		}
		return counter{c, encoded, decoded}
	}
	t.Cleanup(func() { newCodec = product })
	return encoded, decoded
}

// compressedSquare makes an array of 200 x 200 smooth numbers, compressed in chunks of 64 x 64.
func compressedSquare(t *testing.T, name, codec string) (*Array, []int32) {
	t.Helper()
	const edge = 200
	want := smooth(edge * edge)
	a, err := Create(name, Spec{DType: dtype.Int32, Shape: []int{edge, edge}, ChunkShape: []int{64, 64}, Codec: codec})
	if err == nil {
		err = errors.Join(Write(a, nil, want), a.Sync())
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, want
}

// Compact copies compressed chunks as they are stored, also those at the bounds, unless a Shrink
// has left elements outside of the bounds. Stored bytes and elements do not change.
func TestCompactKeepsFrames(t *testing.T) {
	for i, c := range realCodecs {
		encoded, decoded := countCodecs(t)
		a, want := compressedSquare(t, formOf(t.TempDir()+"/a", uint64(i)), c)
		if _, err := a.Extend(0, 70); err != nil {
			t.Fatal(err)
		}
		before, err := a.Usage()
		if err != nil {
			t.Fatal(err)
		}
		encoded.Store(0)
		if err := a.Compact(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		after, err := a.Usage()
		if n := encoded.Load() + decoded.Load(); n > 0 || err != nil || after.StoredBytes != before.StoredBytes || after.Written != before.Written {
			t.Errorf("%s: %d frames were made or read, %+v became %+v, %v", c, n, before, after, err)
		}
		if err := a.Shrink(1, 20); err != nil {
			t.Fatal(err)
		}
		if err := a.Compact(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if encoded.Load() != 4 || decoded.Load() > 4 {
			t.Errorf("%s: %d frames were made and %d read of the four chunks that were cut", c, encoded.Load(), decoded.Load())
		}
		got, err := Read[int32](a, nd.Sec(nd.Span(0, 200), nd.Span(0, 180)))
		for row := range 200 {
			if err != nil || !slices.Equal(got[row*180:row*180+180], want[row*200:row*200+180]) {
				t.Fatalf("%s: row %d has other elements, %v", c, row, err)
			}
		}
		if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() {
			t.Errorf("%s: %+v, %v", c, r, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// CopyChunk copies the stored bytes, also over another version of the chunk, and refuses if that
// would be wrong.
func TestCopyChunk(t *testing.T) {
	encoded, decoded := countCodecs(t)
	dir := t.TempDir()
	src, want := compressedSquare(t, dir+"/src", "zstd:3")
	make := func(name string, edit func(*Spec)) *Array {
		spec := Spec{DType: dtype.Int32, Shape: []int{200, 200}, ChunkShape: []int{64, 64}, Codec: "zstd:3"}
		edit(&spec)
		a, err := Create(dir+"/"+name, spec)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	dst := make("dst.drx", func(*Spec) {})
	encoded.Store(0)
	for range 2 { // the second time over committed chunks
		for index := range 16 {
			if copied, err := dst.CopyChunk(src, []int{index / 4, index % 4}); !copied || err != nil {
				t.Fatalf("chunk %d: %v, %v", index, copied, err)
			}
		}
		if n := encoded.Load() + decoded.Load(); n > 0 {
			t.Errorf("%d frames were made or read", n)
		}
		if err := dst.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Read[int32](dst, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("other elements, %v", err)
	}
	others := map[string]func(*Spec){
		"codec":  func(s *Spec) { s.Codec = "zstd:4" },
		"none":   func(s *Spec) { s.Codec = "" },
		"type":   func(s *Spec) { s.DType = dtype.Uint32 },
		"order":  func(s *Spec) { s.Order = ColOrder },
		"chunk":  func(s *Spec) { s.ChunkShape = []int{64, 32} },
		"fill":   func(s *Spec) { s.FillValue = 1 },
		"bounds": func(s *Spec) { s.Shape = []int{200, 199} },
	}
	for name, edit := range others {
		a := make(name, edit)
		if copied, err := a.CopyChunk(src, []int{3, 3}); copied || err != nil {
			t.Errorf("another %s: %v, %v", name, copied, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := Set[int32](src, 7, 10, 10); err != nil { // not committed
		t.Fatal(err)
	}
	if copied, err := dst.CopyChunk(src, []int{0, 0}); copied || err != nil {
		t.Errorf("a chunk that has changed: %v, %v", copied, err)
	}
	if err := src.Shrink(1, 1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(dst.Shrink(1, 1), src.Sync()); err != nil {
		t.Fatal(err)
	}
	if copied, err := dst.CopyChunk(src, []int{0, 3}); copied || err != nil {
		t.Errorf("a chunk that a Shrink has cut: %v, %v", copied, err)
	}
	if copied, err := dst.CopyChunk(src, []int{4, 0}); copied || err != nil {
		t.Errorf("a chunk outside of the bounds: %v, %v", copied, err)
	}
	if err := errors.Join(src.Close(), dst.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := dst.CopyChunk(src, []int{0, 0}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed arrays: %v", err)
	}
}
