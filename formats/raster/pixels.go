package raster

import (
	"encoding/binary"
	"image"
	"image/color"

	"drx/dtype"
)

// samples appends the pixels of img to out in the type and channels of p: little-endian, dense
// and row-major. All cases but the last are fast paths with the same result as generic.
func (p page) samples(out []byte, img image.Image) []byte {
	switch m := img.(type) {
	case *image.Gray:
		return p.copyChannels(out, m.Pix, m.Stride, 1)
	case *image.Gray16:
		return p.copyChannels(out, m.Pix, m.Stride, 1)
	case *image.NRGBA:
		return p.copyChannels(out, m.Pix, m.Stride, 4)
	case *image.NRGBA64:
		return p.copyChannels(out, m.Pix, m.Stride, 4)
	case *image.RGBA:
		if p.channels == 4 {
			first := len(out)
			out = p.copyChannels(out, m.Pix, m.Stride, 4)
			unmultiply(out[first:])
			return out
		}
		return p.copyChannels(out, m.Pix, m.Stride, 4)
	case *image.RGBA64:
		if p.channels == 3 {
			return p.copyChannels(out, m.Pix, m.Stride, 4)
		}
	case *image.Paletted:
		return p.fromPalette(out, m)
	case *image.YCbCr:
		return p.fromYCbCr(out, m)
	}
	return p.generic(out, img)
}

// copyChannels copies the first p.channels of the have samples of each pixel. Package image
// stores 16-bit samples big-endian.
func (p page) copyChannels(out, pix []byte, stride, have int) []byte {
	from, to, first := have*p.dtype.Size(), p.channels*p.dtype.Size(), len(out)
	for y := range p.height {
		row := pix[y*stride:][:p.width*from]
		if from == to {
			out = append(out, row...)
			continue
		}
		for ; len(row) > 0; row = row[from:] {
			out = append(out, row[:to]...)
		}
	}
	if p.dtype == dtype.Uint16 {
		p.dtype.Swap(out[first:])
	}
	return out
}

// unmultiply divides the colours of 8-bit RGBA pixels by their alpha, in place.
func unmultiply(pixels []byte) {
	for px := pixels; len(px) > 0; px = px[4:] {
		switch px[3] {
		case 0xff:
		case 0:
			clear(px[:3])
		default:
			c := color.NRGBAModel.Convert(color.RGBA{px[0], px[1], px[2], px[3]}).(color.NRGBA)
			px[0], px[1], px[2] = c.R, c.G, c.B
		}
	}
}

// fromPalette converts palette indices to colours. Indices without a colour become
// transparent black; a decoder has checked that there are none.
func (p page) fromPalette(out []byte, m *image.Paletted) []byte {
	var table [256][4]byte
	for i, c := range m.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		table[i] = [4]byte{n.R, n.G, n.B, n.A}
	}
	for y := range p.height {
		for _, i := range m.Pix[y*m.Stride:][:p.width] {
			out = append(out, table[i][:p.channels]...)
		}
	}
	return out
}

// fromYCbCr converts the colours of JPEG.
func (p page) fromYCbCr(out []byte, m *image.YCbCr) []byte {
	for y := m.Rect.Min.Y; y < m.Rect.Min.Y+p.height; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Min.X+p.width; x++ {
			i, j := m.YOffset(x, y), m.COffset(x, y)
			r, g, b := color.YCbCrToRGB(m.Y[i], m.Cb[j], m.Cr[j])
			out = append(out, r, g, b)
		}
	}
	return out
}

// generic converts pixel by pixel through the colour models.
func (p page) generic(out []byte, img image.Image) []byte {
	origin := img.Bounds().Min
	for y := range p.height {
		for x := range p.width {
			out = p.append(out, img.At(origin.X+x, origin.Y+y))
		}
	}
	return out
}

// append appends the samples of one pixel. 8-bit colours have their own cases, because a
// conversion through 16 bits would round those with a low alpha.
func (p page) append(out []byte, c color.Color) []byte {
	switch {
	case p.channels == 1 && p.dtype == dtype.Uint8:
		return append(out, color.GrayModel.Convert(c).(color.Gray).Y)
	case p.channels == 1:
		return binary.LittleEndian.AppendUint16(out, color.Gray16Model.Convert(c).(color.Gray16).Y)
	case p.dtype == dtype.Uint8:
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		return append(out, []byte{n.R, n.G, n.B, n.A}[:p.channels]...)
	}
	n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	for _, v := range []uint16{n.R, n.G, n.B, n.A}[:p.channels] {
		out = binary.LittleEndian.AppendUint16(out, v)
	}
	return out
}
