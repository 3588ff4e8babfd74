package zarr

import (
	"encoding/binary"
	"strings"

	"drx/formats"
	"drx/internal/errkind"
)

// eachString calls f for the n strings in the decoded bytes of a chunk, in order.
func (t elementType) eachString(data []byte, n int, f func(i int, s string) error) error {
	if t.text != variable {
		if len(data) != n*t.size {
			return errkind.Errorf(ErrFormat, "%d bytes for %d strings of %d bytes each", len(data), n, t.size)
		}
		for i := range n {
			if err := f(i, t.fixedString(data[i*t.size:(i+1)*t.size])); err != nil {
				return err
			}
		}
		return nil
	}
	if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) != int64(n) {
		return errkind.Errorf(ErrFormat, "a chunk of %d strings begins with another number", n)
	}
	data = data[4:]
	for i := range n {
		if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) {
			return errkind.Errorf(ErrFormat, "string %d of %d is cut", i, n)
		}
		size := binary.LittleEndian.Uint32(data)
		if err := f(i, formats.Text(data[4:4+size])); err != nil {
			return err
		}
		data = data[4+size:]
	}
	if len(data) > 0 {
		return errkind.Errorf(ErrFormat, "%d bytes after %d strings", len(data), n)
	}
	return nil
}

// fixedString decodes a string of fixed size, without the zeros at its end.
func (t elementType) fixedString(b []byte) string {
	if t.text == fixed8 {
		for len(b) > 0 && b[len(b)-1] == 0 {
			b = b[:len(b)-1]
		}
		return formats.Text(b)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if t.big {
		order = binary.BigEndian
	}
	var s strings.Builder
	zeros := 0
	for ; len(b) >= 4; b = b[4:] {
		r := rune(order.Uint32(b))
		if r == 0 {
			zeros++
			continue
		}
		for ; zeros > 0; zeros-- {
			s.WriteByte(0)
		}
		s.WriteRune(r) // not a character becomes U+FFFD
	}
	return s.String()
}
