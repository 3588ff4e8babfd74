package raster

import (
	"bufio"
	"fmt"
	"image/color"
	"image/jpeg"
	"io"

	"drx/dtype"
)

func isJPEG(head []byte) bool {
	return len(head) > 2 && head[0] == 0xff && head[1] == 0xd8 && head[2] == 0xff
}

// openJPEG reads the header of a JPEG file. Its colours become red, green and blue; another decoder
// may differ from ours by one or two, because the standard leaves the rounding open.
func openJPEG(r io.ReaderAt, size, memory int64) ([]page, error) {
	file := func() io.Reader { return bufio.NewReader(io.NewSectionReader(r, 0, size)) }
	config, err := jpeg.DecodeConfig(file())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p := page{height: config.Height, width: config.Width, channels: 3, dtype: dtype.Uint8, compression: "jpeg"}
	samples := int64(3)
	switch config.ColorModel {
	case color.GrayModel:
		p.channels, samples = 1, 1
	case color.CMYKModel:
		samples = 4
	}
	// The decoder holds whole blocks of up to 16 x 16 pixels, and for progressive files 4 more
	// bytes per sample.
	padded := page{height: (p.height + 31) &^ 15, width: (p.width + 31) &^ 15}
	p.memory = 5 * samples * padded.pixels()
	if err := p.check(memory); err != nil {
		return nil, err
	}
	p.open = func() (rows, error) { return p.decode(jpeg.Decode, file()) }
	return []page{p}, nil
}
