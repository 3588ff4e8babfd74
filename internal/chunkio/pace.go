package chunkio

import "time"

// A pace finds out how many bytes of a file are best written at a time. The system's cache takes memory in
// blocks as large as what is written at once. With large ones writing takes a quarter less, but to find one
// has taken ten times as long as all the rest where memory was in pieces, or where the host of a virtual
// machine had taken back what was free. Only the time tells which it is.
//
// The zero pace begins with the small size. It is not safe for concurrent use.
type pace struct {
	size  int        // that in use, an index of pieceBytes
	cost  [2]float64 // of each size, in nanoseconds per byte, 0 if not known: an average of that in use, what it was of the other
	since int        // pieces since the other size was tried
	waits int        // trials that there were
	tried int        // pieces of the trial that is going on
	least float64    // cost of these
}

// pieceBytes are the sizes.
var pieceBytes = [2]int{128 << 10, 512 << 10}

const (
	// From one trial of the other size to the next there are so many pieces, twice as many each time.
	firstWait, longestWait = 8, 2048
	// trial is how many pieces are tried: one may be slow for another reason.
	trial = 2
	// inertia is how many pieces an average is of.
	inertia = 8
)

// next returns the size to write next.
func (p *pace) next() int {
	if p.since >= min(firstWait<<min(p.waits, 16), longestWait) {
		return 1 - p.size
	}
	return p.size
}

// took tells how long n bytes took, of which next was the size. What is left at the end of a write
// is no piece unless it is larger than a smaller piece.
func (p *pace) took(n int, d time.Duration) {
	size := p.next()
	if n < pieceBytes[0] || size == 1 && n == pieceBytes[0] {
		return
	}
	cost := float64(d) / float64(n)
	if size == p.size {
		p.since++
		p.average(cost)
	} else {
		p.try(cost)
	}
	if other := p.cost[1-p.size]; other > 0 && other < p.cost[p.size] {
		p.size = 1 - p.size
	}
}

// average takes the cost of a piece into that of the size in use. One piece counts for no more than twice as
// much as the others: it may have waited for something else.
func (p *pace) average(cost float64) {
	was := p.cost[p.size]
	if was == 0 {
		was = cost
	}
	p.cost[p.size] = was + (min(cost, 2*was)-was)/inertia
}

// try takes the cost of a piece of the other size: the least of a trial counts.
func (p *pace) try(cost float64) {
	if p.tried == 0 || cost < p.least {
		p.least = cost
	}
	if p.tried++; p.tried == trial {
		p.cost[1-p.size] = p.least
		p.since, p.tried = 0, 0
		p.waits++
	}
}
