package onefile

import (
	"bytes"
	"encoding/binary"
	"errors"

	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/state"
)

// The header, see FORMAT.md. It is two copies of a page.
const (
	magic       = "DRXFILE1" // its last byte is the version
	headerBytes = 2 * page
	recordsAt   = 512 // in a copy, the first record; before it is the sector that never changes
	recordBytes = 64
	startBytes  = 64 // the bytes of that sector that are not zero
)

// The kinds of records.
const (
	extentKind      = 1
	shapeKind       = 2
	recordBlockKind = 3
)

// maxStreams limits the numbers of streams that are not witnesses.
const maxStreams = 1 << 16

// witness returns the number of the stream that vouches for stream n: for the directory it is a
// mirror, for the log of an array, with the table, the presence map.
func witness(n int) int { return maxStreams + n }

// isWitness reports whether a stream vouches for another one.
func isWitness(n int) bool { return n >= maxStreams }

// maxEnd is the limit of the length of a file in bytes.
const maxEnd = 1 << 62

// A record is one entry of the header: an extent of a stream, the shape of one, or another record
// block of records.
type record struct {
	kind   uint32
	stream uint32
	// For an extent: its start in the stream, its offset in the file and its length. For a shape:
	// Slot, Chunks and Unit. For a record block: 0, its offset and its length.
	a, b, c int64
}

// A recordBlock is a range of the file with two copies of some records, all first copies before all
// second ones.
type recordBlock struct {
	first, count int   // number of its first record, and its capacity in records
	at           int64 // where in the file the first copy of the first record is
	apart        int64 // bytes from a first copy to the second
}

// headRecordBlock is the record block in the header, which all files have.
var headRecordBlock = recordBlock{count: (page - recordsAt) / recordBytes, at: recordsAt, apart: page}

// last returns the number of the last record of a record block, which has the position of the next
// record block.
func (h recordBlock) last() int { return h.first + h.count - 1 }

// span returns the position of the record block in the file, and its length; that of the head
// includes the sectors in front of the records.
func (h recordBlock) span() (at, length int64) {
	if h.first == 0 {
		return 0, headerBytes
	}
	return h.at, 2 * h.apart
}

// offset returns where in the file a copy, 0 or 1, of record number n is.
func (h recordBlock) offset(copy, n int) int64 {
	return h.at + int64(copy)*h.apart + int64(n-h.first)*recordBytes
}

// A form is decoded from the first bytes of a file.
type form struct {
	several   bool // the file has several arrays
	witnesses bool // the file may have witnesses, see witness; earlier versions refuse it
}

// word returns the first bytes of a file.
func (f form) word() []byte {
	b := []byte(magic)
	if f.several {
		b[len(b)-1]++
	}
	if f.witnesses {
		b[len(b)-1] += 2
	}
	return b
}

// encodeStart returns the first sector.
func encodeStart(f form) []byte {
	b := make([]byte, recordsAt)
	copy(b, f.word())
	binary.LittleEndian.PutUint32(b[8:], headerBytes)
	binary.LittleEndian.PutUint32(b[startBytes-4:], crc32c.Sum(b[:startBytes-4]))
	return b
}

// encodeHeader returns the header of a new file with some records.
func encodeHeader(f form, records []record) []byte {
	raw := make([]byte, headerBytes)
	copy(raw, encodeStart(f))
	for n, r := range records {
		copy(raw[headRecordBlock.offset(0, n):], r.encode(n))
	}
	copy(raw[page:], raw[:page])
	return raw
}

// encode returns the bytes of record number n.
func (r record) encode(n int) []byte {
	b := make([]byte, recordBytes)
	le := binary.LittleEndian
	le.PutUint32(b[4:], r.kind)
	le.PutUint32(b[8:], r.stream)
	for i, v := range []int64{r.a, r.b, r.c} {
		le.PutUint64(b[16+8*i:], uint64(v))
	}
	le.PutUint32(b, recordSum(b, n))
	return b
}

// recordSum returns the checksum of the bytes of record number n. It depends on the number, so that
// a record in the position of another one is detected.
func recordSum(b []byte, n int) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(n))
	return crc32c.Update(crc32c.Sum(b[4:recordBytes]), number[:])
}

