package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"drx/axial"
)

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

// SameCommit reports whether two blocks describe the same commit: all entries and lines agree.
func (b *Block) SameCommit(c *Block) bool {
	same := func(e, f Entry) bool { return e.Number == f.Number && e.Table == f.Table }
	return b.Commit == c.Commit && bytes.Equal(b.Line, c.Line) && slices.EqualFunc(b.Entries, c.Entries, same)
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

// decodePieces decodes the pieces of an entry, for a chunk of size bytes, and returns what follows
// them.
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

// decodeBlock decodes the block of a journal that has the given number of images of size bytes.
func decodeBlock(block []byte, size int, images int64) (*Block, error) {
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
		if e.Image < inPieces || e.Image >= images {
			return nil, fmt.Errorf("chunk %d is image %d of %d", e.Number, e.Image, images)
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
