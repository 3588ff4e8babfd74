package pack

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"drx/internal/crc32c"
)

// A Writer writes a stream. After an error it must not be used any more.
type Writer struct {
	w     *bufio.Writer
	sum   uint32
	total total
}

// NewWriter begins a stream.
func NewWriter(w io.Writer, h Head) (*Writer, error) {
	p := &Writer{w: bufio.NewWriterSize(w, mostText)}
	if _, err := p.w.WriteString(magic); err != nil {
		return nil, err
	}
	h.Version = version
	return p, p.writeText(headKind, h)
}

// Array begins an array. All of its parts must follow.
func (p *Writer) Array(a Array) error {
	p.total.Arrays++
	return p.writeText(arrayKind, a)
}

// Part begins part i of an array, which has size bytes, with its holes. Its data follow.
func (p *Writer) Part(i int, size int64) error {
	return p.write(partKind, size, []byte(parts[i]))
}

// Data writes at most MostData bytes at an offset of the part, which is not below the end of the
// previous data.
func (p *Writer) Data(off int64, b []byte) error {
	p.total.Bytes += int64(len(b))
	return p.write(dataKind, off, b)
}

// Close ends the stream. It does not close the io.Writer.
func (p *Writer) Close() error {
	if err := p.writeText(endKind, p.total); err != nil {
		return err
	}
	return p.w.Flush()
}

func (p *Writer) writeText(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err == nil && len(text) > mostText {
		err = fmt.Errorf("a name of %d bytes", len(text))
	}
	if err != nil {
		return err
	}
	return p.write(kind, 0, text)
}

// write writes a record.
func (p *Writer) write(kind byte, at int64, contents []byte) error {
	var head [headBytes]byte
	head[0] = kind
	binary.LittleEndian.PutUint32(head[4:], uint32(len(contents)))
	binary.LittleEndian.PutUint64(head[8:], uint64(at))
	p.sum = crc32c.Update(crc32c.Update(p.sum, head[:]), contents)
	_, _ = p.w.Write(head[:]) // bufio keeps the first error
	_, _ = p.w.Write(contents)
	_, err := p.w.Write(binary.LittleEndian.AppendUint32(nil, p.sum))
	return err
}
