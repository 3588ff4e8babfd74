package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"drx/nd"
)

// geoTags are the tags of a TIFF file for its georeference, and GDAL's tag for missing values.
var geoTags = map[uint16]bool{
	33550: true, // ModelPixelScale
	33922: true, // ModelTiepoint
	34264: true, // ModelTransformation
	34735: true, // GeoKeyDirectory
	42113: true, // GDAL_NODATA
}

// IsGeoTIFF reports whether a file of the given size is a TIFF file that a program for maps reads
// better than this package: a BigTIFF file, or one whose first page has a georeference, a value for
// missing elements, a scale, an offset or a unit. It returns false if the file is damaged.
func IsGeoTIFF(r io.ReaderAt, size int64) bool {
	f := &tiffFile{r: r, size: size, order: binary.LittleEndian}
	var head [8]byte
	if f.readAt(head[:], 0) != nil || !isTIFF(head[:]) {
		return false
	}
	if head[0] == 'M' {
		f.order = binary.BigEndian
	}
	if f.order.Uint16(head[2:]) == bigTIFF {
		return true
	}
	at := int64(f.order.Uint32(head[4:]))
	var count [2]byte
	if f.readAt(count[:], at) != nil {
		return false
	}
	entries := make([]byte, int(f.order.Uint16(count[:]))*entrySize)
	if f.readAt(entries, at+2) != nil {
		return false
	}
	for ; len(entries) > 0; entries = entries[entrySize:] {
		if tag := f.order.Uint16(entries); geoTags[tag] || tag == gdalMetadata && f.hasMeaning(entries[:entrySize]) {
			return true
		}
	}
	return false
}

// gdalMetadata is the tag of GDAL's XML, which holds names of bands, statistics, scales, offsets
// and units.
const gdalMetadata = 42112

// hasMeaning reports whether GDAL's XML in an entry has a scale, an offset or a unit.
// Pictures have none of these.
func (f *tiffFile) hasMeaning(entry []byte) bool {
	const most = 1 << 20 // bytes of XML that are searched
	text := make([]byte, min(f.order.Uint32(entry[4:]), most))
	if f.readAt(text, int64(f.order.Uint32(entry[8:]))) != nil {
		return false
	}
	for _, role := range []string{"scale", "offset", "unittype"} {
		if bytes.Contains(text, []byte(`role="`+role+`"`)) {
			return true
		}
	}
	return false
}

// IsOtherTIFF reports whether a file is a TIFF file that this package does not read: one with
// floats, signed integers, an unsupported number of bands or compression, or with one grey page
// that takes more than memory bytes to decode as a whole. Only a grey page depends on memory,
// because other programs give pages with colours another shape.
func IsOtherTIFF(r io.ReaderAt, size, memory int64) bool {
	var head [8]byte
	if n, _ := r.ReadAt(head[:], 0); n < len(head) || !isTIFF(head[:]) {
		return false
	}
	pages, err := (&tiffFile{r: r, size: size, order: binary.LittleEndian}).pages()
	if err != nil || len(pages) > 1 || !pages[0].plain {
		return errors.Is(err, ErrMode)
	}
	err = pages[0].check(memory)
	return errors.Is(err, ErrMemory) || errors.Is(err, nd.ErrOverflow)
}
