package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// randomPictures returns an animation and its pictures. Each picture is part of a larger image, so
// that its rows are not contiguous in memory.
func randomPictures(rng *rand.Rand, width, height, colors, pictures int) (Animation, []*image.Paletted) {
	palette := make(color.Palette, colors)
	for i := range palette {
		palette[i] = color.RGBA{uint8(i), uint8(255 - i), uint8(rng.IntN(256)), 255}
	}
	a := Animation{Width: width, Height: height, Palette: palette, Pictures: pictures, Delay: 130 * time.Millisecond}
	var list []*image.Paletted
	for range pictures {
		img := image.NewPaletted(image.Rect(0, 0, width+3, height+2), palette)
		for i := range img.Pix {
			if img.Pix[i] = uint8(rng.IntN(colors)); rng.IntN(3) > 0 { // also runs of one colour
				img.Pix[i] = img.Pix[max(0, i-1)]
			}
		}
		list = append(list, img.SubImage(image.Rect(2, 1, width+2, height+1)).(*image.Paletted))
	}
	return a, list
}

// animate writes an animation.
func animate(w io.Writer, extension string, a Animation, list []*image.Paletted) error {
	f, err := NewAnimation(w, extension, a)
	if err != nil {
		return err
	}
	for _, img := range list {
		if err := f.Add(img); err != nil {
			return err
		}
	}
	return f.Close()
}

// samePixels compares the colours of two pictures, which may have different origins.
func samePixels(a, b image.Image) error {
	if a.Bounds().Size() != b.Bounds().Size() {
		return fmt.Errorf("%v and %v pixels", a.Bounds().Size(), b.Bounds().Size())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := a.Bounds().Min.Add(image.Pt(x, y)), b.Bounds().Min.Add(image.Pt(x, y))
			if color.RGBAModel.Convert(a.At(p.X, p.Y)) != color.RGBAModel.Convert(b.At(q.X, q.Y)) {
				return fmt.Errorf("pixel %d, %d: %v and %v", x, y, a.At(p.X, p.Y), b.At(q.X, q.Y))
			}
		}
	}
	return nil
}

// animations lists width, height, number of colours and number of pictures of the test cases.
var animations = [][4]int{{1, 1, 2, 1}, {5, 3, 2, 2}, {7, 4, 3, 3}, {64, 33, 16, 3}, {33, 64, 17, 2}, {300, 200, 256, 4}}

func TestGIFHoldsThePictures(t *testing.T) {
	for _, c := range animations {
		a, list := randomPictures(rand.New(rand.NewPCG(1, 2)), c[0], c[1], c[2], c[3])
		var b bytes.Buffer
		if err := animate(&b, ".gif", a, list); err != nil {
			t.Fatal(err)
		}
		g, err := gif.DecodeAll(&b)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if len(g.Image) != a.Pictures || g.LoopCount != 0 || b.Len() != 0 {
			t.Errorf("%v: %d pictures, loops %d, %d bytes left", c, len(g.Image), g.LoopCount, b.Len())
		}
		for i, img := range g.Image {
			if err := samePixels(list[i], img); err != nil || g.Delay[i] != 13 || g.Disposal[i] != gif.DisposalNone {
				t.Errorf("%v, picture %d: %v, delay %d, disposal %d", c, i, err, g.Delay[i], g.Disposal[i])
			}
		}
	}
}

// pngChunk is a chunk of a PNG file.
type pngChunk struct {
	kind string
	data []byte
}

// pngChunks splits a file into its chunks and checks the signature and every CRC.
func pngChunks(t *testing.T, file []byte) []pngChunk {
	t.Helper()
	rest, ok := bytes.CutPrefix(file, []byte("\x89PNG\r\n\x1a\n"))
	if !ok {
		t.Fatal("no signature of PNG")
	}
	var list []pngChunk
	for len(rest) > 0 {
		n := int(binary.BigEndian.Uint32(rest))
		body := rest[4 : 8+n]
		if crc := binary.BigEndian.Uint32(rest[8+n:]); crc != crc32.ChecksumIEEE(body) {
			t.Fatalf("chunk %d, %s: CRC %x", len(list), body[:4], crc)
		}
		list = append(list, pngChunk{string(body[:4]), body[4:]})
		rest = rest[12+n:]
	}
	return list
}

