// Package metalog is the metadata log of an array: the file that holds its records, a line per commit,
// and how they are written as text. FORMAT.md is its specification and uses the same names; package
// state says what the records mean.
package metalog

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"drx/internal/state"

	"drx/internal/vfs"
	"drx/nd"
)

// A Log is the metadata log, a text file of one line per commit:
//
//	+--------+---+----------------------+----+
//	| digits | ' ' | record, or [records] | \n |
//	+--------+---+----------------------+----+
//	    8      1      JSON, any length      1
//
// digits is the CRC-32C, in hexadecimal, of the digits of the line before (none for the
// first) and this line's JSON, so that each line vouches for the whole history before it.
//
// # Invariants
//
//  1. A commit is one line: it is wholly in the log or wholly not.
//  2. A line is written only when the line before it is durable and nothing lies behind
//     that. So only the last line can be one that a crash tore, see torn.
type Log struct {
	file    vfs.File
	digits  []byte // of the last line
	last    int64  // where that begins
	end     int64  // where the next line goes
	commits int
	untidy  bool // something may lie behind end, or the last newline is missing
}

// castagnoli is the table of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// linkDigits returns the digits of a line: the checksum of what it continues and says.
func linkDigits(before, text []byte) (digits [8]byte) {
	sum := crc32.Update(crc32.Checksum(before, castagnoli), castagnoli, text)
	hex.Encode(digits[:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return digits
}

// NewLog returns the log for a file that is empty.
func NewLog(file vfs.File) *Log { return &Log{file: file} }

// Renamed tells the log that its file has another name: file is the same one with that.
func (l *Log) Renamed(file vfs.File) { l.file = file }

// Commits returns the number of commits in the log.
func (l *Log) Commits() int { return l.commits }

// Digits returns those that the last line begins with, zeros for an empty log.
func (l *Log) Digits() (digits [8]byte) {
	copy(digits[:], l.digits)
	return digits
}

// Size returns the bytes of the log's committed part.
func (l *Log) Size() int64 { return l.end }

// Line returns the line that Append would write for records, nil for none.
func (l *Log) Line(records []state.Record) ([]byte, error) {
	if len(records) == 0 {
		return nil, nil
	}
	text, err := encodeCommit(records)
	if err != nil {
		return nil, err
	}
	digits := linkDigits(l.digits, text)
	line := append(append(make([]byte, 0, len(digits)+len(text)+2), digits[:]...), ' ')
	return append(append(line, text...), '\n'), nil
}

// Append commits records: it writes them as one line and makes it durable; without
// records there is nothing to commit. After an error the line does not count, and the
// next Append takes its place.
func (l *Log) Append(records []state.Record) error {
	line, err := l.Line(records)
	if err != nil {
		return err
	}
	return l.AppendLine(line, true)
}

// AppendLine appends what Line returned; sync says whether to make it durable.
func (l *Log) AppendLine(line []byte, sync bool) error {
	if len(line) == 0 {
		return nil
	}
	if err := l.Tidy(sync); err != nil {
		return err
	}
	_, err := l.file.WriteAt(line, l.end)
	if err == nil && sync {
		err = l.file.Sync()
	}
	if err != nil {
		l.untidy = true
		_ = l.Tidy(sync) // what cannot be done now, the next AppendLine does
		return err
	}
	l.digits, l.last = bytes.Clone(line[:8]), l.end
	l.end += int64(len(line))
	l.commits++
	return nil
}

// Replay applies a line that continues the log, as AppendLine would append it, to the state
// that the log gives. The error wraps ErrCorrupt when it does not continue it.
func (l *Log) Replay(s *state.State, line []byte) (*state.State, error) {
	_, text, ok := l.verify(line)
	if !ok {
		return nil, l.lineError(fmt.Errorf("the journal's line does not continue the log: %w", state.ErrCorrupt))
	}
	err := decodeCommit(text, func(r state.Record) (err error) {
		s, err = s.Apply(r)
		return err
	})
	return s, err
}

// Tidy removes what lies behind the last commit, the torn tail of a writer that died or a
// line that could not be made durable, and mends a missing newline. A writer calls it before
// its first commit. That must be durable, which is what sync says, before there is another
// line (invariant 2): its end would be damage if the new one reached the disk alone.
func (l *Log) Tidy(sync bool) error {
	if !l.untidy {
		return nil
	}
	if l.end > 0 {
		if _, err := l.file.WriteAt([]byte{'\n'}, l.end-1); err != nil {
			return err
		}
	}
	if err := l.file.Truncate(l.end); err != nil {
		return err
	}
	if sync {
		if err := l.file.Sync(); err != nil {
			return err
		}
	}
	l.untidy = false
	return nil
}

// ReadLog replays the log in file. It reads nothing else, so that its time and memory
// depend on the number of expansions alone. The errors wrap ErrVersion or ErrCorrupt, what
// Apply says of a record too where that is the reason, and name the file and the line.
func ReadLog(file vfs.File) (*state.State, *Log, error) { return ReadLogTo(file, 0, nil) }

// ReadLogTo is ReadLog up to a commit, the header's being 1; 0 reads all. It calls each, if
// not nil, with every record, the number of its commit and the state after it, which each may use until
// it returns. It returns an error wrapping nd.ErrBounds when there are fewer commits.
func ReadLogTo(file vfs.File, commit int, each func(commit int, r state.Record, s *state.State)) (*state.State, *Log, error) {
	l := NewLog(file)
	s, err := l.ReadOn(nil, commit, each)
	if err != nil {
		return nil, nil, err
	}
	if commit > l.commits {
		return nil, nil, fmt.Errorf("%s: version %d, there are 1 to %d: %w", file.Name(), commit, l.commits, nd.ErrBounds)
	}
	return s, l, nil
}

// ReadOn replays what the log has more than what was read of it, up to a commit or, with 0,
// to the end, and returns the state after that. Writers may append meanwhile: a line of
// which only a part is there yet is left for the next time, and one that its writer has taken
// back, see AppendLine, is forgotten.
func (l *Log) ReadOn(s *state.State, commit int, each func(commit int, r state.Record, s *state.State)) (*state.State, error) {
	next := *l // l stays where state is if something goes wrong
	next.digits = bytes.Clone(l.digits)
	stands, err := l.stands()
	if err != nil {
		return nil, err
	}
	if !stands {
		all := each
		next, s, each = *NewLog(l.file), nil, func(commit int, r state.Record, s *state.State) {
			if all != nil && commit >= l.commits {
				all(commit, r, s)
			}
		}
	}
	if s, err = next.readOn(s, commit, each); err == nil {
		*l = next
	}
	return s, err
}

// stands reports whether the line read last is still there.
func (l *Log) stands() (bool, error) {
	digits := make([]byte, len(l.digits))
	_, err := l.file.ReadAt(digits, l.last)
	if errors.Is(err, io.EOF) {
		return len(digits) == 0, nil
	}
	return bytes.Equal(digits, l.digits), err
}

func (l *Log) readOn(s *state.State, commit int, each func(commit int, r state.Record, s *state.State)) (*state.State, error) {
	size, err := l.file.Size()
	if err != nil {
		return nil, err
	}
	rest := max(0, size-l.end)
	in := bufio.NewReaderSize(io.NewSectionReader(l.file, l.end, rest), int(max(1<<9, min(1<<16, rest+1))))
	if s == nil {
		if err := l.recognise(in); err != nil {
			return nil, err
		}
	}
	own := s == nil // nobody keeps the states in between
	start, _ := in.Peek(in.Buffered())
	lines := bytes.Count(start, []byte{'\n'}) // one segment each, as a rule
	for commit == 0 || l.commits < commit {
		line, err := readLine(in)
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			break
		}
		digits, text, ok := l.verify(line)
		if !ok {
			tail := torn(line, l.end)
			if _, err := in.Peek(1); l.commits > 0 && (err == nil || !tail) {
				return nil, l.lineError(fmt.Errorf("%w: wrong checksum", state.ErrCorrupt))
			}
			l.untidy = true
			break
		}
		s = s.BeginCommit(own)
		if err := decodeCommit(text, func(r state.Record) (err error) {
			if !own {
				s, err = s.Apply(r)
			} else if s, err = s.Replay(r); r.Header != nil && err == nil {
				s.Grid.Reserve(lines)
			}
			if err == nil && each != nil {
				each(l.commits+1, r, s)
			}
			return err
		}); err != nil {
			return nil, l.lineError(err)
		}
		l.untidy = line[len(line)-1] != '\n'
		l.digits, l.last = append(l.digits[:0], digits...), l.end
		l.end += int64(len(digits) + len(text) + 2)
		l.commits++
	}
	if s == nil {
		return nil, l.foreign()
	}
	return s, nil
}

// readLine returns the next line, with its newline if it has one, empty at the end. It is good
// until the next reading.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err == bufio.ErrBufferFull { // longer than most logs
		var rest []byte
		line = bytes.Clone(line)
		rest, err = in.ReadBytes('\n')
		line = append(line, rest...)
	}
	if err == io.EOF {
		err = nil
	}
	return line, err
}

