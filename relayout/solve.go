package relayout

import (
	"encoding/binary"
	"math"

	"drx/nd"
)

// maxPasses is how many passes a plan has at most. Each intermediate array brings the
// chunks closer together by a root of their ratio; more never paid in any problem tried.
const maxPasses = 4

// A solver looks for the passes from one grid to another.
type solver struct {
	src, dst Grid
	memory   int64
	single   map[string]single
	known    map[axis][]candidate
}

// A single is the best single pass between two grids.
type single struct {
	choice choice
	cost   Cost
	ok     bool
}

func newSolver(src, dst Grid, memory int64) *solver {
	return &solver{src, dst, memory, map[string]single{}, map[axis][]candidate{}}
}

func (s *solver) empty() bool {
	for d := range s.src.Lo {
		if s.src.Lo[d] == s.src.Hi[d] {
			return true
		}
	}
	return false
}

// elem returns the bytes of an element of all temporary arrays.
func (s *solver) elem() int { return min(s.src.Elem, s.dst.Elem) }

func (s *solver) problem(a, b Grid) *problem {
	p := newProblem(a, b)
	p.known = s.known
	return p
}

// between returns the best single pass from a to b.
func (s *solver) between(a, b Grid) single {
	key := string(b.appendKey(a.appendKey(nil)))
	if found, ok := s.single[key]; ok {
		return found
	}
	p := s.problem(a, b)
	var found single
	if p.least() <= s.memory {
		found.choice, found.ok = p.best(s.memory)
		if found.ok {
			found.cost = p.cost(p.profilesOf(found.choice))
		}
	}
	s.single[key] = found
	return found
}

// appendKey appends what tells a grid from all others of the same rank.
func (g Grid) appendKey(key []byte) []byte {
	for _, list := range [][]int{g.Lo, g.Hi, g.Chunk, {g.Elem}} {
		for _, v := range list {
			key = binary.AppendVarint(key, int64(v))
		}
	}
	return key
}

// pass returns the best single pass from a to b, its buffers grown.
func (s *solver) pass(a, b Grid) Pass {
	p := s.problem(a, b)
	c, works, stages := p.grow(s.between(a, b).choice, s.memory)
	return newPass(a, b, p, c, works, stages)
}

// solve returns the grids from the source to the target that make the cheapest plan, nil if
// there is none.
func (s *solver) solve() []Grid {
	var best []Grid
	cost := Cost{BytesRead: math.MaxInt64}
	for n := 1; n <= maxPasses && s.floor(n).Bytes() < cost.Bytes(); n++ {
		if grids, c := s.through(s.src, s.dst, n); grids != nil && c.compare(cost) < 0 {
			best, cost = grids, c
		}
	}
	return best
}

// floor returns the least that n passes can cost: every element once in each direction.
func (s *solver) floor(n int) Cost {
	bytes, _ := nd.Product(nd.Shape(s.dst.Lo, s.dst.Hi)...)
	between := (n - 1) * s.elem()
	return Cost{
		BytesRead:    mul(int64(bytes), int64(s.src.Elem+between)),
		BytesWritten: mul(int64(bytes), int64(s.dst.Elem+between)),
	}
}

// through returns the cheapest grids found from a to b in n passes. Two passes meet in the
// middle; three try a pair of intermediates too, as figure 4 of the paper does.
func (s *solver) through(a, b Grid, n int) (best []Grid, cost Cost) {
	if n == 1 {
		if one := s.between(a, b); one.ok {
			return []Grid{a, b}, one.cost
		}
		return nil, cost
	}
	for _, m := range s.middles(a, b, n) {
		left, c := s.through(a, m, n/2)
		if left == nil || best != nil && c.compare(cost) >= 0 {
			continue
		}
		right, c2 := s.through(m, b, n-n/2)
		if c = c.plus(c2); right != nil && (best == nil || c.compare(cost) < 0) {
			best, cost = append(left[:len(left):len(left)], right[1:]...), c
		}
	}
	return best, cost
}

// middles returns the intermediate grids to try between a and b, where n passes are left:
// with the bounds of the target, whose chunks they may then meet, and with bounds from zero,
// where no chunk reaches below them.
func (s *solver) middles(a, b Grid, n int) []Grid {
	var all []Grid
	shape := nd.Shape(s.dst.Lo, s.dst.Hi)
	zero := Grid{Lo: make([]int, len(shape)), Hi: shape}
	seen := map[string]bool{string(a.appendKey(nil)): true, string(b.appendKey(nil)): true}
	for _, chunk := range s.shapes(a.Chunk, b.Chunk, n) {
		for _, g := range []Grid{s.dst, zero} {
			g.Chunk, g.Elem = chunk, s.elem()
			if key := string(g.appendKey(nil)); !seen[key] {
				seen[key] = true
				all = append(all, g)
			}
		}
	}
	return all
}
