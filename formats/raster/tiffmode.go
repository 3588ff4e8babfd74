package raster

import (
	"fmt"
	"math"
	"slices"

	"drx/dtype"
	"drx/internal/errkind"
)

// Values of the tags, as the TIFF specification and its supplements number them.
var (
	tiffCompressions = map[uint]string{
		2: "CCITT run-length", 6: "old JPEG", 7: "JPEG", 34661: "JBIG", 34712: "JPEG 2000",
		34887: "LERC", 34925: "LZMA", 50000: "Zstandard", 50001: "WebP", 50002: "JPEG XL",
	}
	readCompressions = map[uint]string{
		faxGroup3: "fax", faxGroup4: "fax", lzw: "lzw", deflate: "gzip", oldDeflate: "gzip", packBits: "packbits",
	}
	tiffColours = map[uint]string{
		4: "mask", 5: "CMYK", 6: "YCbCr", 8: "CIELab", 9: "ICCLab", 10: "ITULab",
		32803: "colour filter array", 32844: "LogL", 32845: "LogLuv", 34892: "linear raw",
	}
	tiffNumbers = map[uint]string{
		2: "signed integer", 3: "float", 4: "untyped", 5: "complex integer", 6: "complex float",
	}
)

const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	palette     = 3

	separatePlanes  = 2
	fillFromLowBits = 2

	uncompressed = 1
	faxGroup3    = 3
	faxGroup4    = 4
	lzw          = 5
	deflate      = 8
	packBits     = 32773
	oldDeflate   = 32946
)

// first returns the first value of a tag, or byDefault if the directory lacks the tag.
func (dir directory) first(tag uint16, byDefault uint) uint {
	if v := dir[tag]; len(v) > 0 {
		return v[0]
	}
	return byDefault
}

// page returns the page that the tags describe. The error wraps ErrMode if x/image/tiff would
// not decode it, or would return other values than those stored.
func (dir directory) page() (page, error) {
	p := page{channels: 1, dtype: dtype.Uint8}
	for tag, extent := range map[uint16]*int{tagWidth: &p.width, tagHeight: &p.height} {
		n := dir.first(tag, 0)
		if n > math.MaxInt32 {
			return p, errkind.Errorf(ErrFormat, "extent %d: the limit is %d", n, math.MaxInt32)
		}
		*extent = int(n)
	}
	for _, mode := range []string{dir.unsupportedSamples(), dir.unsupportedColours(), dir.unsupportedCompression()} {
		if mode != "" {
			return p, fmt.Errorf("%s: %w", mode, ErrMode)
		}
	}
	if dir.bits()[0] == 16 {
		p.dtype = dtype.Uint16
	}
	switch dir.first(tagPhotometric, 0) {
	case rgb:
		p.channels = len(dir.bits())
	case palette:
		p.channels = 3
	}
	return p, nil
}

// bits returns the bits of the samples of a pixel, one value per sample.
func (dir directory) bits() []uint {
	if bits := dir[tagBits]; len(bits) > 0 {
		return bits
	}
	return []uint{1}
}

// unsupportedSamples describes samples other than unsigned integers of 1, 8 or 16 bits. It
// returns "" for supported ones, as do the next two methods.
func (dir directory) unsupportedSamples() string {
	bits := dir.bits()
	for _, format := range dir[tagSampleFormat] {
		if format != 1 {
			return fmt.Sprintf("%d-bit %s samples", bits[0], name(tiffNumbers, format))
		}
	}
	for _, b := range bits {
		if b != bits[0] {
			return fmt.Sprintf("samples of %d bits", bits)
		}
	}
	if !slices.Contains([]uint{1, 8, 16}, bits[0]) {
		return fmt.Sprintf("samples of %d bits", bits[0])
	}
	return ""
}

// unsupportedColours describes pixels other than grey, palette, RGB and RGB with alpha.
func (dir directory) unsupportedColours() string {
	photometric, bits := dir.first(tagPhotometric, math.MaxUint32), dir.bits()
	switch photometric {
	case math.MaxUint32:
		return "unknown colours (no photometric interpretation)"
	case whiteIsZero, blackIsZero, rgb, palette:
	default:
		return name(tiffColours, photometric) + " colours"
	}
	samples := dir.first(tagSamples, 1)
	extra := dir.first(tagExtraSamples, 0)
	colour := photometric == rgb
	switch {
	case samples != uint(len(bits)):
		return fmt.Sprintf("%d samples per pixel with bits for %d", samples, len(bits))
	case colour && bits[0] == 1:
		return "RGB samples of 1 bit"
	case colour && samples != 3 && samples != 4, !colour && samples != 1:
		return fmt.Sprintf("%d samples per pixel with photometric interpretation %d", samples, photometric)
	case colour && samples == 4 && extra != 1 && extra != 2:
		return "RGB with a fourth sample that is not alpha"
	case photometric == palette && bits[0] == 16:
		return "a palette of 16 bits"
	case samples > 1 && dir.first(tagPlanar, 1) == separatePlanes:
		return "samples in separate planes"
	}
	return ""
}

// unsupportedCompression describes compressions and bit orders that x/image/tiff does not decode,
// or ignores without an error.
func (dir directory) unsupportedCompression() string {
	compression := dir.first(tagCompression, uncompressed)
	predictor := dir.first(tagPredictor, 1)
	fax := dir.fax()
	switch compression {
	case uncompressed, faxGroup3, faxGroup4, lzw, deflate, packBits, oldDeflate:
	default:
		return name(tiffCompressions, compression) + " compression"
	}
	switch {
	case predictor > 2:
		return fmt.Sprintf("predictor %d", predictor)
	case predictor == 2 && (dir.bits()[0] == 1 || !slices.Contains([]uint{lzw, deflate, oldDeflate}, compression)):
		return fmt.Sprintf("a predictor with compression %d of %d-bit samples", compression, dir.bits()[0])
	case fax && dir.bits()[0] != 1:
		return fmt.Sprintf("fax compression of %d-bit samples", dir.bits()[0])
	case !fax && dir.first(tagFillOrder, 1) == fillFromLowBits:
		return "bytes filled from the low bits"
	case compression == faxGroup3 && dir.first(tagFaxGroup3, 0)&3 != 0:
		return "two-dimensional or uncompressed Group 3 fax"
	case compression == faxGroup4 && dir.first(tagFaxGroup4, 0)&2 != 0:
		return "uncompressed Group 4 fax"
	}
	return ""
}

// reversedFax reports whether black and white of a fax must be swapped: white runs are coded
// as zeros, which are black in this photometric interpretation. The specification (section
// 11) requires it; x/image/tiff does not do it.
func (dir directory) reversedFax() bool {
	return dir.fax() && dir.first(tagPhotometric, 0) == blackIsZero
}

func (dir directory) fax() bool {
	compression := dir.first(tagCompression, uncompressed)
	return compression == faxGroup3 || compression == faxGroup4
}

// name returns the name of a value, or its number.
func name(names map[uint]string, value uint) string {
	if n, ok := names[value]; ok {
		return n
	}
	return fmt.Sprintf("unknown (%d)", value)
}
