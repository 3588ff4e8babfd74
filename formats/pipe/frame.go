package pipe

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// version is the version of the protocol. Any change of requests or answers changes it.
const version = 4

// preface is the first message of each side.
const preface = "DRXPIPE" + string(rune('0'+version))

// Kinds of packets.
const (
	kindPart = 'j' // a part of a text that is not the last
	kindText = 'J' // the last part of a text
	kindData = 'D'
	kindBeat = 'B'
)

const (
	headBytes = 5
	maxPacket = 1 << 20
	maxText   = 64 << 20
	beatBytes = 16
)

// errProtocol is returned for bytes that violate the protocol.
var errProtocol = errors.New("not the protocol of drx-bridge")

// writePreface begins a conversation.
func writePreface(w io.Writer) error {
	_, err := io.WriteString(w, preface)
	return err
}

// readPreface checks the preface of the other side.
func readPreface(r io.Reader) error {
	got := make([]byte, len(preface))
	if _, err := io.ReadFull(r, got); err != nil {
		return err
	}
	if string(got[:len(got)-1]) == preface[:len(preface)-1] {
		if got[len(got)-1] == preface[len(preface)-1] {
			return nil
		}
		return fmt.Errorf("%w: version %q, this program has version %d: build both from the same sources", errProtocol, got[len(got)-1], version)
	}
	return fmt.Errorf("%w: begins with %q", errProtocol, got)
}

// writePacket writes one packet.
func writePacket(w io.Writer, kind byte, body []byte) error {
	var head [headBytes]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(body)))
	head[4] = kind
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

// readHead reads the head of a packet. The error is io.EOF at the end of the input, and wraps
// errProtocol if the kind or the length is impossible.
func readHead(r io.Reader) (kind byte, length int, err error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	switch kind = head[4]; {
	case n > maxPacket:
		return 0, 0, fmt.Errorf("%w: a packet of %d bytes, the limit is %d", errProtocol, n, maxPacket)
	case kind == kindBeat && n != beatBytes:
		return 0, 0, fmt.Errorf("%w: a beat of %d bytes", errProtocol, n)
	case kind != kindPart && kind != kindText && kind != kindData && kind != kindBeat:
		return 0, 0, fmt.Errorf("%w: a packet of kind %q", errProtocol, kind)
	}
	return kind, int(n), nil
}

// writeText writes a value as JSON, in as many packets as it needs.
func writeText(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) > maxText {
		return fmt.Errorf("a description of %d bytes: the limit is %d", len(text), maxText)
	}
	for len(text) > maxPacket {
		if err := writePacket(w, kindPart, text[:maxPacket]); err != nil {
			return err
		}
		text = text[maxPacket:]
	}
	return writePacket(w, kindText, text)
}

// addText reads the body of a packet of text and appends it to text, the bodies of the packets
// before.
func addText(r io.Reader, text []byte, length int) ([]byte, error) {
	if len(text)+length > maxText {
		return nil, fmt.Errorf("%w: a text of more than %d bytes", errProtocol, maxText)
	}
	begin := len(text)
	text = append(text, make([]byte, length)...)
	if _, err := io.ReadFull(r, text[begin:]); err != nil {
		return nil, noEOF(err)
	}
	return text, nil
}

// parse decodes a text. Unknown fields are an error: both sides have the same version, so such a
// text is damaged or hostile.
func parse(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%w: %w", errProtocol, err)
	}
	return nil
}

// noEOF returns an error for an input that ends within a packet.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeData writes elements in packets.
func writeData(w io.Writer, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), maxPacket)
		if err := writePacket(w, kindData, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// inputBuffer is the size of the buffer for reading from a pipe, in bytes. It saves system calls
// where rows of a section are short.
const inputBuffer = 256 << 10

// newInput returns a buffered reader for packets. Larger reads bypass the buffer.
func newInput(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, inputBuffer) }
