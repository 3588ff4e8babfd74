package chunkstore

import "drx/internal/journal"

// A Piece is bytes of a chunk, from byte At on.
type Piece = journal.Piece

// A patch is what has changed in a chunk since the last commit. If pieces overlap the later one
// counts. A patch never changes.
type patch struct {
	pieces []Piece
	bytes  int // that it takes in memory
}

// The patches of a store stay in memory until the next commit. They take at most maxPatches bytes,
// counting pieceOverhead for each piece.
const (
	maxPatches    = 8 << 20
	pieceOverhead = 64
)

func patchOf(pieces []Piece) *patch {
	if len(pieces) == 0 {
		return nil
	}
	return &patch{pieces, memoryOf(pieces)}
}

// memoryOf returns the bytes that pieces take in memory.
func memoryOf(pieces []Piece) int { return bytesOf(pieces) + len(pieces)*pieceOverhead }

// bytesOf returns the bytes that pieces have together.
func bytesOf(pieces []Piece) (n int) {
	for _, p := range pieces {
		n += len(p.Bytes)
	}
	return n
}

// with returns the patch with copies of more pieces behind those that p has. p stays as it is, but
// the two may share memory, so that what with returned for p before must not be used any more.
func (p *patch) with(more []Piece) *patch {
	next := &patch{p.list(), p.size() + memoryOf(more)}
	buf := make([]byte, 0, bytesOf(more))
	for _, m := range more {
		from := len(buf)
		buf = append(buf, m.Bytes...)
		next.pieces = append(next.pieces, Piece{At: m.At, Bytes: buf[from:]})
	}
	return next
}

func (p *patch) list() []Piece {
	if p == nil {
		return nil
	}
	return p.pieces
}

func (p *patch) size() int {
	if p == nil {
		return 0
	}
	return p.bytes
}

// apply copies the patch over buf, which has the bytes of the chunk from byte from on.
func (p *patch) apply(buf []byte, from int) {
	for _, piece := range p.list() {
		at, b := piece.At-from, piece.Bytes
		if at < 0 {
			b = b[min(-at, len(b)):]
			at = 0
		}
		if at < len(buf) {
			copy(buf[at:], b)
		}
	}
}
