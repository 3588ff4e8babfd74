package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/nd"
)

const tagOffsets, tagRows, tagCounts = 273, 278, 279

// A tiffPage is an uncompressed page to be built: its tags, whose values are shorts, and its
// pixels.
type tiffPage struct {
	tags   map[uint16][]uint16
	pixels []byte
}

// grey returns a page of one row of 8-bit grey pixels.
func grey(pixels ...byte) tiffPage {
	return tiffPage{map[uint16][]uint16{
		tagWidth: {uint16(len(pixels))}, tagHeight: {1}, tagBits: {8}, tagCompression: {uncompressed},
		tagPhotometric: {blackIsZero}, tagRows: {1}, tagSamples: {1},
	}, pixels}
}

// with returns the page with other values of one tag; no values remove the tag.
func (p tiffPage) with(tag uint16, values ...uint16) tiffPage {
	tags := map[uint16][]uint16{tag: values}
	for t, v := range p.tags {
		if t != tag {
			tags[t] = v
		}
	}
	if len(values) == 0 {
		delete(tags, tag)
	}
	return tiffPage{tags, p.pixels}
}

// An order appends and stores numbers.
type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// buildTIFF writes a file of the given pages.
func buildTIFF(o order, pages ...tiffPage) []byte {
	b := []byte("II*\x00\x00\x00\x00\x00")
	if o == order(binary.BigEndian) {
		b = []byte("MM\x00*\x00\x00\x00\x00")
	}
	link := 4 // position for the offset of the next directory
	for _, p := range pages {
		p = p.with(tagOffsets, uint16(len(b))).with(tagCounts, uint16(len(p.pixels)))
		b = append(b, p.pixels...)
		far := map[uint16]int{}
		for tag, values := range p.tags {
			if len(values) > 2 {
				far[tag] = len(b)
				for _, v := range values {
					b = o.AppendUint16(b, v)
				}
			}
		}
		o.PutUint32(b[link:], uint32(len(b)))
		b = o.AppendUint16(b, uint16(len(p.tags)))
		for tag := range uint16(1000) {
			values, ok := p.tags[tag]
			if !ok {
				continue
			}
			b = o.AppendUint16(o.AppendUint16(b, tag), 3)
			b = o.AppendUint32(b, uint32(len(values)))
			if at, ok := far[tag]; ok {
				b = o.AppendUint32(b, uint32(at))
				continue
			}
			for _, v := range append(slices.Clone(values), 0, 0)[:2] {
				b = o.AppendUint16(b, v)
			}
		}
		link = len(b)
		b = o.AppendUint32(b, 0)
	}
	return b
}

// read reads a whole picture.
func read(data []byte) (*Reader, []byte, error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), 0)
	if err != nil {
		return nil, nil, err
	}
	out, err := io.ReadAll(r)
	return r, out, err
}

func TestTIFFModes(t *testing.T) {
	rgb8 := grey(1, 2, 3, 4, 5, 6).with(tagWidth, 2).with(tagPhotometric, rgb).with(tagBits, 8, 8, 8).with(tagSamples, 3)
	rgb16 := rgb8.with(tagWidth, 1).with(tagBits, 16, 16, 16)
	rgba := grey(10, 20, 30, 128, 9, 9, 9, 0, 1, 2, 3, 255).with(tagWidth, 3).with(tagPhotometric, rgb).
		with(tagBits, 8, 8, 8, 8).with(tagSamples, 4)
	for name, c := range map[string]struct {
		p     tiffPage
		t     dtype.DType
		shape []int
		want  []byte
	}{
		"grey":           {grey(1, 2, 250), dtype.Uint8, []int{1, 3}, []byte{1, 2, 250}},
		"white is zero":  {grey(1, 2, 250).with(tagPhotometric, whiteIsZero), dtype.Uint8, []int{1, 3}, []byte{254, 253, 5}},
		"bits":           {grey(0x50, 0x80).with(tagWidth, 9).with(tagBits, 1), dtype.Uint8, []int{1, 9}, []byte{0, 255, 0, 255, 0, 0, 0, 0, 255}},
		"rgb":            {rgb8, dtype.Uint8, []int{1, 2, 3}, []byte{1, 2, 3, 4, 5, 6}},
		"alpha":          {rgba.with(tagExtraSamples, 2), dtype.Uint8, []int{1, 3, 4}, rgba.pixels},
		"premultiplied":  {rgba.with(tagExtraSamples, 1), dtype.Uint8, []int{1, 3, 4}, []byte{19, 39, 59, 128, 0, 0, 0, 0, 1, 2, 3, 255}},
		"rgb of 16 bits": {rgb16, dtype.Uint16, []int{1, 1, 3}, []byte{1, 2, 3, 4, 5, 6}},
		"16 bits":        {grey(1, 2, 3, 4).with(tagWidth, 2).with(tagBits, 16), dtype.Uint16, []int{1, 2}, []byte{1, 2, 3, 4}},
	} {
		r, got, err := read(buildTIFF(binary.LittleEndian, c.p))
		if err != nil || r.DType != c.t || !slices.Equal(r.Shape, c.shape) || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %+v %v %v; want %v %v %v", name, r, got, err, c.t, c.shape, c.want)
		}
		r, got, err = read(buildTIFF(binary.BigEndian, c.p))
		if c.t == dtype.Uint16 {
			c.t.Swap(got)
		}
		if err != nil || r.DType != c.t || !slices.Equal(r.Shape, c.shape) || !bytes.Equal(got, c.want) {
			t.Errorf("%s, big-endian: %+v %v %v; want %v %v %v", name, r, got, err, c.t, c.shape, c.want)
		}
	}
}

