package raster

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// pageOfTags returns a TIFF file with one page whose entries have these tags and no values.
func pageOfTags(order binary.AppendByteOrder, mark string, version uint16, tags ...uint16) []byte {
	b := order.AppendUint32(order.AppendUint16([]byte(mark), version), 8)
	b = order.AppendUint16(b, uint16(len(tags)))
	for _, tag := range tags {
		b = append(order.AppendUint16(b, tag), make([]byte, 10)...)
	}
	return order.AppendUint32(b, 0)
}

// pageOfXML returns a TIFF file with one page that has XML of GDAL.
func pageOfXML(xml string) []byte {
	b := pageOfTags(binary.LittleEndian, "II", 42, 256, 42112)
	entry := b[len(b)-4-entrySize:]
	binary.LittleEndian.PutUint32(entry[4:], uint32(len(xml)))
	binary.LittleEndian.PutUint32(entry[8:], uint32(len(b)))
	return append(b, xml...)
}

// The tags of its first page decide whether a TIFF file is one for maps, in either byte order. A
// truncated file is not.
func TestIsGeoTIFF(t *testing.T) {
	is := func(b []byte) bool { return IsGeoTIFF(bytes.NewReader(b), int64(len(b))) }
	little := pageOfTags(binary.LittleEndian, "II", 42, 256, 257, 33550, 339)
	for name, c := range map[string]struct {
		file []byte
		want bool
	}{
		"scale":                 {little, true},
		"big":                   {pageOfTags(binary.BigEndian, "MM", 42, 256, 34735), true},
		"nodata":                {pageOfTags(binary.LittleEndian, "II", 42, 42113), true},
		"of GDAL's XML, packed": {pageOfXML(`<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.5</Item></GDALMetadata>`), true},
		"of GDAL's XML, in K":   {pageOfXML(`<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">K</Item></GDALMetadata>`), true},
		"of GDAL's XML, named":  {pageOfXML(`<GDALMetadata><Item name="DESCRIPTION" sample="0" role="description">role=scale</Item></GDALMetadata>`), false},
		"BigTIFF":               {pageOfTags(binary.LittleEndian, "II", 43, 256), true},
		"plain":                 {pageOfTags(binary.LittleEndian, "II", 42, 256, 257, 258, 339), false},
		"no tags":               {pageOfTags(binary.BigEndian, "MM", 42), false},
		"cut":                   {little[:40], false},
		"header":                {little[:8], false},
		"no header":             {little[:6], false},
		"other":                 {[]byte("P5 2 1 255 ab, and more of it"), false},
	} {
		if got := is(c.file); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A TIFF file of numbers that this package does not read is for another program; a damaged one, and
// a file of another format, is not.
func TestIsOtherTIFF(t *testing.T) {
	page := func(bits, format, compression byte) []byte {
		b := []byte("II*\x00\x08\x00\x00\x00\x07\x00")
		for _, e := range [][2]byte{{0, 1}, {1, 1}, {2, bits}, {3, compression}, {6, 1}, {21, 1}, {83, format}} {
			b = append(b, e[0], 1, 3, 0, 1, 0, 0, 0, e[1], 0, 0, 0)
		}
		return append(b, 0, 0, 0, 0)
	}
	large := grey(1).with(tagWidth, 1500).with(tagHeight, 1500).with(tagBits, 8).with(tagPhotometric, blackIsZero)
	if data := buildTIFF(binary.LittleEndian, large); IsOtherTIFF(bytes.NewReader(data), int64(len(data)), 16<<20) {
		t.Error("a grey page that fits the memory is for another program")
	}
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{
		"large":     {buildTIFF(binary.LittleEndian, large), true},
		"above 2GB": {buildTIFF(binary.BigEndian, large.with(tagWidth, 60000).with(tagHeight, 60000)), true},
		"inverted":  {buildTIFF(binary.LittleEndian, large.with(tagPhotometric, whiteIsZero)), false},
		"two pages": {buildTIFF(binary.LittleEndian, large, large), false},
		"float32":   {page(32, 3, 1), true}, "int16": {page(16, 2, 1), true}, "uint32": {page(32, 1, 1), true}, "uint8": {page(8, 1, 1), false},
		"cut": {page(32, 3, 1)[:20], false}, "PNG": {[]byte("\x89PNG\r\n\x1a\n"), false},
	} {
		if got := IsOtherTIFF(bytes.NewReader(c.data), int64(len(c.data)), 1<<20); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
