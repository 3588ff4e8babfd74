package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/tiff"
)

// bombs are files of a few bytes that declare a large picture.
func bombs() map[string][]byte {
	ihdr := func(w, h uint32, rest string) string {
		b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
		return string(b) + rest
	}
	wide := func(n uint16) tiffPage { return grey(1).with(tagWidth, n).with(tagHeight, n) }
	return map[string][]byte{
		"png":             pngFile(ihdr(16000, 16000, "\x08\x02\x00\x00\x00")),
		"png interlaced":  pngFile(ihdr(20000, 20000, "\x08\x00\x00\x00\x01")),
		"png 16 bits":     pngFile(ihdr(9000, 9000, "\x10\x02\x00\x00\x00")),
		"tiff":            buildTIFF(binary.LittleEndian, wide(30000)),
		"tiff strip":      buildTIFF(binary.LittleEndian, wide(10000).with(tagCompression, deflate).with(tagRowsPerStrip, 9999)),
		"tiff tiles":      buildTIFF(binary.LittleEndian, wide(10000).with(tagCompression, lzw).with(tagTileWidth, 9999).with(tagTileLength, 9999)),
		"tiff large tile": buildTIFF(binary.BigEndian, wide(10000).with(tagCompression, lzw).with(tagTileWidth, 65535).with(tagTileLength, 65535)),
	}
}

// A picture that may take more memory than is allowed must be refused by its headers.
func TestMemoryLimit(t *testing.T) {
	for name, data := range bombs() {
		var err error
		got := allocated(func() { _, err = NewReader(bytes.NewReader(data), int64(len(data)), 0) })
		if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), fmt.Sprintf("the limit is %d bytes", DefaultMemory)) {
			t.Errorf("%s: %v", name, err)
		}
		if got > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, got)
		}
		if _, err := NewReader(bytes.NewReader(data), int64(len(data)), 1<<40); errors.Is(err, ErrMemory) {
			t.Errorf("%s: with more memory: %v", name, err)
		}
	}
}

// Decoding a picture must take no more memory than was allowed, and a limit of exactly its memory
// must suffice.
func TestMemoryTaken(t *testing.T) {
	const w, h = 700, 500
	encode := func(img image.Image, compression tiff.CompressionType) map[string][]byte {
		var asPNG, asTIFF bytes.Buffer
		if err := errors.Join(png.Encode(&asPNG, img), tiff.Encode(&asTIFF, img, &tiff.Options{Compression: compression})); err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"png": asPNG.Bytes(), "tiff": asTIFF.Bytes()}
	}
	box := image.Rect(0, 0, w, h)
	for name, files := range map[string]map[string][]byte{
		"grey":          encode(image.NewGray(box), tiff.Deflate),
		"grey 16":       encode(image.NewGray16(box), tiff.Uncompressed),
		"colour":        encode(image.NewNRGBA(box), tiff.Deflate),
		"colour 16":     encode(image.NewNRGBA64(box), tiff.Uncompressed),
		"netpbm":        {"P6": append([]byte("P6 700 500 65535 "), make([]byte, w*h*6)...)},
		"netpbm bitmap": {"P4": append([]byte("P4 700 500 "), make([]byte, (w+7)/8*h)...)},
	} {
		for format, data := range files {
			r := leastMemory(t, data)
			limit := uint64(r.pages[0].memory) + bandBytes + 1<<20 // and for decompression
			if format == "tiff" {
				limit *= 2 // a growing buffer is freed several times
			}
			samples := 1
			for _, n := range append(r.Shape, r.DType.Size()) {
				samples *= n
			}
			var n int64
			var err error
			got := allocated(func() { n, err = io.Copy(io.Discard, struct{ io.Reader }{r}) })
			if err != nil || n != int64(samples) || got > limit {
				t.Errorf("%s %s: %d bytes of samples, want %d; %d allocated, allowed %d; %v", name, format, n, samples, got, limit, err)
			}
		}
	}
}

// leastMemory opens a picture with the least memory that suffices.
func leastMemory(t *testing.T, data []byte) *Reader {
	t.Helper()
	least, most := int64(1), int64(DefaultMemory)
	for least < most {
		middle := (least + most) / 2
		if _, err := NewReader(bytes.NewReader(data), int64(len(data)), middle); errors.Is(err, ErrMemory) {
			least = middle + 1
		} else {
			most = middle
		}
	}
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), least)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// allocated returns the number of bytes that a function allocates, including freed ones.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
