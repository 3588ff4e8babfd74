package chunkstore

import "drx/internal/journal"

// A Piece is bytes of a chunk, from byte At on.
type Piece = journal.Piece

// A patch is the change of a chunk since the last commit. If pieces overlap the later one counts. A
// patch is immutable.
type patch struct {
	pieces []Piece
	bytes  int // bytes of memory
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

// memoryOf returns the bytes of memory of pieces.
func memoryOf(pieces []Piece) int { return bytesOf(pieces) + len(pieces)*pieceOverhead }

// bytesOf returns the bytes that pieces have together.
func bytesOf(pieces []Piece) (n int) {
	for _, p := range pieces {
		n += len(p.Bytes)
	}
	return n
}

// with returns the patch with copies of more pieces behind its own. p does not change, but the two
// may share memory: an earlier result of with for p must no longer be used.
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

// apply copies the patch over buf, which has the bytes of the chunk from byte from.
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
