// Package journal makes one commit of an array atomic although it overwrites chunks that
// were committed before: their new images, the new entries of the chunk table and the new
// line of the log are first written to the journal file, made durable, and only then put
// where they belong. A crash before the journal is complete leaves the array as it was; a
// crash after it is made good by doing the rest again.
//
//	+---------+---------+-----+-------------------+--------+
//	| image 0 | image 1 | ... | entries ... line  | footer |
//	+---------+---------+-----+-------------------+--------+
//	   size      size            the block           32
//
// An image is a chunk as it is to be stored. The block says what the commit is: numbers
// are little-endian,
//
//	commit   8   the number of lines the log has after this commit
//	count    8   number of entries
//	entries      number 8, image 8 (-1: the chunk is in its place already; -2: it is, but for
//	             pieces), entry 16
//	pieces       of each entry with -2: their number 4, and of each its first byte 4, its
//	             length 4 and its bytes
//	line         what is to be appended to the log, newline included; may be empty
//
// and the footer where it is:
//
//	magic    8   "DRXJRNL1"
//	offset   8   of the block
//	length   8   of the block
//	sum      4   CRC-32C of the block and the footer so far
//	zero     4
//
// # Invariants
//
//  1. The journal is committed when its footer, its block and all images agree with their
//     checksums; chunks that are in their places already need none. Until then it says nothing.
//     A block that is checked and says what no writer of it can have said is damage.
//  2. Doing it again does no harm. It is empty, or out of date by its commit number, before
//     anything is written that it must not undo.
package journal

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/state"
	"drx/internal/vfs"
)

const (
	magic      = "DRXJRNL1"
	footerSize = 32
	entrySize  = 32
	blockHead  = 16
	pieceHead  = 8
)

// NoImage marks an entry whose chunk is in its place in the principal array.
const NoImage = -1

// inPieces is the image of an entry that has pieces.
const inPieces = -2

// An Entry is what a commit does to one chunk: its new entry in the chunk table, 16 bytes,
// and where its bytes are.
type Entry struct {
	Number axial.Number
	Image  int64 // which image of the journal, or NoImage
	Table  [16]byte
	Pieces []Piece // with NoImage: what is not in its place yet; a later one counts where they overlap
}

// A Piece is bytes of a chunk, from byte At on.
type Piece struct {
	At    int
	Bytes []byte
}

// A Block is a commit.
type Block struct {
	Commit  int64   // lines of the log after it
	Entries []Entry // by ascending number
	Line    []byte  // to be appended to the log
}

// A Journal is an open journal file. It is not safe for concurrent use.
type Journal struct {
	file   vfs.File
	size   int // bytes of an image
	images int64
}

// New returns the journal in file for chunks of size bytes, whatever the file holds.
func New(file vfs.File, size int) *Journal { return &Journal{file: file, size: size} }

// Put writes an image and returns its number. With an image of 0 or more that one is
// replaced; NoImage appends.
func (j *Journal) Put(image int64, buf []byte) (int64, error) {
	if image == NoImage {
		image = j.images
	}
	if _, err := j.file.WriteAt(buf, image*int64(j.size)); err != nil {
		return NoImage, err
	}
	j.images = max(j.images, image+1)
	return image, nil
}

