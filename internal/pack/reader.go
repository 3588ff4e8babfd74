package pack

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"

	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/state"
)

// ErrCut is the kind of the error for a stream that ends before its last record, without other
// errors.
var ErrCut = errors.New("the stream was cut")

// Reader reads a stream. Its errors wrap state.ErrCorrupt, state.ErrVersion, or the error of the
// io.Reader, and name the position in the stream and the record. After an error it must not be
// used.
type Reader struct {
	r     *bufio.Reader
	sum   uint32
	at    int64 // position in the stream of the present record
	len   int64 // length of the present record
	buf   []byte
	head  Head
	total total

	next record // read ahead and not used yet, unless its kind is 0
	part int    // being read, or Parts
	name string // of the array being read
	size int64  // of the part
	end  int64  // of its data so far
}

// record is a record that was read. Its contents are valid until the next read.
type record struct {
	kind     byte
	at       int64
	contents []byte
}

// NewReader reads the beginning of a stream.
func NewReader(r io.Reader) (*Reader, error) {
	p := &Reader{r: bufio.NewReaderSize(r, mostText), part: Parts, buf: make([]byte, mostText)}
	begin := make([]byte, len(magic))
	n, err := io.ReadFull(p.r, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	switch {
	case n == 0:
		return nil, errkind.Errorf(state.ErrCorrupt, "nothing was sent: the stream is empty")
	case !strings.HasPrefix(magic, string(begin[:n])):
		return nil, errkind.Errorf(state.ErrCorrupt, "this is no stream of packed arrays: it begins with %q", begin[:n])
	case n < len(magic):
		return nil, p.cut()
	}
	p.len = int64(n)
	if err := p.read(); err != nil {
		return nil, err
	}
	if p.next.kind != headKind {
		return nil, p.wrong("the stream begins with a record of kind %q", p.next.kind)
	}
	if err := p.readHead(); err != nil {
		return nil, err
	}
	return p, p.readBetween()
}

// readHead decodes the head. Another version may have other fields.
func (p *Reader) readHead() error {
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(p.next.contents, &v); err != nil {
		return p.wrong("%v", err)
	}
	if v.Version != version {
		return errkind.Errorf(state.ErrVersion, "the stream has version %d, and this program reads version %d: unpack it with the program that has packed it, or a newer one", v.Version, version)
	}
	if err := p.decode(&p.head); err != nil {
		return err
	}
	if strings.ContainsAny(p.head.Name, "/\x00") || !fs.ValidPath(p.head.Name) || p.head.Name == "." {
		return p.wrong("%q is no name of an array or a dataset", p.head.Name)
	}
	return nil
}

// Head returns the description of the stream.
func (p *Reader) Head() Head { return p.head }

// Array returns the description of the next array. io.EOF means that there is none and that the
// stream is complete. The previous array must have been read to its end.
func (p *Reader) Array() (a Array, err error) {
	switch {
	case p.part < Parts:
		return Array{}, fmt.Errorf("the %s of %s was not read", parts[p.part], p.name)
	case p.next.kind == endKind:
		return Array{}, io.EOF
	}
	if err := p.decode(&a); err != nil {
		return Array{}, err
	}
	if err := a.check(); err != nil {
		return Array{}, p.wrong("%v", err)
	}
	if p.total.Arrays++; p.total.Arrays > 1 && !p.head.Several {
		return Array{}, p.wrong("a second array, %q, where there is to be one", a.Name)
	}
	p.name, p.part = a.Name, 0
	return a, p.readPart()
}

// Size returns the length of the present part, with its holes. After Array that is the first part;
// when Data returns io.EOF it is the next one.
func (p *Reader) Size() int64 { return p.size }

// Data returns the next bytes of the present part and their offset in it, and io.EOF after the last
// ones. They are valid until the next call. The end of the last part is known only when the next
// array, or the end of the stream, was read.
func (p *Reader) Data() (off int64, b []byte, err error) {
	if p.part == Parts {
		return 0, nil, io.EOF
	}
	if p.next.kind == 0 {
		if err := p.read(); err != nil {
			return 0, nil, err
		}
	}
	if p.next.kind != dataKind {
		return 0, nil, cmp.Or(p.endPart(), io.EOF)
	}
	off, b = p.next.at, p.next.contents
	if len(b) == 0 || off < p.end || off > p.size-int64(len(b)) {
		return 0, nil, p.wrong("%d bytes at %d of %d, where those before end at %d", len(b), off, p.size, p.end)
	}
	p.end = off + int64(len(b))
	p.total.Bytes += int64(len(b))
	p.next.kind = 0
	return off, b, nil
}

// endPart goes on to the next part, or to the record after the array.
func (p *Reader) endPart() error {
	if p.part++; p.part < Parts {
		return p.beginPart()
	}
	return p.checkBetween()
}

// readPart reads the record that begins a part.
func (p *Reader) readPart() error {
	if err := p.read(); err != nil {
		return err
	}
	return p.beginPart()
}

func (p *Reader) beginPart() error {
	if p.next.kind != partKind || string(p.next.contents) != parts[p.part] || p.next.at < 0 {
		return p.wrong("a record of kind %q, where the %s of the array is to be", p.next.kind, parts[p.part])
	}
	p.size, p.end, p.next.kind = p.next.at, 0, 0
	return nil
}

// readBetween reads the record that begins an array or ends the stream.
func (p *Reader) readBetween() error {
	if err := p.read(); err != nil {
		return err
	}
	return p.checkBetween()
}

func (p *Reader) checkBetween() error {
	switch p.next.kind {
	case arrayKind:
		return nil
	case endKind:
		return p.checkEnd()
	}
	return p.wrong("a record of kind %q between arrays", p.next.kind)
}

// checkEnd checks the last record, and that nothing follows it.
func (p *Reader) checkEnd() error {
	var end total
	if err := p.decode(&end); err != nil {
		return err
	}
	if end != p.total || p.total.Arrays != 1 && !p.head.Several {
		return p.wrong("%d arrays with %d bytes, where the end says %d with %d", p.total.Arrays, p.total.Bytes, end.Arrays, end.Bytes)
	}
	switch _, err := p.r.ReadByte(); {
	case err == nil:
		return p.wrong("something follows the end of the stream")
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// read reads a record and compares its checksum.
func (p *Reader) read() error {
	var head [headBytes]byte
	p.at, p.len = p.at+p.len, 0
	if err := p.fill(head[:]); err != nil {
		return err
	}
	n, most := binary.LittleEndian.Uint32(head[4:]), uint32(mostText)
	if head[0] == dataKind {
		most = MostData
	}
	if n > most {
		return p.wrong("a record of kind %q with %d bytes, which has at most %d", head[0], n, most)
	}
	if need := int(n) + sumBytes; len(p.buf) < need {
		p.buf = make([]byte, MostData+sumBytes)
	}
	b := p.buf[:n+sumBytes]
	if err := p.fill(b); err != nil {
		return err
	}
	contents, sum := b[:n], binary.LittleEndian.Uint32(b[n:])
	if p.sum = crc32c.Update(crc32c.Update(p.sum, head[:]), contents); p.sum != sum {
		return p.wrong("the checksum differs")
	}
	if !bytes.Equal(head[1:4], []byte{0, 0, 0}) {
		return p.wrong("a record of kind %q", head[:4])
	}
	p.next = record{head[0], int64(binary.LittleEndian.Uint64(head[8:])), contents}
	p.len = int64(headBytes) + int64(len(b))
	return nil
}

// fill reads all of b.
func (p *Reader) fill(b []byte) error {
	if _, err := io.ReadFull(p.r, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return p.cut()
	} else if err != nil {
		return fmt.Errorf("byte %d%s: %w", p.at, p.in(), err)
	}
	return nil
}

// decode decodes the text of the present record.
func (p *Reader) decode(v any) error {
	d := json.NewDecoder(bytes.NewReader(p.next.contents))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return p.wrong("%v", err)
	}
	if d.InputOffset() != int64(len(p.next.contents)) {
		return p.wrong("something follows a description")
	}
	return nil
}

// in describes the present record, for errors.
func (p *Reader) in() string {
	if p.part == Parts {
		return ""
	}
	return fmt.Sprintf(", in the %s of %q", parts[p.part], p.name)
}

// wrong returns the error for an invalid record.
func (p *Reader) wrong(format string, args ...any) error {
	return errkind.Errorf(state.ErrCorrupt, "byte %d%s: %s", p.at, p.in(), fmt.Sprintf(format, args...))
}

// cut returns the error for a stream that ends too early.
func (p *Reader) cut() error {
	return errkind.Of(ErrCut, errkind.Errorf(state.ErrCorrupt, "byte %d%s: the stream was cut: it ends here, before its last record", p.at, p.in()))
}

// check returns an error if the description of an array is impossible.
func (a Array) check() error {
	const most = math.MaxInt64 / 2 // bytes
	switch {
	case !fs.ValidPath(a.Name) || a.Name == ".":
		return fmt.Errorf("%q is no name of an array: it would be outside of the target", a.Name)
	case strings.ContainsAny(a.Name, "\x00"):
		return fmt.Errorf("%q is no name of an array", a.Name)
	case a.Slot < 1 || a.Chunk < 1 || a.Chunk > a.Slot || a.Align < 0 || a.Align > mostAlign:
		return fmt.Errorf("chunks of %d bytes in %d, at multiples of %d", a.Chunk, a.Slot, a.Align)
	case a.Written < 0 || a.Written > a.Chunks || a.Written > most/a.Slot:
		return fmt.Errorf("%d of %d chunks", a.Written, a.Chunks)
	}
	return nil
}
