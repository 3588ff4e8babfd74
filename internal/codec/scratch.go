package codec

import "sync"

// slack is how many bytes the buffers of a scratch have behind what is asked for: a block of zstd,
// and some that its decoder writes at a time.
const slack = 128<<10 + 32

// A scratch has the memory of one call, which the next ones use again.
type scratch struct {
	whole   []byte // a chunk, or a block that is needed in part
	sorted  []byte // a shuffled block
	bits    []byte // a block while its bits are shuffled
	encoded []byte // a stream that may turn out too long
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func getScratch() *scratch { return scratches.Get().(*scratch) }

func (s *scratch) free() { scratches.Put(s) }

func (s *scratch) chunk(n int) []byte { return resized(&s.whole, n) }

func (s *scratch) block(n int) []byte { return resized(&s.sorted, n) }

func (s *scratch) bitBlock(n int) []byte { return resized(&s.bits, n) }

func (s *scratch) stream(n int) []byte { return resized(&s.encoded, n) }

// resized returns n bytes of a buffer, which it makes larger if need be.
func resized(b *[]byte, n int) []byte {
	if cap(*b) < n+slack {
		*b = make([]byte, n+slack)
	}
	return (*b)[:n]
}
