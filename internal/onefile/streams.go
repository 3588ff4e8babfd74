package onefile

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"sort"
)

// The streams of the array in a file with one array, and the stream of the names in a file with
// several.
const (
	logStream       = 0
	groupStream     = 1
	directoryStream = 0
)

// An extent is a range of a stream, and where it is in the file, in bytes.
type extent struct{ start, offset, length int64 }

// A stream is a sequence of bytes that grows at its end.
type stream struct {
	extents []extent
	records []int // the number of the record of each extent
	length  int64
	shape   Shape // the zero value for a log
}

// shaped reports whether the stream has groups.
func (s *stream) shaped() bool { return s.shape != Shape{} }

// streams are decoded from the records of a header. They are immutable: growth creates new ones.
type streams struct {
	form
	raw          []byte // the record blocks as they were read, or nil
	records      []record
	recordBlocks []recordBlock
	list         map[int]*stream // by their numbers
	end          int64           // of the last extent or record block in the file
	last         int             // the stream of the last extent; -1 for none or a record block
}

func newStreams(f form) *streams {
	return &streams{form: f, recordBlocks: []recordBlock{headRecordBlock}, list: map[int]*stream{}, end: headerBytes, last: -1}
}

// readStreams returns the streams of a file. It checks all that the header says, except what
// depends on the length of the file. Memory is proportional to the records that the file has. The
// error wraps state.ErrCorrupt or state.ErrVersion and names the byte, or is the file's.
func readStreams(file io.ReaderAt) (*streams, error) {
	head, err := readRecordBlock(file, 0, headerBytes)
	if err != nil {
		return nil, err
	}
	f, err := newestStart(head)
	if err != nil {
		return nil, err
	}
	s := newStreams(f)
	s.raw = head
	if err := s.addRecordBlock(headRecordBlock, head[recordsAt:page], head[page+recordsAt:]); err != nil {
		return nil, err
	}
	for k := 1; k < len(s.recordBlocks); k++ { // adding one may lead to the next
		h := s.recordBlocks[k]
		raw, err := readRecordBlock(file, h.at, 2*h.apart)
		if err != nil {
			return nil, err
		}
		s.raw = append(s.raw, raw...)
		if err := s.addRecordBlock(h, raw[:h.apart], raw[h.apart:]); err != nil {
			return nil, err
		}
	}
	return s, s.checkComplete()
}

