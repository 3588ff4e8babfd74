package relayout

import "drx/nd"

// An axis is one dimension of a problem: n elements, cut into source chunks of s elements
// and target chunks of t. The first chunks may begin before the first element: by so and to.
type axis struct {
	n     int
	s, so int
	t, to int
}

// newAxis returns the axis of the elements [slo, shi) of a source with chunks of s, whose
// first is element tlo of a target with chunks of t. Chunks begin at multiples of their
// extents.
func newAxis(slo, shi, s, tlo, t int) axis {
	return axis{
		n: shi - slo,
		s: s, so: slo - nd.FloorDiv(slo, s)*s,
		t: t, to: tlo - nd.FloorDiv(tlo, t)*t,
	}
}

// blocks returns the number of target chunks.
func (a axis) blocks() int { return nd.CeilDiv(a.n+a.to, a.t) }

// touched returns the number of source chunks that the elements [lo, hi) lie in.
func (a axis) touched(lo, hi int) int {
	if lo >= hi {
		return 0
	}
	return (hi-1+a.so)/a.s - (lo+a.so)/a.s + 1
}

// targetCut returns the first element of target chunk b, or the end.
func (a axis) targetCut(b int) int { return min(max(b*a.t-a.to, 0), a.n) }

// sourceEnd returns the end of the source chunk that holds element x.
func (a axis) sourceEnd(x int) int { return min(((x+a.so)/a.s+1)*a.s-a.so, a.n) }

// A step is one step of a template along one axis: it reads [y0, y1) and writes [w0, w1);
// [w0, y0) was unused before it and [w1, y1) is after it.
type step struct{ w0, w1, y0, y1 int }

// steps cuts the template of target chunks [lo, hi) into steps that write at least so many
// elements, if there are as many. A step completes at least one target chunk and reads at
// least one source chunk.
func (a axis) steps(lo, hi, atLeast int) []step {
	var all []step
	end := a.targetCut(hi)
	w, y := a.targetCut(lo), a.targetCut(lo)
	for b := lo; b < hi; {
		s := step{w0: w, y0: y}
		for b++; b < hi && a.targetCut(b)-w < atLeast; b++ {
		}
		y = min(a.sourceEnd(a.targetCut(b)-1), end)
		for b < hi && a.targetCut(b+1) <= y {
			b++
		}
		w = a.targetCut(b)
		s.w1, s.y1 = w, y
		all = append(all, s)
	}
	return all
}

// A profile is what a choice of template and step means along one axis: the source chunks
// read by all templates together, and the largest extents of the buffers.
type profile struct {
	reads  int // source chunks, those read for two templates counted twice
	templ  int // T: a template
	block  int // M: what a step writes
	fresh  int // F: what a step reads, the paper's max-block
	unused int // U
	stage  int // a source chunk, as far as it is in the template
}

// profile returns the profile of templates of m target chunks whose steps write at least
// so many elements.
func (a axis) profile(m, atLeast int) profile {
	var p profile
	type shape struct{ phase, first, n int }
	seen := map[shape]bool{} // templates that begin alike are alike
	// After the first template everything repeats after so many target chunks, and so often.
	period := a.s / gcd(a.s, m*a.t) * m
	repeats := ((a.n+a.to)/a.t - m) / period
	before := 0
	for lo := 0; lo < a.blocks(); lo += m {
		switch {
		case lo == m:
			before = p.reads
		case lo == m+period && repeats > 1:
			p.reads += (p.reads - before) * (repeats - 1)
			lo += period * (repeats - 1)
			if lo >= a.blocks() {
				return p.staged(a)
			}
		}
		hi := min(lo+m, a.blocks())
		from, to := a.targetCut(lo), a.targetCut(hi)
		p.reads += a.touched(from, to)
		like := shape{(from + a.so) % a.s, a.targetCut(lo+1) - from, to - from}
		if seen[like] {
			continue
		}
		seen[like] = true
		p.templ = max(p.templ, to-from)
		for _, s := range a.differentSteps(lo, hi, atLeast) {
			p.block = max(p.block, s.w1-s.w0)
			p.fresh = max(p.fresh, s.y1-s.y0)
			p.unused = max(p.unused, s.y1-s.w1)
		}
	}
	return p.staged(a)
}

// differentSteps returns steps for a template of which all others are repetitions. Where a
// step ends does not depend on where the template began, so they repeat with the lcm-block,
// and a template with some lcm-blocks less in its middle has the same. Four of them are more
// than a part at either end and one of each that is whole.
func (a axis) differentSteps(lo, hi, atLeast int) []step {
	period := a.s / gcd(a.s, a.t)
	if less := (hi-lo)/period - 4; atLeast == 0 && less > 0 {
		a.n -= less * period * a.t
		hi -= less * period
	}
	return a.steps(lo, hi, atLeast)
}

// staged returns the profile with the extent of a source chunk in a template.
func (p profile) staged(a axis) profile {
	p.stage = min(a.s, p.templ)
	return p
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b int) int { return a / gcd(a, b) * b }
