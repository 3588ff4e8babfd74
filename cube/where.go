package cube

import (
	"errors"
	"fmt"
	"strings"

	"drx"
	"drx/internal/errkind"
)

// ErrWhere is returned for conditions with a syntax error.
var ErrWhere = errors.New("conditions are DIM=LABEL, DIM=LABEL|LABEL or DIM=FROM..TO, separated by commas")

// Select returns the selection of conditions. Dimensions without a condition are selected
// entirely:
//
//	store=3,item=7                  one label per dimension
//	store=3|4                       several labels, in this order
//	date=2013-01-01..2013-12-31     a range of labels, including both ends
//	date=2013-06-01..               2013-06-01 and everything above; ..2013-06-01 and everything below
//	"unit, size"="2|3"              quote text that contains , = | " or .. and double its quotes
//
// A dimension is given by its name or its number, at most once. Labels can be selected by ranges if
// all labels of the dimension are numbers, or all are dates such as 2013-01-31, 2013-01 or
// 2013-01-31T12:00. A range selects the labels whose values lie between its ends, regardless of
// their order of appearance, in the order of their indices; the ends need not be labels. The error
// wraps ErrWhere for a syntax error, drx.ErrRank for a dimension that does not exist or is given
// twice, ErrLabel for an unknown label, an empty range, or a range of labels that are neither
// numbers nor dates, or drx.ErrBounds for a reversed range, an index outside the bounds, or an
// index that is selected twice.
func (c *Cube) Select(where ...string) (Selection, error) {
	sel := c.bounds()
	given := map[int]bool{}
	for _, text := range where {
		conditions, err := ParseConditions(text)
		if err != nil {
			return nil, err
		}
		for _, t := range conditions {
			d, err := c.Dim(t.Dim)
			if err != nil {
				return nil, err
			}
			if given[d] {
				return nil, errkind.Errorf(drx.ErrRank, "dimension %s is given twice", c.dimName(d))
			}
			given[d] = true
			if sel[d], err = c.Resolve(d, t.Items); err != nil {
				return nil, fmt.Errorf("%s: %w", c.a.Name(), err)
			}
		}
	}
	return sel, nil
}

// Resolve converts the items of a condition on a dimension to indices, in the order of the items.
// The errors are those of Select; they name the dimension.
func (c *Cube) Resolve(dim int, items []Item) (Indices, error) {
	var x Indices
	for _, it := range items {
		ranges, err := c.resolveItem(dim, it)
		if err != nil {
			return nil, c.withRangeHint(dim, it, err)
		}
		x = x.Append(ranges)
	}
	if i, twice := x.Twice(); twice {
		return nil, errkind.Errorf(drx.ErrBounds, "dimension %s: %q is selected twice", c.dimName(dim), c.Label(dim, i))
	}
	return x, nil
}

// resolveItem converts a label or a range of labels to ranges of indices.
func (c *Cube) resolveItem(dim int, it Item) (Indices, error) {
	if it.IsRange && len(c.axes[dim].names) > 0 {
		return c.between(dim, it.From, it.To)
	}
	r := c.a.Bounds()[dim].By(1)
	var err error
	if it.From != nil {
		if r.Lo, err = c.Index(dim, *it.From); err != nil {
			return nil, err
		}
	}
	switch {
	case !it.IsRange:
		r.Hi = r.Lo + 1
	case it.To != nil:
		last, err := c.Index(dim, *it.To)
		if err != nil {
			return nil, err
		}
		if last < r.Lo {
			return nil, errkind.Errorf(drx.ErrBounds, "dimension %s: %q comes before %q",
				c.dimName(dim), *it.To, c.Label(dim, r.Lo))
		}
		r.Hi = last + 1
	}
	return Indices{r}, nil
}

// withRangeHint adds the intended range, in the right syntax, to the error about a label.
func (c *Cube) withRangeHint(dim int, it Item, err error) error {
	if it.IsRange || it.From == nil {
		return err
	}
	return fmt.Errorf("%w%s", err, RangeHint(*it.From, func(meant Item) bool {
		_, err := c.resolveItem(dim, meant)
		return err == nil
	}))
}

