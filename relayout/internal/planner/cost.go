package planner

import (
	"cmp"
	"math"
	"math/bits"
)

// A Cost counts what a copy reads and writes. An operation moves one whole chunk, even where the
// chunk reaches beyond the bounds.
type Cost struct {
	Reads, Writes           int64 // chunks
	BytesRead, BytesWritten int64
}

// Bytes returns the bytes moved in both directions.
func (c Cost) Bytes() int64 { return add(c.BytesRead, c.BytesWritten) }

// Operations returns the chunks moved in both directions.
func (c Cost) Operations() int64 { return add(c.Reads, c.Writes) }

// Plus returns the sum of two costs.
func (c Cost) Plus(o Cost) Cost {
	return Cost{
		add(c.Reads, o.Reads), add(c.Writes, o.Writes),
		add(c.BytesRead, o.BytesRead), add(c.BytesWritten, o.BytesWritten),
	}
}

// compare orders costs by bytes, then by operations.
func (c Cost) compare(o Cost) int {
	return cmp.Or(cmp.Compare(c.Bytes(), o.Bytes()), cmp.Compare(c.Operations(), o.Operations()))
}

// Mul multiplies two numbers that are not negative. A product that overflows is
// math.MaxInt64, which is more than any bound on memory.
func Mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// add adds two numbers that are not negative. A sum that overflows is math.MaxInt64.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// volume returns the number of elements of a shape.
func volume(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b int) int { return a / gcd(a, b) * b }
