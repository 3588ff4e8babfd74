package formats

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"drx/internal/errkind"
)

// labelMemory is the memory of a label beside its text, in bytes: two headers, an index, and its
// share of the table.
const labelMemory = 80

// A Labeler collects the strings of a variable for Info.Labels: each once, in the order of their
// first appearance.
type Labeler struct {
	labels []string
	index  map[string]uint32
	used   int64 // bytes
	memory int64
}

// NewLabeler returns a Labeler for strings that take at most memory bytes.
func NewLabeler(memory int64) *Labeler {
	return &Labeler{labels: []string{}, index: map[string]uint32{}, memory: memory}
}

// Add returns the index of a string, a new index for a new string. The error wraps ErrMemory when
// the different strings take too much memory.
func (l *Labeler) Add(s string) (uint32, error) {
	if i, known := l.index[s]; known {
		return i, nil
	}
	if l.used += labelMemory + int64(len(s)); l.used > l.memory || uint64(len(l.labels)) == math.MaxUint32 {
		return 0, fmt.Errorf("%d different strings: %w: they need more than %d bytes", len(l.labels), ErrMemory, l.memory)
	}
	i := uint32(len(l.labels))
	s = strings.Clone(s) // s may be a part of a large string, which it would keep in memory
	l.index[s], l.labels = i, append(l.labels, s)
	return i, nil
}

// Index returns the index of a string, and an error for a string that was not added.
func (l *Labeler) Index(s string) (uint32, error) {
	if i, known := l.index[s]; known {
		return i, nil
	}
	return 0, fmt.Errorf("%q was not in the file when it was opened", s)
}

// Labels returns the strings. It is not nil.
func (l *Labeler) Labels() []string { return l.labels }

// Label returns element number at of buf, an unsigned integer of i.DType, as an index into Labels.
// The error wraps ErrSize when there is no such label.
func (i Info) Label(buf []byte, at int) (int, error) {
	size, index := i.DType.Size(), uint64(0)
	for b := size - 1; b >= 0; b-- {
		index = index<<8 | uint64(buf[at*size+b])
	}
	if index >= uint64(len(i.Labels)) {
		return 0, errkind.Errorf(ErrSize, "element %d is label %d, but there are %d", at, index, len(i.Labels))
	}
	return int(index), nil
}

// Text returns bytes of a file as a string. It decodes bytes that are not valid UTF-8 as Latin-1,
// which they most likely are.
func Text[T ~string | ~[]byte](b T) string {
	if s := string(b); utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, len(b))
	for i := range len(b) {
		runes[i] = rune(b[i])
	}
	return string(runes)
}
