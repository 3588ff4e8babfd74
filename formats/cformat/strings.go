package cformat

import (
	"runtime"
	"strings"
	"unsafe"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// Strings are C strings, each ending with a zero byte, in one block of Go's memory. The memory is
// pinned while C reads it, so that nothing has to be freed.
type Strings struct {
	bytes []byte
	at    []int // where each begins
}

// NewStrings returns labels, or the texts of an attribute, for a file of a format; nil for nil. The
// error wraps formats.ErrType if a text has a zero byte, where C would end it.
func NewStrings(texts []string, format string) (*Strings, error) {
	if texts == nil {
		return nil, nil
	}
	if err := CheckStrings(texts, format); err != nil {
		return nil, err
	}
	t := &Strings{bytes: []byte{0}, at: make([]int, len(texts))} // a byte to pin
	for i, s := range texts {
		t.at[i] = len(t.bytes)
		t.bytes = append(append(t.bytes, s...), 0)
	}
	return t, nil
}

// CheckStrings returns the error of NewStrings.
func CheckStrings(texts []string, format string) error {
	for _, s := range texts {
		if strings.Contains(s, "\x00") {
			return errkind.Errorf(formats.ErrType, "label %q: strings in %s have no zero bytes", s, format)
		}
	}
	return nil
}

// pointer returns the address of text n.
func (t *Strings) pointer(n int) unsafe.Pointer { return unsafe.Pointer(&t.bytes[t.at[n]]) }

// Pinned returns the address of a char *[] with all texts; there must be at least one. C may use it
// until pin is unpinned.
func (t *Strings) Pinned(pin *runtime.Pinner) unsafe.Pointer {
	pin.Pin(&t.bytes[0])
	all := make([]unsafe.Pointer, len(t.at))
	for i := range all {
		all[i] = t.pointer(i)
	}
	return unsafe.Pointer(&all[0])
}

// Write calls write with boxes of a section and the address of a char *[] with the labels of their
// elements. buf holds the elements of the section, which are indices into the labels.
func (t *Strings) Write(info *formats.Info, sec nd.Section, buf []byte, write func(box nd.Section, from unsafe.Pointer) error) error {
	const most = 4096
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&t.bytes[0])
	piece := make([]unsafe.Pointer, min(most, Count(sec)))
	return Pieces(sec, len(piece), func(box nd.Section, at int) error {
		for i := range Count(box) {
			label, err := info.Label(buf, at+i)
			if err != nil {
				return err
			}
			piece[i] = t.pointer(label)
		}
		return write(box, unsafe.Pointer(&piece[0]))
	})
}
