// Package metalog implements the metadata log of an array: a text file with one line per commit,
// which holds the records of the commit. FORMAT.md is its specification and uses the same names;
// package state defines what the records mean.
package metalog

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"regexp"

	"drx/internal/errkind"
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
// digits is the CRC-32C, in hexadecimal, of the digits of the previous line (none for the first)
// and this line's JSON, so that each line checks the whole history before it.
//
// # Invariants
//
//  1. A commit is one line, so it is in the log entirely or not at all.
//  2. A line is written only when the line before it is durable and nothing follows that. So
//     only the last line can be torn by a crash, see torn.
type Log struct {
	file      vfs.File
	digits    []byte // of the last line
	last      int64  // offset of the last line
	end       int64  // offset of the next line
	commits   int
	dirtyTail bool // there may be bytes after end, or the last newline is missing
}

// castagnoli is the table of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// linkDigits returns the digits of a line: the checksum of the previous digits and of its text.
func linkDigits(before, text []byte) (digits [8]byte) {
	sum := crc32.Update(crc32.Checksum(before, castagnoli), castagnoli, text)
	hex.Encode(digits[:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return digits
}

// NewLog returns the log for a file that is empty.
func NewLog(file vfs.File) *Log { return &Log{file: file} }

// Renamed replaces the file of the log by the same file under another name.
func (l *Log) Renamed(file vfs.File) { l.file = file }

// Commits returns the number of commits in the log.
func (l *Log) Commits() int { return l.commits }

// Digits returns the digits at the beginning of the last line, zeros for an empty log.
func (l *Log) Digits() (digits [8]byte) {
	copy(digits[:], l.digits)
	return digits
}

// Size returns the size of the committed part of the log in bytes.
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

// Append commits records: it writes them as one line, and makes it durable if sync is set. Without
// records it does nothing. After an error the line does not count, and the next Append overwrites
// it.
func (l *Log) Append(records []state.Record, sync bool) error {
	line, err := l.Line(records)
	if err != nil {
		return err
	}
	return l.AppendLine(line, sync)
}

// AppendLine appends a line that Line has returned, and makes it durable if sync is set.
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
		l.dirtyTail = true
		_ = l.Tidy(sync) // after an error the next AppendLine tries again
		return err
	}
	l.digits, l.last = bytes.Clone(line[:8]), l.end
	l.end += int64(len(line))
	l.commits++
	return nil
}

// WriteAgain writes the last line, which AppendLine has written without making it durable, once
// more: a sync has failed since.
func (l *Log) WriteAgain(line []byte) error {
	_, err := l.file.WriteAt(line, l.last)
	return err
}

// Replay applies a line that AppendLine could append to the state after the log's last line. The
// error wraps ErrCorrupt if the line does not continue the log.
func (l *Log) Replay(s *state.State, line []byte) (*state.State, error) {
	_, text, ok := l.verify(line)
	if !ok {
		return nil, l.lineError(errkind.Errorf(state.ErrCorrupt, "the journal's line does not continue the log"))
	}
	err := decodeCommit(text, func(r state.Record) (err error) {
		s, err = s.Apply(r)
		return err
	})
	return s, err
}

// Tidy removes everything after the last commit, such as the torn line of a writer that died or a
// line that could not be made durable, and adds a missing newline. A writer calls it before its
// first commit. sync makes the change durable, as it must be before the next line is written
// (invariant 2): if only that line reached the disk, the rest would be damage.
func (l *Log) Tidy(sync bool) error {
	if !l.dirtyTail {
		return nil
	}
	if err := l.addNewline(); err != nil {
		return err
	}
	if err := l.file.Truncate(l.end); err != nil {
		return err
	}
	if sync {
		if err := l.file.Sync(); err != nil {
			return err
		}
	}
	l.dirtyTail = false
	return nil
}

// addNewline adds the newline of the last commit if it is missing. If it is there it is not
// written, which a full disk might refuse.
func (l *Log) addNewline() error {
	if l.end == 0 {
		return nil
	}
	var last [1]byte
	if _, err := l.file.ReadAt(last[:], l.end-1); err == nil && last[0] == '\n' {
		return nil
	}
	_, err := l.file.WriteAt([]byte{'\n'}, l.end-1)
	return err
}

