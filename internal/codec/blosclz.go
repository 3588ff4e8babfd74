package codec

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
)

// decodeBloscLZ decodes a stream of BloscLZ, a variant of FastLZ, which must fill out. The stream
// consists of literal runs and matches. A run begins with its length less one, below 32. A match
// begins with three bits of length and five of distance, then come further bytes of the length and
// one byte of the distance. After the largest distance, two more bytes of distance follow.
func decodeBloscLZ(out, src []byte) error {
	const farthest = 8191
	cut := func() error { return damaged("blosclz", "the stream is cut") }
	n := 0
	for first := true; len(src) > 0; first = false {
		ctrl := int(src[0])
		src = src[1:]
		if first {
			ctrl &= 31 // the first run is literal; the upper bits are the version
		}
		if ctrl < 32 {
			if ctrl++; ctrl > len(src) || ctrl > len(out)-n {
				return cut()
			}
			n += copy(out[n:], src[:ctrl])
			src = src[ctrl:]
			continue
		}
		length, distance := ctrl>>5-1, ctrl&31<<8
		for more := length == 6; more; {
			if len(src) == 0 {
				return cut()
			}
			length, more = length+int(src[0]), src[0] == 255
			src = src[1:]
		}
		if len(src) == 0 {
			return cut()
		}
		distance += int(src[0])
		if src = src[1:]; distance == farthest {
			if len(src) < 2 {
				return cut()
			}
			distance += int(src[0])<<8 + int(src[1])
			src = src[2:]
		}
		distance, length = distance+1, length+3
		if distance > n || length > len(out)-n {
			return damaged("blosclz", "a match of %d bytes, %d bytes back, at byte %d of %d", length, distance, n, len(out))
		}
		n = repeat(out, n, distance, length)
	}
	if n != len(out) {
		return damaged("blosclz", "it has %d bytes instead of %d", n, len(out))
	}
	return nil
}

// repeat copies length bytes from out[n-distance:] to out[n:] and returns the end of the copy. The
// two ranges may overlap: bytes just written are then copied again.
func repeat(out []byte, n, distance, length int) int {
	for end := n + length; n < end; {
		n += copy(out[n:end], out[n-distance:n])
	}
	return n
}

// zlibReader decodes streams of zlib and reuses its memory.
type zlibReader struct {
	src    bytes.Reader
	stream io.ReadCloser
}

var zlibReaders = sync.Pool{New: func() any { return new(zlibReader) }}

// decodeZlib decodes a stream of zlib, which must fill out.
func decodeZlib(out, src []byte) error {
	z := zlibReaders.Get().(*zlibReader)
	defer zlibReaders.Put(z)
	defer z.src.Reset(nil)
	z.src.Reset(src)
	var err error
	if z.stream == nil {
		z.stream, err = zlib.NewReader(&z.src)
	} else {
		err = z.stream.(zlib.Resetter).Reset(&z.src, nil)
	}
	if err != nil {
		return damaged("zlib", "%v", err)
	}
	n, err := io.ReadFull(z.stream, out)
	if err != nil {
		return damaged("zlib", "after %d bytes of %d: %v", n, len(out), err)
	}
	var more [1]byte
	if n, err := z.stream.Read(more[:]); n != 0 || err != io.EOF { // EOF: the checksum is right
		return damaged("zlib", "more than %d bytes, or a wrong checksum: %v", len(out), err)
	}
	return nil
}

// limitedBuffer is a writer that fails when it is full.
type limitedBuffer struct{ free []byte }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	n := copy(b.free, p)
	b.free = b.free[n:]
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// zlibWriters keeps idle writers, by level, because each one has about 1 MiB of memory.
var zlibWriters [zlib.BestCompression + 1]sync.Pool

// compressZlib writes src to dst as a zlib stream and returns its length, or 0 if it does not fit.
func compressZlib(dst, src []byte, level int) int {
	out := limitedBuffer{dst}
	w, _ := zlibWriters[level].Get().(*zlib.Writer)
	if w == nil {
		w, _ = zlib.NewWriterLevel(nil, level) // the level was checked
	}
	defer zlibWriters[level].Put(w)
	w.Reset(&out)
	if _, err := w.Write(src); err != nil {
		return 0
	}
	if err := w.Close(); err != nil {
		return 0
	}
	return len(dst) - len(out.free)
}

// decodeSnappy decodes a block of Snappy, which must fill out.
func decodeSnappy(out, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err == nil && n == len(out) {
		_, err = snappy.Decode(out, src)
	}
	if err != nil || n != len(out) {
		return damaged("snappy", "%d bytes instead of %d: %v", n, len(out), err)
	}
	return nil
}
