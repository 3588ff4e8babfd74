package metalog

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"io"

	"drx/internal/state"
	"drx/internal/vfs"
)

// CheckpointEvery is how many bytes a log must have gained before another checkpoint is worth its
// while, and must have before a checkpoint is looked for: the time to replay them is a few
// milliseconds. Tests change it.
var CheckpointEvery int64 = 256 << 10

// A checkpoint is the state after a line of a log, in a file of its own, so that whoever opens the
// array need not replay the lines before. The file has one line in the form of the log's first. It
// is a hint: it counts only if the log has the bytes that it was made from, and what damages it, or
// leaves it behind, costs time and nothing else. So it is neither synced nor replaced atomically.
type checkpoint struct {
	Version int           `json:"checkpoint"`
	Commits int           `json:"commits"` // lines of the log up to the checkpoint
	First   string        `json:"first"`   // the digits of the first line
	Last    int64         `json:"last"`    // offset of the last of these lines
	End     int64         `json:"end"`     // offset of the next one
	Sum     uint32        `json:"sum"`     // CRC-32C of the bytes between
	State   state.Summary `json:"state"`
}

// checkpointVersion is the version of the form of a checkpoint. Another one is ignored.
const checkpointVersion = 1

// EncodeCheckpoint returns the checkpoint of the log after its last line, with the state after that
// line.
func (l *Log) EncodeCheckpoint(s *state.State) ([]byte, error) {
	first, last, err := l.witnesses(l.last, l.end)
	if err != nil {
		return nil, err
	}
	text, err := EncodeJSON(checkpoint{
		Version: checkpointVersion, Commits: l.commits, First: string(first),
		Last: l.last, End: l.end, Sum: crc32.Checksum(last, castagnoli), State: s.Summary(),
	})
	if err != nil {
		return nil, err
	}
	digits := linkDigits(nil, text)
	return bytes.Join([][]byte{digits[:], {' '}, text, {'\n'}}, nil), nil
}

// witnesses returns the digits of the first line of the log, and the line between two offsets.
func (l *Log) witnesses(from, to int64) (first, line []byte, err error) {
	first, line = make([]byte, 8), make([]byte, to-from)
	if _, err = l.file.ReadAt(first, 0); err == nil {
		_, err = l.file.ReadAt(line, from)
	}
	return first, line, err
}

// Resume returns the log in file up to the line to which a checkpoint belongs, and the state after
// that; false if the text is not that of a checkpoint of this log.
func Resume(file vfs.File, text []byte) (*state.State, *Log, bool) {
	line, found := bytes.CutSuffix(text, []byte("\n"))
	if digits := linkDigits(nil, line[min(9, len(line)):]); !found || len(line) < 9 || line[8] != ' ' || !bytes.Equal(line[:8], digits[:]) {
		return nil, nil, false
	}
	d := json.NewDecoder(bytes.NewReader(line[9:]))
	d.DisallowUnknownFields()
	var c checkpoint
	if d.Decode(&c) != nil || c.Version != checkpointVersion || c.Last < 0 || c.End-c.Last < 10 || c.Commits < 1 {
		return nil, nil, false
	}
	l := NewLog(file)
	if size, err := file.Size(); err != nil || c.End > size {
		return nil, nil, false
	}
	first, last, err := l.witnesses(c.Last, c.End)
	if err != nil || string(first) != c.First || crc32.Checksum(last, castagnoli) != c.Sum {
		return nil, nil, false
	}
	s, err := c.State.State()
	if err != nil {
		return nil, nil, false
	}
	l.digits, l.last, l.end, l.commits = last[:8:8], c.Last, c.End, c.Commits
	return s, l, true
}

// ReadLogFrom is ReadLog for a log with a checkpoint, which counts if it belongs to the log. from
// is the offset in the log behind the checkpoint, 0 if it does not count.
func ReadLogFrom(file, checkpoint vfs.File) (s *state.State, l *Log, from int64, err error) {
	if s, l = resume(file, checkpoint); s == nil {
		s, l, err = ReadLog(file)
		return s, l, 0, err
	}
	from = l.end
	s, err = l.ReadOn(s, 0, nil)
	return s, l, from, err
}

// ReadLogBefore is ReadLogFrom up to the commit before one.
func ReadLogBefore(file, checkpoint vfs.File, commit int) (*state.State, *Log, error) {
	s, l := resume(file, checkpoint)
	if s == nil || l.commits >= commit {
		return ReadLogTo(file, commit-1, nil)
	}
	s, err := l.ReadOn(s, commit-1, nil)
	return s, l, err
}

// maxBeyond is by how many bytes a checkpoint may be longer than its log, which says the same with
// more words, but for the header. A longer file is none, and with a hole may be longer than memory.
const maxBeyond = 64 << 10

// resume is Resume for a file; the state is nil if it does not count.
func resume(file, checkpoint vfs.File) (*state.State, *Log) {
	size, err := checkpoint.Size()
	if err != nil {
		return nil, nil
	}
	if log, err := file.Size(); err != nil || size-maxBeyond > log {
		return nil, nil
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(checkpoint, 0, size), text); err != nil {
		return nil, nil
	}
	s, l, ok := Resume(file, text)
	if !ok {
		return nil, nil
	}
	return s, l
}
