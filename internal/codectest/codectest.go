// Package codectest chooses codecs for tests that try other things than compression: each case of
// such a test has one, or none, so that the suite as a whole tries all in the same time. Only tests
// import it.
package codectest

import (
	"hash/fnv"
	"testing"

	"drx/internal/codec"
)

// codecs are one of each kind, two of blosc, which has blocks.
var codecs = []string{"zstd:1", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:1:bitshuffle"}

// Turn returns the codec of the n-th case of a test: none for every other one, the others have all
// codecs in turn.
func Turn(n uint64) string {
	if n%2 == 0 {
		return ""
	}
	return codecs[n/2%uint64(len(codecs))]
}

// Of returns the codec of a test with a name: each of them, or none, as often as others.
func Of(name string) string {
	sum := fnv.New32()
	_, _ = sum.Write([]byte(name))
	return append([]string{""}, codecs...)[sum.Sum32()%uint32(1+len(codecs))]
}

// Frame returns the frame that a codec makes of a chunk of elements of some bytes.
func Frame(t testing.TB, text string, element int, chunk []byte) []byte {
	t.Helper()
	spec, err := codec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := codec.New(spec, element)
	if err != nil {
		t.Fatal(err)
	}
	frame, ok := c.Encode(nil, chunk)
	if !ok {
		t.Fatalf("%s makes the chunk no smaller", text)
	}
	return frame
}
