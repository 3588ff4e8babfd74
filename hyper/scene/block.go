package scene

import (
	"cmp"
	"fmt"
)

// A Pixel is the position of a spectrum.
type Pixel struct {
	Line   int // the index of its line in the source
	Sample int // its sample within the line
}

// Compare returns -1, 0 or 1 if p comes before q, is q, or comes after it, line by line. The order
// does not depend on the bounds of the scene.
func (p Pixel) Compare(q Pixel) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Sample, q.Sample))
}

// Block returns the block of this pixel alone.
func (p Pixel) Block() Block { return Block{p, Pixel{p.Line + 1, p.Sample + 1}} }

// A Block is the set of pixels from Lo up to, but not including, Hi, in lines and in samples.
type Block struct {
	Lo, Hi Pixel
}

// Lines returns the number of lines of the block.
func (b Block) Lines() int { return max(0, b.Hi.Line-b.Lo.Line) }

// Samples returns the number of samples of each line of the block.
func (b Block) Samples() int { return max(0, b.Hi.Sample-b.Lo.Sample) }

// Pixels returns the number of pixels of the block.
func (b Block) Pixels() int { return b.Lines() * b.Samples() }

// At returns the pixel number i of the block, counted line by line.
func (b Block) At(i int) Pixel {
	return Pixel{b.Lo.Line + i/b.Samples(), b.Lo.Sample + i%b.Samples()}
}

// Index returns the number of a pixel in the block, the inverse of At.
func (b Block) Index(p Pixel) int {
	return (p.Line-b.Lo.Line)*b.Samples() + p.Sample - b.Lo.Sample
}

// Contains reports whether the block has a pixel.
func (b Block) Contains(p Pixel) bool {
	return b.Lo.Line <= p.Line && p.Line < b.Hi.Line && b.Lo.Sample <= p.Sample && p.Sample < b.Hi.Sample
}

// Intersect returns the pixels that are in both blocks; if there are none, an empty block.
func (b Block) Intersect(c Block) Block {
	x := Block{
		Pixel{max(b.Lo.Line, c.Lo.Line), max(b.Lo.Sample, c.Lo.Sample)},
		Pixel{min(b.Hi.Line, c.Hi.Line), min(b.Hi.Sample, c.Hi.Sample)},
	}
	if x.Pixels() == 0 {
		return Block{}
	}
	return x
}

// Grow returns the block with r more lines and samples on all sides.
func (b Block) Grow(r int) Block {
	return Block{Pixel{b.Lo.Line - r, b.Lo.Sample - r}, Pixel{b.Hi.Line + r, b.Hi.Sample + r}}
}

// String returns the ranges of lines and samples, as in "lines 0:10, samples -5:20".
func (b Block) String() string {
	return fmt.Sprintf("lines %d:%d, samples %d:%d", b.Lo.Line, b.Hi.Line, b.Lo.Sample, b.Hi.Sample)
}