// still returns the PNG file of a header and compressed pixels.
func still(chunks ...pngChunk) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range append(chunks, pngChunk{"IEND", nil}) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(c.data)))
		body := append([]byte(c.kind), c.data...)
		b = binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	}
	return b
}

// decodeAPNG decodes every picture as a separate PNG and checks the chunks between them.
func decodeAPNG(t *testing.T, file []byte) (pictures []image.Image, delays [][2]int) {
	t.Helper()
	list := pngChunks(t, file)
	header := []pngChunk{list[0], {"PLTE", nil}}
	var pixels [][]byte
	declared, sequence := 0, uint32(0)
	number := func(c pngChunk) []byte {
		if n := binary.BigEndian.Uint32(c.data); n != sequence {
			t.Fatalf("%s has sequence number %d, want %d", c.kind, n, sequence)
		}
		sequence++
		return c.data[4:]
	}
	order := ""
	for _, c := range list {
		order += c.kind[:2] + " "
		switch c.kind {
		case "acTL":
			declared = int(binary.BigEndian.Uint32(c.data))
			if loops := binary.BigEndian.Uint32(c.data[4:]); loops != 0 || len(c.data) != 8 {
				t.Errorf("%d loops, %d bytes of acTL", loops, len(c.data))
			}
		case "PLTE":
			header[1] = c
		case "fcTL":
			d := number(c)
			if len(d) != 22 || !bytes.Equal(d[:8], list[0].data[:8]) || !bytes.Equal(d[8:16], make([]byte, 8)) || d[20] != 0 || d[21] != 0 {
				t.Errorf("fcTL %v", d)
			}
			delays = append(delays, [2]int{int(binary.BigEndian.Uint16(d[16:])), int(binary.BigEndian.Uint16(d[18:]))})
			pixels = append(pixels, nil)
		case "IDAT":
			pixels[len(pixels)-1] = append(pixels[len(pixels)-1], c.data...)
		case "fdAT":
			pixels[len(pixels)-1] = append(pixels[len(pixels)-1], number(c)...)
		}
	}
	if !strings.HasPrefix(order, "IH ac PL fc ID ") || !strings.HasSuffix(order, " IE ") || strings.Count(order, "IH") != 1 {
		t.Errorf("chunks %s", order)
	}
	if declared != len(pixels) {
		t.Errorf("%d pictures declared, %d there", declared, len(pixels))
	}
	for _, p := range pixels {
		img, err := png.Decode(bytes.NewReader(still(append(slices.Clone(header), pngChunk{"IDAT", p})...)))
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, img)
	}
	return pictures, delays
}

func TestAPNGHoldsThePictures(t *testing.T) {
	for i, c := range animations {
		a, list := randomPictures(rand.New(rand.NewPCG(3, 4)), c[0], c[1], c[2], c[3])
		var b bytes.Buffer
		if err := animate(&b, []string{".png", ".apng"}[i%2], a, list); err != nil {
			t.Fatal(err)
		}
		pictures, delays := decodeAPNG(t, b.Bytes())
		if len(pictures) != len(list) {
			t.Fatalf("%v: %d pictures", c, len(pictures))
		}
		for i, img := range pictures {
			if err := samePixels(list[i], img); err != nil || delays[i] != [2]int{13, 100} {
				t.Errorf("%v, picture %d: %v, delay %v", c, i, err, delays[i])
			}
		}
		// A program that knows only PNG sees the first picture.
		first, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := samePixels(list[0], first); err != nil {
			t.Errorf("%v as PNG: %v", c, err)
		}
	}
}

