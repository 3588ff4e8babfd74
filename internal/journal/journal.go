// Package journal makes one commit of an array atomic although it overwrites chunks that
// were committed before: their new images, the new entries of the chunk table and the new
// line of the log are first written to the journal file and made durable, and only then
// written to their own files. After a crash before the journal is complete, the array is as
// it was before the commit. After a later crash, the rest of the commit is repeated.
//
//	+---------+-----+---------+------+--------+     +-------+--------+
//	| image 0 | ... | image n | copy | footer | ... | block | footer |
//	+---------+-----+---------+------+--------+     +-------+--------+
//	   size            size              32                    32
//
// An image is the new contents of a chunk. The block describes the commit, with little-endian
// numbers, and is there twice, so far apart that no damage of 64 KiB reaches both,
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
//	magic    8   "DRXJRNL1"; of the copy "DRXJRNL2"
//	offset   8   of the block
//	length   8   of the block
//	sum      4   CRC-32C of the block and the footer so far
//	serial   4   how many commits the writer has put here; 0 in journals of before: there is no copy
//
// The block begins at a multiple of size; its copy begins copyGap bytes before. A program of before
// finds the block, at the end of the file. Whoever finds none there looks for the copy, which ends
// a power of two before the end of the file.
//
// # Invariants
//
//  1. The journal is valid if a footer, its block and all images agree with their checksums;
//     chunks that are in their places already need no image. Without such a block it counts as
//     empty. A block with a right checksum that no writer can have written is damage. If block and
//     copy differ, the later counts: the other is left of the commit before, by a power cut.
//  2. Applying the journal again does no harm. The journal is empty, or outdated by its commit
//     number, before anything is written that it must not undo.
package journal

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/state"
	"drx/internal/vfs"
)

const (
	magic      = "DRXJRNL1"
	copyMagic  = "DRXJRNL2" // of a copy
	footerSize = 32
	entrySize  = 32
	blockHead  = 16
	pieceHead  = 8
	// minGap is at least between a block and its copy: damage of 64 KiB that begins anywhere at a
	// multiple of that leaves one of them.
	minGap = 128 << 10
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
	Pieces []Piece // with NoImage: bytes not in their slot yet; of overlapping ones the later wins
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
	size   int // bytes from one image to the next, the most that one has
	images int64
	serial uint32 // of the last commit

	relaxed bool // nothing need be durable
}

// New returns the journal in file for chunks of size bytes. It does not check the contents of the
// file.
func New(file vfs.File, size int) *Journal { return &Journal{file: file, size: size} }

// Put writes an image, of at most the bytes of a chunk, and returns its number. If image is 0 or
// more, it replaces that image; NoImage appends one.
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

// Image reads an image, whose length is that of buf.
func (j *Journal) Image(image int64, buf []byte) error {
	_, err := j.file.ReadAt(buf, image*int64(j.size))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Commit makes the journal complete and durable. The block comes before its copy: who reads
// meanwhile finds the block, at the end of the file, or nothing.
func (j *Journal) Commit(b Block) error {
	block := b.encode()
	j.serial++
	gap := copyGap(len(block), j.size)
	offset := (j.images + (gap+int64(j.size)-1)/int64(j.size)) * int64(j.size)
	end := offset + int64(len(block)) + footerSize
	if _, err := j.file.WriteAt(appendFooter(block, magic, offset, j.serial), offset); err != nil {
		return err
	}
	// Cut off the rest of an earlier, longer journal, because the footer is searched at the end of
	// the file.
	if size, err := j.file.Size(); err != nil {
		return err
	} else if size > end {
		if err := j.file.Truncate(end); err != nil {
			return err
		}
	}
	if _, err := j.file.WriteAt(appendFooter(block, copyMagic, offset-gap, j.serial), offset-gap); err != nil {
		return err
	}
	return j.Sync()
}

// copyGap returns how far before a block of length bytes, behind images of size bytes, its copy
// begins: a power of two, so that the copy can be found when the block is lost. It is not less than
// size if that is a power of two, so that the copy adjoins the images and is synced together with
// them: a place of its own would cost a tenth of the time of that.
func copyGap(length, size int) int64 {
	gap := int64(1) << bits.Len64(uint64(minGap+length+footerSize-1))
	if size&(size-1) == 0 {
		gap = max(gap, int64(size))
	}
	return gap
}

// appendFooter appends to a block that is to be at offset its footer.
func appendFooter(block []byte, magic string, offset int64, serial uint32) []byte {
	length := len(block)
	out := append(block[:length:length], magic...)
	out = binary.LittleEndian.AppendUint64(out, uint64(offset))
	out = binary.LittleEndian.AppendUint64(out, uint64(length))
	out = binary.LittleEndian.AppendUint32(out, crc32c.Sum(out))
	return binary.LittleEndian.AppendUint32(out, serial)
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

// Relax makes Commit and Sync leave it to the system when what is written is durable.
func (j *Journal) Relax() { j.relaxed = true }

// Sync makes everything written durable.
func (j *Journal) Sync() error {
	if j.relaxed {
		return nil
	}
	return j.file.Sync()
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Block returns the block of the journal, nil if there is none. It does not check the images, see
// Read. The error is one of the file system, or wraps state.ErrCorrupt for a block with a right
// checksum that no writer can have written; that is not a journal that was not completed.
func (j *Journal) Block() (*Block, error) {
	found, err := j.find()
	if found == nil || err != nil {
		return nil, err
	}
	b, err := found.decode(j.size)
	if err != nil {
		return nil, j.impossible(err)
	}
	return b, nil
}

func (j *Journal) impossible(err error) error {
	return errkind.InFile(j.file.Name(), fmt.Errorf("the journal is %w, although its checksum is right: %w", state.ErrCorrupt, err))
}

// Name returns the name of the journal's file.
func (j *Journal) Name() string { return j.file.Name() }

// Find returns the position of the entry of chunk q.
func (b *Block) Find(q axial.Number) (int, bool) {
	return slices.BinarySearchFunc(b.Entries, q, func(e Entry, q axial.Number) int { return cmp.Compare(e.Number, q) })
}

// Read returns the commit in the journal, nil if there is none, and whether it is whole: whether
// all images are there that it needs. image returns the length and the checksum of the image of an
// entry.
// inPlace, if not nil, is called for a chunk with a damaged image and reports whether the chunk is
// in its place already, so that the image is not needed. Errors are those of Block.
func (j *Journal) Read(
	image func(table [16]byte) (length int, sum uint32), inPlace func(Entry) (bool, error),
) (b *Block, whole bool, err error) {
	if b, err = j.Block(); b == nil || err != nil {
		return nil, false, err
	}
	buf := make([]byte, j.size)
	for i, e := range b.Entries {
		if e.Image == NoImage {
			continue
		}
		length, sum := image(e.Table)
		good, err := j.isGood(e.Image, buf, length, sum)
		if err == nil && !good && inPlace != nil {
			b.Entries[i].Image = NoImage
			good, err = inPlace(e)
		}
		if err != nil || !good {
			return b, false, err
		}
	}
	return b, true, nil
}

// isGood reads an image into buf, which has room for any, and reports whether it agrees with its
// length and its checksum.
func (j *Journal) isGood(image int64, buf []byte, length int, sum uint32) (bool, error) {
	if length > len(buf) {
		return false, nil // no writer has put it there
	}
	err := j.Image(image, buf[:length])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return err == nil && crc32c.Sum(buf[:length]) == sum, err
}
