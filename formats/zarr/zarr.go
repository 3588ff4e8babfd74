// Package zarr reads and writes Zarr stores, version 2 and 3: folders and ZIP files. A program that
// imports it has them in package formats, under three names:
//
//	zarr2     folders; writes version 2, which every reader knows; the extension .zarr
//	zarr3     folders; writes version 3; the extension .zarr3
//	zarrzip   a store in a ZIP file; writes version 2; the extension .zip
//
// Each of the three reads both versions. If a folder has the metadata of both, version 3 counts.
//
//	store/.zgroup .zattrs             a group of version 2 and its attributes
//	store/a/.zarray .zattrs 0.0 0.1   an array of version 2, its attributes, its chunks
//	store/zarr.json                   a group of version 3
//	store/a/zarr.json c/0/0 c/0/1     an array of version 3 and its chunks
//	store/.zmetadata                  a copy of all metadata of version 2, for what has no metadata of its own
//
// A variable is named by its path, "group/array"; the array that a store consists of has the name
// "". A chunk is decoded as a whole, and decoded chunks are kept for the next section, within
// formats.Options.Memory. The chunks of an array without compression are read in pieces if they are
// large. A chunk that is missing has the fill value. The elements keep the order that they have in
// the chunks (Info.Order).
//
// The types of NumPy are those of package dtype; bfloat16 is <V2 in version 2, as package npy has
// it. datetime64 and timedelta64 are int64 with the attribute units of CF. Strings, fixed or
// variable, are indices into Info.Labels. Bytes that are not UTF-8 count as Latin-1. The names of
// dimensions are those of xarray, _ARRAY_DIMENSIONS, in version 2 and dimension_names in version 3.
package zarr

import (
	"cmp"
	"slices"

	"drx/formats"
)

func init() {
	codecs := []string{"gzip", "zstd", "lz4", "blosc"}
	folder := formats.Format{Folders: true, Frames: true, FramesInAnyOrder: true, Codecs: codecs, RecogniseFolder: isStore, Open: openFolder, List: listFolder}
	v2, v3 := folder, folder
	v2.Name, v2.Extensions = "zarr2", []string{".zarr"}
	v3.Name, v3.Extensions = "zarr3", []string{".zarr3"}
	// The default compression of zarr-python 2, and of zarr-python 3.
	v2.Usual, v3.Usual = formats.CodecSpec{Name: "blosc", Blosc: "lz4", Level: 5}, formats.CodecSpec{Name: "zstd", Level: 3}
	v2.CreatePath = func(path string, c formats.Content) ([]formats.Writer, error) {
		return Create(path, c, Options{Version: 2, Compressor: compressorOf(c.Codec)})
	}
	v3.CreatePath = func(path string, c formats.Content) ([]formats.Writer, error) {
		return Create(path, c, Options{Version: 3, Compressor: compressorOf(c.Codec)})
	}
	formats.Register(v2)
	formats.Register(v3)
	formats.Register(formats.Format{
		Name: "zarrzip", Extensions: []string{".zip"}, Recognise: isZip, Open: openZip, List: listZip, Frames: true, FramesInAnyOrder: true, Codecs: codecs, Usual: v2.Usual,
		CreatePath: func(path string, c formats.Content) ([]formats.Writer, error) {
			return Create(path, c, Options{Version: 2, Zip: true, Compressor: compressorOf(c.Codec)})
		},
	})
}

// compressorOf returns the compressor for a codec, the zero compressor for a codec without a
// writer.
func compressorOf(c formats.CodecSpec) Compressor {
	switch c.Name {
	case "raw":
		return Compressor{Name: "none"}
	case "blosc":
		shuffle := slices.Index(bloscShuffles, cmp.Or(c.Shuffle, "shuffle"))
		if slices.Contains(bloscWritten, c.Blosc) {
			return Compressor{Name: "blosc", Blosc: c.Blosc, Level: c.Level, Shuffle: shuffle}
		}
	case "gzip", "zstd", "lz4":
		return Compressor{Name: c.Name, Level: c.Level}
	}
	return Compressor{}
}
