package writeq

import "time"

// writeSizer finds the cheapest number of bytes for one write system call. The page cache allocates
// memory in blocks as large as the write. Large blocks make writing a quarter cheaper, but finding
// one can take four to nine times as long as everything else: if memory is fragmented, or if the
// host of a virtual machine has reclaimed the free memory. Only measuring shows which case it is.
// The measured time includes waiting for others who write to the same file.
//
// The zero value begins with the small size. It is not safe for concurrent use.
type writeSizer struct {
	size   int        // the size in use, an index of pieceBytes
	cost   [2]float64 // ns per byte by size: average of the size in use, last cost of the other
	since  int        // pieces of the size in use since the last trial, or since the last alarm
	trials int        // trials so far
	tried  int        // pieces of the current trial so far
	least  float64    // least cost of these
}

// pieceBytes are the two sizes.
var pieceBytes = [2]int{128 << 10, 512 << 10}

const (
	// firstWait is the number of pieces before the first trial of the other size. It doubles with
	// each trial, up to longestWait.
	firstWait, longestWait = 64, 2048
	// trialPieces is the number of pieces of a trial: a single one may be slow for another reason.
	trialPieces = 2
	// inertia is the number of pieces over which the moving average extends.
	inertia = 8
	// alarm is the cost of large pieces relative to small ones beyond which large pieces are given
	// up at once.
	alarm = 2
)

// next returns the size of the next piece, as an index of pieceBytes.
func (s *writeSizer) next() int {
	if s.since >= min(firstWait<<min(s.trials, 16), longestWait) {
		return 1 - s.size
	}
	return s.size
}

// record records the time for writing n bytes, at most as many as next asked for. It ignores pieces
// that say nothing about their size: large ones of no more bytes than a small one, and those below
// the small size.
func (s *writeSizer) record(n int, d time.Duration) {
	size := s.next()
	if n < pieceBytes[0] || size == 1 && n == pieceBytes[0] {
		return
	}
	cost := float64(d) / float64(n)
	if size != s.size {
		s.try(cost)
		return
	}
	s.since++
	s.average(cost)
	// A trial of small pieces would not show it: while others write large pieces, small ones wait
	// for them and look as expensive.
	if s.size == 1 && s.cost[1] > alarm*s.cost[0] {
		s.size, s.since = 0, 0
	}
}

// average adds the cost of a piece to the moving average of the size in use. A piece counts for at
// most twice the average, because it may have waited for something else. The second piece replaces
// the very first one, whose time includes the start.
func (s *writeSizer) average(cost float64) {
	was := &s.cost[s.size]
	if s.trials == 0 && s.since <= 2 {
		*was = cost
	}
	*was += (min(cost, 2**was) - *was) / inertia
}

// try records the cost of a piece of the other size. After the last piece of the trial it compares
// the least cost of the trial with the average of the size in use.
func (s *writeSizer) try(cost float64) {
	if s.tried == 0 || cost < s.least {
		s.least = cost
	}
	if s.tried++; s.tried < trialPieces {
		return
	}
	if s.least < s.cost[s.size] {
		s.size = 1 - s.size
		s.cost[s.size] = s.least
	}
	s.since, s.tried = 0, 0
	s.trials++
}
