package writeq

import (
	"testing"
	"time"
)

// write reports to a sizer that the given number of bytes was written, at the given costs per byte
// of the two sizes, and returns how many pieces of each size there were.
func write(p *writeSizer, bytes int, cost [2]float64) (pieces [2]int) {
	for bytes > 0 {
		size := p.next()
		n := pieceBytes[size]
		p.record(n, time.Duration(cost[size]*float64(n)))
		pieces[size]++
		bytes -= n
	}
	return pieces
}

// The cheaper size is used for most bytes, whichever it is, and also after it changes.
func TestSizer(t *testing.T) {
	const all = 1 << 30
	most := [2]int{all / pieceBytes[0], all / pieceBytes[1]}
	var p writeSizer
	for i, cost := range [][2]float64{{2, 1.5}, {2, 20}, {2, 1.5}, {30, 20}, {3, 4}} {
		cheap := 0
		if cost[1] < cost[0] {
			cheap = 1
		}
		got := write(&p, all, cost)
		if got[cheap] < most[cheap]*2/3 {
			t.Errorf("%d, costs %v: pieces %v", i, cost, got)
		}
	}
}

// A size that costs ten times as much is tried less and less often.
func TestSizerTrials(t *testing.T) {
	var p writeSizer
	for _, want := range []int{16, 8} { // two each: after 64, 128, ... 2048 small ones (256 MiB)
		if got := write(&p, 1<<30, [2]float64{1, 10}); got[1] > want || got[1] == 0 {
			t.Errorf("%d large pieces, want %d", got[1], want)
		}
	}
}

// One piece that had to wait changes nothing, neither in normal use nor in a trial.
func TestSizerWaits(t *testing.T) {
	var p writeSizer
	late := 0
	for n := range 100_000 {
		size := p.next()
		cost := [2]float64{2, 1.5}[size]
		switch {
		case size != p.size: // one of each trial is slow
			if p.tried == p.trials%2 {
				cost *= 1000
			}
		case n-late > 40:
			late = n
			cost *= 1000
		}
		p.record(pieceBytes[size], time.Duration(cost*float64(pieceBytes[size])))
		if n > 2*firstWait && p.size != 1 {
			t.Fatalf("piece %d: size %d, costs %v", n, p.size, p.cost)
		}
	}
}

// One piece of a trial, whichever it is, may be slow.
func TestSizerTrial(t *testing.T) {
	for slow := range trialPieces {
		var p writeSizer
		for range firstWait {
			p.record(pieceBytes[0], time.Millisecond)
		}
		for i := range trialPieces {
			d := time.Millisecond // for four times as many bytes
			if i == slow {
				d = time.Hour
			}
			p.record(pieceBytes[1], d)
		}
		if p.size != 1 {
			t.Errorf("piece %d of the trial is slow: size %d", slow, p.size)
		}
	}
}

// The very first piece may be slow.
func TestSizerBegins(t *testing.T) {
	var p writeSizer
	p.record(pieceBytes[0], time.Hour)
	if got := write(&p, 64<<20, [2]float64{1, 10}); got[1] > 3*trialPieces {
		t.Errorf("%d large pieces", got[1])
	}
}

// Several programs that write one file wait for each other's pieces, and measure that wait. They
// nevertheless give up large pieces that are expensive.
func TestSizerTogether(t *testing.T) {
	const procs = 4
	var sizers [procs]writeSizer
	var wrote [2]int // pieces
	round := func(cost [2]float64) {
		var sizes [procs]int
		all := 0.0
		for i := range sizers {
			sizes[i] = sizers[i].next()
			all += cost[sizes[i]] * float64(pieceBytes[sizes[i]])
			wrote[sizes[i]]++
		}
		for i := range sizers {
			sizers[i].record(pieceBytes[sizes[i]], time.Duration(all))
		}
	}
	for range 1000 {
		round([2]float64{2, 1.5})
	}
	if wrote[1] < 3*wrote[0] {
		t.Errorf("of small and large pieces, large ones being cheap: %v", wrote)
	}
	wrote = [2]int{}
	for range 5000 {
		round([2]float64{2, 20})
	}
	if wrote[0] < 20*wrote[1] {
		t.Errorf("of small and large pieces, large ones being expensive: %v", wrote)
	}
}

// The last, short piece of a write says nothing about its size. A write of a single piece does,
// unless it is small.
func TestSizerRest(t *testing.T) {
	var p writeSizer
	small, large := pieceBytes[0], pieceBytes[1]
	p.record(small-1, time.Hour)
	if p.since != 0 || p.cost[0] != 0 {
		t.Error("a rest counts")
	}
	for range firstWait {
		p.record(small, time.Millisecond)
	}
	if p.next() != 1 {
		t.Fatal("there is no trial")
	}
	p.record(small, time.Hour)
	if p.tried != 0 {
		t.Error("a small piece is tried")
	}
	p.record(small+1, time.Millisecond)
	p.record(large, time.Millisecond)
	if p.size != 1 || p.since != 0 {
		t.Errorf("after a good trial: size %d, costs %v", p.size, p.cost)
	}
}
