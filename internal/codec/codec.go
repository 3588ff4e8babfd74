package codec

import (
	"errors"
	"fmt"

	"drx/internal/errkind"
)

// ErrFrame is wrapped by the errors for frames that are damaged, that no codec here reads, or whose
// decoded size is not the one that the caller expects.
var ErrFrame = errors.New("not a valid frame")

// Codec compresses chunks. It is safe for concurrent use.
type Codec interface {
	// Encode compresses src into the memory of dst, or into new memory if the capacity of dst is
	// too small; the length of dst does not matter. If the frame would not be shorter than src, ok
	// is false and the chunk should be stored as it is. In both cases the caller may pass frame as
	// dst to the next call, to reuse its memory. src and dst must not overlap.
	Encode(dst, src []byte) (frame []byte, ok bool)
	// Decode decompresses a frame into dst, whose length is that of the chunk. The error wraps
	// ErrFrame; the contents of dst are then undefined.
	Decode(dst, frame []byte) error
	// DecodeRange decompresses len(dst) bytes, from byte from on, of a chunk of size bytes. If the
	// frame has blocks, only the blocks in that range are decoded. It panics if the range exceeds
	// the chunk.
	DecodeRange(dst, frame []byte, from, size int) error
	// RangeBytes returns about how many bytes of the chunk DecodeRange decodes to get n bytes from
	// byte from on; at most size.
	RangeBytes(frame []byte, from, n, size int) int
}

// New returns the codec of a spec for chunks with elements of elemSize bytes. The error wraps
// ErrSpec for a spec that Parse cannot return. The codec of the zero spec copies: its Encode always
// returns false.
func New(spec Spec, elemSize int) (Codec, error) {
	if elemSize < 1 {
		return nil, errkind.Errorf(ErrSpec, "codec %s: elements of %d bytes: they have 1 or more", spec, elemSize)
	}
	if parsed, err := Parse(spec.String()); err != nil {
		return nil, err
	} else if parsed != spec {
		return nil, errkind.Errorf(ErrSpec, "codec %+v is not %s", spec, parsed)
	}
	switch spec.Name {
	case Zstd:
		return zstdCodec{spec.Level}, nil
	case LZ4:
		return lz4Codec{}, nil
	case Blosc:
		return newBlosc(spec, elemSize), nil
	}
	return none{}, nil
}

// damaged returns the error for a frame that cannot be decoded.
func damaged(codec, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", codec, fmt.Sprintf(format, args...), ErrFrame)
}

// none is the codec of chunks that are not compressed.
type none struct{}

func (none) Encode(dst, _ []byte) ([]byte, bool) { return dst[:0], false }

func (none) Decode(dst, frame []byte) error {
	if len(frame) != len(dst) {
		return damaged(None, "%d bytes of a chunk of %d", len(frame), len(dst))
	}
	copy(dst, frame)
	return nil
}

func (none) DecodeRange(dst, frame []byte, from, size int) error {
	checkRange(len(dst), from, size)
	if len(frame) != size {
		return damaged(None, "%d bytes of a chunk of %d", len(frame), size)
	}
	copy(dst, frame[from:])
	return nil
}

func (none) RangeBytes(_ []byte, _, n, _ int) int { return n }

// checkRange panics if n bytes from byte from on exceed a chunk of size bytes.
func checkRange(n, from, size int) {
	if from < 0 || n > size-from {
		panic(fmt.Sprintf("codec: %d bytes from byte %d of a chunk of %d", n, from, size))
	}
}

// decodePart implements DecodeRange for frames without blocks: it decodes the whole chunk and
// copies the range.
func decodePart(c Codec, dst, frame []byte, from, size int) error {
	checkRange(len(dst), from, size)
	if len(dst) == size {
		return c.Decode(dst, frame)
	}
	s := getScratch()
	defer s.free()
	whole := s.chunk(size)
	if err := c.Decode(whole, frame); err != nil {
		return err
	}
	copy(dst, whole[from:])
	return nil
}
