package raster

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"drx/dtype"
	"drx/internal/errkind"
)

// A netpbm file starts with P and a digit, then the width, the height and, except for
// bitmaps, the largest value in decimal, between blanks and comments (# to the end of
// the line). One blank later the samples follow, rows from the top:
//
//	     plain  raw
//	PBM  P1     P4   a bit per pixel, 1 is black; raw rows fill whole bytes
//	PGM  P2     P5   a grey sample; raw ones take 2 bytes, big-endian, when the
//	PPM  P3     P6   largest value is above 255; three samples, red, green, blue
type pnm struct {
	page
	in          *bufio.Reader
	pos         int64 // bytes read
	bitmap      bool
	raw         bool
	largest     int
	samplesRead int // samples that were read
	rows        []byte
}

func isPNM(head []byte) bool {
	return len(head) > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && (isBlank(head[2]) || head[2] == '#')
}

func isBlank(c byte) bool { return bytes.IndexByte([]byte(" \t\r\n\v\f"), c) >= 0 }

// openPNM reads the header of a netpbm file, which must hold one picture.
func openPNM(r io.ReaderAt, size, memory int64) ([]page, error) {
	p := &pnm{in: bufio.NewReader(io.NewSectionReader(r, 0, size)), largest: 1}
	p.byte()
	kind, _ := p.byte()
	p.raw, p.bitmap = kind >= '4', kind == '1' || kind == '4'
	p.channels, p.dtype = 1, dtype.Uint8
	if kind == '3' || kind == '6' {
		p.channels = 3
	}
	fields := []*int{&p.width, &p.height, &p.largest}
	if p.bitmap {
		fields = fields[:2]
	}
	for i, field := range fields {
		what, limit := [3]string{"width", "height", "largest value"}[i], [3]int{math.MaxInt32, math.MaxInt32, math.MaxUint16}[i]
		n, err := p.readNumber(limit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		if *field = n; n == 0 {
			return nil, errkind.Errorf(ErrFormat, "%s 0: want at least 1", what)
		}
	}
	if p.largest > 255 {
		p.dtype = dtype.Uint16
	}
	return p.pages(size, memory)
}

// pages checks the size of the file and returns its page.
func (p *pnm) pages(size, memory int64) ([]page, error) {
	if err := p.check(memory); err != nil {
		return nil, err
	}
	// Every sample in plain text takes at least one byte.
	need := int64(p.height) * int64(p.width*p.channels)
	if p.raw {
		need = int64(p.height) * int64(p.packedBytes())
	}
	if have := size - p.pos; have < need {
		return nil, errkind.Of(ErrFormat, errkind.Errorf(io.ErrUnexpectedEOF, "%d x %d pixels: expected %d bytes of samples, found %d",
			p.width, p.height, need, have))
	}
	p.open = func() (rows, error) { return p.samples, nil }
	return []page{p.page}, nil
}

// packedBytes returns the bytes of one row of a raw file.
func (p *pnm) packedBytes() int {
	if p.bitmap {
		return (p.width + 7) / 8
	}
	return p.rowBytes()
}

// samples reads the samples of n rows, and checks that nothing but blanks follows the last one.
func (p *pnm) samples(y, n int) (out []byte, err error) {
	p.rows = slices.Grow(p.rows[:0], n*p.rowBytes())
	out = p.rows[:n*p.rowBytes()] // every byte is set below
	switch {
	case p.raw && p.bitmap:
		err = p.rawBits(out)
	case p.raw:
		err = p.rawSamples(out)
	default:
		err = p.plainSamples(out)
	}
	if err != nil {
		return nil, err
	}
	p.samplesRead += len(out) / p.dtype.Size()
	if y+n < p.height {
		return out, nil
	}
	if c, err := p.nextByte(); err != io.EOF {
		return nil, p.expected("the end", c, err)
	}
	return out, nil
}

// rawBits reads rows of packed bits: 0 is white, 1 is black.
func (p *pnm) rawBits(out []byte) error {
	packed := make([]byte, p.packedBytes())
	for row := range slices.Chunk(out, p.width) {
		if err := p.readFull(packed); err != nil {
			return err
		}
		for x := range row {
			row[x] = white(packed[x/8] >> (7 - x%8) & 1)
		}
	}
	return nil
}

// white converts a bit of a bitmap to a grey value: 0 is white.
func white(bit byte) byte { return 255 * (1 - bit) }

// rawSamples reads binary samples and converts them to little-endian.
func (p *pnm) rawSamples(out []byte) error {
	if err := p.readFull(out); err != nil {
		return err
	}
	p.dtype.Swap(out)
	if p.largest == 255 || p.largest == math.MaxUint16 {
		return nil
	}
	size := p.dtype.Size()
	for i := 0; i < len(out); i += size {
		v := int(out[i])
		if size == 2 {
			v |= int(out[i+1]) << 8
		}
		if v > p.largest {
			return errkind.Errorf(ErrFormat, "sample %d: %d is above the largest value %d", p.samplesRead+i/size, v, p.largest)
		}
	}
	return nil
}

// plainSamples reads samples in decimal.
func (p *pnm) plainSamples(out []byte) error {
	size := p.dtype.Size()
	for i := 0; i < len(out); i += size {
		v, err := p.plainSample()
		if err != nil {
			return fmt.Errorf("sample %d: %w", p.samplesRead+i/size, err)
		}
		out[i] = byte(v)
		if size == 2 {
			out[i+1] = byte(v >> 8)
		}
	}
	return nil
}

// plainSample reads a number, or one bit of a bitmap, whose bits need no blanks between them.
func (p *pnm) plainSample() (int, error) {
	if !p.bitmap {
		return p.readNumber(p.largest)
	}
	c, err := p.nextByte()
	if err != nil || c != '0' && c != '1' {
		return 0, p.expected("0 or 1", c, err)
	}
	return int(white(c - '0')), nil
}

// readNumber reads a decimal number up to limit, after blanks and comments, and the one
// blank or comment that ends it.
func (p *pnm) readNumber(limit int) (int, error) {
	c, err := p.nextByte()
	if err != nil || c < '0' || c > '9' {
		return 0, p.expected("a number", c, err)
	}
	n := 0
	for ; err == nil && c >= '0' && c <= '9'; c, err = p.byte() {
		if n = 10*n + int(c-'0'); n > limit {
			return 0, errkind.Errorf(ErrFormat, "number at byte %d is above the limit %d", p.pos-1, limit)
		}
	}
	switch {
	case err == io.EOF || err == nil && isBlank(c):
		return n, nil
	case err == nil && c == '#':
		return n, p.comment()
	}
	return 0, p.expected("a blank", c, err)
}

// maxWord limits the bytes of a line or a word of a header.
const maxWord = 1 << 10

// word reads the bytes before a blank, and the blank.
func (p *pnm) word() (string, error) {
	var word []byte
	for {
		c, err := p.byte()
		switch {
		case err != nil:
			return "", p.expected("a blank", c, err)
		case isBlank(c):
			return string(word), nil
		case len(word) == maxWord:
			return "", p.expected("a blank", c, nil)
		}
		word = append(word, c)
	}
}

// line reads the words of a line.
func (p *pnm) line() ([]string, error) {
	var line []byte
	for {
		c, err := p.byte()
		switch {
		case err != nil || len(line) == maxWord:
			return nil, p.expected("the end of a line", c, err)
		case c == '\n':
			return strings.Fields(string(line)), nil
		}
		line = append(line, c)
	}
}

// nextByte returns the next byte that is neither blank nor in a comment.
func (p *pnm) nextByte() (byte, error) {
	for {
		c, err := p.byte()
		switch {
		case err != nil:
			return 0, err
		case c == '#':
			if err := p.comment(); err != nil {
				return 0, err
			}
		case !isBlank(c):
			return c, nil
		}
	}
}

// comment skips the rest of the line.
func (p *pnm) comment() error {
	for {
		switch c, err := p.byte(); {
		case err == io.EOF || c == '\n' || c == '\r':
			return nil
		case err != nil:
			return err
		}
	}
}

func (p *pnm) byte() (byte, error) {
	c, err := p.in.ReadByte()
	if err == nil {
		p.pos++
	}
	return c, err
}

func (p *pnm) readFull(b []byte) error {
	n, err := io.ReadFull(p.in, b)
	p.pos += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = p.expected(fmt.Sprintf("%d bytes more", len(b)-n), 0, io.EOF)
	}
	return err
}

// expected returns an error that says what was expected instead of byte c, or of error err.
func (p *pnm) expected(wanted string, c byte, err error) error {
	switch err {
	case nil:
		return errkind.Errorf(ErrFormat, "expected %s at byte %d, found %q", wanted, p.pos-1, c)
	case io.EOF:
		return errkind.Of(ErrFormat, errkind.Errorf(io.ErrUnexpectedEOF, "expected %s at byte %d, found the end", wanted, p.pos))
	}
	return err
}
