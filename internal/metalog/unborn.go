package metalog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"

	"drx/internal/vfs"
)

// mostUnborn is the most bytes of a first line that Unborn looks at.
const mostUnborn = 1 << 20

// Unborn reports whether a file holds no commit yet: it is empty, or it holds nothing but a first line that
// a crash cut short while the array was created. Every other text, damaged logs included, is not.
func Unborn(file vfs.File) (bool, error) {
	size, err := file.Size()
	if err != nil || size == 0 || size > mostUnborn {
		return size == 0, err
	}
	line := make([]byte, size)
	if n, err := file.ReadAt(line, 0); err != nil && !(errors.Is(err, io.EOF) && n == len(line)) {
		return false, err
	}
	if _, _, whole := NewLog(file).verify(line); whole || !torn(line, 0) {
		return false, nil
	}
	end := bytes.IndexByte(line, '\n')
	return (end < 0 || end == len(line)-1) && startsLog(line), nil
}

// startsLog reports whether a text may be what is left of the first line of a log: its beginning, or, if the
// first sector of it is lost, text that follows zeros.
func startsLog(line []byte) bool {
	rest := bytes.TrimLeft(line, "\x00")
	if lost := len(line) - len(rest); lost > 0 {
		return !bytes.ContainsFunc(rest, func(r rune) bool { return r < ' ' && r != '\n' && r != 0 })
	}
	digits := line[:min(8, len(line))]
	if _, err := hex.Decode(make([]byte, 8), append(bytes.Clone(digits), "00000000"[len(digits):]...)); err != nil {
		return false
	}
	return matches(line[len(digits):], ` {"drx":`) || matches(line[len(digits):], ` [{"drx":`)
}

// matches reports whether a text is the beginning of another one, or begins with it.
func matches(text []byte, start string) bool {
	n := min(len(text), len(start))
	return string(text[:n]) == start[:n]
}
