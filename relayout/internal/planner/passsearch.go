package planner

import (
	"errors"
	"fmt"
	"math"

	"drx/nd"
)

// ErrMemory is returned when no plan fits the bound on memory.
var ErrMemory = errors.New("too little memory")

// maxPasses is the largest number of passes of a plan. Each intermediate array brings source and
// target chunks closer together by a root of their ratio; more passes never paid in any problem
// tried.
const maxPasses = 4

// A passSearch finds the passes from one grid to another.
type passSearch struct {
	src, dst   Grid
	memory     int64
	single     map[string]singlePass // by the keys of two grids
	candidates candidateCache
}

// A singlePass is the best single pass between two grids, if there is one.
type singlePass struct {
	choice choice
	cost   Cost
	ok     bool
}

func newPassSearch(src, dst Grid, memory int64) *passSearch {
	return &passSearch{src, dst, memory, map[string]singlePass{}, candidateCache{}}
}

// tempElemSize returns the bytes of an element of all temporary arrays.
func (s *passSearch) tempElemSize() int { return min(s.src.ElemSize, s.dst.ElemSize) }

// between returns the best single pass from a to b.
func (s *passSearch) between(a, b Grid) singlePass {
	key := string(b.appendKey(a.appendKey(nil)))
	if found, ok := s.single[key]; ok {
		return found
	}
	p := newProblem(a, b)
	var found singlePass
	if p.leastMemory() <= s.memory {
		found.choice, found.ok = p.bestTemplate(s.memory, s.candidates)
		if found.ok {
			found.cost = p.cost(p.profiles(found.choice))
		}
	}
	s.single[key] = found
	return found
}

// passes returns the passes of the cheapest plan found. The error wraps ErrMemory if none fits.
func (s *passSearch) passes() ([]Pass, error) {
	grids := s.grids()
	if grids == nil {
		return nil, fmt.Errorf("memory of %d bytes: %w: a chunk of the target, within its bounds, takes %d",
			s.memory, ErrMemory, newProblem(s.src, s.dst).leastMemory())
	}
	var all []Pass
	for i := range grids[1:] {
		a, b := grids[i], grids[i+1]
		all = append(all, newPass(a, b, newProblem(a, b).grow(s.between(a, b).choice, s.memory)))
	}
	return all, nil
}

// grids returns the grids of the cheapest plan found: the source, the intermediate arrays, the
// target. It returns nil if no plan fits the memory.
func (s *passSearch) grids() []Grid {
	var best []Grid
	cost := Cost{BytesRead: math.MaxInt64}
	for n := 1; n <= maxPasses && s.floor(n) < cost.Bytes(); n++ {
		if grids, c := s.through(s.src, s.dst, n); grids != nil && c.compare(cost) < 0 {
			best, cost = grids, c
		}
	}
	return best
}

// floor returns a lower bound on the bytes of n passes: each element once in each direction.
func (s *passSearch) floor(n int) int64 {
	elements, _ := nd.Product(s.dst.shape()...)
	return Mul(int64(elements), int64(s.src.ElemSize+s.dst.ElemSize+2*(n-1)*s.tempElemSize()))
}

// through returns the cheapest grids found from a to b in n passes. It splits the passes in two
// halves and tries intermediate grids between them.
func (s *passSearch) through(a, b Grid, n int) (best []Grid, cost Cost) {
	if n == 1 {
		if one := s.between(a, b); one.ok {
			return []Grid{a, b}, one.cost
		}
		return nil, cost
	}
	for _, m := range s.intermediates(a, b) {
		first, c := s.through(a, m, n/2)
		if first == nil || best != nil && c.compare(cost) >= 0 {
			continue
		}
		second, c2 := s.through(m, b, n-n/2)
		if c = c.Plus(c2); second != nil && (best == nil || c.compare(cost) < 0) {
			best, cost = append(first[:len(first):len(first)], second[1:]...), c
		}
	}
	return best, cost
}

// intermediates returns the intermediate grids to try between a and b. Each chunk shape is tried
// with the bounds of the target, so that its chunks may coincide with the target's, and with bounds
// from zero, below which no chunk reaches.
func (s *passSearch) intermediates(a, b Grid) []Grid {
	var all []Grid
	shape := s.dst.shape()
	zero := Grid{Lo: make([]int, len(shape)), Hi: shape}
	seen := map[string]bool{string(a.appendKey(nil)): true, string(b.appendKey(nil)): true}
	for _, chunk := range intermediateChunks(a.ChunkShape, b.ChunkShape, shape, s.tempElemSize(), s.memory) {
		for _, g := range []Grid{s.dst, zero} {
			g.ChunkShape, g.ElemSize = chunk, s.tempElemSize()
			if key := string(g.appendKey(nil)); !seen[key] {
				seen[key] = true
				all = append(all, g)
			}
		}
	}
	return all
}
