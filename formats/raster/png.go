package raster

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strings"

	"drx/dtype"
	"drx/internal/errkind"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

func isPNG(head []byte) bool { return strings.HasPrefix(string(head), pngMagic) }

// openPNG reads the header of a PNG file, which holds one picture.
func openPNG(r io.ReaderAt, size, memory int64) ([]page, error) {
	file := func() io.Reader { return bufio.NewReader(io.NewSectionReader(r, 0, size)) }
	config, err := png.DecodeConfig(file())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p := page{height: config.Height, width: config.Width, channels: 3, dtype: dtype.Uint8, compression: "gzip"}
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
	depth := int64(4 * p.dtype.Size()) // the decoder holds four samples per pixel, or one
	if _, indexed := config.ColorModel.(color.Palette); indexed || p.channels == 1 {
		depth = int64(p.dtype.Size())
	}
	p.memory = depth * p.pixels()
	if interlaced(r) {
		p.memory += p.memory / 2 // for the last pass, which has half of the rows
	}
	if err := p.check(memory); err != nil {
		return nil, err
	}
	p.open = func() (rows, error) { return p.decode(png.Decode, file()) }
	return []page{p}, nil
}

// interlaced reports whether a PNG file is interlaced, from the last byte of its header.
func interlaced(r io.ReaderAt) bool {
	var method [1]byte
	_, err := r.ReadAt(method[:], int64(len(pngMagic))+8+12)
	return err == nil && method[0] != 0
}

// pngTransparent reports whether there is a tRNS chunk before the pixels. Such a chunk makes
// one grey, colour or palette entry transparent, which the color model does not show.
func pngTransparent(r io.ReaderAt, size int64) bool {
	var chunk [8]byte // length and type; the data and a sum follow
	for at := int64(len(pngMagic)); at < size; {
		if _, err := r.ReadAt(chunk[:], at); err != nil {
			return false // the decoder will return the error
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
func (p page) decode(decode func(io.Reader) (image.Image, error), file io.Reader) (rows, error) {
	img, err := decode(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	part, ok := img.(interface {
		SubImage(r image.Rectangle) image.Image
	})
	var out []byte
	return func(y, n int) ([]byte, error) {
		q, b := p, img.Bounds()
		if !ok || b.Dx() != p.width || b.Dy() != p.height {
			return nil, errkind.Errorf(ErrFormat, "%T of %v pixels differs from the header", img, b)
		}
		q.height = n
		out = q.samples(slices.Grow(out[:0], n*p.rowBytes()), part.SubImage(image.Rect(b.Min.X, b.Min.Y+y, b.Max.X, b.Min.Y+y+n)))
		return out, nil
	}, nil
}