// decodeStart checks the first sector of a copy of the header.
func decodeStart(b []byte) (form, error) {
	if !bytes.HasPrefix(b, []byte(magic[:7])) {
		return form{}, corrupt("bytes 0 to 7 are not those of a file with arrays")
	}
	version := b[7] - magic[7]
	f := form{version%2 == 1, version/2 == 1}
	switch {
	case version > 3:
		return form{}, errkind.Errorf(state.ErrVersion, "byte 7 says version %q of the form of one file, this program knows %q to %q", b[7], magic[7], magic[7]+3)
	case !bytes.Equal(b[:recordsAt], encodeStart(f)):
		return form{}, corrupt("bytes 8 to %d are not as they were written", recordsAt-1)
	}
	return f, nil
}

// newestStart returns the form of a file with the given header. One copy may be damaged, or older,
// if the machine stopped while the file got its first witness.
func newestStart(head []byte) (form, error) {
	first, err := decodeStart(head)
	second, secondErr := decodeStart(head[page:])
	switch {
	case err == nil && secondErr == nil && first.several != second.several:
		return form{}, corrupt("bytes 0 to 7 and %d to %d contradict each other", page, page+7)
	case err == nil && secondErr == nil:
		first.witnesses = first.witnesses || second.witnesses
		return first, nil
	case err == nil && !errors.Is(secondErr, state.ErrVersion):
		return first, nil
	case secondErr == nil && !errors.Is(err, state.ErrVersion):
		return second, nil
	case errors.Is(secondErr, state.ErrVersion): // the first copy is damaged, or older
		return form{}, secondErr
	}
	return form{}, err
}

// The states of a record.
const (
	goodRecord = iota
	absentRecord
	damagedRecord
)

// newestCopy returns record number n, given its two copies. The first copy is durable before the
// second is written. So a single whole copy is valid, and of two whole ones the longer extent. If
// one is damaged and the other is empty, nobody has used the record yet.
func newestCopy(first, second []byte, n int) (record, int) {
	var whole []record
	zeros := 0
	for _, raw := range [][]byte{first, second} {
		if isZero(raw) {
			zeros++
		} else if r, ok := decodeRecord(raw, n); ok {
			whole = append(whole, r)
		}
	}
	switch {
	case len(whole) == 2 && whole[0] != whole[1]:
		if whole[0].kind != extentKind || whole[0].with(whole[1].c) != whole[1] {
			return record{}, damagedRecord
		}
		return whole[0].with(max(whole[0].c, whole[1].c)), goodRecord
	case len(whole) > 0:
		return whole[0], goodRecord
	case zeros > 0:
		return record{}, absentRecord
	}
	return record{}, damagedRecord
}

// with returns the record of an extent with another length.
func (r record) with(length int64) record {
	r.c = length
	return r
}

// decodeRecord returns record number n, and whether it is intact.
func decodeRecord(b []byte, n int) (r record, ok bool) {
	le := binary.LittleEndian
	r = record{kind: le.Uint32(b[4:]), stream: le.Uint32(b[8:]), a: int64(le.Uint64(b[16:])), b: int64(le.Uint64(b[24:])), c: int64(le.Uint64(b[32:]))}
	return r, bytes.Equal(r.encode(n), b)
}

// zeros is compared with bytes to find zeros, many at a time.
var zeros [recordBytes]byte

func isZero(b []byte) bool {
	for len(b) > len(zeros) {
		if !bytes.Equal(b[:len(zeros)], zeros[:]) {
			return false
		}
		b = b[len(zeros):]
	}
	return bytes.Equal(b, zeros[:len(b)])
}

// trimZeros returns bytes without the zeros at their end.
func trimZeros(b []byte) []byte {
	for len(b) > len(zeros) && bytes.Equal(b[len(b)-len(zeros):], zeros[:]) {
		b = b[:len(b)-len(zeros)]
	}
	return bytes.TrimRight(b, "\x00")
}

// corrupt returns an error that is a state.ErrCorrupt.
func corrupt(format string, args ...any) error {
	return errkind.Errorf(state.ErrCorrupt, format, args...)
}
