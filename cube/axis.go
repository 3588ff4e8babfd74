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
	"drx/nd"
)

// An axis is the labels of one dimension.
type axis struct {
	first    int            // the index of the first label
	names    []string       // in the order of their indices
	index    map[string]int // the index of a name
	runs     []int          // how many names each attribute holds, see key; later names are not stored
	obsolete []string       // attributes to delete when the axis is stored next
}

const keyPrefix = "labels/"

// key returns the name of the attribute that holds the labels of a dimension from an index
// on.
func key(dim, from int) string { return fmt.Sprintf("%s%d/%d", keyPrefix, dim, from) }

// parseKey is the inverse of key. Other attributes are not ours.
func parseKey(name string) (dim, from int, ok bool) {
	numbers, ok := strings.CutPrefix(name, keyPrefix)
	if !ok {
		return 0, 0, false
	}
	left, right, _ := strings.Cut(numbers, "/")
	dim, err := strconv.Atoi(left)
	if err != nil {
		return 0, 0, false
	}
	from, err = strconv.Atoi(right)
	return dim, from, err == nil && key(dim, from) == name
}

// A run is the labels that one attribute holds.
type run struct {
	from  int
	names []string
}

// loadAxes reads the labels of all dimensions from the attributes.
func loadAxes(a *drx.Array) ([]axis, error) {
	bounds := a.Bounds()
	runs := make([][]run, len(bounds))
	for name, raw := range a.Attrs() {
		dim, from, ok := parseKey(name)
		if !ok {
			continue
		}
		r := run{from: from}
		if err := json.Unmarshal(raw, &r.names); err != nil || len(r.names) == 0 {
			return nil, fmt.Errorf("attribute %s: not a list of labels: %w", name, drx.ErrCorrupt)
		}
		if from < math.MinInt/2 || from > math.MaxInt/2 { // sums of indices are to fit
			return nil, fmt.Errorf("attribute %s: no array has index %d: %w", name, from, drx.ErrCorrupt)
		}
		if dim < 0 || dim >= len(bounds) {
			return nil, fmt.Errorf("attribute %s: there are dimensions 0 to %d: %w", name, len(bounds)-1, drx.ErrCorrupt)
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
		axes[d].clip(d, bounds[d])
	}
	return axes, nil
}

// newAxis joins the runs of a dimension.
func newAxis(runs []run, bounds nd.Range) (axis, error) {
	x := axis{first: bounds.Lo}
	if len(runs) > 0 {
		x.first = runs[0].from
	}
	for _, r := range runs {
		if next := x.next(); r.from != next {
			return x, fmt.Errorf("a run begins at index %d, want %d: %w", r.from, next, drx.ErrCorrupt)
		}
		for _, name := range r.names {
			if err := x.add(name); err != nil {
				return x, fmt.Errorf("%w: %w", err, drx.ErrCorrupt)
			}
		}
		x.runs = append(x.runs, len(r.names))
	}
	return x, nil
}

// next returns the index of the next label.
func (x *axis) next() int { return x.first + len(x.names) }

// add gives the next index a label. The error wraps ErrLabel.
func (x *axis) add(label string) error {
	if err := x.check(label); err != nil {
		return err
	}
	if x.index == nil {
		x.index = map[string]int{}
	}
	label = strings.Clone(label) // often a piece of a line
	x.index[label] = x.next()
	x.names = append(x.names, label)
	return nil
}

// check returns an error if a label cannot be a new one.
func (x *axis) check(label string) error {
	switch _, known := x.index[label]; {
	case label == "":
		return fmt.Errorf("an empty label: %w", ErrLabel)
	case !utf8.ValidString(label):
		return fmt.Errorf("label %q is not UTF-8 text: %w", label, ErrLabel)
	case known:
		return fmt.Errorf("label %q comes twice: %w", label, ErrLabel)
	}
	return nil
}

// clip forgets the labels of indices that there are not, which a Shrink has taken away. The
// attributes still hold them, so that all are written anew when the axis is stored next.
func (x *axis) clip(dim int, bounds nd.Range) {
	if x.first >= bounds.Lo && x.next() <= bounds.Hi {
		return
	}
	lo := min(max(0, bounds.Lo-x.first), len(x.names))
	hi := max(lo, min(bounds.Hi-x.first, len(x.names)))
	kept := axis{first: max(x.first, bounds.Lo), obsolete: x.keys(dim)}
	if lo == hi {
		kept.first = bounds.Lo
	}
	for _, name := range x.names[lo:hi] {
		_ = kept.add(name) // was checked when it was added to x
	}
	*x = kept
}

// keys returns the attributes that the axis is stored in, and those still to delete.
func (x *axis) keys(dim int) []string {
	keys, from := slices.Clone(x.obsolete), x.first
	for _, n := range x.runs {
		keys = append(keys, key(dim, from))
		from += n
	}
	return keys
}

// store sets the attributes for labels that have none. A run takes up those before it that
// are not longer (invariant 2).
func (x *axis) store(a *drx.Array, dim int) error {
	stored := 0
	for _, n := range x.runs {
		stored += n
	}
	obsolete, runs, added := x.obsolete, slices.Clone(x.runs), len(x.names)-stored
	from := x.first + stored
	for n := len(runs); added > 0 && n > 0 && runs[n-1] <= added; n = len(runs) {
		added, from, runs = added+runs[n-1], from-runs[n-1], runs[:n-1]
		obsolete = append(obsolete, key(dim, from))
	}
	for _, name := range obsolete {
		if added > 0 && name == key(dim, from) {
			continue // about to be set
		}
		if err := a.DeleteAttr(name); err != nil {
			return err
		}
	}
	if added > 0 {
		if err := a.SetAttr(key(dim, from), x.names[from-x.first:]); err != nil {
			return err
		}
		runs = append(runs, added)
	}
	x.runs, x.obsolete = runs, nil
	return nil
}
