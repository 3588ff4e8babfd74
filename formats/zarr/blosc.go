package zarr

import (
	"encoding/json"
	"slices"

	frames "drx/internal/codec"
	"drx/internal/errkind"
)

// blosc is the container of C-Blosc 1, which package internal/codec describes. The header of a
// chunk says how the chunk was made, so only encode uses the configuration.
type blosc struct {
	cname     string
	clevel    int
	shuffle   int // an index of bloscShuffles
	typeSize  int // size of elements; in version 2 that of the dtype
	blockSize int
}

const maxTypeSize = 255 // larger elements count as bytes

// bloscByte is the shuffle of bytes, in a configuration.
const bloscByte = 1

// bloscShuffles are the names of the shuffles in version 3, by their number in version 2.
var bloscShuffles = []string{frames.NoShuffle, frames.Shuffle, frames.BitShuffle}

// newBlosc returns the codec for a configuration.
func newBlosc(config json.RawMessage) (codec, error) {
	var c struct {
		Cname     string          `json:"cname"`
		Level     int             `json:"clevel"`
		Shuffle   json.RawMessage `json:"shuffle"`
		TypeSize  int             `json:"typesize"`
		BlockSize int             `json:"blocksize"`
	}
	if len(config) > 0 {
		if err := json.Unmarshal(config, &c); err != nil {
			return nil, errkind.Errorf(ErrFormat, "codec blosc: %s: %w", short(config), err)
		}
	}
	b := blosc{cname: c.Cname, clevel: c.Level, typeSize: c.TypeSize, blockSize: c.BlockSize}
	b.shuffle = parseShuffle(c.Shuffle)
	return b, nil
}

// parseShuffle reads the shuffle of a configuration: a name in version 3, a number in version 2,
// where -1 lets the size of the elements decide.
func parseShuffle(raw json.RawMessage) int {
	var name string
	n := 0
	switch {
	case json.Unmarshal(raw, &name) == nil:
		n = slices.Index(bloscShuffles, name)
	case json.Unmarshal(raw, &n) == nil && n == -1:
		n = bloscByte
	}
	if n < 0 || n >= len(bloscShuffles) {
		return 0
	}
	return n
}

func (blosc) decode(src []byte, limit int) ([]byte, error) {
	size, err := frames.BloscSize(src)
	switch {
	case err != nil:
		return nil, errkind.Of(ErrFormat, err)
	case size > int64(limit):
		return nil, damaged("blosc", "%d bytes, more than %d", size, limit)
	}
	out := make([]byte, size)
	if err := frames.DecodeBlosc(out, src); err != nil {
		return nil, errkind.Of(ErrFormat, err)
	}
	return out, nil
}

func (b blosc) encode(src []byte) ([]byte, error) {
	return frames.EncodeBlosc(src, frames.Spec{Inner: b.cname, Level: b.clevel, Shuffle: bloscShuffles[b.shuffle]}, b.typeSize)
}

func (b blosc) spec(version int) (string, map[string]any) {
	if version == 2 {
		return "blosc", map[string]any{"cname": b.cname, "clevel": b.clevel, "shuffle": b.shuffle, "blocksize": b.blockSize}
	}
	return "blosc", map[string]any{
		"cname": b.cname, "clevel": b.clevel, "shuffle": bloscShuffles[b.shuffle], "blocksize": b.blockSize, "typesize": b.typeSize,
	}
}