// readRecordBlock reads n bytes of records at a byte of the file.
func readRecordBlock(file io.ReaderAt, at, n int64) ([]byte, error) {
	raw := make([]byte, n)
	got, err := file.ReadAt(raw, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if got < len(raw) {
		return nil, corrupt("it is cut short at byte %d: its header has the bytes %d to %d", at+int64(got), at, at+n-1)
	}
	return raw, nil
}

// unchanged reports whether the record blocks of a file still have the bytes that were read.
// Records in them lead to any further blocks.
func (s *streams) unchanged(file io.ReaderAt) bool {
	rest := s.raw
	for _, h := range s.recordBlocks {
		at, n := h.span()
		if int64(len(rest)) < n {
			return false
		}
		raw, err := readRecordBlock(file, at, n)
		if err != nil || !bytes.Equal(raw, rest[:n]) {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// addRecordBlock adds the records of a record block, given its two copies.
func (s *streams) addRecordBlock(h recordBlock, first, second []byte) error {
	used := max(len(trimZeros(first)), len(trimZeros(second)))
	for i := range min(h.count, (used+recordBytes-1)/recordBytes) {
		at, n := i*recordBytes, h.first+i
		r, state := newestCopy(first[at:at+recordBytes], second[at:at+recordBytes], n)
		switch end := len(s.records); {
		case state == absentRecord:
			continue
		case n > end:
			return corrupt("record %d at byte %d is missing", end, h.offset(0, end))
		case state == damagedRecord:
			return corrupt("record %d at bytes %d and %d is damaged", n, h.offset(0, n), h.offset(1, n))
		}
		if err := s.add(r); err != nil {
			return err
		}
	}
	return nil
}

// add adds the next record.
func (s *streams) add(r record) (err error) {
	n := len(s.records)
	switch {
	case !s.witnesses && r.stream >= maxStreams:
		err = corrupt("stream %d, the limit is %d", r.stream, maxStreams)
	case r.stream >= 2*maxStreams || isWitness(int(r.stream)) && r.stream%2 == 1:
		err = corrupt("stream %d, which vouches for none", r.stream)
	case !s.several && r.stream > groupStream && int(r.stream) != witness(logStream):
		err = corrupt("stream %d, but a file with one array has %d and %d", r.stream, logStream, groupStream)
	case r.kind == shapeKind:
		err = s.addShape(r)
	case r.kind == extentKind:
		err = s.addExtent(n, r)
	case r.kind == recordBlockKind:
		err = s.appendRecordBlock(n, r)
	default:
		err = corrupt("kind %d is unknown", r.kind)
	}
	if err != nil {
		return corrupt("record %d at byte %d: %v", n, s.recordOffset(0, n), err)
	}
	s.records = append(s.records, r)
	return nil
}

// recordOffset returns where in the file a copy of record number n is, for which there must be a
// record block.
func (s *streams) recordOffset(copy, n int) int64 {
	k := len(s.recordBlocks) - 1
	for s.recordBlocks[k].first > n {
		k--
	}
	return s.recordBlocks[k].offset(copy, n)
}

// full reports whether the next record is the last one of its record block, which must have the
// position of the next record block. A file whose last record block is full comes from a program
// that knew only one record block.
func (s *streams) full() bool { return len(s.records) >= s.recordBlocks[len(s.recordBlocks)-1].last() }

// nextRecordBlock returns the record of another record block at the end of the file, which is as
// long as all record blocks before it.
func (s *streams) nextRecordBlock() record {
	return record{recordBlockKind, 0, 0, s.end, 2 * roundUp(int64(len(s.records)+1)*recordBytes, page)}
}

// appendRecordBlock adds another record block.
func (s *streams) appendRecordBlock(n int, r record) error {
	switch {
	case n != s.recordBlocks[len(s.recordBlocks)-1].last():
		return corrupt("another part of the header, which only the last record of a part can name")
	case r.b < s.end:
		return corrupt("a part of the header at byte %d, the extent before it ends at byte %d", r.b, s.end)
	case r.stream != 0 || r.a != 0 || r.b%page != 0 || r.c <= 0 || r.c%(2*page) != 0 || r.b > maxEnd || r.c > 2*roundUp(int64(n+1)*recordBytes, page):
		return corrupt("a part of the header of %d bytes at byte %d", r.c, r.b)
	}
	if err := s.checkLast(); err != nil {
		return err
	}
	s.recordBlocks = append(s.recordBlocks, recordBlock{first: n + 1, count: int(r.c / 2 / recordBytes), at: r.b, apart: r.c / 2})
	s.end, s.last = r.b+r.c, -1
	return nil
}

// checkComplete returns an error if the file lacks a stream that it must have: those of its one
// array, or the directory.
func (s *streams) checkComplete() error {
	switch {
	case !s.several && !s.laidOut(logStream):
		return corrupt("its header lacks the extents of the log or of the groups")
	case s.several && s.stream(directoryStream).length == 0:
		return corrupt("its header lacks the extents of the directory")
	case s.several && s.list[directoryStream+1] != nil:
		return corrupt("its header has groups of the directory")
	}
	return nil
}

// laidOut reports whether the array whose log is in the given stream has its extents.
func (s *streams) laidOut(base int) bool {
	return s.stream(base).length > 0 && s.stream(base+1).length > 0
}

// known returns a stream, which it adds if it is missing.
func (s *streams) known(n uint32) *stream {
	if s.list[int(n)] == nil {
		s.list[int(n)] = &stream{}
	}
	return s.list[int(n)]
}

// addShape notes the shape of a stream.
func (s *streams) addShape(r record) error {
	st := s.known(r.stream)
	if st.shaped() || st.length > 0 || r.stream%2 == 0 {
		return corrupt("a shape of stream %d, which has one, or needs none", r.stream)
	}
	shape := Shape{Slot: r.a, Chunks: r.b, Unit: r.c}
	if err := shape.check(); err != nil {
		return err
	}
	st.shape = shape
	return nil
}

// addExtent notes an extent, which must continue its stream and the file.
func (s *streams) addExtent(n int, r record) error {
	st, e := s.known(r.stream), extent{r.a, r.b, r.c}
	switch {
	case e.start != st.length:
		return corrupt("stream %d continues at byte %d, it has %d", r.stream, e.start, st.length)
	case e.offset < s.end:
		return corrupt("an extent at byte %d, the one before it ends at byte %d", e.offset, s.end)
	case e.length <= 0 || e.offset%page != 0 || e.length%page != 0 || e.length > maxEnd-e.offset:
		return corrupt("an extent of %d bytes at byte %d", e.length, e.offset)
	case (r.stream%2 == 1) != st.shaped():
		return corrupt("an extent of stream %d before its shape", r.stream)
	}
	if isWitness(int(r.stream)) && (e.offset%block != 0 || e.length%block != 0) {
		return corrupt("an extent of %d bytes at byte %d, which vouches for another and shares a block", e.length, e.offset)
	}
	if err := s.checkLast(); err != nil {
		return err
	}
	if st.shaped() && (e.offset%st.shape.Unit != 0 || st.shape.roundUp(e.start+e.length) != e.start+e.length || e.start == 0 && e.length < st.shape.Unit) {
		return corrupt("an extent of %d bytes at byte %d is not one of groups", e.length, e.offset)
	}
	st.extents, st.records = append(st.extents, e), append(st.records, n)
	st.length += e.length
	s.end, s.last = e.offset+e.length, int(r.stream)
	return nil
}

// checkLast returns an error if the last extent may not be followed by another one, because it ends
// within a group.
func (s *streams) checkLast() error {
	if st := s.stream(s.last); st.shaped() && st.shape.whole(st.length) != st.length {
		return corrupt("the extent before it ends within a group")
	}
	return nil
}

// stream returns a stream, empty if it has no extent yet.
func (s *streams) stream(n int) *stream {
	if s == nil || s.list[n] == nil {
		return &stream{}
	}
	return s.list[n]
}

// below returns the number of the stream's bytes in front of an offset in the file.
func (s *stream) below(off int64) int64 {
	i := sort.Search(len(s.extents), func(i int) bool { return s.extents[i].offset > off })
	if i == 0 {
		return 0
	}
	e := s.extents[i-1]
	return e.start + min(off-e.offset, e.length)
}

// with returns the streams with record number n, which is changed or added. It must be possible.
func (s *streams) with(n int, r record) (*streams, error) {
	if n == len(s.records) {
		next := s.clone(int(r.stream))
		return next, next.add(r)
	}
	next := newStreams(s.form)
	for i := range max(n+1, len(s.records)) {
		record := r
		if i != n {
			record = s.records[i]
		}
		if err := next.add(record); err != nil {
			return nil, err
		}
	}
	return next, next.checkComplete()
}

// clone returns a copy to which a record of a stream can be added. They share the other streams,
// which do not change.
func (s *streams) clone(stream int) *streams {
	next := &streams{form: s.form, records: slices.Clone(s.records), recordBlocks: slices.Clone(s.recordBlocks), list: maps.Clone(s.list), end: s.end, last: s.last}
	if old := s.list[stream]; old != nil {
		st := *old
		st.extents, st.records = slices.Clone(st.extents), slices.Clone(st.records)
		next.list[stream] = &st
	}
	return next
}

// written returns the streams with the bytes of the header after both copies of record number n
// were written, if they were known before and the record did not begin another record block.
func (s *streams) written(before *streams, n int) *streams {
	if len(before.raw) == 0 || len(before.recordBlocks) != len(s.recordBlocks) {
		return s
	}
	known := *s
	known.raw = slices.Clone(before.raw)
	rest := known.raw
	for _, h := range s.recordBlocks {
		at, length := h.span()
		if n <= h.last() {
			for i := range 2 {
				copy(rest[h.offset(i, n)-at:], s.records[n].encode(n))
			}
			break
		}
		rest = rest[length:]
	}
	return &known
}

// extended returns the record, with its number, that extends a stream to length bytes: that of its
// last extent, if that is the last extent of the file, or another one at the end.
func (s *streams) extended(n int, length int64) (int, record) {
	st := s.stream(n)
	if s.last == n {
		e := st.extents[len(st.extents)-1]
		return st.records[len(st.records)-1], record{extentKind, uint32(n), e.start, e.offset, length - e.start}
	}
	return len(s.records), record{extentKind, uint32(n), st.length, s.next(n), length - st.length}
}

// next returns the offset in the file of the next extent of a stream, if it does not adjoin the
// last one. A witness has whole blocks for itself. The block behind it has no entries of a chunk
// table: if a disk exchanges two blocks, they must not be an entry and its witness.
func (s *streams) next(n int) int64 {
	st, offset := s.stream(n), s.end
	switch {
	case isWitness(n):
		return roundUp(offset, block)
	case !st.shaped():
		return offset
	case isWitness(s.last) && st.length > 0: // the first extent begins without entries
		offset += block
	}
	return roundUp(offset, st.shape.Unit)
}
