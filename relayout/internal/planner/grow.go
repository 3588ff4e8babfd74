package planner

import "slices"

// The buffers grow up to these sizes if the memory allows. Larger ones gain no speed.
const (
	enoughWork  = 16 << 20 // bytes of a work buffer
	maxStagings = 4        // staging buffers: source chunks that are read at once
)

// grow spends the memory that the best template leaves on speed: first on whole source chunks in
// the staging buffers, then on a second work buffer, more staging buffers, and larger steps. It
// enlarges a template only if that causes no more reads.
func (p *problem) grow(c choice, memory int64) choice {
	b := p.buffers(p.profiles(c), c.halvings)
	fits := func(b buffers, works, stagings int) bool { return b.bytes(works, stagings) <= memory }
	for c.halvings > 0 {
		whole := p.buffers(b.profiles, c.halvings-1)
		if !fits(whole, 1, 1) {
			break
		}
		b, c.halvings = whole, c.halvings-1
	}
	if c.halvings == 0 && fits(b, 2, 1) {
		c.works = 2
	}
	for c.stagings < maxStagings && b.staging > 0 && c.halvings == 0 && fits(b, c.works, c.stagings+1) {
		c.stagings++
	}
	for again := true; again; {
		again = false
		for d := range slices.Backward(p.axes) {
			next := p.larger(c, b.profiles, d)
			n := p.buffers(p.profiles(next), c.halvings)
			if n.profiles[d].written > b.profiles[d].written && n.profiles[d].sourceReads <= b.profiles[d].sourceReads &&
				Mul(n.work, int64(p.elemSize)) <= enoughWork && fits(n, c.works, c.stagings) && n.staging <= b.staging {
				c, b, again = next, n, true
			}
		}
	}
	return c
}

// larger returns the choice with steps twice as long along dimension d, and with templates as
// long as such steps need.
func (p *problem) larger(c choice, profiles []profile, d int) choice {
	c.chunks, c.minWritten = slices.Clone(c.chunks), slices.Clone(c.minWritten)
	c.minWritten[d] = 2 * profiles[d].written
	if profiles[d].written == profiles[d].template {
		c.chunks[d] = min(2*c.chunks[d], p.axes[d].targetChunks())
	}
	return c
}
