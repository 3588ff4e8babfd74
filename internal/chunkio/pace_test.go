package chunkio

import (
	"testing"
	"time"
)

// write tells a pace that so many bytes were written whose pieces of the two sizes cost so many nanoseconds per
// byte, and returns how many pieces of each there were.
func write(p *pace, bytes int, cost [2]float64) (pieces [2]int) {
	for bytes > 0 {
		size := p.next()
		n := pieceBytes[size]
		p.took(n, time.Duration(cost[size]*float64(n)))
		pieces[size]++
		bytes -= n
	}
	return pieces
}

// The cheaper size is used for nearly all bytes, whichever it is, and when it changes.
func TestPace(t *testing.T) {
	const all = 1 << 30
	most := [2]int{all / pieceBytes[0], all / pieceBytes[1]}
	var p pace
	for i, cost := range [][2]float64{{2, 1.5}, {2, 20}, {2, 1.5}, {30, 20}, {3, 4}} {
		cheap := 0
		if cost[1] < cost[0] {
			cheap = 1
		}
		got := write(&p, all, cost)
		if got[cheap] < most[cheap]*3/4 {
			t.Errorf("%d, costs %v: pieces %v", i, cost, got)
		}
	}
}

// A size that costs ten times as much is tried ever more rarely.
func TestPaceTrials(t *testing.T) {
	var p pace
	for _, want := range []int{20, 8} { // two at a time: behind 8, 16, ... 2048 small ones, 256 MiB then
		if got := write(&p, 1<<30, [2]float64{1, 10}); got[1] > want || got[1] == 0 {
			t.Errorf("%d large pieces, want %d", got[1], want)
		}
	}
}

// One piece that had to wait changes nothing, neither in use nor in a trial.
func TestPaceWaits(t *testing.T) {
	var p pace
	for n := range 100_000 {
		size := p.next()
		cost := [2]float64{2, 1}[size]
		if n%20 == 3 || p.tried == 1 {
			cost *= 1000
		}
		p.took(pieceBytes[size], time.Duration(cost*float64(pieceBytes[size])))
		if n > 100 && p.size != 1 {
			t.Fatalf("piece %d: size %d, costs %v", n, p.size, p.cost)
		}
	}
}

// What is left over tells nothing; a write that is all that there is does, if it is no small piece.
func TestPaceRest(t *testing.T) {
	var p pace
	small, large := pieceBytes[0], pieceBytes[1]
	p.took(small-1, time.Hour)
	if p.since != 0 || p.cost[0] != 0 {
		t.Error("a rest counts")
	}
	for range firstWait {
		p.took(small, time.Millisecond)
	}
	if p.next() != 1 {
		t.Fatal("there is no trial")
	}
	p.took(small, time.Hour)
	if p.tried != 0 {
		t.Error("a small piece is tried")
	}
	p.took(small+1, time.Millisecond)
	p.took(large, time.Millisecond)
	if p.size != 1 || p.cost[1] == 0 {
		t.Errorf("after a good trial: size %d, costs %v", p.size, p.cost)
	}
}
