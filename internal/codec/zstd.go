package codec

import (
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// zstdCodec stores a chunk as one zstd frame.
type zstdCodec struct{ level int }

func (c zstdCodec) Encode(dst, src []byte) ([]byte, bool) {
	bound := zstdBound(len(src))
	if cap(dst) >= bound {
		frame := zstdEncoder(c.level).EncodeAll(src, dst[:0])
		return frame, len(frame) < len(src)
	}
	s := getScratch()
	defer s.free()
	frame := zstdEncoder(c.level).EncodeAll(src, s.stream(bound)[:0])
	if len(frame) >= len(src) {
		return dst[:0], false
	}
	return append(dst[:0], frame...), true
}

func (c zstdCodec) Decode(dst, frame []byte) error { return decodeZstd(slices.Clip(dst), frame) }

func (c zstdCodec) DecodeRange(dst, frame []byte, from, size int) error {
	return decodePart(c, dst, frame, from, size)
}

// zstdBound returns the most bytes of the frame of n bytes: a header, and raw blocks with theirs.
func zstdBound(n int) int { return n + 3*(n>>16+1) + 32 }

// decodeZstd decodes a frame that must fill dst. The decoder may write up to the capacity of dst,
// which is also the most that it decodes, and is faster if there are some bytes.
func decodeZstd(dst, frame []byte) error {
	got, err := zstdDecoder().DecodeAll(frame, dst[:0])
	if err != nil {
		return damaged(Zstd, "%v", err)
	}
	if len(got) != len(dst) || len(dst) > 0 && &got[0] != &dst[0] {
		return damaged(Zstd, "it has %d bytes instead of %d", len(got), len(dst))
	}
	return nil
}

// The encoders and the decoder keep a state for each processor, and a caller waits for one that is
// free. They run no goroutines of their own for frames in memory.
var (
	zstdEncoders [zstd.SpeedBestCompression + 1]struct {
		once sync.Once
		enc  *zstd.Encoder
	}
	zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	})
)

func zstdEncoder(level int) *zstd.Encoder {
	speed := zstd.EncoderLevelFromZstd(level)
	e := &zstdEncoders[speed]
	e.once.Do(func() {
		var err error
		e.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(speed), zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true),
			zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithZeroFrames(true))
		if err != nil {
			panic(err) // the options are constants
		}
	})
	return e.enc
}
