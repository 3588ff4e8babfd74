package writeq

import (
	"testing"
	"time"
)

// write tells a sizer that so many bytes were written whose pieces of the two sizes cost so many
// nanoseconds per byte, and returns how many pieces of each there were.
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

// The cheaper size is used for most bytes, whichever it is, and when it changes.
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

// A size that costs ten times as much is tried ever more rarely.
func TestSizerTrials(t *testing.T) {
	var p writeSizer
	for _, want := range []int{16, 8} { // two at a time: behind 64, 128, ... 2048 small ones, 256 MiB then
		if got := write(&p, 1<<30, [2]float64{1, 10}); got[1] > want || got[1] == 0 {
			t.Errorf("%d large pieces, want %d", got[1], want)
		}
	}
}

// One piece that had to wait changes nothing, neither in use nor in a trial.
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

// One piece of a trial may be slow, whichever.
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

// The first piece of all may be a slow one.
func TestSizerBegins(t *testing.T) {
	var p writeSizer
	p.record(pieceBytes[0], time.Hour)
	if got := write(&p, 64<<20, [2]float64{1, 10}); got[1] > 3*trialPieces {
		t.Errorf("%d large pieces", got[1])
	}
}

// Several programs that write one file wait for each other's pieces, which is in the time of
// theirs. Large pieces that are expensive are given up all the same.
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

// What is left over tells nothing; a write that is all that there is does, if it is no small piece.
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
