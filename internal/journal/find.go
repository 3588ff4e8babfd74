package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"drx/internal/crc32c"
)

// foundBlock is a block, or its copy, as read from the file, with a valid checksum.
type foundBlock struct {
	block  []byte
	offset int64 // of the block
	serial uint32
}

// images returns how many images of size bytes fit before the block and its copy.
func (s *foundBlock) images(size int) int64 {
	if gap := copyGap(len(s.block), size); s.serial > 0 && s.offset >= gap {
		return (s.offset - gap) / int64(size)
	}
	return s.offset / int64(size)
}

// decode decodes the block of a journal with images of size bytes.
func (s *foundBlock) decode(size int) (*Block, error) {
	if s.offset%int64(size) != 0 {
		return nil, fmt.Errorf("the block at byte %d does not follow whole images of %d bytes", s.offset, size)
	}
	return decodeBlock(s.block, size, s.images(size))
}

// find returns the block, or its copy if the block is incomplete or damaged, or nil if both are. If
// both are valid and differ, it returns the later one. The error wraps state.ErrCorrupt if they
// have the same serial number.
func (j *Journal) find() (*foundBlock, error) {
	for {
		size, err := j.file.Size()
		if err != nil {
			return nil, err
		}
		last, err := j.before(size, magic)
		if err != nil {
			return nil, err
		}
		other, err := j.copyBefore(size, last)
		switch {
		case err != nil || other == nil:
			return last, err
		case last == nil || other.serial > last.serial:
			return other, nil
		case other.serial < last.serial:
			return last, nil
		}
		// Perhaps a writer has cleared the journal and written another commit since the first read.
		if again, err := j.before(size, magic); err != nil {
			return nil, err
		} else if again != nil && bytes.Equal(again.block, last.block) {
			return nil, j.impossible(fmt.Errorf("the block at byte %d and its copy differ", last.offset))
		}
	}
}

// copyBefore returns a valid copy of a block in a file of size bytes, if it differs from last. last
// is the block at the end of the file, or nil if that is damaged.
func (j *Journal) copyBefore(size int64, last *foundBlock) (*foundBlock, error) {
	for gap := int64(minGap); gap < size; gap *= 2 {
		s, err := j.before(size-gap, copyMagic)
		if err != nil {
			return nil, err
		}
		if s == nil || copyGap(len(s.block), j.size) != gap || last != nil && bytes.Equal(s.block, last.block) {
			continue
		}
		return &foundBlock{s.block, s.offset + gap, s.serial}, nil
	}
	return nil, nil
}

// before returns the block or copy whose footer has the given magic and ends at byte end, or nil if
// there is no valid one.
func (j *Journal) before(end int64, magic string) (*foundBlock, error) {
	if end < footerSize+blockHead {
		return nil, nil
	}
	footer := make([]byte, footerSize)
	if _, err := j.file.ReadAt(footer, end-footerSize); err != nil {
		return nil, ignoreEOF(err)
	}
	offset := binary.LittleEndian.Uint64(footer[8:])
	length := binary.LittleEndian.Uint64(footer[16:])
	if string(footer[:8]) != magic || offset > math.MaxInt64 || length < blockHead ||
		length > uint64(end-footerSize) || offset != uint64(end-footerSize)-length {
		return nil, nil
	}
	if sparse, err := j.hasHoles(int64(offset), end); err != nil || sparse {
		return nil, err
	}
	block := make([]byte, length)
	if _, err := j.file.ReadAt(block, int64(offset)); err != nil {
		return nil, ignoreEOF(err)
	}
	if crc32c.Update(crc32c.Sum(block), footer[:24]) != binary.LittleEndian.Uint32(footer[24:]) {
		return nil, nil
	}
	return &foundBlock{block, int64(offset), binary.LittleEndian.Uint32(footer[28:])}, nil
}

// maxHoles is more than the holes of any block. Entries and line have none, and the pieces together
// are shorter than this.
const maxHoles = 16 << 20

// hasHoles reports whether a range of the file has more holes than a block can have. Such a range
// may be longer than memory although it occupies no space on disk.
func (j *Journal) hasHoles(from, end int64) (bool, error) {
	holes := int64(0)
	for end-from > maxHoles-holes {
		begin, to, err := j.file.Data(from)
		if errors.Is(err, io.EOF) {
			begin, to, err = end, end, nil
		}
		if err != nil {
			return false, err
		}
		if holes += min(begin, end) - from; holes > maxHoles {
			return true, nil
		}
		from = to
	}
	return false, nil
}

// ignoreEOF drops io.EOF: another process has cleared the journal meanwhile, so the file is
// shorter.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
