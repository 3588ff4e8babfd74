package stats

// A Grouping divides the selected indices of a dimension into groups.
type Grouping struct {
	Dim   int
	Names []string // of the groups, in the order of the result
	of    []span   // the groups of each selected index, by position
}

// size returns how many positions belong to each group.
func (g *Grouping) size() []int {
	n := make([]int, len(g.Names))
	for _, s := range g.of {
		for i := s.lo; i < s.hi; i++ {
			n[i]++
		}
	}
	return n
}