// ReadLog replays the log in file. It reads no other file, so its time and memory depend only on
// the number of expansions. Errors name the file and the line and wrap ErrVersion or ErrCorrupt,
// and also the error of Apply if a record is the cause.
func ReadLog(file vfs.File) (*state.State, *Log, error) { return ReadLogTo(file, 0, nil) }

// ReadLogTo is ReadLog up to a commit, where 1 is the header's and 0 means all. It calls each, if
// not nil, with every record, the number of its commit and the state after it, which is valid only
// until each returns. The error wraps nd.ErrBounds if there are fewer commits.
func ReadLogTo(file vfs.File, commit int, each func(commit int, r state.Record, s *state.State)) (*state.State, *Log, error) {
	l := NewLog(file)
	s, err := l.ReadOn(nil, commit, each)
	if err != nil {
		return nil, nil, err
	}
	if commit > l.commits {
		return nil, nil, errkind.InFile(file.Name(), errkind.Errorf(nd.ErrBounds, "no commit %d: there are 1 to %d", commit, l.commits))
	}
	return s, l, nil
}

// ReadOn replays the lines that were added since the log was read, up to a commit or, with 0, to
// the end, and returns the state after them. Writers may append meanwhile: it leaves an incomplete
// line for the next call, and forgets a line that its writer has removed again, see AppendLine.
func (l *Log) ReadOn(s *state.State, commit int, each func(commit int, r state.Record, s *state.State)) (*state.State, error) {
	next := *l // on an error, l keeps the position that belongs to s
	next.digits = bytes.Clone(l.digits)
	stands, err := l.lastLineStands()
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

// lastLineStands reports whether the last line that was read is still in the file.
func (l *Log) lastLineStands() (bool, error) {
	digits := make([]byte, len(l.digits))
	_, err := l.file.ReadAt(digits, l.last)
	if errors.Is(err, io.EOF) {
		return len(digits) == 0, nil
	}
	return bytes.Equal(digits, l.digits), err
}

// IsOutrun reports whether the file has lines that this log has not written: another program has
// written to it. It asks the file system anew.
func (l *Log) IsOutrun() (bool, error) {
	vfs.Refetch(l.file, 0, -1)
	stands, err := l.lastLineStands()
	if err != nil || !stands {
		return err == nil, err
	}
	size, err := l.file.Size()
	return err == nil && size > l.end && !l.dirtyTail, err
}

func (l *Log) readOn(s *state.State, commit int, each func(commit int, r state.Record, s *state.State)) (*state.State, error) {
	size, err := l.file.Size()
	if err != nil {
		return nil, err
	}
	rest := max(0, size-l.end)
	in := bufio.NewReaderSize(io.NewSectionReader(l.file, l.end, rest), int(max(1<<9, min(1<<16, rest+1))))
	if s == nil {
		if err := l.checkStart(in); err != nil {
			return nil, err
		}
	}
	own := s == nil // the states in between are used nowhere else
	start, _ := in.Peek(in.Buffered())
	lines := bytes.Count(start, []byte{'\n'}) // usually each adds one segment
	for commit == 0 || l.commits < commit {
		line, cut, err := readLine(in)
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			break
		}
		digits, text, ok := l.verify(line)
		if !ok || cut {
			last, err := l.isLast(in, line, cut)
			if err != nil {
				return nil, err
			}
			if l.commits > 0 && !(last && torn(line, l.end)) {
				return nil, l.lineError(fmt.Errorf("%w: wrong checksum", state.ErrCorrupt))
			}
			l.dirtyTail = true
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
		l.dirtyTail = line[len(line)-1] != '\n'
		l.digits, l.last = append(l.digits[:0], digits...), l.end
		l.end += int64(len(digits) + len(text) + 2)
		l.commits++
	}
	if s == nil {
		return nil, l.errFirstLine()
	}
	return s, nil
}

// longLine is the length in bytes up to which a line with a zero byte is read. No valid line has
// one.
const longLine = 4 << 20

// readLine returns the next line, with its newline if it has one, and an empty line at the end. The
// line is valid until the next read. It is cut if it is longer than longLine and has a zero byte: a
// file with a hole may be longer than memory.
func readLine(in *bufio.Reader) (line []byte, cut bool, err error) {
	line, err = in.ReadSlice('\n')
	if err == bufio.ErrBufferFull { // longer than most logs
		line, cut, err = readLongLine(in, line)
	}
	if err == io.EOF {
		err = nil
	}
	return line, cut, err
}

// readLongLine is readLine for a line whose first piece has filled the buffer.
func readLongLine(in *bufio.Reader, piece []byte) (line []byte, cut bool, err error) {
	var pieces [][]byte
	length, zero := 0, false
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; piece, err = in.ReadSlice('\n') {
		if length > longLine && zero {
			return bytes.Join(pieces, nil), true, nil
		}
		pieces = append(pieces, bytes.Clone(piece))
		length += len(piece)
		zero = zero || bytes.IndexByte(piece, 0) >= 0
	}
	return bytes.Join(append(pieces, piece), nil), false, err
}

// isLast reports whether nothing follows a line that was read at the end of the log, or only zeros
// if it was cut.
func (l *Log) isLast(in *bufio.Reader, line []byte, cut bool) (bool, error) {
	if !cut {
		_, err := in.Peek(1)
		return err != nil, nil
	}
	nothing := true
	err := eachPiece(l.file, l.end+int64(len(line)), func(piece []byte) bool {
		nothing = len(bytes.Trim(piece, "\x00")) == 0
		return nothing
	})
	return nothing, err
}

// eachPiece calls f with the bytes of a file from off on, without its holes, until f returns false.
func eachPiece(file vfs.File, off int64, f func(piece []byte) bool) error {
	buf := make([]byte, 64<<10)
	for {
		from, to, err := file.Data(off)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for off = from; off < to; {
			n, err := file.ReadAt(buf[:min(int64(len(buf)), to-off)], off)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if off += int64(n); n == 0 || !f(buf[:n]) {
				return nil
			}
		}
	}
}

// checkStart checks the first bytes, so that another kind of file is not read completely in search
// of the end of its first line.
func (l *Log) checkStart(in *bufio.Reader) error {
	start, err := in.Peek(len(`01234567 [{"drx":`))
	if err != nil && err != io.EOF {
		return err
	}
	if len(start) > 9 && bytes.HasPrefix(bytes.TrimPrefix(start[9:], []byte("[")), []byte(`{"drx":`)) {
		return nil
	}
	if laterLine.Match(start) || len(start) > 0 && len(bytes.Trim(start, "\x00")) == 0 {
		return l.errFirstLine()
	}
	return errkind.InFile(l.file.Name(), errkind.Errorf(state.ErrCorrupt, "not the metadata log of an array"))
}

// laterLine matches the beginning of a line that is not the first one.
var laterLine = regexp.MustCompile(`^[0-9a-f]{8} \[?\{`)

// errFirstLine returns the error for a log without its first line. The contents of this line are in
// no other file of the array, but no commit changes them, so a backup of any age has them.
func (l *Log) errFirstLine() error {
	return errkind.InFile(l.file.Name(), errkind.Errorf(state.ErrCorrupt, "the first line of the log of the array is lost: only it says the element type, the chunk shape and the fill value; "+
		"an older copy of the file has the same one: put that before the lines that are left"))
}

// lineError adds the file and the line to an error. An impossible record with a valid checksum
// counts as damage, too.
func (l *Log) lineError(err error) error {
	if !errors.Is(err, state.ErrCorrupt) && !errors.Is(err, state.ErrVersion) {
		err = fmt.Errorf("%w: %w", state.ErrCorrupt, err)
	}
	return errkind.InFile(l.file.Name(), fmt.Errorf("line %d: %w", l.commits+1, err))
}

// verify splits the next line into digits and text, and reports whether it continues the log. The
// last line of the file is valid even if its newline is missing or damaged, because its text is
// complete.
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

// sector is the unit that a disk writes entirely or not at all.
const sector = 512

// torn reports whether the last line of a log, at offset off, looks like a write that a crash has
// interrupted rather than like damage: its end is missing or reads as zeros, as where a file ends
// later, or sectors of it read as zeros.
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
		ends := i == len(line) || (off+int64(i))%sector == 0
		starts := from == 0 || i == len(line) || (off+int64(from))%sector == 0
		if !starts || !ends {
			return false
		}
		zeros = true
	}
	return zeros || line[len(line)-1] != '\n'
}
