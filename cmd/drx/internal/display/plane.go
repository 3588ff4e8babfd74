// Package display chooses the dimensions of an array that a picture shows, and its size in the
// terminal or in a file.
package display

import (
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
)

// A Plane is the two dimensions that a picture shows. For an array of one dimension rows is -1.
type Plane struct{ Rows, Cols int }

// Has reports whether dimension d is drawn.
func (p Plane) Has(d int) bool { return d == p.Rows || d == p.Cols }

// ChoosePlane parses --dims. Without the flag it chooses the last two dimensions with more than one
// index; if there are fewer than two, it fills up with the last ones of one index. lens is the
// number of indices per dimension, at least one of them positive; dimensions of length 0 are not
// chosen.
func ChoosePlane(a *drx.Array, dims string, lens []int) (Plane, error) {
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
		return Plane{-1, drawn[0]}, nil
	}
	return Plane{min(drawn[0], drawn[1]), max(drawn[0], drawn[1])}, nil
}

func parsePlane(a *drx.Array, dims string, lens []int) (Plane, error) {
	want := 0
	for _, n := range lens {
		if n > 0 && want < 2 {
			want++
		}
	}
	var drawn []int
	for name := range strings.SplitSeq(dims, ",") {
		d, err := cli.ParseDim(a, strings.TrimSpace(name))
		if err != nil {
			return Plane{}, err
		}
		if lens[d] == 0 {
			return Plane{}, cli.Usagef("--dims %s: dimension %s is that of --animate or of the bands", dims, cli.DimNames(a)[d])
		}
		if !slices.Contains(drawn, d) {
			drawn = append(drawn, d)
		}
	}
	if len(drawn) != want || strings.Count(dims, ",") != want-1 {
		return Plane{}, cli.Usagef("--dims %s: want %d different dimensions, rows before columns", dims, want)
	}
	if want == 1 {
		return Plane{-1, drawn[0]}, nil
	}
	return Plane{drawn[0], drawn[1]}, nil
}

// CheckDrawable returns an error if a selection has no index in some dimension.
func CheckDrawable(a *drx.Array, sel cube.Selection) error {
	for d, x := range sel {
		if x.Len() > 0 {
			continue
		}
		err := fmt.Errorf("%s: nothing to draw: dimension %s has no index in %s", a.Name(), cli.DimNames(a)[d], selection.FormatIndices(x))
		if a.Shape()[d] > 0 { // the selection is empty, not the array
			err = cli.AsWrongUsage(err)
		}
		return err
	}
	return nil
}

// FixOthers restricts sel, in place, to the first index of every dimension that is neither drawn
// nor in keep. For each dimension that had more indices it returns the choice as text.
func FixOthers(a *drx.Array, sel cube.Selection, p Plane, keep ...int) []string {
	var chosen []string
	names := cli.DimNames(a)
	for d, x := range sel {
		if p.Has(d) || slices.Contains(keep, d) || x.Len() == 1 {
			continue
		}
		sel[d] = x.Slice(0, 1)
		chosen = append(chosen, fmt.Sprintf("%s=%d of %s", names[d], x.At(0), selection.FormatIndices(x)))
	}
	return chosen
}

// ShownNote returns a note about the choices that FixOthers returned, empty if there are none.
func ShownNote(what string, chosen []string) string {
	if chosen == nil {
		return ""
	}
	return fmt.Sprintf("showing %s%s; choose with --at", what, strings.Join(chosen, ", "))
}
