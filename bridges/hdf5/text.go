//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"unicode/utf8"
)

// utf8Text returns b as a string, or if it is not valid UTF-8 as the Latin-1 that it most likely is.
func utf8Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// fixedText returns a string of fixed length without its padding.
func (e *element) fixedText(b []byte) string {
	switch e.padding {
	case zeroPads:
		b = bytes.TrimRight(b, "\x00")
	case spacePads:
		b = bytes.TrimRight(b, " ")
	default:
		if end := bytes.IndexByte(b, 0); end >= 0 {
			b = b[:end]
		}
	}
	return utf8Text(b)
}
