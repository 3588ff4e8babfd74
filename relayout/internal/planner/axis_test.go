package planner

import (
	"math/rand/v2"
	"testing"
)

func randomAxis(r *rand.Rand) axis {
	lo, tlo := r.IntN(30)-15, r.IntN(30)-15
	n := 1 + r.IntN(60)
	if r.IntN(3) == 0 {
		n *= 10
	}
	return newAxis(lo, lo+n, 1+r.IntN(13), tlo, 1+r.IntN(13))
}

// chunkOf returns the source chunk of an element the slow way.
func (a axis) chunkOf(x int) int { return (x + a.sOff) / a.s }

func (a axis) targetOf(x int) int { return (x + a.tOff) / a.t }

// A walk over single elements must find what profile computes: it reads source chunks until a
// target chunk is complete, and writes all complete ones.
func TestProfileAgainstWalk(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		a := randomAxis(r)
		m := 1 + r.IntN(a.targetChunks()+1)
		want := walk(t, a, m)
		if got := a.profile(m, 0); got != want {
			t.Fatalf("seed %d: %+v, %d blocks: %+v, want %+v", seed, a, m, got, want)
		}
	}
}

func walk(t *testing.T, a axis, m int) profile {
	t.Helper()
	var p profile
	for from := 0; from < a.n; {
		to := from // the template's elements
		for to < a.n && a.targetOf(to) < a.targetOf(from)+m {
			to++
		}
		if a.targetOf(0) == a.targetOf(from) && from > 0 {
			t.Fatal("templates overlap")
		}
		p.template = max(p.template, to-from)
		for written, read := from, from; written < to; {
			before, start := written, read
			for written == before { // read one more source chunk
				p.sourceReads++
				c := a.chunkOf(read)
				for read < to && a.chunkOf(read) == c {
					read++
				}
				for x := written; x <= read; x++ {
					if x == to || x < read && a.targetOf(x) != a.targetOf(max(x-1, 0)) && x > written || x == read && read < to && a.targetOf(x) != a.targetOf(x-1) {
						written = x
					}
				}
				if read == to {
					written = to
				}
			}
			p.written = max(p.written, written-before)
			p.read = max(p.read, read-start)
			p.unused = max(p.unused, read-written)
		}
		from = to
	}
	p.source = min(a.s, p.template)
	return p
}

// Steps must keep invariant 2, for every minimum.
func TestSteps(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 8))
		a := randomAxis(r)
		lo := r.IntN(a.targetChunks())
		hi := lo + 1 + r.IntN(a.targetChunks()-lo)
		minWritten := r.IntN(20)
		steps := a.steps(lo, hi, minWritten)
		w, y := a.targetBegin(lo), a.targetBegin(lo)
		for i, s := range steps {
			last := i == len(steps)-1
			switch {
			case s.writeLo != w || s.readLo != y:
				t.Errorf("seed %d: step %+v does not follow on %d, %d", seed, s, w, y)
			case s.writeHi <= s.writeLo || s.readHi <= s.readLo || s.writeHi > s.readHi || s.writeHi < s.readLo:
				t.Errorf("seed %d: step %+v", seed, s)
			case s.readHi-s.writeHi >= a.t || last && s.readHi != s.writeHi:
				t.Errorf("seed %d: step %+v of %d leaves too much", seed, i, len(steps))
			case !last && s.writeHi-s.writeLo < minWritten:
				t.Errorf("seed %d: step %+v writes less than %d", seed, s, minWritten)
			case !last && (a.chunkOf(s.readHi) == a.chunkOf(s.readHi-1) || a.targetOf(s.writeHi) == a.targetOf(s.writeHi-1)):
				t.Errorf("seed %d: step %+v ends within a chunk", seed, s)
			}
			w, y = s.writeHi, s.readHi
		}
		if end := a.targetBegin(hi); w != end || y != end {
			t.Errorf("seed %d: ends at %d, %d, not at %d", seed, w, y, end)
		}
	}
}

func TestHalve(t *testing.T) {
	for n, want := range [][]int{{4, 5}, {2, 5}, {1, 5}, {1, 3}, {1, 2}, {1, 1}, {1, 1}} {
		shape := []int{4, 5}
		if halve(shape, n); shape[0] != want[0] || shape[1] != want[1] {
			t.Errorf("%d times: %v, want %v", n, shape, want)
		}
	}
}

func TestSaturation(t *testing.T) {
	const most = 1<<63 - 1
	for _, c := range []struct{ a, b, product, sum int64 }{
		{0, most, 0, most},
		{most, most, most, most},
		{1 << 32, 1 << 31, most, 1<<32 + 1<<31},
		{1 << 31, 1 << 31, 1 << 62, 1 << 32},
		{3, 4, 12, 7},
	} {
		if Mul(c.a, c.b) != c.product || add(c.a, c.b) != c.sum {
			t.Errorf("%d, %d: %d and %d", c.a, c.b, Mul(c.a, c.b), add(c.a, c.b))
		}
	}
}
