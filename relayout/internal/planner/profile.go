package planner

// A profile is the effect of a choice of template and step along one axis: the number of
// source chunks read, and the largest extents, in elements, of what buffers have to hold.
type profile struct {
	sourceReads int // source chunks that all templates read; one in two templates counts twice
	template    int // of a template
	written     int // written by a step
	read        int // read by a step: M, the extent of the paper's max-block
	unused      int // U in the paper
	source      int // of the part of a source chunk that lies in a template
}

// profile returns the profile of templates of so many target chunks, whose steps write at
// least minWritten elements.
func (a axis) profile(chunks, minWritten int) profile {
	var p profile
	type shape struct{ phase, first, n int }
	seen := map[shape]bool{} // templates of the same shape have the same steps
	// From the second template on, the templates repeat every period target chunks.
	period := a.s / gcd(a.s, chunks*a.t) * chunks
	repeats := ((a.n+a.tOff)/a.t - chunks) / period
	before := 0
	for lo := 0; lo < a.targetChunks(); lo += chunks {
		switch {
		case lo == chunks:
			before = p.sourceReads
		case lo == chunks+period && repeats > 1:
			p.sourceReads += (p.sourceReads - before) * (repeats - 1)
			lo += period * (repeats - 1)
			if lo >= a.targetChunks() {
				return p.withSource(a)
			}
		}
		hi := min(lo+chunks, a.targetChunks())
		from, to := a.targetBegin(lo), a.targetBegin(hi)
		p.sourceReads += a.sourceChunksIn(from, to)
		like := shape{(from + a.sOff) % a.s, a.targetBegin(lo+1) - from, to - from}
		if seen[like] {
			continue
		}
		seen[like] = true
		p.template = max(p.template, to-from)
		for _, s := range a.distinctSteps(lo, hi, minWritten) {
			p.written = max(p.written, s.writeHi-s.writeLo)
			p.read = max(p.read, s.readHi-s.readLo)
			p.unused = max(p.unused, s.readHi-s.writeHi)
		}
	}
	return p.withSource(a)
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

// withSource returns the profile with its field source set.
func (p profile) withSource(a axis) profile {
	p.source = min(a.s, p.template)
	return p
}

// inLayer returns the extent of a layer along a dimension with this profile. The layer belongs
// to the dimension at place owner of the traversal, this dimension is at place at (section 4.1
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
