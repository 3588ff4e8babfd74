package cube

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"drx"
	"drx/formats/texttable"
	"drx/internal/errkind"
	"drx/nd"
)

// An axis holds the labels of one dimension.
type axis struct {
	first    int            // the index of the first label
	names    []string       // in the order of their indices
	index    map[string]int // from name to index
	runs     []int          // number of names in each attribute (attrName); later names are unsaved
	obsolete []string       // attributes that the next store deletes
}

const attrPrefix = "labels/"

// attrName returns the name of the attribute that holds the labels of a dimension beginning
// at index from.
func attrName(dim, from int) string { return fmt.Sprintf("%s%d/%d", attrPrefix, dim, from) }

// parseAttrName is the inverse of attrName. ok is false for attributes without labels.
func parseAttrName(name string) (dim, from int, ok bool) {
	numbers, ok := strings.CutPrefix(name, attrPrefix)
	if !ok {
		return 0, 0, false
	}
	remaining, right, _ := strings.Cut(numbers, "/")
	dim, err := strconv.Atoi(remaining)
	if err != nil {
		return 0, 0, false
	}
	from, err = strconv.Atoi(right)
	return dim, from, err == nil && attrName(dim, from) == name
}

// LabelAttr returns the name of the attribute that holds the labels of a dimension from index first
// on. With it, drx.Spec.Attrs can create an array with labels; the value of the attribute is the
// list of the labels.
func LabelAttr(dim, first int) string { return attrName(dim, first) }

// LabelDim returns the dimension whose labels an attribute holds; ok is false for another
// attribute.
func LabelDim(name string) (dim int, ok bool) {
	dim, _, ok = parseAttrName(name)
	return dim, ok
}

// PermutedAttr returns the name of an attribute after a permutation of the dimensions, in which
// dimension d of the new array is dimension order[d] of the old one. Only names of labels and
// levels change.
func PermutedAttr(name string, order nd.Order) string {
	if dim, from, ok := parseAttrName(name); ok {
		if d := slices.Index(order, dim); d >= 0 {
			return attrName(d, from)
		}
	}
	return permutedLevel(name, order)
}

// CheckAttrs checks that the labels and levels of the array still conform to docs/LABELS.md after
// the attributes with the given names were set or deleted. The error wraps ErrLabel. Names that do
// not begin with "labels/" or "levels/" are ignored.
func CheckAttrs(a *drx.Array, names []string) error {
	for _, name := range names {
		if strings.HasPrefix(name, levelPrefix) {
			if err := checkLevel(a, name); err != nil {
				return err
			}
		}
		if !strings.HasPrefix(name, attrPrefix) {
			continue
		}
		if _, _, ok := parseAttrName(name); !ok {
			return errkind.Errorf(ErrLabel, "%s: attribute %q: want labels/DIM/INDEX, the dimension and the index of the first label", a.Name(), name)
		}
		if _, err := Of(a); err != nil {
			// It does not wrap err: the array is intact if the change is not committed.
			return errkind.Errorf(ErrLabel, "%v: want a JSON list of distinct texts that are not empty, from where the labels before them end", err)
		}
	}
	return nil
}

// A run holds the labels of one attribute.
type run struct {
	from  int
	names []string
}

// loadAxes reads the labels of all dimensions from the attributes.
func loadAxes(a *drx.Array) ([]axis, error) {
	bounds := a.Bounds()
	runs := make([][]run, len(bounds))
	for name, raw := range a.Attrs() {
		dim, from, ok := parseAttrName(name)
		if !ok {
			continue
		}
		r := run{from: from}
		if err := json.Unmarshal(raw, &r.names); err != nil || len(r.names) == 0 {
			return nil, errkind.Errorf(drx.ErrCorrupt, "attribute %s: not a list of labels", name)
		}
		if from < math.MinInt/2 || from > math.MaxInt/2 { // so that sums of indices do not overflow
			return nil, errkind.Errorf(drx.ErrCorrupt, "attribute %s: index %d is impossible", name, from)
		}
		if dim < 0 || dim >= len(bounds) {
			return nil, errkind.Errorf(drx.ErrCorrupt, "attribute %s: there are dimensions 0 to %d", name, len(bounds)-1)
		}
		runs[dim] = append(runs[dim], r)
	}
	axes := make([]axis, len(bounds))
	for d := range axes {
		slices.SortFunc(runs[d], func(p, q run) int { return p.from - q.from })
		var err error
		if axes[d], err = newAxis(runs[d], bounds[d]); err != nil {
			return nil, fmt.Errorf("labels of dimension %d: %w", d, err)
		}
		axes[d].dropOutside(d, bounds[d])
	}
	return axes, nil
}

