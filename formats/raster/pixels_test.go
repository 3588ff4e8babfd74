package raster

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/dtype"
)

// pictures returns images of every type with random pixels, and the expected samples.
func pictures(r *rand.Rand, w, h int) map[string]struct {
	page
	img image.Image
} {
	fill := func(pix []byte) {
		for i := range pix {
			pix[i] = byte(r.Uint32())
		}
	}
	rect := image.Rect(0, 0, w, h)
	gray, gray16 := image.NewGray(rect), image.NewGray16(rect)
	nrgba, nrgba64 := image.NewNRGBA(rect), image.NewNRGBA64(rect)
	rgba, rgba64 := image.NewRGBA(rect), image.NewRGBA64(rect)
	opaque, opaque64 := image.NewRGBA(rect), image.NewRGBA64(rect)
	paletted := image.NewPaletted(rect, make(color.Palette, 256))
	for _, pix := range [][]byte{gray.Pix, gray16.Pix, nrgba.Pix, nrgba64.Pix, opaque.Pix, opaque64.Pix, paletted.Pix} {
		fill(pix)
	}
	for i := range paletted.Palette {
		paletted.Palette[i] = color.NRGBA{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(i)}
	}
	for i := 0; i < len(rgba.Pix); i += 4 {
		opaque.Pix[i+3] = 0xff
		opaque64.Pix[2*i+6], opaque64.Pix[2*i+7] = 0xff, 0xff
		alpha := r.IntN(256)
		for c := range 3 {
			rgba.Pix[i+c] = byte(r.IntN(alpha + 1))
			rgba64.Pix[2*i+2*c] = byte(r.IntN(alpha + 1))
		}
		rgba.Pix[i+3], rgba64.Pix[2*i+6], rgba64.Pix[2*i+7] = byte(alpha), byte(alpha), 0xff
	}
	clear(rgba.Pix[:4])
	type picture = struct {
		page
		img image.Image
	}
	of := func(channels int, t dtype.DType, img image.Image) picture {
		return picture{page{height: h, width: w, channels: channels, dtype: t}, img}
	}
	return map[string]picture{
		"gray":             of(1, dtype.Uint8, gray),
		"gray16":           of(1, dtype.Uint16, gray16),
		"nrgba":            of(4, dtype.Uint8, nrgba),
		"nrgba64":          of(4, dtype.Uint16, nrgba64),
		"rgba":             of(4, dtype.Uint8, rgba),
		"rgba64":           of(4, dtype.Uint16, rgba64),
		"opaque":           of(3, dtype.Uint8, opaque),
		"opaque64":         of(3, dtype.Uint16, opaque64),
		"palette of alpha": of(4, dtype.Uint8, paletted),
		"palette":          of(3, dtype.Uint8, paletted),
		"not a fast type":  of(4, dtype.Uint8, struct{ image.Image }{nrgba}),
	}
}

// The fast paths must give the same result as the generic one, also for rows with gaps between
// them.
func TestFastPathsEqualGeneric(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		for name, p := range pictures(r, 1+r.IntN(40), 1+r.IntN(40)) {
			fast, slow := p.samples(nil, p.img), p.generic(nil, p.img)
			if !bytes.Equal(fast, slow) {
				t.Errorf("%s, %d x %d: fast % x\nslow % x", name, p.width, p.height, fast, slow)
			}
			if want := p.height * p.width * p.channels * p.dtype.Size(); len(fast) != want {
				t.Errorf("%s: %d bytes, want %d", name, len(fast), want)
			}
		}
	}
}

func TestFastPathsWithStride(t *testing.T) {
	type part interface {
		SubImage(image.Rectangle) image.Image
	}
	for name, p := range pictures(rand.New(rand.NewPCG(3, 4)), 9, 7) {
		img, ok := p.img.(part)
		if !ok {
			continue
		}
		sub := img.SubImage(image.Rect(2, 3, 7, 6))
		p.width, p.height = 5, 3
		if fast, slow := p.samples(nil, sub), p.generic(nil, sub); !bytes.Equal(fast, slow) {
			t.Errorf("%s: fast % x\nslow % x", name, fast, slow)
		}
	}
}

// Pictures must survive Go's own encoder with every bit.
func TestPNGRoundTrip(t *testing.T) {
	for name, p := range pictures(rand.New(rand.NewPCG(5, 6)), 13, 4) {
		if name == "rgba" || name == "rgba64" || name == "palette" {
			continue // PNG has no premultiplied colours, and a palette with alpha is premultiplied
		}
		var b bytes.Buffer
		if err := png.Encode(&b, p.img); err != nil {
			t.Fatal(err)
		}
		r, got, err := read(b.Bytes())
		if err != nil || r.DType != p.dtype || !slices.Equal(r.Shape, p.shape()) || !bytes.Equal(got, p.samples(nil, p.img)) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}
