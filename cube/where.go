package cube

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/nd"
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
// A dimension is given by its name or its number, at most once. The labels of a dimension have ranges
// if all of them are numbers, or all of them dates such as 2013-01-31, 2013-01 or 2013-01-31T12:00. A
// range has the labels whose values lie between its ends, wherever they appeared, in the order of their
// indices; the ends need not be labels. The error wraps ErrWhere for a syntax error, drx.ErrRank for a
// dimension that does not exist or is given twice, ErrLabel for an unknown label, a range without
// labels, or a range of labels that have none, or drx.ErrBounds for a reversed range, an index outside
// the bounds, or an index that is selected twice.
func (c *Cube) Select(where ...string) (Selection, error) {
	sel := c.bounds()
	given := map[int]bool{}
	for _, text := range where {
		terms, err := parseWhere(text)
		if err != nil {
			return nil, err
		}
		for _, t := range terms {
			d, err := c.Dim(t.dim)
			if err != nil {
				return nil, err
			}
			if given[d] {
				return nil, fmt.Errorf("dimension %s is given twice: %w", c.dimName(d), drx.ErrRank)
			}
			given[d] = true
			if sel[d], err = c.resolve(d, t.items); err != nil {
				return nil, fmt.Errorf("%s: %w", c.a.Name(), err)
			}
		}
	}
	return sel, nil
}

// resolve converts the items of a condition to indices.
func (c *Cube) resolve(dim int, items []item) (Indices, error) {
	var x Indices
	for _, it := range items {
		ranges, err := c.resolveItem(dim, it)
		if err != nil {
			return nil, err
		}
		for _, r := range ranges {
			x = x.appendRange(r)
		}
	}
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, func(r, s nd.Range) int { return r.Lo - s.Lo })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Lo < sorted[i-1].Hi {
			return nil, fmt.Errorf("dimension %s: %q is selected twice: %w",
				c.dimName(dim), c.Label(dim, sorted[i].Lo), drx.ErrBounds)
		}
	}
	return x, nil
}

// resolveItem converts a label or a range of labels to ranges of indices.
func (c *Cube) resolveItem(dim int, it item) (Indices, error) {
	if it.isRange && len(c.axes[dim].names) > 0 {
		return c.between(dim, it.from, it.to)
	}
	r := c.a.Bounds()[dim].By(1)
	var err error
	if it.from != nil {
		if r.Lo, err = c.Index(dim, *it.from); err != nil {
			return nil, err
		}
	}
	switch {
	case !it.isRange:
		r.Hi = r.Lo + 1
	case it.to != nil:
		last, err := c.Index(dim, *it.to)
		if err != nil {
			return nil, err
		}
		if last < r.Lo {
			return nil, fmt.Errorf("dimension %s: %q comes before %q: %w",
				c.dimName(dim), *it.to, c.Label(dim, r.Lo), drx.ErrBounds)
		}
		r.Hi = last + 1
	}
	return Indices{r}, nil
}

// A term is a condition on one dimension.
type term struct {
	dim   string
	items []item
}

// An item is a label, in from, or a range. The ends of a range are nil if they are open.
type item struct {
	from, to *string
	isRange  bool
}

// parseWhere parses conditions. The error wraps ErrWhere.
func parseWhere(text string) ([]term, error) {
	var terms []term
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

// parseTerm parses a condition on one dimension. rest begins with a comma or is empty.
func parseTerm(text string) (t term, rest string, ok bool) {
	if t.dim, rest, ok = parseText(text, "=", ","); !ok || !strings.HasPrefix(rest, "=") {
		return t, rest, false
	}
	for {
		var it item
		if it, rest, ok = parseItem(rest[1:]); !ok {
			return t, rest, false
		}
		t.items = append(t.items, it)
		if !strings.HasPrefix(rest, "|") {
			return t, rest, rest == "" || rest[0] == ','
		}
	}
}

// parseItem parses a label or a range.
func parseItem(text string) (it item, rest string, ok bool) {
	rest = text
	if from, after, ok := parseText(rest, ",", "|", ".."); ok {
		it.from, rest = &from, after
	}
	if it.isRange = strings.HasPrefix(rest, ".."); it.isRange {
		rest = rest[2:]
		if to, after, ok := parseText(rest, ",", "|", ".."); ok {
			it.to, rest = &to, after
		}
	}
	return it, rest, it.from != nil || it.to != nil
}

// parseText parses a text that is quoted or ends before one of ends. ok is false if there is none.
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

// parseQuoted parses a text up to a quote that is not doubled.
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
