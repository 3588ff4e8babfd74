package stats

import (
	"fmt"
	"slices"
	"strconv"

	"drx/cube"
	"drx/optionerr"
)

// A Grouping divides the selected indices of a dimension into groups.
type Grouping struct {
	Dim   int      // the dimension
	Label string   // what the groups are called, as month; empty for the name of the dimension
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

// A member is a group to which a position belongs: the order of its key is that of the groups.
type member struct {
	key  int
	name string
}

// newGrouping returns the groups of positions that members names, without those that have none. ok
// is false for a position of no group.
func newGrouping(dim, positions int, of func(position int) (m member, ok bool, err error)) (*Grouping, error) {
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

// EveryN returns groups of n selected indices of a dimension that follow each other, the last one
// of those that are left. They have the labels of their first indices. The error is about the
// option "every".
func EveryN(c *cube.Cube, sel cube.Selection, dim, n int) (*Grouping, error) {
	if n < 1 {
		return nil, optionerr.Wrong("every", n, "want 1 or more")
	}
	return newGrouping(dim, sel[dim].Len(), func(i int) (member, bool, error) {
		return member{i / n, c.Label(dim, sel[dim].At(i/n*n))}, true, nil
	})
}

// Rolling returns a group for each window of n selected indices of a dimension that follow each
// other; windows overlap. They have the labels of their last indices. The error is about the option
// "rolling".
func Rolling(c *cube.Cube, sel cube.Selection, dim, n int) (*Grouping, error) {
	all := sel[dim].Len()
	if n < 1 || n > all {
		return nil, optionerr.Wrong("rolling", n, "want 1 to %d, the number of indices of dimension %s", all, dimName(c.Array(), dim))
	}
	g := &Grouping{Dim: dim}
	for i := range all {
		if i >= n-1 {
			g.Names = append(g.Names, c.Label(dim, sel[dim].At(i)))
		}
		g.of = append(g.of, span{max(0, i-n+1), min(i+1, all-n+1)})
	}
	return g, nil
}

// ByTable returns the groups that a table gives the labels of a dimension; those that it gives the
// empty group belong to none. name is what the groups are called. They are in the order in which
// the labels have them. The error is about the option "by" if the table has no group for a label.
func ByTable(c *cube.Cube, sel cube.Selection, dim int, name string, groups map[string]string) (*Grouping, error) {
	keys := map[string]int{}
	g, err := newGrouping(dim, sel[dim].Len(), func(i int) (member, bool, error) {
		label := c.Label(dim, sel[dim].At(i))
		group, ok := groups[label]
		if !ok {
			return member{}, false, fmt.Errorf("%s: %w", c.Array().Name(), optionerr.Wrong("by", nil,
				"no group for %s of dimension %s: add it to the table, without a group to leave it out", strconv.Quote(label), dimName(c.Array(), dim)))
		}
		if group == "" {
			return member{}, false, nil
		}
		if _, known := keys[group]; !known {
			keys[group] = len(keys)
		}
		return member{keys[group], group}, true, nil
	})
	return named(g, name), err
}

// named calls the groups by a name.
func named(g *Grouping, name string) *Grouping {
	if g != nil {
		g.Label = name
	}
	return g
}
