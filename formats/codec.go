package formats

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx/internal/errkind"
)

// ErrCodec is returned for a codec that does not exist, or that a format does not have.
var ErrCodec = errors.New("no such codec")

// A CodecSpec says how the elements of a file are compressed. The codec of a file that was read may
// have a name that ParseCodec does not know, such as szip or lzw.
type CodecSpec struct {
	Name  string // raw (no compression), gzip (which is deflate), zstd, lz4 or blosc
	Blosc string // what blosc compresses with: lz4, lz4hc, zlib or zstd; empty for other codecs
	Level int    // 1 to 9, of zstd to 22; 0 for raw and lz4, which have none, or if unknown
	// Shuffle is the transformation before compression. For blosc it is noshuffle, bitshuffle, or
	// empty, which means shuffle. Other codecs, of files that were read, have shuffle, predictor,
	// or empty, which means none.
	Shuffle string
}

// codecLevels are the codecs with their default and highest levels.
var codecLevels = map[string]struct{ usual, most int }{"raw": {}, "gzip": {5, 9}, "zstd": {3, 22}, "lz4": {}, "blosc": {5, 9}}

// bloscCodecs are the codecs inside of blosc. The first is the default.
var bloscCodecs = []string{"lz4", "lz4hc", "zlib", "zstd"}

// bloscShuffles are the transformations that blosc applies before it compresses.
var bloscShuffles = []string{"noshuffle", "shuffle", "bitshuffle"}

// IsNone reports whether nothing is compressed.
func (c CodecSpec) IsNone() bool { return c == (CodecSpec{}) || c.Name == "raw" }

// ParseCodec reads a codec: its name, of blosc with that of the codec inside, its level, and of
// blosc the shuffle, as in raw, gzip:6, zstd, lz4, blosc, blosc:9 or blosc:zstd:3:bitshuffle. none
// is another name of raw. Without a level a codec has the usual one: 5 for gzip and blosc, 3 for
// zstd. The error wraps ErrCodec.
func ParseCodec(text string) (c CodecSpec, err error) {
	parts := strings.Split(text, ":")
	c.Name, parts = parts[0], parts[1:]
	if c.Name == "none" {
		c.Name = "raw"
	}
	levels, known := codecLevels[c.Name]
	if !known {
		return CodecSpec{}, fmt.Errorf("%q: %w: want none, gzip, zstd, lz4 or blosc", text, ErrCodec)
	}
	c.Level = levels.usual
	if c.Name == "blosc" {
		c.Blosc = bloscCodecs[0]
		if len(parts) > 0 && slices.Contains(bloscCodecs, parts[0]) {
			c.Blosc, parts = parts[0], parts[1:]
		}
		if n := len(parts); n > 0 && slices.Contains(bloscShuffles, parts[n-1]) {
			c.Shuffle, parts = parts[n-1], parts[:n-1]
			if c.Shuffle == bloscShuffles[1] {
				c.Shuffle = ""
			}
		}
	}
	if len(parts) == 0 {
		return c, nil
	}
	n, err := strconv.Atoi(parts[0])
	switch {
	case len(parts) > 1 || err != nil:
		what := "a level"
		if c.Name == "blosc" {
			what = "the codec inside (" + strings.Join(bloscCodecs, ", ") + "), then a level, then a shuffle"
		}
		return CodecSpec{}, errkind.Errorf(ErrCodec, "%q: want %s behind %s, as in gzip:6 or blosc:zstd:3", text, what, c.Name)
	case levels.most == 0:
		return CodecSpec{}, errkind.Errorf(ErrCodec, "%q: %s has no levels", text, c.Name)
	case n < 1 || n > levels.most:
		return CodecSpec{}, errkind.Errorf(ErrCodec, "%q: levels of %s are 1 to %d", text, c.Name, levels.most)
	}
	c.Level = n
	return c, nil
}

// String returns the codec in the form of ParseCodec, without a level if it has none.
func (c CodecSpec) String() string {
	text := c.Name
	if c.Blosc != "" {
		text += ":" + c.Blosc
	}
	if c.Level != 0 {
		text += ":" + strconv.Itoa(c.Level)
	}
	if c.Shuffle != "" {
		text += ":" + c.Shuffle
	}
	return text
}

// CheckCodec returns an error that wraps ErrCodec if c compresses and the writers of the format do
// not have it.
func (f Format) CheckCodec(c CodecSpec) error {
	if c.IsNone() || slices.Contains(f.Codecs, c.Name) {
		return nil
	}
	var others []string
	for _, other := range Formats() {
		if slices.Contains(other.Codecs, c.Name) {
			others = append(others, other.Name)
		}
	}
	return errkind.Errorf(ErrCodec, "%s: format %s has no codec %s, %s have", c, f.Name, c.Name, strings.Join(others, ", "))
}
