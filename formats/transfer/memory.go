package transfer

import (
	"cmp"
	"fmt"
	"strconv"
)

// A memoryLimit is the option Memory of an import or an export, in bytes. It is divided among the
// format (a quarter), the cache of the array (a quarter) and two boxes of elements (an eighth
// each), one of which is read while the other is written.
type memoryLimit struct{ memory int }

// decoding returns the memory for the format, which decodes or encodes elements.
func (m memoryLimit) decoding() int64 { return max(int64(m.memory)/4, 1<<20) }

// cache returns the memory for the elements of one array.
func (m memoryLimit) cache() int64 { return max(int64(m.memory)/4, 1<<20) }

// boxBytes returns the size of a box.
func (m memoryLimit) boxBytes() int { return min(max(m.memory/8, 64<<10), 64<<20) }

// newMemoryLimit returns a limit in bytes; 0 is DefaultMemory.
func newMemoryLimit(bytes int64) memoryLimit { return memoryLimit{int(cmp.Or(bytes, DefaultMemory))} }

// A byteCount is a number of bytes with a short text: 64MiB.
type byteCount int64

// String returns the number in the largest unit that has a whole number of them.
func (n byteCount) String() string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", int64(n>>20))
	case n%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", int64(n>>10))
	}
	return strconv.FormatInt(int64(n), 10)
}

// DecodingMemory returns the part of a limit on memory, in bytes, that is for decoding and encoding
// files, which drx-bridge may do.
func DecodingMemory(limit int64) int64 { return newMemoryLimit(limit).decoding() }