func TestTIFFStack(t *testing.T) {
	thumbnail := grey(9).with(tagSubfile, 1)
	r, got, err := read(buildTIFF(binary.BigEndian, grey(1, 2), thumbnail, grey(3, 4), grey(5, 6)))
	if err != nil || !slices.Equal(r.Shape, []int{3, 1, 2}) || !bytes.Equal(got, []byte{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%+v %v %v", r, got, err)
	}
	r, got, err = read(buildTIFF(binary.LittleEndian, thumbnail))
	if err != nil || !slices.Equal(r.Shape, []int{1, 1}) || !bytes.Equal(got, []byte{9}) {
		t.Errorf("only a thumbnail: %+v %v %v", r, got, err)
	}
	for _, other := range []tiffPage{
		grey(7, 7, 7),
		grey(7, 7, 7, 7).with(tagWidth, 2).with(tagBits, 16),
		grey(1, 2, 3, 4, 5, 6).with(tagWidth, 2).with(tagPhotometric, rgb).with(tagBits, 8, 8, 8).with(tagSamples, 3),
	} {
		_, _, err := read(buildTIFF(binary.LittleEndian, grey(1, 2), grey(3, 4), other))
		if !errors.Is(err, nd.ErrRank) || !strings.Contains(err.Error(), "page 2: ") {
			t.Errorf("%v: %v", other.tags, err)
		}
	}
}

func TestTIFFRefused(t *testing.T) {
	g := grey(1, 2, 3, 4)
	colour := grey(1, 2, 3, 4).with(tagWidth, 1).with(tagPhotometric, rgb).with(tagBits, 8, 8, 8, 8).with(tagSamples, 4)
	for text, p := range map[string]tiffPage{
		"32-bit float samples":            g.with(tagBits, 32).with(tagSampleFormat, 3),
		"16-bit signed integer":           g.with(tagBits, 16).with(tagSampleFormat, 2),
		"8-bit unknown (9) samples":       g.with(tagSampleFormat, 9),
		"samples of 12 bits":              g.with(tagBits, 12),
		"samples of [5 6 5] bits":         g.with(tagBits, 5, 6, 5).with(tagPhotometric, rgb).with(tagSamples, 3),
		"CMYK colours":                    colour.with(tagPhotometric, 5),
		"YCbCr colours":                   colour.with(tagPhotometric, 6),
		"unknown (77) colours":            colour.with(tagPhotometric, 77),
		"no photometric":                  g.with(tagPhotometric),
		"a fourth sample":                 colour,
		"in separate planes":              colour.with(tagExtraSamples, 2).with(tagPlanar, 2),
		"4 samples per pixel with":        colour.with(tagPhotometric, blackIsZero),
		"2 samples per pixel with bits":   g.with(tagSamples, 2),
		"RGB samples of 1 bit":            colour.with(tagBits, 1, 1, 1, 1),
		"palette of 16 bits":              g.with(tagBits, 16).with(tagPhotometric, palette),
		"page 0: JPEG compression":        g.with(tagCompression, 7),
		"Zstandard compression":           g.with(tagCompression, 50000),
		"predictor 3":                     g.with(tagCompression, lzw).with(tagPredictor, 3),
		"a predictor with compression 1 ": g.with(tagPredictor, 2),
		"fax compression of 8-bit":        g.with(tagCompression, faxGroup4),
		"filled from the low bits":        g.with(tagFillOrder, 2),
		"two-dimensional or uncompressed": g.with(tagBits, 1).with(tagCompression, faxGroup3).with(tagFaxGroup3, 1),
		"uncompressed Group 4":            g.with(tagBits, 1).with(tagCompression, faxGroup4).with(tagFaxGroup4, 2),
	} {
		_, _, err := read(buildTIFF(binary.LittleEndian, p))
		if !errors.Is(err, ErrMode) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v; want %q", err, text)
		}
	}
}

func TestTIFFDamaged(t *testing.T) {
	good := buildTIFF(binary.LittleEndian, grey(1, 2), grey(3, 4))
	loop := slices.Clone(good)
	copy(loop[len(loop)-4:], loop[4:8])
	badType := slices.Clone(good)
	badType[int(good[4])+4] = 5
	noPages := slices.Clone(good)
	clear(noPages[4:8])
	for name, c := range map[string]struct {
		data []byte
		is   error
		text string
	}{
		"header":      {good[:6], ErrFormat, "expected bytes up to 8, found 6"},
		"no pages":    {noPages, ErrFormat, "no pages"},
		"truncated":   {good[:len(good)-2], io.ErrUnexpectedEOF, "expected bytes up to"},
		"loop":        {loop, ErrFormat, "follows itself"},
		"type":        {badType, ErrFormat, "tag 256 has type 5"},
		"big":         {[]byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"), ErrMode, "BigTIFF"},
		"no width":    {buildTIFF(binary.LittleEndian, grey(1).with(tagWidth)), ErrFormat, "0 x 1 pixels"},
		"few pixels":  {buildTIFF(binary.LittleEndian, grey(1, 2).with(tagHeight, 7)), ErrFormat, ""},
		"no strips":   {buildTIFF(binary.LittleEndian, grey(1, 2).with(tagHeight, 2)), ErrFormat, "tiff: "},
		"decompress":  {buildTIFF(binary.LittleEndian, grey(1, 2).with(tagCompression, deflate)), ErrFormat, ""},
		"second page": {buildTIFF(binary.LittleEndian, grey(1, 2), grey(3, 4).with(tagCompression, deflate)), ErrFormat, ""},
		"limit":       {buildTIFF(binary.LittleEndian, grey(1).with(tagWidth, 65535).with(tagHeight, 65535)), nd.ErrOverflow, "the limit is 2147483648 bytes"},
	} {
		_, _, err := read(c.data)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want %q", name, err, c.text)
		}
	}
}
