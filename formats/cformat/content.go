package cformat

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// Parent returns the group of the variable at a path, "" for the root.
func Parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

// CheckDeflate returns an error for an invalid compression level.
func CheckDeflate(c *formats.Content) error {
	if c.Deflate < 0 || c.Deflate > 9 {
		return fmt.Errorf("deflate %d: levels are 0 to 9", c.Deflate)
	}
	return nil
}

// Codecs are the names of the codecs that HDF5 and NetCDF-4 files can be written with.
var Codecs = []string{"gzip", "zstd", "lz4", "blosc"}

// CodecFor returns the codec of a variable of a new HDF5 or NetCDF-4 file: the codec of the content
// or, without one, the variable's own if the writers support it. Strings are not compressed.
func CodecFor(c *formats.Content, info *formats.Info) formats.CodecSpec {
	own := info.Codec
	switch {
	case info.Labels != nil, c.Codec.Name == "raw":
		return formats.CodecSpec{}
	case c.Codec != formats.CodecSpec{}:
		own = c.Codec
	case c.Deflate > 0:
		own = formats.CodecSpec{Name: "gzip", Level: c.Deflate}
	case !slices.Contains(Codecs, own.Name):
		return formats.CodecSpec{}
	}
	switch own.Name {
	case "gzip":
		own.Level = min(max(own.Level, 1), 9)
	case "zstd":
		own.Level = cmp.Or(own.Level, 3)
	case "blosc":
		if !slices.Contains([]string{"lz4", "lz4hc", "zlib", "zstd"}, own.Blosc) {
			own.Blosc = "lz4" // as fast as the compressors that cannot be written
		}
	}
	return own
}

// CheckInfo returns an error for a variable that no row-major format can store. format is the name
// of the format. The error is one of formats.Info.Bytes, or wraps nd.ErrRank or formats.ErrSize.
func CheckInfo(info *formats.Info, format string) error {
	if _, err := info.Bytes(); err != nil {
		return err
	}
	rank := len(info.Shape)
	for d, at := range info.Order.Dims(rank) {
		if d != at {
			return errkind.Errorf(nd.ErrRank, "order %v: %s is row-major", info.Order, format)
		}
	}
	for what, n := range map[string]int{"Dims": len(info.Dims), "Chunk": len(info.Chunk), "Unlimited": len(info.Unlimited)} {
		if n != 0 && n != rank {
			return errkind.Errorf(nd.ErrRank, "%s: %d for %d dimensions", what, n, rank)
		}
	}
	if n := len(info.Fill); info.Labels == nil && n != 0 && n != info.DType.Size() {
		return errkind.Errorf(formats.ErrSize, "a fill value of %d bytes for elements of %d (%v)", n, info.DType.Size(), info.DType)
	}
	return nil
}