func TestAnimationRefuses(t *testing.T) {
	good, list := randomPictures(rand.New(rand.NewPCG(5, 6)), 4, 3, 8, 2)
	for _, c := range []struct {
		change func(a *Animation)
		want   string
	}{
		{func(a *Animation) { a.Width = 0 }, "0 x 3 pixels"},
		{func(a *Animation) { a.Height = 1 << 16 }, "65535"},
		{func(a *Animation) { a.Palette = a.Palette[:1] }, "1 colours"},
		{func(a *Animation) { a.Palette = make(color.Palette, 257) }, "257 colours"},
		{func(a *Animation) { a.Pictures = 0 }, "0 pictures"},
		{func(a *Animation) { a.Delay = 19 * time.Millisecond }, "delay 19ms: want 20ms to 1m0s"},
		{func(a *Animation) { a.Delay = time.Hour }, "delay 1h0m0s"},
	} {
		a := good
		c.change(&a)
		for _, extension := range []string{".gif", ".png"} {
			if _, err := NewAnimation(io.Discard, extension, a); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", extension, err, c.want)
			}
		}
	}
	if _, err := NewAnimation(io.Discard, ".jpg", good); err == nil {
		t.Error("an animated JPEG was begun")
	}
	for _, extension := range []string{".gif", ".apng"} {
		f, err := NewAnimation(io.Discard, extension, good)
		if err != nil {
			t.Fatal(err)
		}
		other := image.NewPaletted(list[0].Rect, slices.Clone(list[0].Palette))
		other.Palette[3] = color.RGBA{1, 2, 3, 255}
		small := list[0].SubImage(image.Rect(2, 1, 4, 3)).(*image.Paletted)
		for _, img := range []*image.Paletted{other, small} {
			if err := f.Add(img); err == nil {
				t.Errorf("%s: a picture of %v was taken", extension, img.Rect)
			}
		}
		if f.Add(list[0]) != nil || f.Close() == nil {
			t.Errorf("%s: an animation of 2 pictures was closed after 1", extension)
		}
		if f.Add(list[1]) != nil || f.Add(list[0]) == nil {
			t.Errorf("%s: a third picture of 2 was taken", extension)
		}
	}
}

// limitedWriter fails after n bytes.
type limitedWriter struct{ n int }

var errFull = errors.New("full")

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) > w.n {
		return w.n, errFull
	}
	w.n -= len(p)
	return len(p), nil
}

// If the writer fails, at any byte, writing the animation fails.
func TestAnimationPassesOnErrorsOfTheWriter(t *testing.T) {
	a, list := randomPictures(rand.New(rand.NewPCG(7, 8)), 9, 8, 5, 3)
	for _, extension := range []string{".gif", ".apng"} {
		var b bytes.Buffer
		if err := animate(&b, extension, a, list); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < b.Len(); n += 13 {
			if err := animate(&limitedWriter{n}, extension, a, list); !errors.Is(err, errFull) {
				t.Fatalf("%s that ends after %d of %d bytes: %v", extension, n, b.Len(), err)
			}
		}
		if err := animate(&limitedWriter{b.Len()}, extension, a, list); err != nil {
			t.Error(err)
		}
	}
}

// In pictures with the same limits, equal values have equal colours.
func TestHeatOfFixedLimits(t *testing.T) {
	for _, c := range []struct {
		lo, hi, value float64
		level         uint8
	}{{0, 10, 10, topLevel}, {0, 10, 0, 0}, {3, 3, 3, topLevel / 2}, {3, 3, 5, topLevel}, {3, 3, 1, 0}} {
		img, err := Heat([]float64{c.value, c.value}, 1, 2, HeatOptions{Lo: c.lo, Hi: c.hi, Fixed: true, Zoom: 1})
		if err != nil || img.Pix[0] != c.level {
			t.Errorf("%+v: level %v, %v", c, img.Pix[0], err)
		}
	}
	nothing := HeatOptions{Lo: math.NaN(), Hi: math.NaN(), Robust: true}
	if lo, hi := nothing.Limits([]float64{math.NaN(), math.Inf(1)}); lo != 0 || hi != 1 {
		t.Errorf("limits of no finite value: %v to %v", lo, hi)
	}
	for _, o := range []HeatOptions{{Lo: math.NaN(), Fixed: true}, {Hi: math.NaN(), Fixed: true}, {Hi: math.Inf(1), Fixed: true}} {
		if _, err := Heat([]float64{1}, 1, 1, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}
