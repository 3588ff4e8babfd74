package cformat

import (
	"errors"
	"strings"
	"testing"

	"drx/formats"
)

// The codec must be found after shuffles and before checksums; missing or impossible parameters
// must be replaced by the usual ones.
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
		{[]Filter{{ID: 32023}, {ID: 2}, {32015, []uint32{7}}}, "zstd:7", "shuffle"},
		{[]Filter{{ID: 32022}, {ID: 32003}}, "snappy", ""},
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
		if got.Shuffle = ""; got.String() != c.want || shuffle != c.shuffle || (c.want == "") != (got == formats.CodecSpec{}) {
			t.Errorf("%v: %s after %q, want %s after %q", c.filters, got, shuffle, c.want, c.shuffle)
		}
	}
}

// The refusal must name the filter as the file does, or else as it is registered, and say what to
// do.
func TestMissingFilter(t *testing.T) {
	for want, err := range map[string]error{
		"filter 32013 (ZFP 1.1), which this HDF5": MissingFilter(32013, "ZFP\n1.1", "HDF5", "h5repack"),
		"filter 32012 (jpeg-ls), which this HDF5": MissingFilter(32012, "", "HDF5", "h5repack"),
		"filter 32024 (sz3), which this HDF5":     MissingFilter(32024, "", "HDF5", "h5repack"),
		"filter 32013 (zfp), which this NetCDF":   MissingFilter(32013, "", "NetCDF", "nccopy -F none"),
		"filter 40000, which this HDF5":           MissingFilter(40000, "", "HDF5", "h5repack"),
	} {
		if !errors.Is(err, formats.ErrNotRead) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
