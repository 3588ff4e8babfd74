package formats_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
)

func TestParseCodec(t *testing.T) {
	for text, want := range map[string]formats.CodecSpec{
		"raw": {Name: "raw"}, "lz4": {Name: "lz4"}, "gzip": {Name: "gzip", Level: 5}, "gzip:9": {Name: "gzip", Level: 9},
		"zstd": {Name: "zstd", Level: 3}, "zstd:22": {Name: "zstd", Level: 22}, "blosc": {Name: "blosc", Blosc: "lz4", Level: 5},
		"blosc:7": {Name: "blosc", Blosc: "lz4", Level: 7}, "blosc:zstd": {Name: "blosc", Blosc: "zstd", Level: 5},
		"none": {Name: "raw"}, "blosc:shuffle": {Name: "blosc", Blosc: "lz4", Level: 5},
		"blosc:zstd:3:bitshuffle": {Name: "blosc", Blosc: "zstd", Level: 3, Shuffle: "bitshuffle"},
		"blosc:noshuffle":         {Name: "blosc", Blosc: "lz4", Level: 5, Shuffle: "noshuffle"},
		"blosc:lz4hc:1":           {Name: "blosc", Blosc: "lz4hc", Level: 1},
	} {
		c, err := formats.ParseCodec(text)
		if err != nil || c != want {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
		if again, err := formats.ParseCodec(c.String()); err != nil || again != c {
			t.Errorf("%s is %s, which is %+v, %v", text, c, again, err)
		}
	}
	for _, text := range []string{"", ":", "zip", "gzip:0", "gzip:10", "gzip:x", "gzip:", "zstd:23", "zstd:1:2", "lz4:1", "raw:1", "blosc:snappy", "blosc:10", "blosc:lz4:0", "blosc:lz4:1:1", "zstd:1:shuffle", "blosc:shuffle:1"} {
		if c, err := formats.ParseCodec(text); !errors.Is(err, formats.ErrCodec) || c != (formats.CodecSpec{}) {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

// A file whose format lacks the codec must not be begun.
func TestCreateFileChecksCodec(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	vars := []formats.Info{{DType: dtype.Int8, Shape: []int{2}}}
	_, err := formats.CreateFile(path, "", formats.Content{Vars: vars, Codec: formats.CodecSpec{Name: "zstd", Level: 3}})
	if !errors.Is(err, formats.ErrCodec) || !strings.Contains(err.Error(), "a.npy: zstd:3: format npy has no codec zstd") {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(path); left != nil {
		t.Errorf("left %s", left)
	}
}
