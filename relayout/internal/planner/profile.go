package planner

import "drx/nd"

// A profile is the effect of a choice of template and step along one axis: the number of source
// chunks that are read, and the largest extents, in elements, of the contents of the buffers.
type profile struct {
	sourceReads int // source chunks that all templates read; one in two templates counts twice
	template    int // of a template
	written     int // written by a step
	read        int // read by a step: M, the extent of the paper's max-block
	unused      int // U in the paper
	source      int // of the part of a source chunk that lies in a template
}

// profile returns the profile of templates of chunks target chunks, whose steps write at least
// minWritten elements.
func (a axis) profile(chunks, minWritten int) profile {
	templates := nd.CeilDiv(a.targetChunks(), chunks)
	p := profile{sourceReads: a.sourceChunksIn(0, a.n) + templates - 1}
	// From the second template on, every period-th begins alike, relative to the source chunks.
	period := a.s / gcd(a.s, chunks*a.t)
	for i := 0; i < templates; i++ {
		if i > period {
			i = templates - 1 // the last one may be smaller
		}
		lo, hi := i*chunks, min((i+1)*chunks, a.targetChunks())
		from := a.targetBegin(lo)
		if 0 < i && i <= period && (from+a.sOff)%a.s == 0 {
			// No source chunk lies in this template and in the one before, nor a period later.
			p.sourceReads -= 1 + (templates-1-i)/period
		}
		p.template = max(p.template, a.targetBegin(hi)-from)
		for _, s := range a.distinctSteps(lo, hi, minWritten) {
			p.written = max(p.written, s.writeHi-s.writeLo)
			p.read = max(p.read, s.readHi-s.readLo)
			p.unused = max(p.unused, s.readHi-s.writeHi)
		}
	}
	p.source = min(a.s, p.template)
	return p
}

// distinctSteps returns steps of a template that include one of every kind, but not all
// repetitions. Where a step ends does not depend on where the template began, so the steps
// repeat with the lcm-block, and leaving out lcm-blocks in the middle of the template loses no
// kind of step. Four lcm-blocks are enough: a partial one at either end and one whole one next
// to each.
func (a axis) distinctSteps(lo, hi, minWritten int) []axisStep {
	period := a.s / gcd(a.s, a.t)
	if extra := (hi-lo)/period - 4; minWritten == 0 && extra > 0 {
		a.n -= extra * period * a.t
		hi -= extra * period
	}
	return a.steps(lo, hi, minWritten)
}

// inLayer returns the extent of a layer along a dimension with this profile. The layer belongs to
// the dimension at position owner of the traversal; this dimension is at position at (section 4.1
// of the paper: templ, U or M).
func (p profile) inLayer(owner, at int) int {
	switch {
	case at < owner:
		return p.template
	case at > owner:
		return p.read
	}
	return p.unused
}
