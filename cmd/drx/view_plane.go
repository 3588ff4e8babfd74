package main

import (
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/nd"
)

// A plane is the two dimensions that a picture shows. For an array of one dimension rows is -1.
type plane struct{ rows, cols int }

// has reports whether dimension d is drawn.
func (p plane) has(d int) bool { return d == p.rows || d == p.cols }

// choosePlane parses --dims. Without the flag it chooses the last two dimensions with more than one index
// and, if there are fewer than two, the last ones with one index. lens is the number of indices per
// dimension, at least one of them positive; dimensions with length 0 are not chosen.
func choosePlane(a *drx.Array, dims string, lens []int) (plane, error) {
	if dims != "" {
		return parsePlane(a, dims, lens)
	}
	var drawn []int
	for _, long := range []bool{true, false} {
		for d := len(lens) - 1; d >= 0 && len(drawn) < 2; d-- {
			if lens[d] > 0 && lens[d] > 1 == long {
				drawn = append(drawn, d)
			}
		}
	}
	if len(drawn) == 1 {
		return plane{-1, drawn[0]}, nil
	}
	return plane{min(drawn[0], drawn[1]), max(drawn[0], drawn[1])}, nil
}

func parsePlane(a *drx.Array, dims string, lens []int) (plane, error) {
	want := 0
	for _, n := range lens {
		if n > 0 && want < 2 {
			want++
		}
	}
	var drawn []int
	for name := range strings.SplitSeq(dims, ",") {
		d, err := parseDim(a, strings.TrimSpace(name))
		if err != nil {
			return plane{}, err
		}
		if lens[d] == 0 {
			return plane{}, usagef("--dims %s: dimension %s is the dimension of --animate", dims, dimNames(a)[d])
		}
		if !slices.Contains(drawn, d) {
			drawn = append(drawn, d)
		}
	}
	if len(drawn) != want || strings.Count(dims, ",") != want-1 {
		return plane{}, usagef("--dims %s: want %d different dimensions, rows before columns", dims, want)
	}
	if want == 1 {
		return plane{-1, drawn[0]}, nil
	}
	return plane{drawn[0], drawn[1]}, nil
}

// applyAt applies --at, a list of DIM=INDEX or DIM=LO:HI, to a section. bounds are those of the elements or
// of the chunks. An empty result is an error.
func applyAt(a *drx.Array, sec, bounds nd.Section, at string) (nd.Section, error) {
	sec = slices.Clone(sec)
	if at != "" {
		for field := range strings.SplitSeq(at, ",") {
			d, r, err := parseAt(a, field)
			if err != nil {
				return nil, err
			}
			sec[d] = r
		}
	}
	lo, hi := make([]int, len(bounds)), make([]int, len(bounds))
	for d, r := range bounds {
		lo[d], hi[d] = r.Lo, r.Hi
	}
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		return nil, usagef("%s: --at %s: %w", a.Name(), at, nameDim(a, err))
	}
	for d, r := range sec {
		if r.Len() > 0 {
			continue
		}
		err := fmt.Errorf("%s: nothing to draw: dimension %s has no index in %v", a.Name(), dimNames(a)[d], r)
		if hi[d] > lo[d] { // the choice is empty, not the array
			err = usageError{err}
		}
		return nil, err
	}
	return sec, nil
}

func parseAt(a *drx.Array, field string) (int, nd.Range, error) {
	name, text, ok := strings.Cut(field, "=")
	if !ok {
		return 0, nd.Range{}, usagef("--at %q: want DIM=INDEX or DIM=LO:HI", field)
	}
	d, err := parseDim(a, strings.TrimSpace(name))
	if err != nil {
		return 0, nd.Range{}, err
	}
	ranges, err := nd.ParseSection(text)
	if err != nil {
		return 0, nd.Range{}, usagef("--at %q: want DIM=INDEX or DIM=LO:HI, in integers", field)
	}
	return d, ranges[0], nil
}

// fixOthers restricts sec to the first index of every dimension that is neither drawn nor kept. It returns
// a note with the dimensions that had more indices, empty if there are none.
func fixOthers(a *drx.Array, sec nd.Section, p plane, keep int) string {
	var chosen []string
	names := dimNames(a)
	for d, r := range sec {
		if p.has(d) || d == keep || r.Len() == 1 {
			continue
		}
		sec[d] = nd.At(r.Lo).By(1)
		chosen = append(chosen, fmt.Sprintf("%s=%d of %v", names[d], r.Lo, r))
	}
	if chosen == nil {
		return ""
	}
	return fmt.Sprintf("showing %s; choose with --at", strings.Join(chosen, ", "))
}
