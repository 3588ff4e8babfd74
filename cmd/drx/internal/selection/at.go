package selection

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dataset"
	"drx/nd"
)

// An atFlag is the value of --at: the lists of several flags are joined.
type atFlag struct{ at *string }

// AddAtTo adds the flag --at to a verb.
func AddAtTo(cmd *cobra.Command, at *string, usage string) {
	cmd.Flags().Var(atFlag{at}, "at", usage)
	cli.CompleteFlag(cmd, "at", arrays.CompleteDims)
}

// String implements pflag.Value.
func (f atFlag) String() string {
	if f.at == nil {
		return ""
	}
	return *f.at
}

// Type implements pflag.Value.
func (atFlag) Type() string { return "indices" }

// Set implements pflag.Value.
func (f atFlag) Set(text string) error {
	if *f.at != "" {
		text = *f.at + "," + text
	}
	*f.at = text
	return nil
}

// Append implements pflag.SliceValue, which marks a flag that may be given several times.
func (f atFlag) Append(text string) error { return f.Set(text) }

// Replace implements pflag.SliceValue.
func (f atFlag) Replace(texts []string) error {
	*f.at = strings.Join(texts, ",")
	return nil
}

// GetSlice implements pflag.SliceValue.
func (f atFlag) GetSlice() []string { return FieldsOf(*f.at) }

// ByPosition reports whether --at has an entry for each dimension, in their order, instead of names
// or numbers of dimensions.
func ByPosition(at string) bool { return at != "" && !strings.Contains(at, "=") }

// wrongAt returns the usage error for text of --at without meaning. rank is that of the array.
func wrongAt(text string, rank int, hint string) error {
	return cli.Usagef("--at %q: want DIM=INDEX or DIM=LO:HI, or an index or a range for each of %d dimensions, in integers%s", text, rank, hint)
}

// ParseIndex returns the index that --at names, for a verb that begins there. Dimensions that it
// does not name have their low bound.
func ParseIndex(a *drx.Array, at string) ([]int, error) {
	index, _ := cli.LowHigh(a.Bounds())
	if ByPosition(at) {
		return cli.ParseInts("--at", at)
	}
	chosen := map[int]bool{}
	for _, field := range FieldsOf(at) {
		d, r, err := parseAt(a, field, -1, LabelHint)
		if err != nil {
			return nil, err
		}
		if strings.Contains(field, ":") || chosen[d] {
			return nil, cli.Usagef("--at %s: want one index of a dimension, where the first element goes", at)
		}
		chosen[d], index[d] = true, r.Lo
	}
	return index, nil
}

// ApplyAt applies --at, a list of DIM=INDEX or DIM=LO:HI, or of an index or a range for each
// dimension, to a section. bounds are the bounds of
// the elements, or of the chunks. Indices outside of the bounds are a usage error, and so are
// others than those that the section chooses. If a field has a label instead of an index, hint
// returns a text that ends the error.
func ApplyAt(a *drx.Array, sec, bounds nd.Section, at string, hint func(l labelField) string) (nd.Section, error) {
	lo, hi := cli.LowHigh(bounds)
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	given := slices.Clone(sec)
	chosen := map[int]bool{}
	fields := FieldsOf(at)
	if ByPosition(at) && len(fields) != a.Rank() {
		return nil, wrongAt(at, a.Rank(), "")
	}
	for n, field := range fields {
		if !ByPosition(at) {
			n = -1
		}
		d, r, err := parseAt(a, field, n, hint)
		if err != nil {
			return nil, err
		}
		if chosen[d] {
			return nil, cli.Usagef("--at %s: dimension %s is given twice", at, cli.DimNames(a)[d])
		}
		chosen[d], sec[d] = true, r
	}
	asked := sec
	if sec, err = sec.Resolve(lo, hi); err != nil {
		return nil, cli.Usagef("%s: --at %s: %w%s%s", a.Name(), at, cli.NameDim(a, err), hiddenHint(a, bounds, asked)+LastHint(bounds, asked), hintFor(a, at, hint))
	}
	for d, r := range sec {
		if chosen[d] && limits(given[d], bounds[d]) && r != given[d] {
			return nil, cli.Usagef("--section has %v of dimension %s and --at has %v: give one of them", given[d], cli.DimNames(a)[d], r)
		}
	}
	return sec, nil
}

