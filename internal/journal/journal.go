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
// An image is the new contents of a chunk. The block describes the commit; its numbers are
// little-endian. It is stored twice, so far apart that damage of 64 KiB cannot reach both:
//
//	commit   8   the number of lines the log has after this commit
//	count    8   number of entries
//	entries      number 8, image 8 (-1: the chunk is in its slot already; -2: all of it is, except
//	             for the pieces), entry 16
//	pieces       for each entry with -2: the number of pieces 4; for each piece its first byte 4,
//	             its length 4 and its bytes
//	line         the line to append to the log, with its newline; may be empty
//
// and the footer locates the block:
//
//	magic    8   "DRXJRNL1"; of the copy "DRXJRNL2"
//	offset   8   of the block
//	length   8   of the block
//	sum      4   CRC-32C of the block and of the footer before this field
//	serial   4   number of commits that the writer has made here; 0 if an older version of DRX wrote
//	             the journal, which has no copy then
//
// The block begins at a multiple of size; its copy begins copyGap bytes before it. Older versions
// of DRX find the block at the end of the file. If no valid block is there, the copy is searched:
// it ends a power of two before the end of the file.
//
// # Invariants
//
//  1. The journal is valid if a footer, its block and all images agree with their checksums;
//     chunks that are in their slots already need no image. Without a valid block it counts as
//     empty. A block with a valid checksum that no writer can have written is damage. If block and
//     copy differ, the later one counts: a power cut has left the other one of the commit before.
//  2. Applying the journal again does no harm. Before anything is written that applying it would
//     undo, the journal is emptied, or its commit number is outdated.
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
	// minGap is the least distance between a block and its copy. One of them survives damage of 64
	// KiB that begins at any multiple of 64 KiB.
	minGap = 128 << 10
)

// NoImage marks an entry whose chunk is in its slot of the data file.
const NoImage = -1

// inPieces is the value of the image field for an entry with pieces.
const inPieces = -2

// Entry is the change of one chunk by a commit: its new entry in the chunk table, 16 bytes, and the
// location of its bytes.
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

// Journal is an open journal file. It is not safe for concurrent use.
type Journal struct {
	file   vfs.File
	size   int // distance of images in bytes, the largest size of an image
	images int64
	serial uint32 // of the last commit

	relaxed bool // Commit and Sync do not wait until data are durable
}

// New returns the journal in file for chunks of size bytes. It does not check the contents of the
// file.
func New(file vfs.File, size int) *Journal { return &Journal{file: file, size: size} }

// Put writes an image, which is at most as long as a chunk, and returns its number. If the argument
// image is not negative, it replaces that image; NoImage appends one.
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

// Commit makes the journal complete and durable. It writes the block before the copy, so that a
// concurrent reader finds either the block at the end of the file, or nothing.
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

// copyGap returns the distance in bytes between a block of length bytes and its copy, in a journal
// with images of size bytes. It is a power of two, so that the copy can be found if the block is
// lost. If size is a power of two, the distance is at least size: then the copy directly follows
// the images and is synced together with them, which saves a tenth of the time of a sync.
func copyGap(length, size int) int64 {
	gap := int64(1) << bits.Len64(uint64(minGap+length+footerSize-1))
	if size&(size-1) == 0 {
		gap = max(gap, int64(size))
	}
	return gap
}

// appendFooter appends the footer to a block that will be written at offset.
func appendFooter(block []byte, magic string, offset int64, serial uint32) []byte {
	length := len(block)
	out := append(block[:length:length], magic...)
	out = binary.LittleEndian.AppendUint64(out, uint64(offset))
	out = binary.LittleEndian.AppendUint64(out, uint64(length))
	out = binary.LittleEndian.AppendUint32(out, crc32c.Sum(out))
	return binary.LittleEndian.AppendUint32(out, serial)
}

// Retract durably undoes a Commit that failed or was withdrawn. It keeps the images. It may be
// repeated after an error.
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

// Relax makes Commit and Sync return before the data are durable; the system writes them later.
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

// Block returns the block of the journal, or nil if there is none. It does not check the images,
// see Read. The error is from the file system, or wraps state.ErrCorrupt for a block with a valid
// checksum that no writer can have written. A journal that was not completed is no error.
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

// Read returns the commit in the journal, or nil if there is none. whole reports whether every
// image that the commit needs is valid. image returns the length and the checksum of an entry's
// image. inPlace, if not nil, is called for a chunk with a damaged image; it reports whether the
// chunk is in its slot already, so that the image is not needed. The errors are those of Block.
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

// isGood reads an image into buf, which is long enough for any image, and reports whether it agrees
// with its length and its checksum.
func (j *Journal) isGood(image int64, buf []byte, length int, sum uint32) (bool, error) {
	if length > len(buf) {
		return false, nil // no writer has written it
	}
	err := j.Image(image, buf[:length])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return err == nil && crc32c.Sum(buf[:length]) == sum, err
}
