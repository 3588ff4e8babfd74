package stats

import (
	"slices"

	"drx/cube"
	"drx/dataset/cftime"
	"drx/optionerr"
)

// A Grouping divides the selected indices of a dimension into groups.
type Grouping struct {
	Dim   int      // the dimension
	Label string   // the name of the groups, such as month; empty for the name of the dimension
	Names []string // of the groups, in the order of the result

	of      []span           // the groups of each selected index, by position
	indices [][2]int         // the first and the last index of each group of EveryN and Rolling
	named   int              // index into indices[i] of the index that names group i
	periods [][2]cftime.Time // the beginning and the end of each group of EveryPeriod
	numbers bool             // the names are integers
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

// A member is the group of a position. Groups are sorted by their keys.
type member struct {
	key  int
	name string
}

// newGrouping returns the groups that of assigns to the positions 0 to positions-1. Groups without
// a position are left out. of returns ok = false for a position that belongs to no group.
func newGrouping(dim, positions int, of level) (*Grouping, error) {
	g := &Grouping{Dim: dim}
	keys, names := make([]int, positions), map[int]string{}
	in := make([]bool, positions)
	for i := range keys {
		m, ok, err := of(i)
		if err != nil {
			return nil, err
		}
		if in[i] = ok; ok {
			keys[i], names[m.key] = m.key, m.name
		}
	}
	order := make([]int, 0, len(names))
	for key := range names {
		order = append(order, key)
	}
	slices.Sort(order)
	number := map[int]int{}
	for i, key := range order {
		number[key] = i
		g.Names = append(g.Names, names[key])
	}
	for i, key := range keys {
		k := number[key]
		if g.of = append(g.of, span{k, k + 1}); !in[i] {
			g.of[i] = span{}
		}
	}
	return g, nil
}

// EveryN returns groups of n consecutive selected indices of a dimension; the last group may be
// smaller. The label of a group is that of its first index. The error is about the option "every".
func EveryN(c *cube.Cube, sel cube.Selection, dim, n int) (*Grouping, error) {
	if n < 1 {
		return nil, optionerr.Wrong("every", n, "want 1 or more")
	}
	var ends []int
	for i := 0; i < sel[dim].Len(); i += n {
		ends = append(ends, min(i+n, sel[dim].Len()))
	}
	return Consecutive(c, sel, dim, ends), nil
}

// Consecutive returns groups of consecutive selected indices of a dimension: group i ends before
// position ends[i], where the next one begins. The label of a group is that of its first index,
// empty for a group without indices.
func Consecutive(c *cube.Cube, sel cube.Selection, dim int, ends []int) *Grouping {
	x, lo := sel[dim], 0
	g := &Grouping{Dim: dim, of: make([]span, x.Len())}
	for i, hi := range ends {
		for k := lo; k < hi; k++ {
			g.of[k] = span{i, i + 1}
		}
		name, indices := "", [2]int{}
		if hi > lo {
			name, indices = c.Label(dim, x.At(lo)), [2]int{x.At(lo), x.At(hi - 1)}
		}
		g.Names, g.indices, lo = append(g.Names, name), append(g.indices, indices), hi
	}
	return g
}

// Rolling returns one group for each window of n consecutive selected indices of a dimension.
// Windows overlap. The label of a group is that of its last index. The error is about the option
// "rolling".
func Rolling(c *cube.Cube, sel cube.Selection, dim, n int) (*Grouping, error) {
	all := sel[dim].Len()
	if n < 1 || n > all {
		return nil, optionerr.Wrong("rolling", n, "want 1 to %d, the number of indices of dimension %s", all, dimName(c.Array(), dim))
	}
	g := &Grouping{Dim: dim, named: 1}
	for i := range all {
		if i >= n-1 {
			g.Names = append(g.Names, c.Label(dim, sel[dim].At(i)))
			g.indices = append(g.indices, [2]int{sel[dim].At(i - n + 1), sel[dim].At(i)})
		}
		g.of = append(g.of, span{max(0, i-n+1), min(i+1, all-n+1)})
	}
	return g, nil
}

// ByTable returns groups of the selected indices of a dimension. The table groups maps the label of
// an index to its group; an index with the empty group belongs to none. name is the name of the
// groups in the result. Groups come in the order of their first index. The error is about the
// option "by" if the table lacks a label.
func ByTable(c *cube.Cube, sel cube.Selection, dim int, name string, groups map[string]string) (*Grouping, error) {
	g, err := newGrouping(dim, sel[dim].Len(), tableLevel(c, sel, dim, "table", groups))
	return named(g, name), err
}

// named sets the name of the groups in the result.
func named(g *Grouping, name string) *Grouping {
	if g != nil {
		g.Label = name
	}
	return g
}
