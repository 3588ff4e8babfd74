package drx

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/codectest"
	"drx/nd"
)

// eachChunk calls f for every chunk of an array of 200 x 200 elements in chunks of 64 x 64.
func eachChunk(f func(index []int)) {
	for i := range 4 {
		for j := range 4 {
			f([]int{i, j})
		}
	}
}

// Chunks are copied between arrays as frames, without being compressed again. Chunks that are
// stored uncompressed, and unwritten ones, have no frame.
func TestFrames(t *testing.T) {
	for _, c := range realCodecs {
		encoded, _ := countCodecs(t)
		dir := t.TempDir()
		src, want := compressedSquare(t, dir+"/src", c)
		dst, err := Create(dir+"/dst", Spec{DType: dtype.Int32, Shape: []int{200, 200}, ChunkShape: []int{64, 64}, Codec: c})
		if err != nil {
			t.Fatal(err)
		}
		noise := smooth(5 * 64 * 64)[4*64*64:]
		if err := errors.Join(Write(src, nd.Sec(nd.Span(128, 192), nd.Span(0, 64)), noise), src.Sync()); err != nil {
			t.Fatal(err)
		}
		encoded.Store(0)
		frames, raw := 0, 0
		eachChunk(func(index []int) {
			if frame, written, err := dst.ReadFrame(index, nil); frame != nil || written || err != nil {
				t.Errorf("%s: chunk %v, never written: %d bytes, %v, %v", c, index, len(frame), written, err)
			}
			frame, written, err := src.ReadFrame(index, nil)
			if !written || err != nil {
				t.Fatalf("%s: chunk %v: %v", c, index, err)
			}
			if frame == nil {
				raw++
				return
			}
			frames++
			if done, err := dst.WriteFrame(index, frame); !done || err != nil {
				t.Fatalf("%s: chunk %v: %v, %v", c, index, done, err)
			}
			if again, _, err := dst.ReadFrame(index, make([]byte, 7)); err != nil || !bytes.Equal(again, frame) {
				t.Errorf("%s: chunk %v: another frame, %v", c, index, err)
			}
		})
		if encoded.Load() != 0 || frames != 15 || raw != 1 {
			t.Errorf("%s: %d chunks encoded, %d frames, %d chunks as they are", c, encoded.Load(), frames, raw)
		}
		if err := errors.Join(dst.Close(), src.Close()); err != nil {
			t.Fatal(err)
		}
		if dst, err = Open(dir+"/dst", Options{}); err != nil {
			t.Fatal(err)
		}
		if got, err := Read[int32](dst, nd.Sec(nd.Span(0, 128), nd.All)); err != nil || !slices.Equal(got, want[:128*200]) {
			t.Errorf("%s: other elements, %v", c, err)
		}
		if _, err := dst.WriteFrame([]int{0, 0}, nil); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", c, err)
		}
		if err := dst.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := dst.ReadFrame([]int{0, 0}, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", c, err)
		}
	}
}

// A frame that the array cannot have, or that is not a chunk, is not stored. ReadFrame returns
// no frame for a chunk whose present contents differ from it.
func TestFramesThatAreNone(t *testing.T) {
	a, want := compressedSquare(t, t.TempDir()+"/a", "blosc:lz4:5:shuffle")
	defer a.Close()
	chunk := dtype.Bytes(slices.Repeat([]int32{7}, 64*64))
	encode := func(text string, chunk []byte) []byte { return codectest.Frame(t, text, 4, chunk) }
	good := encode("blosc:lz4:9:shuffle", chunk) // the level is not visible in a frame
	damaged := bytes.Clone(good)
	damaged[len(damaged)-1] ^= 0xff
	clear(damaged[20:40])
	for name, c := range map[string]struct {
		index []int
		frame []byte
	}{
		"another compressor":      {[]int{0, 0}, encode("blosc:zstd:5:shuffle", chunk)},
		"another shuffle":         {[]int{0, 0}, encode("blosc:lz4:5:bitshuffle", chunk)},
		"another codec":           {[]int{0, 0}, encode("zstd:3", chunk)},
		"more than the chunk":     {[]int{0, 0}, encode("blosc:lz4:5:shuffle", slices.Concat(chunk, chunk))},
		"as long as the chunk":    {[]int{0, 0}, chunk},
		"nothing":                 {[]int{0, 0}, nil},
		"damaged":                 {[]int{0, 0}, damaged},
		"something beyond bounds": {[]int{3, 0}, good},
	} {
		if done, err := a.WriteFrame(c.index, c.frame); done || err != nil {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
	if got, err := Read[int32](a, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("something was written, %v", err)
	}
	for _, index := range [][]int{{4, 0}, {-1, 0}} {
		_, writeErr := a.WriteFrame(index, good)
		if _, _, err := a.ReadFrame(index, nil); !errors.Is(err, ErrBounds) || !errors.Is(writeErr, ErrBounds) {
			t.Errorf("%v: %v, %v", index, err, writeErr)
		}
	}
	if _, err := a.WriteFrame([]int{0}, good); !errors.Is(err, ErrRank) {
		t.Error(err)
	}
	if done, err := a.WriteFrame([]int{1, 1}, good); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	if got, err := Read[int32](a, nd.Sec(nd.Span(64, 128), nd.Span(64, 128))); err != nil || !bytes.Equal(dtype.Bytes(got), chunk) {
		t.Errorf("other elements, %v", err)
	}
	testHiddenChunks(t, a)
}

// testHiddenChunks changes an array so that a chunk differs from its frame.
func testHiddenChunks(t *testing.T, a *Array) {
	t.Helper()
	none := func(what string, index ...int) {
		t.Helper()
		if frame, written, err := a.ReadFrame(index, nil); frame != nil || !written || err != nil {
			t.Errorf("%s: %d bytes, %v, %v", what, len(frame), written, err)
		}
	}
	if err := Set(a, int32(5), 0, 0); err != nil {
		t.Fatal(err)
	}
	none("changed", 0, 0)
	if err := errors.Join(a.Sync(), a.Shrink(1, 20)); err != nil {
		t.Fatal(err)
	}
	none("shrunk", 0, 2)
	if frame, _, err := a.ReadFrame([]int{0, 1}, nil); frame == nil || err != nil {
		t.Errorf("a whole chunk after a Shrink: %v", err)
	}
}