// A Condition selects the indices of one dimension that match one of its items.
type Condition struct {
	Dim   string // name or number of the dimension
	Items []Item
}

// An Item is a label, which is in From, or a range.
type Item struct {
	From, To *string // the ends of a range; nil for an open end
	IsRange  bool
}

// ParseConditions parses conditions in the syntax of Select. The error wraps ErrWhere.
func ParseConditions(text string) ([]Condition, error) {
	var terms []Condition
	for rest := text; rest != ""; {
		t, after, ok := parseTerm(rest)
		if !ok {
			return nil, fmt.Errorf("condition %q at %q: %w; text that contains a comma, =, | or .. needs double quotes", text, rest, ErrWhere)
		}
		rest = after
		terms = append(terms, t)
		if rest != "" {
			if rest = rest[1:]; rest == "" {
				return nil, fmt.Errorf("condition %q ends with a comma: %w", text, ErrWhere)
			}
		}
	}
	return terms, nil
}

// RenameDims returns conditions in which each dimension has the name that rename returns for it.
// The error is that of ParseConditions.
func RenameDims(text string, rename func(dim string) string) (string, error) {
	if _, err := ParseConditions(text); err != nil {
		return "", err
	}
	var terms []string
	for rest := text; rest != ""; {
		dim, items, _ := parseText(rest, "=", ",")
		_, after, _ := parseTerm(rest)
		terms = append(terms, quoteIfNeeded(rename(dim))+items[:len(items)-len(after)])
		rest = strings.TrimPrefix(after, ",")
	}
	return strings.Join(terms, ","), nil
}

// quoteIfNeeded returns a text as parseText reads it.
func quoteIfNeeded(text string) string {
	if value, rest, ok := parseText(text, "=", ","); ok && rest == "" && value == text {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// parseTerm parses a condition on one dimension. rest begins with a comma or is empty.
func parseTerm(text string) (t Condition, rest string, ok bool) {
	if t.Dim, rest, ok = parseText(text, "=", ","); !ok || !strings.HasPrefix(rest, "=") {
		return t, rest, false
	}
	for {
		var it Item
		if it, rest, ok = parseItem(rest[1:]); !ok {
			return t, rest, false
		}
		t.Items = append(t.Items, it)
		if !strings.HasPrefix(rest, "|") {
			return t, rest, rest == "" || rest[0] == ','
		}
	}
}

// parseItem parses a label or a range.
func parseItem(text string) (it Item, rest string, ok bool) {
	rest = text
	if from, after, ok := parseText(rest, ",", "|", ".."); ok {
		it.From, rest = &from, after
	}
	if it.IsRange = strings.HasPrefix(rest, ".."); it.IsRange {
		rest = rest[2:]
		if to, after, ok := parseText(rest, ",", "|", ".."); ok {
			it.To, rest = &to, after
		}
	}
	return it, rest, it.From != nil || it.To != nil
}

// parseText parses a text that is quoted or ends before one of ends. ok is false if there is no
// text.
func parseText(text string, ends ...string) (value, rest string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		return parseQuoted(text[1:])
	}
	n := len(text)
	for _, end := range ends {
		if i := strings.Index(text[:n], end); i >= 0 {
			n = i
		}
	}
	if n == 0 || strings.Contains(text[:n], `"`) {
		return "", text, false
	}
	return text[:n], text[n:], true
}

// parseQuoted parses a text up to the closing quote. A doubled quote stands for one.
func parseQuoted(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `"`)
		if !found {
			return "", text, false
		}
		b.WriteString(before)
		if !strings.HasPrefix(after, `"`) {
			return b.String(), after, true
		}
		b.WriteByte('"')
		text = after[1:]
	}
}

// RangeHint returns the end of an error message for a text that is neither label nor value but
// would be a valid range with ".." in place of its colon, as in Python and NumPy, or slash, as in
// ISO 8601. Otherwise it returns "".
func RangeHint(text string, valid func(Item) bool) string {
	for i := 1; i < len(text)-1; i++ {
		if from, to := text[:i], text[i+1:]; strings.ContainsRune(":/", rune(text[i])) && valid(Item{&from, &to, true}) {
			return fmt.Sprintf("; a range, with both of its ends, is written %s..%s", from, to)
		}
	}
	return ""
}
