package transfer

import (
	"cmp"
	"fmt"
	"strconv"
)

// A memoryLimit is --memory of an import or an export, in bytes. It is divided among the format, the cache of the array and two boxes of
// elements: one is read while the other is written.
type memoryLimit struct{ memory int }

// decoding returns the memory for the format: it decodes or encodes elements.
func (m memoryLimit) decoding() int64 { return max(int64(m.memory)/4, 1<<20) }

// cache returns the memory for the elements of one array.
func (m memoryLimit) cache() int64 { return max(int64(m.memory)/4, 1<<20) }

// boxBytes returns the size of a box.
func (m memoryLimit) boxBytes() int { return min(max(m.memory/8, 64<<10), 64<<20) }

// newMemoryLimit returns a limit in bytes; 0 is DefaultMemory.
func newMemoryLimit(bytes int64) memoryLimit { return memoryLimit{int(cmp.Or(bytes, DefaultMemory))} }

// memoryText returns a number of bytes as a limit on memory is given.
func memoryText(bytes int) string {
	switch {
	case bytes%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", bytes>>20)
	case bytes%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", bytes>>10)
	}
	return strconv.Itoa(bytes)
}

// DecodingMemory returns the part of a limit on memory, in bytes, that is for decoding and encoding files, which drx-bridge may do.
func DecodingMemory(limit int64) int64 { return newMemoryLimit(limit).decoding() }
