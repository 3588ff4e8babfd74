package relayout

import "slices"

// What the buffers grow to if the memory allows: beyond that more of them gains nothing.
const (
	enough    = 16 << 20 // bytes of one step
	maxStages = 4        // source chunks that are read at once
)

// grow spends memory that the best template leaves on speed: a second buffer, so that
// reading and writing overlap, more source chunks at once, and larger steps. No template
// grows such that it reads more.
func (p *problem) grow(c choice, memory int64) (choice, int, int) {
	profiles := p.profilesOf(c)
	works, stages := 1, 1
	fits := func(l layout, works, stages int) bool { return l.bytes(works, stages) <= memory }
	for ; c.halved > 0 && fits(p.layout(profiles, c.halved-1), 1, 1); c.halved-- {
	}
	l := p.layout(profiles, c.halved)
	if c.halved == 0 && fits(l, 2, 1) {
		works = 2
	}
	for ; stages < maxStages && l.stage > 0 && c.halved == 0 && fits(l, works, stages+1); stages++ {
	}
	for again := true; again; {
		again = false
		for d := len(p.axes) - 1; d >= 0; d-- {
			next, ok := p.larger(c, profiles, d)
			if !ok {
				continue
			}
			n := p.layout(p.profilesOf(next), c.halved)
			if mul(n.work, int64(p.elem)) > enough || !fits(n, works, stages) || n.stage > l.stage {
				continue
			}
			c, profiles, l, again = next, n.profiles, n, true
		}
	}
	return c, works, stages
}

// larger returns the choice with steps twice as long along dimension d, and with templates
// as long as that takes, unless that reads more or there are none.
func (p *problem) larger(c choice, profiles []profile, d int) (choice, bool) {
	a, old := p.axes[d], profiles[d]
	next := choice{slices.Clone(c.blocks), slices.Clone(c.atLeast), c.halved}
	next.atLeast[d] = 2 * old.block
	if old.block == old.templ {
		next.blocks[d] = min(2*c.blocks[d], a.blocks())
	}
	now := a.profile(next.blocks[d], next.atLeast[d])
	return next, now.block > old.block && now.reads <= old.reads
}
