package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/cftime"
	"drx/formats/texttable"
	"drx/optionerr"
)

// A level says to which group of a level a position belongs; ok is false for none.
type level func(position int) (m member, ok bool, err error)

// By groups the selected indices of a dimension by levels, the coarsest first. A level is one that
// the array keeps, see cube.Cube.Levels; else a part of the dates of a coordinate, or of labels
// that are dates: year, quarter, season, month, dayofyear, day (of the month) or hour; else the
// name of the dimension, for its labels. Only groups with an index appear. Groups of several levels
// are named by all of them, as 2013/2, and the groups in the result as year_quarter; they come in
// the order of their levels. The error is about the option "by", wraps drx.ErrRank for a dimension
// without times, or drx.ErrBounds for an index without a time.
func By(a *drx.Array, axes *dataset.Axes, sel cube.Selection, dim int, names ...string) (*Grouping, error) {
	levels := make([]level, len(names))
	for k, name := range names {
		var err error
		if levels[k], err = levelOf(a, axes, sel, dim, name); err != nil {
			return nil, err
		}
	}
	g, err := groupBy(dim, sel[dim].Len(), levels)
	if g != nil {
		g.numbers = len(names) == 1 && parts[names[0]] != nil && names[0] != "season" && !isKept(axes, dim, names[0])
	}
	return named(g, strings.Join(names, "_")), err
}

// isKept reports whether the array keeps a level.
func isKept(axes *dataset.Axes, dim int, name string) bool {
	c, err := axes.Cube()
	return err == nil && slices.Contains(c.Levels(dim), name)
}

// levelOf returns a level of a dimension.
func levelOf(a *drx.Array, axes *dataset.Axes, sel cube.Selection, dim int, name string) (level, error) {
	c, err := axes.Cube()
	if err != nil {
		return nil, err
	}
	if slices.Contains(c.Levels(dim), name) {
		groups, err := c.Level(dim, name)
		if err != nil {
			return nil, err
		}
		return tableLevel(c, sel, dim, "level "+name, groups), nil
	}
	own := func(i int) (member, bool, error) { return member{i, c.Label(dim, sel[dim].At(i))}, true, nil }
	isOwn := name != "" && name == a.Dims()[dim]
	of := parts[name]
	if of == nil && isOwn {
		return own, nil
	}
	if of == nil {
		known := strings.Join(append(c.Levels(dim), cftime.PartNames...), ", ")
		return nil, optionerr.Wrong("by", name, "dimension %s has no such level: want one of %s, or a table", dimName(a, dim), known)
	}
	times, calendar, err := timesOf(a, axes, sel, dim)
	if err != nil {
		labels, dated := datesOf(c, sel, dim)
		if !dated && isOwn {
			return own, nil
		}
		if !dated {
			return nil, err
		}
		times, calendar = labels, cftime.Standard
	}
	return func(i int) (member, bool, error) { return of(calendar, calendar.Date(times[i])), true, nil }, nil
}

// datesOf returns the times of labels that are dates.
func datesOf(c *cube.Cube, sel cube.Selection, dim int) (times []cftime.Time, ok bool) {
	first, labels := c.Labels(dim)
	var chosen []string
	for i := range sel[dim].Len() {
		at := sel[dim].At(i) - first
		if at < 0 || at >= len(labels) {
			return nil, false
		}
		chosen = append(chosen, labels[at])
	}
	times, err := texttable.Options{}.ParseTimes(chosen)
	return times, err == nil && len(times) > 0
}

// tableLevel is the level of a table from labels to groups, which come in the order of their first
// index. from says where the groups are from, for errors.
func tableLevel(c *cube.Cube, sel cube.Selection, dim int, from string, groups map[string]string) level {
	keys := map[string]int{}
	return func(i int) (member, bool, error) {
		label := c.Label(dim, sel[dim].At(i))
		group, ok := groups[label]
		if !ok {
			return member{}, false, fmt.Errorf("%s: %w", c.Array().Name(), optionerr.Wrong("by", nil,
				"no group for %s of dimension %s: add it to the %s, without a group to leave it out", strconv.Quote(label), dimName(c.Array(), dim), from))
		}
		if group == "" {
			return member{}, false, nil
		}
		if _, known := keys[group]; !known {
			keys[group] = len(keys)
		}
		return member{keys[group], group}, true, nil
	}
}

// groupBy returns the groups of positions that are in the same group at all levels.
func groupBy(dim, positions int, levels []level) (*Grouping, error) {
	if len(levels) == 1 {
		return newGrouping(dim, positions, levels[0])
	}
	paths := make([][]member, positions)
	for i := range paths {
		path := make([]member, len(levels))
		for k, of := range levels {
			m, ok, err := of(i)
			if err != nil {
				return nil, err
			}
			if path[k] = m; !ok {
				path = nil
				break
			}
		}
		paths[i] = path
	}
	order := slices.Clone(paths)
	compare := func(p, q []member) int {
		return slices.CompareFunc(p, q, func(m, n member) int { return cmp.Compare(m.key, n.key) })
	}
	slices.SortFunc(order, compare)
	order = slices.CompactFunc(order, func(p, q []member) bool { return compare(p, q) == 0 })
	return newGrouping(dim, positions, func(i int) (member, bool, error) {
		key, _ := slices.BinarySearchFunc(order, paths[i], compare)
		var names []string
		for _, m := range paths[i] {
			names = append(names, m.name)
		}
		return member{key, strings.Join(names, "/")}, paths[i] != nil, nil
	})
}

// datesDim returns the first dimension whose labels are dates, -1 without one.
func datesDim(a *drx.Array, axes *dataset.Axes) int {
	c, err := axes.Cube()
	if err != nil {
		return -1
	}
	for d := range a.Rank() {
		if _, dated := datesOf(c, cube.Box(a.Bounds()), d); dated {
			return d
		}
	}
	return -1
}
