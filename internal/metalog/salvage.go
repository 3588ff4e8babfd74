package metalog

import (
	"bufio"
	"errors"
	"io"

	"drx/internal/state"

	"drx/internal/vfs"
)

// Salvage is ReadLog for a log that may be damaged: it replays the lines before the first damaged one.
// damage is the error of that line, nil for an intact log, and lost is the number of lines that cannot
// be used. err is the error of ReadLog if the header is damaged or the log has a newer version, or is
// one of the file system.
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
	if err != nil {
		return 0, err
	}
	in := bufio.NewReader(io.NewSectionReader(file, off, size-off))
	for {
		rest, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			lines++
		case errors.Is(err, io.EOF):
			if len(rest) > 0 {
				lines++
			}
			return lines, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return lines, err
		}
	}
}
