package main

import (
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/cube"
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
			return plane{}, usagef("--dims %s: dimension %s is that of --animate or of the bands", dims, dimNames(a)[d])
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

// checkDrawable returns an error if a selection has no index of a dimension.
func checkDrawable(a *drx.Array, sel cube.Selection) error {
	for d, x := range sel {
		if x.Len() > 0 {
			continue
		}
		err := fmt.Errorf("%s: nothing to draw: dimension %s has no index in %s", a.Name(), dimNames(a)[d], formatIndices(x))
		if a.Shape()[d] > 0 { // the choice is empty, not the array
			err = usageError{err}
		}
		return err
	}
	return nil
}

// fixOthers restricts sel to the first index of every dimension that is neither drawn nor one of those to keep. It
// returns the dimensions that had more indices.
func fixOthers(a *drx.Array, sel cube.Selection, p plane, keep ...int) []string {
	var chosen []string
	names := dimNames(a)
	for d, x := range sel {
		if p.has(d) || slices.Contains(keep, d) || x.Len() == 1 {
			continue
		}
		sel[d] = x.Slice(0, 1)
		chosen = append(chosen, fmt.Sprintf("%s=%d of %s", names[d], x.At(0), formatIndices(x)))
	}
	return chosen
}

// formatIndices formats indices for people: 0:3, or 0:3|5:6.
func formatIndices(x cube.Indices) string {
	parts := make([]string, len(x))
	for i, r := range x {
		parts[i] = r.String()
	}
	return strings.Join(parts, "|")
}

// shownNote returns a note about the dimensions that fixOthers returned, empty if there are none.
func shownNote(what string, chosen []string) string {
	if chosen == nil {
		return ""
	}
	return fmt.Sprintf("showing %s%s; choose with --at", what, strings.Join(chosen, ", "))
}