// Image reads an image into buf.
func (j *Journal) Image(image int64, buf []byte) error {
	_, err := j.file.ReadAt(buf[:j.size], image*int64(j.size))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Commit makes the journal complete and durable.
func (j *Journal) Commit(b Block) error {
	block := b.encode()
	offset := j.images * int64(j.size)
	footer := make([]byte, 0, footerSize)
	footer = append(footer, magic...)
	footer = binary.LittleEndian.AppendUint64(footer, uint64(offset))
	footer = binary.LittleEndian.AppendUint64(footer, uint64(len(block)))
	footer = binary.LittleEndian.AppendUint32(footer, blockSum(block, footer))
	footer = binary.LittleEndian.AppendUint32(footer, 0)
	end := offset + int64(len(block)+len(footer))
	if _, err := j.file.WriteAt(append(block, footer...), offset); err != nil {
		return err
	}
	// An earlier, longer journal may lie behind: the footer is found at the end.
	if size, err := j.file.Size(); err != nil {
		return err
	} else if size > end {
		if err := j.file.Truncate(end); err != nil {
			return err
		}
	}
	return j.file.Sync()
}

// Retract takes back, durably, a Commit that failed or that must not count: the images
// stay. It can be called again after an error.
func (j *Journal) Retract() error {
	if err := j.file.Truncate(j.images * int64(j.size)); err != nil {
		return err
	}
	return j.file.Sync()
}

// Clear empties the journal.
func (j *Journal) Clear() error {
	j.images = 0
	return j.file.Truncate(0)
}

// Sync makes what was written durable.
func (j *Journal) Sync() error { return j.file.Sync() }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Block returns the block of the journal, nil when there is none. It does not look at the
// images, see Read. The error is the file system's, or wraps state.ErrCorrupt for a block whose checksum
// is right but which nobody can have written: it is no journal that was not completed.
func (j *Journal) Block() (*Block, error) {
	block, offset, err := j.readBlock()
	if block == nil || err != nil {
		return nil, err
	}
	b, err := decodeBlock(block, j.size, offset)
	if err != nil {
		return nil, fmt.Errorf("%s: the journal is %w, although its checksum is right: %w", j.file.Name(), state.ErrCorrupt, err)
	}
	return b, nil
}

// Name returns the name of the journal's file.
func (j *Journal) Name() string { return j.file.Name() }

// Find returns the position of the entry of chunk q.
func (b *Block) Find(q axial.Number) (int, bool) {
	return slices.BinarySearchFunc(b.Entries, q, func(e Entry, q axial.Number) int { return cmp.Compare(e.Number, q) })
}

// Read returns the commit that the journal holds, nil when it holds none. sum returns the checksum
// that an entry gives its image. placed, if not nil, reports whether a chunk whose image is not good is in
// its place already: then the image is not needed. The error is the file system's, or wraps
// state.ErrCorrupt as Block's does.
func (j *Journal) Read(sum func(table [16]byte) uint32, placed func(Entry) (bool, error)) (*Block, error) {
	b, err := j.Block()
	if b == nil || err != nil {
		return nil, err
	}
	buf := make([]byte, j.size)
	for i, e := range b.Entries {
		if e.Image == NoImage {
			continue
		}
		good, err := j.isGood(e, buf, sum)
		if err == nil && !good && placed != nil {
			b.Entries[i].Image = NoImage
			good, err = placed(e)
		}
		if err != nil || !good {
			return nil, err
		}
	}
	return b, nil
}

// isGood reports whether the image of an entry, which it reads to buf, agrees with its checksum.
func (j *Journal) isGood(e Entry, buf []byte, sum func(table [16]byte) uint32) (bool, error) {
	err := j.Image(e.Image, buf)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return err == nil && crc32c.Sum(buf) == sum(e.Table), err
}

// readBlock returns the bytes of the block and where they begin, nil when the footer or the block is not
// whole.
func (j *Journal) readBlock() (block []byte, at int64, err error) {
	size, err := j.file.Size()
	if err != nil || size < footerSize+blockHead {
		return nil, 0, err
	}
	footer := make([]byte, footerSize)
	if _, err := j.file.ReadAt(footer, size-footerSize); err != nil {
		return nil, 0, noEOF(err)
	}
	offset := binary.LittleEndian.Uint64(footer[8:])
	length := binary.LittleEndian.Uint64(footer[16:])
	if string(footer[:8]) != magic || offset > math.MaxInt64 || length < blockHead ||
		length > uint64(size-footerSize) || offset != uint64(size-footerSize)-length {
		return nil, 0, nil
	}
	block = make([]byte, length)
	if _, err := j.file.ReadAt(block, int64(offset)); err != nil {
		return nil, 0, noEOF(err)
	}
	if blockSum(block, footer[:24]) != binary.LittleEndian.Uint32(footer[24:]) {
		return nil, 0, nil
	}
	return block, int64(offset), nil
}

// noEOF turns the end of a file that shrank meanwhile into no error: somebody else is done
// with the journal.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func blockSum(block, footer []byte) uint32 {
	return crc32c.Update(crc32c.Sum(block), footer)
}