// newAxis returns an axis with the runs of a dimension, which must be consecutive without gaps.
func newAxis(runs []run, bounds nd.Range) (axis, error) {
	x := axis{first: bounds.Lo}
	if len(runs) > 0 {
		x.first = runs[0].from
	}
	for _, r := range runs {
		if next := x.nextIndex(); r.from != next {
			return x, errkind.Errorf(drx.ErrCorrupt, "a run begins at index %d, want %d", r.from, next)
		}
		for _, name := range r.names {
			if err := x.add(name); err != nil {
				return x, errkind.Of(drx.ErrCorrupt, err)
			}
		}
		x.runs = append(x.runs, len(r.names))
	}
	return x, nil
}

// nextIndex returns the index of the next label.
func (x *axis) nextIndex() int { return x.first + len(x.names) }

// add appends a label, for the next index. The error wraps ErrLabel.
func (x *axis) add(label string) error {
	if err := x.check(label); err != nil {
		return err
	}
	if x.index == nil {
		x.index = map[string]int{}
	}
	label = strings.Clone(label) // label may be part of a line, which it would keep in memory
	x.index[label] = x.nextIndex()
	x.names = append(x.names, label)
	return nil
}

// check returns an error if a label cannot be added.
func (x *axis) check(label string) error {
	switch _, known := x.index[label]; {
	case label == "":
		return errkind.Of(ErrLabel, ErrBlank)
	case !utf8.ValidString(label):
		return errkind.Errorf(ErrLabel, "label %w", texttable.CheckText(label))
	case known:
		return errkind.Errorf(ErrLabel, "label %q occurs twice", label)
	}
	return nil
}

// dropOutside drops the labels of indices that Shrink has removed. The attributes still hold those
// labels, so the next store writes all attributes again.
func (x *axis) dropOutside(dim int, bounds nd.Range) {
	if x.first >= bounds.Lo && x.nextIndex() <= bounds.Hi {
		return
	}
	lo := min(max(0, bounds.Lo-x.first), len(x.names))
	hi := max(lo, min(bounds.Hi-x.first, len(x.names)))
	kept := axis{first: max(x.first, bounds.Lo), obsolete: x.attrNames(dim)}
	if lo == hi {
		kept.first = bounds.Lo
	}
	for _, name := range x.names[lo:hi] {
		_ = kept.add(name) // valid, since it was in x
	}
	*x = kept
}

// attrNames returns the attributes that store the axis, and the obsolete ones.
func (x *axis) attrNames(dim int) []string {
	keys, from := slices.Clone(x.obsolete), x.first
	for _, n := range x.runs {
		keys = append(keys, attrName(dim, from))
		from += n
	}
	return keys
}

// store writes the labels that are in no attribute yet. It merges the new run with the preceding
// runs that are not longer, see invariant 2.
func (x *axis) store(a *drx.Array, dim int) error {
	stored := 0
	for _, n := range x.runs {
		stored += n
	}
	obsolete, runs, added := x.obsolete, slices.Clone(x.runs), len(x.names)-stored
	from := x.first + stored
	for n := len(runs); added > 0 && n > 0 && runs[n-1] <= added; n = len(runs) {
		added, from, runs = added+runs[n-1], from-runs[n-1], runs[:n-1]
		obsolete = append(obsolete, attrName(dim, from))
	}
	for _, name := range obsolete {
		if added > 0 && name == attrName(dim, from) {
			continue // it is about to be set
		}
		if err := a.DeleteAttr(name); err != nil {
			return err
		}
	}
	if added > 0 {
		if err := a.SetAttr(attrName(dim, from), x.names[from-x.first:]); err != nil {
			return err
		}
		runs = append(runs, added)
	}
	x.runs, x.obsolete = runs, nil
	return nil
}
