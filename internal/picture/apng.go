package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
)

// An APNG is a PNG with additional chunks. A program that does not know them shows the first
// picture. (PNG specification, third edition, sections 5.3 and 11.3.6.)
//
//	signature IHDR               of the first picture, as are all that follow
//	acTL   pictures, loops       4 bytes each; loops 0: for ever
//	PLTE
//	fcTL   IDAT...               the first picture
//	fcTL   fdAT...               each of the others; fdAT: sequence number, then as IDAT
//	IEND
//
// A chunk is: length (4 bytes), type (4), the data, CRC-32 of type and data (4); numbers have
// the high byte first. The sequence numbers of fcTL and fdAT count together from 0.
type apngWriter struct {
	sequence
	w        io.Writer
	encoder  png.Encoder
	picture  bytes.Buffer // one picture as PNG
	numbered uint32       // the next sequence number
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// NewAPNG begins an animation as animated PNG. Programs that know only PNG show its first
// picture. It returns the error of Animation.Check; the writer's errors come from the methods.
func NewAPNG(w io.Writer, a Animation) (AnimationWriter, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("apng: %w", err)
	}
	return &apngWriter{sequence: sequence{Animation: a}, w: w}, nil
}

func (p *apngWriter) Add(img *image.Paletted) error {
	if err := p.count(img); err != nil {
		return fmt.Errorf("apng: %w", err)
	}
	p.picture.Reset()
	err := p.encoder.Encode(&p.picture, img)
	first := p.next == 1
	if err == nil && first {
		_, err = io.WriteString(p.w, pngSignature)
	}
	if err == nil {
		err = p.chunks(p.picture.Bytes()[len(pngSignature):], first)
	}
	if err != nil {
		return fmt.Errorf("write apng: %w", err)
	}
	return nil
}

// chunks writes those chunks of a picture's PNG that the animation needs. All pictures have the
// same header and palette, so only those of the first picture are written.
func (p *apngWriter) chunks(list []byte, first bool) error {
	begun := false // whether the picture's fcTL is written
	for len(list) > 0 {
		n := binary.BigEndian.Uint32(list)
		kind, data := string(list[4:8]), list[8:8+n]
		list = list[12+n:]
		if kind == "IEND" || kind != "IDAT" && !first {
			continue
		}
		var err error
		if kind == "IDAT" && !begun {
			begun = true
			err = p.control()
		}
		if err == nil && kind == "IDAT" && !first {
			err = p.chunk("fdAT", append(p.number(), data...))
		} else if err == nil {
			err = p.chunk(kind, data)
		}
		if err == nil && kind == "IHDR" {
			err = p.chunk("acTL", binary.BigEndian.AppendUint32(nil, uint32(p.Pictures)), []byte{0, 0, 0, 0})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// number returns the next sequence number.
func (p *apngWriter) number() []byte {
	p.numbered++
	return binary.BigEndian.AppendUint32(nil, p.numbered-1)
}

// control writes the fcTL chunk before a picture: it covers the whole area, is shown for the delay,
// a fraction of a second, and replaces the previous picture.
func (p *apngWriter) control() error {
	b := p.number()
	for _, n := range []int{p.Width, p.Height, 0, 0} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	b = binary.BigEndian.AppendUint16(b, p.centiseconds())
	b = binary.BigEndian.AppendUint16(b, 100)
	return p.chunk("fcTL", append(b, 0, 0))
}

// chunk writes a chunk whose data are given in parts.
func (p *apngWriter) chunk(kind string, data ...[]byte) error {
	body := append([]byte(kind), bytes.Join(data, nil)...)
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)-len(kind)))
	b = append(b, body...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
	_, err := p.w.Write(b)
	return err
}

func (p *apngWriter) Close() error {
	err := p.complete()
	if err == nil {
		err = p.chunk("IEND")
	}
	if err != nil {
		return fmt.Errorf("write apng: %w", err)
	}
	return nil
}
