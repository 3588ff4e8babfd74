package planner

import "slices"

// The buffers grow up to these sizes if the memory allows. Larger ones gain no speed.
const (
	enoughWork  = 16 << 20 // bytes of a work buffer
	maxStagings = 4        // staging buffers: source chunks that are read at once
)

// A bufferCount says how many buffers there are of the kinds that may be several.
type bufferCount struct {
	works    int // 2 let reading overlap with writing
	stagings int
}

// grow spends the memory that the best template leaves on speed: whole source chunks in the
// staging buffers, a second work buffer, more staging buffers, and larger steps. A template
// grows only where that reads no more.
func (p *problem) grow(c choice, memory int64) (choice, bufferCount) {
	profiles := p.profiles(c)
	count := bufferCount{1, 1}
	fits := func(b buffers, works, stagings int) bool { return b.bytes(works, stagings) <= memory }
	for ; c.halvings > 0 && fits(p.buffers(profiles, c.halvings-1), 1, 1); c.halvings-- {
	}
	b := p.buffers(profiles, c.halvings)
	if c.halvings == 0 && fits(b, 2, 1) {
		count.works = 2
	}
	for count.stagings < maxStagings && b.staging > 0 && c.halvings == 0 && fits(b, count.works, count.stagings+1) {
		count.stagings++
	}
	for again := true; again; {
		again = false
		for d := len(p.axes) - 1; d >= 0; d-- {
			next, ok := p.larger(c, profiles, d)
			if !ok {
				continue
			}
			n := p.buffers(p.profiles(next), c.halvings)
			if mul(n.work, int64(p.elemSize)) > enoughWork || !fits(n, count.works, count.stagings) || n.staging > b.staging {
				continue
			}
			c, profiles, b, again = next, n.profiles, n, true
		}
	}
	return c, count
}

// larger returns the choice with steps twice as long along dimension d, and with templates as
// long as such steps need. It is false if that reads more or if there are no longer steps.
func (p *problem) larger(c choice, profiles []profile, d int) (choice, bool) {
	a, old := p.axes[d], profiles[d]
	next := choice{slices.Clone(c.chunks), slices.Clone(c.minWritten), c.halvings}
	next.minWritten[d] = 2 * old.written
	if old.written == old.template {
		next.chunks[d] = min(2*c.chunks[d], a.targetChunks())
	}
	now := a.profile(next.chunks[d], next.minWritten[d])
	return next, now.written > old.written && now.sourceReads <= old.sourceReads
}
