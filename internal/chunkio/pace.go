package chunkio

import "time"

// A pace finds out how many bytes of a file are best written at a time. The system's cache takes memory in
// blocks as large as what is written at once. With large ones writing takes a quarter less, but to find one
// has taken four to nine times as long as all the rest where memory was in pieces, or where the host of a
// virtual machine had taken back what was free. Only the time tells which it is; what others write to
// the same file meanwhile is in it too.
//
// The zero pace begins with the small size. It is not safe for concurrent use.
type pace struct {
	size  int        // that in use, an index of pieceBytes
	cost  [2]float64 // of each size, in nanoseconds per byte: an average of that in use, or what it was
	since int        // pieces of the size in use since the last trial, or the last alarm
	waits int        // trials that there were
	tried int        // pieces of the trial that is going on
	least float64    // cost of these
}

// pieceBytes are the sizes.
var pieceBytes = [2]int{128 << 10, 512 << 10}

const (
	// From one trial of the other size to the next there are so many pieces, twice as many each time.
	firstWait, longestWait = 64, 2048
	// trial is how many pieces are tried: one may be slow for another reason.
	trial = 2
	// inertia is how many pieces an average is of.
	inertia = 8
	// alarm is how many times as much as small pieces large ones may cost.
	alarm = 2
)

// next returns the size to write next, if there are so many bytes.
func (p *pace) next() int {
	if p.since >= min(firstWait<<min(p.waits, 16), longestWait) {
		return 1 - p.size
	}
	return p.size
}

// took tells how long it took to write n bytes, at most those of next. What small pieces would have written at
// once too tells nothing of large ones, and less than a small piece nothing at all.
func (p *pace) took(n int, d time.Duration) {
	size := p.next()
	if n < pieceBytes[0] || size == 1 && n == pieceBytes[0] {
		return
	}
	cost := float64(d) / float64(n)
	if size != p.size {
		p.try(cost)
		return
	}
	p.since++
	p.average(cost)
	// Not left to a trial of small pieces: where others write large ones, these have to wait for them.
	if p.size == 1 && p.cost[1] > alarm*p.cost[0] {
		p.size, p.since = 0, 0
	}
}

// average takes the cost of a piece into that of the size in use. One piece counts for no more than twice as
// much as the others: it may have waited for something else. The first of all does not count.
func (p *pace) average(cost float64) {
	was := &p.cost[p.size]
	if p.waits == 0 && p.since <= 2 {
		*was = cost
	}
	*was += (min(cost, 2**was) - *was) / inertia
}

// try takes the cost of a piece of the other size: the least of a trial counts. What small pieces cost is
// what they did when they were in use.
func (p *pace) try(cost float64) {
	if p.tried == 0 || cost < p.least {
		p.least = cost
	}
	if p.tried++; p.tried < trial {
		return
	}
	if p.least < p.cost[p.size] {
		p.size = 1 - p.size
		p.cost[p.size] = p.least
	}
	p.since, p.tried = 0, 0
	p.waits++
}
