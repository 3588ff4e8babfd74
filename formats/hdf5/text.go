//go:build hdf5 && cgo

package hdf5

import (
	"bytes"

	"drx/formats"
)

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
	return formats.Text(b)
}
