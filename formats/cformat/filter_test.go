package cformat

import (
	"testing"

	"drx/formats"
)

// What compresses is found behind shuffles and before checksums; parameters that are missing or
// impossible are the usual ones.
func TestCodecOf(t *testing.T) {
	for _, c := range []struct {
		filters []Filter
		want    string
		shuffle string
	}{
		{nil, "", ""},
		{[]Filter{{ID: 2}, {ID: 3}}, "", ""},
		{[]Filter{{ID: 2}, {1, []uint32{4}}, {ID: 3}}, "gzip:4", "shuffle"},
		{[]Filter{{32015, []uint32{7}}}, "zstd:7", ""},
		{[]Filter{{32015, []uint32{1 << 31}}}, "zstd", ""},
		{[]Filter{{4, []uint32{141, 32}}}, "szip", ""},
		{[]Filter{{ID: 40000}}, "filter 40000", ""},
		{[]Filter{{32001, []uint32{2, 2, 4, 4096, 9, 2, 5}}}, "blosc:zstd:9", "bitshuffle"},
		{[]Filter{{32001, []uint32{2, 2, 4, 4096, 1, 0, 1}}}, "blosc:lz4:1", "noshuffle"},
		{[]Filter{{ID: 32001}}, "blosc:blosclz:5", ""},
		{[]Filter{{32001, []uint32{2, 2, 4, 4096, 99, 99, 99}}}, "blosc:blosclz:5", ""},
	} {
		got := CodecOf(c.filters)
		shuffle := got.Shuffle
		if got.Shuffle = ""; got.String() != c.want || shuffle != c.shuffle || (c.want == "") != (got == formats.Codec{}) {
			t.Errorf("%v: %s after %q, want %s after %q", c.filters, got, shuffle, c.want, c.shuffle)
		}
	}
}
