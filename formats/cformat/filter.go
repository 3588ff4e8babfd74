package cformat

import (
	"cmp"
	"fmt"

	"drx/formats"
)

// The numbers of filters of HDF5: deflate compresses, the others do not.
const (
	FilterDeflate    = 1
	FilterShuffle    = 2
	FilterFletcher32 = 3
	filterBitGroom   = 32022 // rounds, before others compress
	filterBitRound   = 32023
)

// filterNames are the names of the HDF5 filters: HDF5's own and those
// registered with The HDF Group, as "Registered Filter Plugins" in its repository hdf5_plugins
// lists them.
var filterNames = map[int]string{
	1: "gzip", 2: "shuffle", 3: "fletcher32", 4: "szip", 5: "nbit", 6: "scaleoffset", 305: "lzo", 307: "bzip2",
	32000: "lzf", 32001: "blosc", 32002: "mafisc", 32003: "snappy", 32004: "lz4", 32005: "apax", 32006: "cbf", 32007: "jpeg-xr",
	32008: "bitshuffle", 32009: "spdp", 32010: "lpc-rice", 32011: "ccsds-123", 32012: "jpeg-ls", 32013: "zfp", 32014: "fpzip",
	32015: "zstd", 32016: "b3d", 32017: "sz", 32018: "fcidecomp", 32019: "jpeg", 32020: "vbz", 32021: "fapec", 32022: "bitgroom",
	32023: "granular bitround", 32024: "sz3", 32025: "delta-rice", 32026: "blosc2", 32027: "flac", 32028: "sperr",
	32029: "terse/prolix", 32030: "ffmpeg",
}

// InFilter adds the number and the name of a filter to its error.
func InFilter(id int, err error) error {
	name := filterNames[id]
	if name != "" {
		name = " (" + name + ")"
	}
	return fmt.Errorf("filter %d%s: %w", id, name, err)
}

// MissingFilter returns the error for a variable whose chunks need a filter that the library lacks.
// inFile is the name that the file gives to the filter, copying is a command that copies the file
// without it.
func MissingFilter(id int, inFile, library, copying string) error {
	name := cmp.Or(OneLine(inFile), filterNames[id])
	if name != "" {
		name = " (" + name + ")"
	}
	return Refuse(formats.ErrNotRead, fmt.Sprintf("its chunks are encoded by filter %d%s, which this %s library does not have: "+
		"install its plugin and name the folder in HDF5_PLUGIN_PATH, or let %s write a copy where the plugin is", id, name, library, copying))
}

// bloscCompressors are the compressors of filter 32001, indexed by its parameter 6.
var bloscCompressors = []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}

// bloscShuffles are the shuffles of filter 32001, indexed by its parameter 5.
var bloscShuffles = []string{"noshuffle", "", "bitshuffle"}

// A Filter is a filter of an HDF5 dataset.
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
		case f.ID == FilterFletcher32 || f.ID == filterBitGroom || f.ID == filterBitRound:
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
// element, the bytes of a chunk, level, shuffle and compressor; the last three may be missing.
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
