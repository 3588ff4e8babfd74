package codec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx/internal/wording"
)

// ErrSpec is wrapped by the errors for texts and values that name no codec.
var ErrSpec = errors.New("no such codec")

// Names of the codecs, of the compressors inside blosc, and of the shuffles before them.
const (
	None  = "none"
	Zstd  = "zstd"
	LZ4   = "lz4"
	LZ4HC = "lz4hc"
	Blosc = "blosc"
	Zlib  = "zlib" // only EncodeBlosc accepts it

	NoShuffle  = "noshuffle"
	Shuffle    = "shuffle"
	BitShuffle = "bitshuffle"
)

var (
	names     = []string{None, Zstd, LZ4, Blosc}
	inners    = []string{LZ4, LZ4HC, Zstd}
	shuffles  = []string{NoShuffle, Shuffle, BitShuffle}
	maxLevels = map[string]int{Zstd: 22, Blosc: 9}
)

// Default levels: those of zstd and of C-Blosc.
const (
	defaultZstd  = 3
	defaultBlosc = 5
)

// Spec names a codec. The zero value means none. Specs that Parse returns have exactly the fields
// that their codec needs, so equal codecs are equal values.
type Spec struct {
	Name    string // "", Zstd, LZ4 or Blosc
	Inner   string // of Blosc: LZ4, LZ4HC or Zstd
	Level   int    // of Zstd from 1 to 22, of Blosc from 1 to 9
	Shuffle string // of Blosc: NoShuffle, Shuffle or BitShuffle
}

// Parse returns the spec that a text names: a codec and, after colons, what it takes. These are the
// texts, of which the parts in brackets may be left out:
//
//	none
//	zstd[:level]
//	lz4
//	blosc[:compressor][:level][:shuffle]
//
// The errors wrap ErrSpec.
func Parse(text string) (Spec, error) {
	parts := strings.Split(text, ":")
	name, rest := parts[0], parts[1:]
	var s Spec
	var err error
	switch name {
	case None:
	case LZ4:
		s = Spec{Name: LZ4}
	case Zstd:
		s = Spec{Name: Zstd, Level: defaultZstd}
		s.Level, rest, err = parseLevel(s, rest)
	case Blosc:
		s, rest, err = parseBlosc(rest)
	default:
		err = unknown("name", name, names)
	}
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%s takes no %q", s.what(), rest[0])
	}
	if err != nil {
		return Spec{}, wording.Reworded(fmt.Sprintf("codec %q: %v", text, err), ErrSpec)
	}
	return s, nil
}

// parseBlosc parses the parts after the name blosc. rest is the first parts that it does not know,
// if any.
func parseBlosc(parts []string) (s Spec, rest []string, err error) {
	s = Spec{Name: Blosc, Inner: LZ4, Level: defaultBlosc, Shuffle: Shuffle}
	if len(parts) > 0 && !isNumber(parts[0]) && !slices.Contains(shuffles, parts[0]) {
		if !slices.Contains(inners, parts[0]) {
			return s, nil, unknown("compressor", parts[0], inners)
		}
		s.Inner, parts = parts[0], parts[1:]
	}
	if s.Level, parts, err = parseLevel(s, parts); err != nil {
		return s, nil, err
	}
	if len(parts) > 0 {
		if !slices.Contains(shuffles, parts[0]) {
			return s, nil, unknown("shuffle", parts[0], shuffles)
		}
		s.Shuffle, parts = parts[0], parts[1:]
	}
	return s, parts, nil
}

// parseLevel returns the level at the start of parts and the parts after it; if there is none, the
// level of s and all parts.
func parseLevel(s Spec, parts []string) (level int, rest []string, err error) {
	if len(parts) == 0 || !isNumber(parts[0]) {
		return s.Level, parts, nil
	}
	level, err = strconv.Atoi(parts[0])
	if most := maxLevels[s.Name]; err != nil || level < 1 || level > most {
		return 0, nil, fmt.Errorf("level %s: levels of %s are from 1 to %d", parts[0], s.Name, most)
	}
	return level, parts[1:], nil
}

// isNumber reports whether a part is meant as a level.
func isNumber(part string) bool {
	return part != "" && strings.Trim(part, "+-0123456789") == ""
}

func unknown(what, word string, known []string) error {
	return fmt.Errorf("%s %q is not known%s: known are %s", what, word, wording.DidYouMean("", word, known), strings.Join(known, ", "))
}

// what returns the name of the codec for error messages.
func (s Spec) what() string {
	if s.IsNone() {
		return None
	}
	return s.Name
}

// IsNone reports whether chunks are not compressed.
func (s Spec) IsNone() bool { return s == Spec{} }

// String returns the complete text of a spec, which Parse accepts.
func (s Spec) String() string {
	switch s.Name {
	case Zstd:
		return Zstd + ":" + strconv.Itoa(s.Level)
	case Blosc:
		return strings.Join([]string{Blosc, s.Inner, strconv.Itoa(s.Level), s.Shuffle}, ":")
	}
	return s.what()
}