func (b Block) encode() []byte {
	out := make([]byte, 0, blockHead+entrySize*len(b.Entries)+len(b.Line)+footerSize)
	out = binary.LittleEndian.AppendUint64(out, uint64(b.Commit))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(b.Entries)))
	for _, e := range b.Entries {
		image := e.Image
		if len(e.Pieces) > 0 {
			image = inPieces
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(e.Number))
		out = binary.LittleEndian.AppendUint64(out, uint64(image))
		out = append(out, e.Table[:]...)
	}
	for _, e := range b.Entries {
		out = appendPieces(out, e.Pieces)
	}
	return append(out, b.Line...)
}

// appendPieces appends the pieces of an entry, if it has any.
func appendPieces(out []byte, pieces []Piece) []byte {
	if len(pieces) == 0 {
		return out
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(pieces)))
	for _, p := range pieces {
		out = binary.LittleEndian.AppendUint32(out, uint32(p.At))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(p.Bytes)))
		out = append(out, p.Bytes...)
	}
	return out
}

// cutPieces reads the pieces of an entry of a chunk of size bytes, and returns what is behind them.
func cutPieces(block []byte, size int) (pieces []Piece, rest []byte, ok bool) {
	if len(block) < 4 {
		return nil, nil, false
	}
	count := binary.LittleEndian.Uint32(block)
	block = block[4:]
	if count == 0 || uint64(count) > uint64(len(block)/pieceHead) {
		return nil, nil, false
	}
	pieces = make([]Piece, count)
	for i := range pieces {
		if len(block) < pieceHead {
			return nil, nil, false
		}
		at, n := int64(binary.LittleEndian.Uint32(block)), int64(binary.LittleEndian.Uint32(block[4:]))
		block = block[pieceHead:]
		if at+n > int64(size) || n > int64(len(block)) {
			return nil, nil, false
		}
		pieces[i] = Piece{int(at), bytes.Clone(block[:n])}
		block = block[n:]
	}
	return pieces, block, true
}

// decodeBlock reads a block that begins at byte offset of a journal of images of size bytes.
func decodeBlock(block []byte, size int, offset int64) (*Block, error) {
	if offset%int64(size) != 0 {
		return nil, fmt.Errorf("the block at byte %d is not behind images of %d bytes", offset, size)
	}
	count := binary.LittleEndian.Uint64(block[8:])
	if count > uint64(len(block)-blockHead)/entrySize {
		return nil, fmt.Errorf("%d entries in a block of %d bytes", count, len(block))
	}
	b := &Block{Commit: int64(binary.LittleEndian.Uint64(block)), Entries: make([]Entry, count)}
	block = block[blockHead:]
	for i := range b.Entries {
		e := &b.Entries[i]
		e.Number = axial.Number(binary.LittleEndian.Uint64(block))
		e.Image = int64(binary.LittleEndian.Uint64(block[8:]))
		copy(e.Table[:], block[16:])
		if e.Number < 0 || int64(e.Number) >= math.MaxInt64/int64(max(size, len(e.Table))) {
			return nil, fmt.Errorf("entry %d is of chunk %d, which no array has", i, e.Number)
		}
		if i > 0 && e.Number <= b.Entries[i-1].Number {
			return nil, fmt.Errorf("entry %d is of chunk %d, the one before of chunk %d", i, e.Number, b.Entries[i-1].Number)
		}
		if e.Image < inPieces || e.Image >= offset/int64(size) {
			return nil, fmt.Errorf("chunk %d is image %d of %d", e.Number, e.Image, offset/int64(size))
		}
		block = block[entrySize:]
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		if e.Image != inPieces {
			continue
		}
		e.Image = NoImage
		var ok bool
		if e.Pieces, block, ok = cutPieces(block, size); !ok {
			return nil, fmt.Errorf("pieces of chunk %d are beyond its %d bytes, or beyond the block", e.Number, size)
		}
	}
	b.Line = bytes.Clone(block)
	return b, nil
}

// String describes a block, for error messages.
func (b *Block) String() string {
	return fmt.Sprintf("commit %d of %d chunks", b.Commit, len(b.Entries))
}
