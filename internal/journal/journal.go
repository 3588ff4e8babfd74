// Package journal makes one commit of an array atomic although it overwrites chunks that
// were committed before: their new images, the new entries of the chunk table and the new
// line of the log are first written to the journal file and made durable, and only then
// written to their own files. After a crash before the journal is complete, the array is as
// it was before the commit. After a later crash, the rest of the commit is repeated.
//
//	+---------+---------+-----+-------------------+--------+
//	| image 0 | image 1 | ... | entries ... line  | footer |
//	+---------+---------+-----+-------------------+--------+
//	   size      size            the block           32
//
// An image is the new contents of a chunk. The block describes the commit, with little-endian
// numbers,
//
//	commit   8   the number of lines the log has after this commit
//	count    8   number of entries
//	entries      number 8, image 8 (-1: the chunk is in its place already; -2: it is, except for
//	             pieces), entry 16
//	pieces       for each entry with -2: their number 4, and for each its first byte 4, its
//	             length 4 and its bytes
//	line         the line to append to the log, with its newline; may be empty
//
// and the footer locates the block:
//
//	magic    8   "DRXJRNL1"
//	offset   8   of the block
//	length   8   of the block
//	sum      4   CRC-32C of the block and the footer so far
//	zero     4
//
// # Invariants
//
//  1. The journal is valid if its footer, its block and all images agree with their checksums;
//     chunks that are in their places already need no image. Otherwise it counts as empty. A block
//     with a right checksum that no writer can have written is damage.
//  2. Applying the journal again does no harm. The journal is empty, or outdated by its commit
//     number, before anything is written that it must not undo.
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

// NoImage marks an entry whose chunk is in its place in the data file.
const NoImage = -1

// inPieces is the value of the image field for an entry with pieces.
const inPieces = -2

// An Entry is the change of one chunk by a commit: its new entry in the chunk table, 16 bytes,
// and the location of its bytes.
type Entry struct {
	Number axial.Number
	Image  int64 // number of the image in the journal, or NoImage
	Table  [16]byte
	Pieces []Piece // with NoImage: bytes that are not in their place yet; where pieces overlap, the later one wins
}

// A Piece is a range of bytes of a chunk, beginning at byte At.
type Piece struct {
	At    int
	Bytes []byte
}

// A Block is the description of a commit.
type Block struct {
	Commit  int64   // number of lines in the log after the commit
	Entries []Entry // by ascending number
	Line    []byte  // the line to append to the log
}

// A Journal is an open journal file. It is not safe for concurrent use.
type Journal struct {
	file   vfs.File
	size   int // size of an image in bytes
	images int64
}

// New returns the journal in file for chunks of size bytes. It does not check the contents of the file.
func New(file vfs.File, size int) *Journal { return &Journal{file: file, size: size} }

// Put writes an image and returns its number. If image is 0 or more, it replaces that image;
// NoImage appends one.
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
	// Cut off the rest of an earlier, longer journal, because the footer is searched at the end of the file.
	if size, err := j.file.Size(); err != nil {
		return err
	} else if size > end {
		if err := j.file.Truncate(end); err != nil {
			return err
		}
	}
	return j.file.Sync()
}

// Retract durably undoes a Commit that failed or must not count. It keeps the images. It can be
// called again after an error.
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

// Sync makes everything written durable.
func (j *Journal) Sync() error { return j.file.Sync() }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Block returns the block of the journal, nil if there is none. It does not check the images, see
// Read. The error is one of the file system, or wraps state.ErrCorrupt for a block with a right checksum
// that no writer can have written; that is not a journal that was not completed.
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

// Read returns the commit in the journal, nil if there is none. sum returns the image's checksum
// according to an entry. placed, if not nil, is called for a chunk with a damaged image and reports
// whether the chunk is in its place already, so that the image is not needed. Errors are those of Block.
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

// isGood reads the image of an entry into buf and reports whether it agrees with its checksum.
func (j *Journal) isGood(e Entry, buf []byte, sum func(table [16]byte) uint32) (bool, error) {
	err := j.Image(e.Image, buf)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return err == nil && crc32c.Sum(buf) == sum(e.Table), err
}

// readBlock returns the bytes of the block and their offset. block is nil if the footer or the block is
// incomplete or damaged.
func (j *Journal) readBlock() (block []byte, at int64, err error) {
	size, err := j.file.Size()
	if err != nil || size < footerSize+blockHead {
		return nil, 0, err
	}
	footer := make([]byte, footerSize)
	if _, err := j.file.ReadAt(footer, size-footerSize); err != nil {
		return nil, 0, ignoreEOF(err)
	}
	offset := binary.LittleEndian.Uint64(footer[8:])
	length := binary.LittleEndian.Uint64(footer[16:])
	if string(footer[:8]) != magic || offset > math.MaxInt64 || length < blockHead ||
		length > uint64(size-footerSize) || offset != uint64(size-footerSize)-length {
		return nil, 0, nil
	}
	block = make([]byte, length)
	if _, err := j.file.ReadAt(block, int64(offset)); err != nil {
		return nil, 0, ignoreEOF(err)
	}
	if blockSum(block, footer[:24]) != binary.LittleEndian.Uint32(footer[24:]) {
		return nil, 0, nil
	}
	return block, int64(offset), nil
}

// ignoreEOF drops io.EOF: the file has shrunk meanwhile, because another process has finished with
// the journal.
func ignoreEOF(err error) error {
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

// decodePieces decodes the pieces of an entry, for a chunk of size bytes, and returns the rest of the block.
func decodePieces(block []byte, size int) (pieces []Piece, rest []byte, ok bool) {
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

// decodeBlock decodes the block at byte offset of a journal with images of size bytes.
func decodeBlock(block []byte, size int, offset int64) (*Block, error) {
	if offset%int64(size) != 0 {
		return nil, fmt.Errorf("the block at byte %d does not follow whole images of %d bytes", offset, size)
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
		if e.Pieces, block, ok = decodePieces(block, size); !ok {
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
