package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
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
// of the chunks. It is an error to choose other indices of a dimension than the section does, or none. hint
// returns what to add to the error of a field that has a label.
func applyAt(a *drx.Array, sec, bounds nd.Section, at string, hint func(l labelField) string) (nd.Section, error) {
	lo, hi := lowHigh(bounds)
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	given := slices.Clone(sec)
	chosen := map[int]bool{}
	for _, field := range fieldsOf(at) {
		d, r, err := parseAt(a, field, hint)
		if err != nil {
			return nil, err
		}
		if chosen[d] {
			return nil, usagef("--at %s: dimension %s is given twice", at, dimNames(a)[d])
		}
		chosen[d], sec[d] = true, r
	}
	asked := sec
	if sec, err = sec.Resolve(lo, hi); err != nil {
		return nil, usagef("%s: --at %s: %w%s%s", a.Name(), at, nameDim(a, err), hiddenHint(a, bounds, asked), hintFor(a, at, hint))
	}
	for d, r := range sec {
		if chosen[d] && limits(given[d], bounds[d]) && r != given[d] {
			return nil, usagef("--section has %v of dimension %s and --at has %v: give one of them", given[d], dimNames(a)[d], r)
		}
	}
	return sec, nil
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

// fieldsOf splits a list at its commas; empty text is an empty list.
func fieldsOf(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// limits reports whether a resolved range leaves out any index of the bounds.
func limits(r, bounds nd.Range) bool { return r.Len() != bounds.Len() }

func parseAt(a *drx.Array, field string, hint func(l labelField) string) (int, nd.Range, error) {
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
		return 0, nd.Range{}, usagef("--at %q: want DIM=INDEX or DIM=LO:HI, in integers%s", field, hintFor(a, field, hint))
	}
	return d, ranges[0], nil
}

// hintFor returns the hint for the first field of --at that has a label, or else a value of a coordinate.
func hintFor(a *drx.Array, at string, hint func(l labelField) string) string {
	if found := labelsIn(a, at); len(found) > 0 {
		return hint(found[0])
	}
	if found := valuesIn(a, at); len(found) > 0 {
		return hint(found[0])
	}
	return ""
}

// labelHint is the hint for --at where it takes indices.
func labelHint(l labelField) string {
	return fmt.Sprintf("; --at takes indices, for the %s give --sel %s", l.kind, l.field)
}

// chunkHint is the hint for --at where it takes indices of chunks.
func chunkHint(l labelField) string {
	return fmt.Sprintf("; --at takes indices of chunks, and %s is a %s: that of index %d", l.field, l.kind, l.index)
}

// A labelField is a field of --at whose text is a label of an index, or a value of a coordinate.
type labelField struct {
	field      string
	kind       string
	dim, index int
}

// labelsIn returns the fields of --at that have a label rather than, or as well as, an index.
func labelsIn(a *drx.Array, at string) []labelField {
	c, err := cube.Of(a)
	if err != nil {
		return nil
	}
	var found []labelField
	for _, field := range fieldsOf(at) {
		name, text, _ := strings.Cut(field, "=")
		d, err := parseDim(a, strings.TrimSpace(name))
		if err != nil {
			continue
		}
		if _, labels := c.Labels(d); len(labels) == 0 {
			continue
		}
		if index, err := c.Index(d, text); err == nil {
			found = append(found, labelField{field, "label", d, index})
		}
	}
	return found
}

// valuesIn returns the fields of --at that have a value of a coordinate.
func valuesIn(a *drx.Array, at string) []labelField {
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return nil
	}
	var found []labelField
	for _, field := range fieldsOf(at) {
		name, text, _ := strings.Cut(field, "=")
		d, err := parseDim(a, strings.TrimSpace(name))
		if err != nil {
			continue
		}
		if c, err := axes.Coordinate(d); c == nil || err != nil {
			continue
		}
		sel, err := axes.Select(dataset.Nearest, strconv.Itoa(d)+"="+text)
		if err == nil && sel[d].Len() > 0 {
			found = append(found, labelField{field, "value of the coordinate", d, sel[d].At(0)})
		}
	}
	return found
}

// indexNotes says of every index in --at that is also the label of another index which of them is shown.
func indexNotes(c *cube.Cube, at string) []string {
	var notes []string
	for _, l := range labelsIn(c.Array(), at) {
		name, text, _ := strings.Cut(l.field, "=")
		if text == strconv.Itoa(l.index) {
			continue
		}
		i, _ := strconv.Atoi(text) // no error: --at was valid
		notes = append(notes, fmt.Sprintf("--at %s is the index, whose label is %s; --sel %s=%s is the label", l.field, printable(c.Label(l.dim, i)), name, text))
	}
	return notes
}

// fixOthers restricts sel to the first index of every dimension that is neither drawn nor kept. It returns
// the dimensions that had more indices.
func fixOthers(a *drx.Array, sel cube.Selection, p plane, keep int) []string {
	var chosen []string
	names := dimNames(a)
	for d, x := range sel {
		if p.has(d) || d == keep || x.Len() == 1 {
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
