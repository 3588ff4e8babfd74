package raster

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"

	"drx/dtype"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

func isPNG(head []byte) bool { return strings.HasPrefix(string(head), pngMagic) }

// openPNG reads the header of a PNG file, which holds one picture.
func openPNG(r io.ReaderAt, size int64) ([]page, error) {
	file := func() io.Reader { return bufio.NewReader(io.NewSectionReader(r, 0, size)) }
	config, err := png.DecodeConfig(file())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p := page{height: config.Height, width: config.Width, channels: 3, dtype: dtype.Uint8}
	switch config.ColorModel {
	case color.GrayModel:
		p.channels = 1
	case color.Gray16Model:
		p.channels, p.dtype = 1, dtype.Uint16
	case color.NRGBAModel:
		p.channels = 4
	case color.NRGBA64Model:
		p.channels, p.dtype = 4, dtype.Uint16
	case color.RGBA64Model:
		p.dtype = dtype.Uint16
	}
	if pngTransparent(r, size) {
		p.channels = 4
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.read = func() ([]byte, error) { return p.decode(png.Decode, file()) }
	return []page{p}, nil
}

// pngTransparent looks for a tRNS chunk before the pixels. It makes one grey, colour
// or palette entry transparent, which the color model of the header does not tell.
func pngTransparent(r io.ReaderAt, size int64) bool {
	var chunk [8]byte // length and type; the data and a sum follow
	for at := int64(len(pngMagic)); at < size; {
		if _, err := r.ReadAt(chunk[:], at); err != nil {
			return false // the decoder will tell
		}
		switch string(chunk[4:]) {
		case "tRNS":
			return true
		case "IDAT":
			return false
		}
		at += 12 + int64(binary.BigEndian.Uint32(chunk[:]))
	}
	return false
}

// decode decodes the file and returns the samples of p. The error wraps ErrFormat.
func (p page) decode(decode func(io.Reader) (image.Image, error), file io.Reader) ([]byte, error) {
	img, err := decode(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return p.samples(img), nil
}
