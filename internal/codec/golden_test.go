package codec

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/golden.txt by numcodecs")

const goldenFile = "testdata/golden.txt"

// goldenSpecs are the codecs of the golden frames; for blosc with the block size that was forced,
// or 0.
var goldenSpecs = []string{
	"zstd:1", "zstd:19", "lz4", "blosc:lz4:5:shuffle:0", "blosc:lz4:5:bitshuffle:0", "blosc:lz4:1:noshuffle:512",
	"blosc:lz4hc:9:shuffle:0", "blosc:zstd:5:shuffle:0", "blosc:zstd:9:bitshuffle:1024", "blosc:zlib:5:shuffle:0",
	"blosc:blosclz:5:shuffle:0", "blosc:blosclz:9:noshuffle:0", "blosc:lz4:0:shuffle:0",
}

// goldenChunk returns 300 elements, the squares divided by 7.
func goldenChunk(elem int) []byte {
	chunk := make([]byte, 0, 300*elem)
	for i := range 300 {
		for b := range elem {
			chunk = append(chunk, byte(i*i/7>>min(8*b, 62)))
		}
	}
	return chunk
}

// Frames that numcodecs 0.11 has written decode on every machine, with and without assembly.
func TestGoldenFrames(t *testing.T) {
	if *update {
		o, lines := newOracle(t), ""
		for _, text := range goldenSpecs {
			for _, elem := range []int{1, 2, 4, 12} {
				lines += fmt.Sprintf("%s %d %s\n", text, elem, base64.StdEncoding.EncodeToString(o.ask("encode", text, elem, goldenChunk(elem))))
			}
		}
		check(t, os.WriteFile(goldenFile, []byte(lines), 0o666))
	}
	golden, err := os.ReadFile(goldenFile)
	check(t, err)
	portably(t, func(t *testing.T) {
		n := 0
		for line := range strings.Lines(string(golden)) {
			var text, encoded string
			var elem int
			_, err := fmt.Sscan(line, &text, &elem, &encoded)
			check(t, err)
			frame, err := base64.StdEncoding.DecodeString(encoded)
			check(t, err)
			name, _, _ := strings.Cut(text, ":")
			chunk := goldenChunk(elem)
			got := make([]byte, len(chunk))
			if err := newCodec(t, name, elem).Decode(got, frame); err != nil || !bytes.Equal(got, chunk) {
				t.Errorf("%s in elements of %d: %v", text, elem, err)
			}
			n++
		}
		if n != 4*len(goldenSpecs) {
			t.Errorf("%d golden frames, want %d", n, 4*len(goldenSpecs))
		}
	})
}
