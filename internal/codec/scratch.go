package codec

import "sync"

// slack is the extra capacity of the buffers of a scratch, in bytes: one block of zstd, and what
// its decoder writes past the end.
const slack = 128<<10 + 32

// scratch is the memory of one call, reused by later ones.
type scratch struct {
	whole   []byte // a chunk, or a block that is needed in part
	sorted  []byte // a shuffled block
	bits    []byte // a block during a bit shuffle
	encoded []byte // a stream that may get too long
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func getScratch() *scratch { return scratches.Get().(*scratch) }

func (s *scratch) free() { scratches.Put(s) }

func (s *scratch) chunk(n int) []byte { return resized(&s.whole, n) }

func (s *scratch) block(n int) []byte { return resized(&s.sorted, n) }

func (s *scratch) bitBlock(n int) []byte { return resized(&s.bits, n) }

func (s *scratch) stream(n int) []byte { return resized(&s.encoded, n) }

// resized returns the first n bytes of a buffer, which it replaces by a larger one if necessary.
func resized(b *[]byte, n int) []byte {
	if cap(*b) < n+slack {
		*b = make([]byte, n+slack)
	}
	return (*b)[:n]
}
