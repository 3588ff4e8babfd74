package metalog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"

	"drx/internal/state"
	"drx/internal/vfs"
)

// Salvage is ReadLog for a log that may be damaged: it replays the lines before the first damaged
// one. damage is the error of that line, nil for an intact log, and lost is the number of lines
// that cannot be used. err is the error of ReadLog if the header is damaged or the log has a newer
// version, or is one of the file system.
func Salvage(file vfs.File) (s *state.State, log *Log, lost int, damage, err error) {
	all := NewLog(file)
	if s, damage = all.readOn(nil, 0, nil); damage == nil {
		return s, all, 0, nil, nil
	}
	if all.commits == 0 || !errors.Is(damage, state.ErrCorrupt) || errors.Is(damage, state.ErrVersion) {
		return nil, nil, 0, nil, damage
	}
	if s, log, err = ReadLogTo(file, all.commits, nil); err != nil {
		return nil, nil, 0, nil, err
	}
	lost, err = countLines(file, log.end)
	return s, log, lost, damage, err
}

// countLines counts the lines of a file from off on. The last one need not have a newline.
func countLines(file vfs.File, off int64) (lines int, err error) {
	size, err := file.Size()
	if err != nil || size <= off {
		return 0, err
	}
	err = eachPiece(file, off, func(piece []byte) bool {
		lines += bytes.Count(piece, []byte{'\n'})
		return true
	})
	var last [1]byte
	if _, readErr := file.ReadAt(last[:], size-1); err == nil && !errors.Is(readErr, io.EOF) {
		err = readErr
	}
	if last[0] != '\n' {
		lines++
	}
	return lines, err
}

// maxFirstLine is the largest number of bytes of a first line that Unborn checks.
const maxFirstLine = 1 << 20

// Unborn reports whether a file holds no commit yet: it is empty, or it holds only a part of a
// first line, because a crash interrupted the creation of the array. It is false for any other
// text, such as a damaged log.
func Unborn(file vfs.File) (bool, error) {
	size, err := file.Size()
	if err != nil || size == 0 || size > maxFirstLine {
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
	return (end < 0 || end == len(line)-1) && isFirstLinePart(line), nil
}

// isFirstLinePart reports whether a text can be the remainder of the first line of a log: its
// beginning or, if its first sector is lost, zeros and the text after them.
func isFirstLinePart(line []byte) bool {
	rest := bytes.TrimLeft(line, "\x00")
	if lost := len(line) - len(rest); lost > 0 {
		return !bytes.ContainsFunc(rest, func(r rune) bool { return r < ' ' && r != '\n' && r != 0 })
	}
	digits := line[:min(8, len(line))]
	if _, err := hex.Decode(make([]byte, 8), append(bytes.Clone(digits), "00000000"[len(digits):]...)); err != nil {
		return false
	}
	return prefixEither(line[len(digits):], ` {"drx":`) || prefixEither(line[len(digits):], ` [{"drx":`)
}

// prefixEither reports whether one of two texts begins with the other.
func prefixEither(text []byte, start string) bool {
	n := min(len(text), len(start))
	return string(text[:n]) == start[:n]
}
