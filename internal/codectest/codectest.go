// Package codectest chooses codecs for tests of other things than compression: each case gets one
// codec, or none, so that the whole suite covers all codecs in the same time. Only tests import it.
package codectest

import (
	"hash/fnv"
	"testing"

	"drx/internal/codec"
)

// codecs has one codec of each kind, and two of blosc, which has blocks.
var codecs = []string{"zstd:1", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:1:bitshuffle"}

// Turn returns the codec of the n-th case of a test: none for every other case, otherwise the
// codecs in turn.
func Turn(n uint64) string {
	if n%2 == 0 {
		return ""
	}
	return codecs[n/2%uint64(len(codecs))]
}

// Of returns the codec for the test name: one of codecs or none, equally often.
func Of(name string) string {
	sum := fnv.New32()
	_, _ = sum.Write([]byte(name))
	return append([]string{""}, codecs...)[sum.Sum32()%uint32(1+len(codecs))]
}

// Frame returns the frame of a chunk whose elements have element bytes.
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
