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

// A TIFF file is one for maps by the tags of its first page, in either byte order, and not if it is cut.
func TestIsGeoTIFF(t *testing.T) {
	is := func(b []byte) bool { return IsGeoTIFF(bytes.NewReader(b), int64(len(b))) }
	little := pageOfTags(binary.LittleEndian, "II", 42, 256, 257, 33550, 339)
	for name, c := range map[string]struct {
		file []byte
		want bool
	}{
		"scale":     {little, true},
		"big":       {pageOfTags(binary.BigEndian, "MM", 42, 256, 34735), true},
		"nodata":    {pageOfTags(binary.LittleEndian, "II", 42, 42113), true},
		"BigTIFF":   {pageOfTags(binary.LittleEndian, "II", 43, 256), true},
		"plain":     {pageOfTags(binary.LittleEndian, "II", 42, 256, 257, 258, 339), false},
		"no tags":   {pageOfTags(binary.BigEndian, "MM", 42), false},
		"cut":       {little[:40], false},
		"header":    {little[:8], false},
		"no header": {little[:6], false},
		"other":     {[]byte("P5 2 1 255 ab, and more of it"), false},
	} {
		if got := is(c.file); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