// recognise looks at the first bytes, so that a file that is something else is not read
// in search of the end of its first line.
func (l *Log) recognise(in *bufio.Reader) error {
	start, err := in.Peek(len(`01234567 [{"drx":`))
	if err != nil && err != io.EOF {
		return err
	}
	if len(start) < 9 || !bytes.HasPrefix(bytes.TrimPrefix(start[9:], []byte("[")), []byte(`{"drx":`)) {
		return l.foreign()
	}
	return nil
}

func (l *Log) foreign() error {
	return fmt.Errorf("%s: no metadata log of an array: %w", l.file.Name(), state.ErrCorrupt)
}

// lineError says where the log is wrong. A record that was written as it stands but makes
// no sense is damage all the same.
func (l *Log) lineError(err error) error {
	if !errors.Is(err, state.ErrCorrupt) && !errors.Is(err, state.ErrVersion) {
		err = fmt.Errorf("%w: %w", state.ErrCorrupt, err)
	}
	return fmt.Errorf("%s, line %d: %w", l.file.Name(), l.commits+1, err)
}

// verify takes the next line apart and reports whether it continues the log. The last
// line of the file is good also when its newline is missing or damaged: all that it says
// is there.
func (l *Log) verify(line []byte) (digits, text []byte, ok bool) {
	if len(line) < 10 || line[8] != ' ' {
		return nil, nil, false
	}
	digits = line[:8]
	for _, newline := range []int{1, 0} {
		text = line[9 : len(line)-newline]
		if want := linkDigits(l.digits, text); bytes.Equal(digits, want[:]) {
			return digits, text, true
		}
	}
	return nil, nil, false
}

// sector is the unit that a disk writes whole or not at all.
const sector = 512

// torn reports whether the last line of a log, which begins at off, looks like a write
// that a crash cut short, rather than like damage: its end is missing, or sectors of it
// are, which read as zeros.
func torn(line []byte, off int64) bool {
	zeros := false
	for i := 0; i < len(line); i++ {
		if line[i] != 0 {
			continue
		}
		from := i
		for i < len(line) && line[i] == 0 {
			i++
		}
		starts := from == 0 || (off+int64(from))%sector == 0
		ends := i == len(line) || (off+int64(i))%sector == 0
		if !starts || !ends {
			return false
		}
		zeros = true
	}
	return zeros || line[len(line)-1] != '\n'
}