// FieldsOf splits a list at its commas; empty text is an empty list.
func FieldsOf(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// limits reports whether a resolved range leaves out at least one index of the bounds.
func limits(r, bounds nd.Range) bool { return r.Len() != bounds.Len() }

// parseAt returns the dimension and the range of a field of --at. The field is that of dimension
// position, unless that is -1.
func parseAt(a *drx.Array, field string, position int, hint func(l labelField) string) (int, nd.Range, error) {
	d, text := position, field
	if position < 0 {
		name, rest, ok := strings.Cut(field, "=")
		if !ok {
			return 0, nd.Range{}, wrongAt(field, a.Rank(), "")
		}
		var err error
		if d, err = cli.ParseDim(a, strings.TrimSpace(name)); err != nil {
			return 0, nd.Range{}, err
		}
		text = rest
	}
	ranges, err := nd.ParseSection(text)
	if err != nil {
		return 0, nd.Range{}, wrongAt(field, a.Rank(), hintFor(a, field, hint))
	}
	return d, ranges[0], nil
}

// hintFor returns the hint for the first field of --at that has a label, or else a value of a
// coordinate.
func hintFor(a *drx.Array, at string, hint func(l labelField) string) string {
	if found := labelsIn(a, at); len(found) > 0 {
		return hint(found[0])
	}
	if found := valuesIn(a, at); len(found) > 0 {
		return hint(found[0])
	}
	return ""
}

// LabelHint is the hint for a verb whose --at has indices.
func LabelHint(l labelField) string {
	return fmt.Sprintf("; --at takes indices, for the %s give --sel %s", l.kind, l.field)
}

// ChunkHint is the hint for a verb whose --at has indices of chunks.
func ChunkHint(l labelField) string {
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
	return fieldsIn(a, at, "label", func(d int, text string) (int, bool) {
		if _, labels := c.Labels(d); len(labels) == 0 {
			return 0, false
		}
		index, err := c.Index(d, text)
		return index, err == nil
	})
}

// valuesIn returns the fields of --at that have a value of a coordinate.
func valuesIn(a *drx.Array, at string) []labelField {
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return nil
	}
	return fieldsIn(a, at, "value of the coordinate", func(d int, text string) (int, bool) {
		if c, err := axes.Coordinate(d); c == nil || err != nil {
			return 0, false
		}
		sel, err := axes.Select(dataset.Usual, strconv.Itoa(d)+"="+text)
		if err != nil || sel[d].Len() == 0 {
			return 0, false
		}
		return sel[d].At(0), true
	})
}

// fieldsIn returns the fields of --at for whose dimension and text there is an index.
func fieldsIn(a *drx.Array, at, kind string, indexOf func(d int, text string) (int, bool)) []labelField {
	var found []labelField
	for _, field := range FieldsOf(at) {
		name, text, _ := strings.Cut(field, "=")
		d, err := cli.ParseDim(a, strings.TrimSpace(name))
		if err != nil {
			continue
		}
		if index, ok := indexOf(d, text); ok {
			found = append(found, labelField{field, kind, d, index})
		}
	}
	return found
}

// IndexNotes returns a note for every index in --at whose text is also the label of another index.
// The note says that --at means the index.
func IndexNotes(c *cube.Cube, at string) []string {
	var notes []string
	for _, l := range labelsIn(c.Array(), at) {
		name, text, _ := strings.Cut(l.field, "=")
		if text == strconv.Itoa(l.index) {
			continue
		}
		i, _ := strconv.Atoi(text) // no error: --at was valid
		notes = append(notes, fmt.Sprintf("--at %s is the index, whose label is %s; --sel %s=%s is the label", l.field, cli.Printable(c.Label(l.dim, i)), name, text))
	}
	return notes
}
