package picture

import (
	"bufio"
	"compress/lzw"
	"encoding/binary"
	"fmt"
	"image"
	"io"
)

// image/gif needs all pictures at once. This encoder writes each picture when it is added.
//
//	"GIF89a"  width  height  flags  0  0                  size, global palette
//	palette                                               3 bytes per colour, 2^n of them
//	0x21 0xff 11 "NETSCAPE2.0" 3 1 loops 0                loops 0: for ever
//	per picture:
//	  0x21 0xf9 4 flags delay 0 0                         graphic control extension
//	  0x2c left top width height 0                        image descriptor
//	  code size, blocks of 1 + up to 255 bytes, 0         LZW
//	0x3b
//
// Numbers have two bytes, the low one first.
type gifWriter struct {
	sequence
	w    *bufio.Writer // keeps the first error for Flush
	bits int           // of a colour
}

// NewGIF begins an animation as GIF89a with a palette for all pictures. It returns the error
// of Animation.Check; the writer's errors come from the methods.
func NewGIF(w io.Writer, a Animation) (AnimationWriter, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("gif: %w", err)
	}
	g := &gifWriter{sequence: sequence{Animation: a}, w: bufio.NewWriter(w), bits: 1}
	for 1<<g.bits < len(a.Palette) {
		g.bits++
	}
	g.head()
	return g, nil
}

// writeNumbers writes numbers of two bytes.
func (g *gifWriter) writeNumbers(numbers ...int) {
	for _, n := range numbers {
		g.w.Write(binary.LittleEndian.AppendUint16(nil, uint16(n)))
	}
}

func (g *gifWriter) head() {
	g.w.WriteString("GIF89a")
	g.writeNumbers(g.Width, g.Height)
	size := byte(g.bits - 1)
	g.w.Write([]byte{0x80 | size<<4 | size, 0, 0}) // a global palette, its depth and size
	for i := range 1 << g.bits {
		var rgb [3]byte
		if i < len(g.Palette) {
			r, gr, b, _ := g.Palette[i].RGBA()
			rgb = [3]byte{byte(r >> 8), byte(gr >> 8), byte(b >> 8)}
		}
		g.w.Write(rgb[:])
	}
	g.w.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
}

func (g *gifWriter) Add(img *image.Paletted) error {
	if err := g.count(img); err != nil {
		return fmt.Errorf("gif: %w", err)
	}
	g.w.WriteString("\x21\xf9\x04\x04") // disposal: the next picture covers it
	g.writeNumbers(int(g.centiseconds()))
	g.w.WriteString("\x00\x00\x2c")
	g.writeNumbers(0, 0, g.Width, g.Height)
	codes := max(2, g.bits) // the format has no smaller code size
	g.w.Write([]byte{0, byte(codes)})
	if err := g.pixels(img, codes); err != nil {
		return fmt.Errorf("write gif: %w", err)
	}
	return nil
}

// pixels writes the compressed colours, row by row, and the empty block that ends them.
func (g *gifWriter) pixels(img *image.Paletted, codes int) error {
	blocks := &gifBlocks{w: g.w}
	l := lzw.NewWriter(blocks, lzw.LSB, codes)
	for y := range g.Height {
		if _, err := l.Write(img.Pix[y*img.Stride:][:g.Width]); err != nil {
			return err
		}
	}
	if err := l.Close(); err != nil {
		return err
	}
	return blocks.end()
}

func (g *gifWriter) Close() error {
	if err := g.complete(); err != nil {
		return fmt.Errorf("gif: %w", err)
	}
	g.w.WriteByte(0x3b)
	if err := g.w.Flush(); err != nil {
		return fmt.Errorf("write gif: %w", err)
	}
	return nil
}

// gifBlocks is a writer that divides its data into blocks of at most 255 bytes, each after its
// length.
type gifBlocks struct {
	w   *bufio.Writer
	buf [256]byte // the length, then the bytes
	n   int       // bytes so far
}

func (b *gifBlocks) Write(p []byte) (int, error) {
	done := len(p)
	for len(p) > 0 {
		n := copy(b.buf[1+b.n:], p)
		p = p[n:]
		if b.n += n; b.n == 255 {
			if err := b.flush(); err != nil {
				return 0, err
			}
		}
	}
	return done, nil
}

// flush writes a block.
func (b *gifBlocks) flush() error {
	b.buf[0] = byte(b.n)
	_, err := b.w.Write(b.buf[:1+b.n])
	b.n = 0
	return err
}

// end writes the remaining bytes and the empty block.
func (b *gifBlocks) end() error {
	if b.n > 0 {
		if err := b.flush(); err != nil {
			return err
		}
	}
	return b.flush()
}
