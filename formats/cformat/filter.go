package cformat

import (
	"cmp"
	"fmt"

	"drx/formats"
)

// The numbers of filters of HDF5 that do not compress.
const (
	FilterShuffle    = 2
	filterFletcher32 = 3
)

// filterNames are the names of filters of HDF5 that compress, as The HDF Group has registered them.
var filterNames = map[int]string{
	1: "gzip", 4: "szip", 5: "nbit", 6: "scaleoffset", 307: "bzip2", 32000: "lzf", 32001: "blosc", 32004: "lz4",
	32008: "bitshuffle", 32013: "zfp", 32015: "zstd", 32017: "sz", 32018: "fcidecomp", 32019: "jpeg", 32020: "vbz", 32024: "sz3", 32026: "blosc2",
}

// MissingFilter returns the error for a variable whose chunks are encoded by a filter that a
// library does not have. inFile is the file's name for the filter, copying a command that writes a
// copy without it.
func MissingFilter(id int, inFile, library, copying string) error {
	name := cmp.Or(OneLine(inFile), filterNames[id])
	if name != "" {
		name = " (" + name + ")"
	}
	return Refuse(formats.ErrNotRead, fmt.Sprintf("its chunks are encoded by filter %d%s, which this %s library does not have: "+
		"install its plugin and name the folder in HDF5_PLUGIN_PATH, or let %s write a copy where the plugin is", id, name, library, copying))
}

// bloscCompressors are the compressors of filter 32001, by its parameter 6.
var bloscCompressors = []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}

// bloscShuffles are what filter 32001 does before it compresses, by its parameter 5.
var bloscShuffles = []string{"noshuffle", "", "bitshuffle"}

// A Filter is a filter of a dataset of HDF5.
type Filter struct {
	ID     int      // its registered number
	Values []uint32 // its parameters, as far as they are known
}

// CodecOf returns the codec of a dataset's filters, given in the order of encoding: the first
// filter that compresses, with the shuffle before it.
func CodecOf(filters []Filter) (c formats.CodecSpec) {
	shuffle := ""
	for _, f := range filters {
		switch {
		case f.ID == FilterShuffle:
			shuffle = "shuffle"
		case f.ID == filterFletcher32:
		case f.ID == 32001:
			return bloscOf(f.Values)
		default:
			c = formats.CodecSpec{Name: filterNames[f.ID], Shuffle: shuffle}
			if c.Name == "" {
				c.Name = fmt.Sprintf("filter %d", f.ID)
			}
			if (c.Name == "gzip" || c.Name == "zstd") && len(f.Values) > 0 && f.Values[0] <= 22 {
				c.Level = int(f.Values[0])
			}
			return c
		}
	}
	return formats.CodecSpec{}
}

// bloscOf returns the codec of filter 32001. Its parameters are two versions, the bytes of an
// element and of a chunk, level, shuffle and compressor; the last three may be missing.
func bloscOf(values []uint32) formats.CodecSpec {
	c := formats.CodecSpec{Name: "blosc", Blosc: bloscCompressors[0], Level: 5}
	if len(values) > 4 && values[4] <= 9 {
		c.Level = int(values[4])
	}
	if len(values) > 5 && int(values[5]) < len(bloscShuffles) {
		c.Shuffle = bloscShuffles[values[5]]
	}
	if len(values) > 6 && int(values[6]) < len(bloscCompressors) {
		c.Blosc = bloscCompressors[values[6]]
	}
	return c
}
