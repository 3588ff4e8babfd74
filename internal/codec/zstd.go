package codec

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// zstdMagic is the number at the start of zstd frames, little-endian.
const zstdMagic = 0xfd2fb528

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

func (c zstdCodec) Decode(dst, frame []byte) error {
	s := getScratch()
	defer s.free()
	return decodeZstd(s, slices.Clip(dst), frame)
}

func (c zstdCodec) DecodeRange(dst, frame []byte, from, size int) error {
	checkRange(len(dst), from, size)
	s := getScratch()
	defer s.free()
	whole := s.chunk(size)
	if err := decodeZstd(s, whole, frame); err != nil {
		return err
	}
	copy(dst, whole[from:])
	return nil
}

func (zstdCodec) RangeBytes(_ []byte, _, _, size int) int { return size }

// zstdBound returns the maximal size of a frame of n bytes: a header and raw blocks with headers.
func zstdBound(n int) int { return n + 3*(n>>16+1) + 32 }

// decodeZstd decodes a frame that must fill dst. The decoder of package zstd appends a block, of up
// to 128 KiB, before it compares lengths. So it gets a slice with that much extra capacity, which
// never has to grow: dst if its capacity suffices, otherwise a part of s. And it gets a frame whose
// header states the size, so that it stops before a second block.
func decodeZstd(s *scratch, dst, frame []byte) error {
	frame, err := sizedFrame(frame, len(dst))
	if err != nil {
		return err
	}
	out := dst
	if cap(out) < len(out)+slack {
		out = s.stream(len(dst))
	}
	got, err := zstdDecoder().DecodeAll(frame, out[:0:len(out)+slack])
	switch {
	case err != nil:
		return damaged(Zstd, "%v", err)
	case len(got) != len(dst):
		return damaged(Zstd, "it has %d bytes instead of %d", len(got), len(dst))
	case cap(dst) < len(dst)+slack:
		copy(dst, got)
	}
	return nil
}

// sizedFrame checks that a frame of zstd may decode to size bytes and that nothing follows it. It
// returns the frame with the size in its header.
func sizedFrame(frame []byte, size int) ([]byte, error) {
	if len(frame) < 6 || binary.LittleEndian.Uint32(frame) != zstdMagic {
		return nil, damaged(Zstd, "it does not begin with the bytes of zstd")
	}
	const single, checksum = 1 << 5, 1 << 2
	descriptor := frame[4]
	at := 5 // offset of the size
	if descriptor&single == 0 {
		at++ // after the window
	}
	at += [...]int{0, 1, 2, 4}[descriptor&3] // after the dictionary
	width := [...]int{0, 2, 4, 8}[descriptor>>6]
	if width == 0 && descriptor&single != 0 {
		width = 1
	}
	if len(frame) < at+width {
		return nil, damaged(Zstd, "it ends in its header")
	}
	end, err := endOfBlocks(frame, at+width)
	if err != nil {
		return nil, err
	}
	if descriptor&checksum != 0 {
		end += 4
	}
	if end != len(frame) {
		return nil, damaged(Zstd, "its blocks have %d bytes of %d", end, len(frame))
	}
	var said uint64
	switch width {
	case 0:
		sized := append(make([]byte, 0, len(frame)+8), frame[:at]...)
		sized[4] |= 3 << 6
		return append(binary.LittleEndian.AppendUint64(sized, uint64(size)), frame[at:]...), nil
	case 1:
		said = uint64(frame[at])
	case 2:
		said = uint64(binary.LittleEndian.Uint16(frame[at:])) + 256
	case 4:
		said = uint64(binary.LittleEndian.Uint32(frame[at:]))
	case 8:
		said = binary.LittleEndian.Uint64(frame[at:])
	}
	if said != uint64(size) {
		return nil, damaged(Zstd, "it has %d bytes instead of %d", said, size)
	}
	return frame, nil
}

// endOfBlocks returns the end of the frame's blocks, which begin at byte at.
func endOfBlocks(frame []byte, at int) (int, error) {
	for last := false; !last; {
		if len(frame) < at+3 {
			return 0, damaged(Zstd, "it ends in a block")
		}
		header := int(frame[at]) | int(frame[at+1])<<8 | int(frame[at+2])<<16
		last, at = header&1 != 0, at+3
		if repeated := header>>1&3 == 1; repeated {
			at++
		} else {
			at += header >> 3
		}
	}
	return at, nil
}

// zstdWindow is the largest distance of a match, in bytes. An encoder keeps twice that memory for
// each processor that has used it.
const zstdWindow = 2 << 20

// The encoders and the decoder keep one state per processor, and a caller waits for a free one. For
// frames in memory they start no goroutines.
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

// zstdEncoder returns the encoder whose speed is about that of libzstd's level. It also
// entropy-codes bytes without matches, such as the lower planes of noisy numbers.
func zstdEncoder(level int) *zstd.Encoder {
	speed := zstd.EncoderLevelFromZstd(level)
	e := &zstdEncoders[speed]
	e.once.Do(func() {
		var err error
		e.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(speed), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderCRC(false),
			zstd.WithAllLitEntropyCompression(true), zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
		if err != nil {
			panic(err) // the options are constants
		}
	})
	return e.enc
}
