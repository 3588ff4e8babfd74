package meaning

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// A quantity describes what numbers measure, by the attributes of the CF conventions. An empty
// field is unknown and agrees with everything.
type quantity struct {
	positive string // up or down, of heights, depths and fluxes
	standard string // standard_name, with its modifier
	cells    string // cell_methods: how a number summarises its cell or period, as a mean or maximum
}

func quantityOf(attrs map[string]json.RawMessage) quantity {
	words := func(name string) string { return strings.Join(strings.Fields(text(attrs, name)), " ") }
	return quantity{strings.ToLower(words("positive")), words("standard_name"), words("cell_methods")}
}

// same refuses numbers of another quantity. Units alone do not distinguish a mean from a maximum.
func (q quantity) same(to quantity) error {
	if q.positive != "" && to.positive != "" && q.positive != to.positive {
		return &RefusedError{Kind: "positive", From: q.positive, To: to.positive, Hint: "change the sign of one of them"}
	}
	if q.standard != "" && to.standard != "" && !strings.EqualFold(q.standard, to.standard) {
		return &RefusedError{Kind: "standard_name", From: q.standard, To: to.standard, Hint: "correct the attribute if both are the same quantity"}
	}
	has := methodsOf(to.cells)
	for name, methods := range methodsOf(q.cells) {
		if of, both := has[name]; both && !slices.Equal(methods, of) {
			return &RefusedError{Kind: "cell_methods", From: unitText(q.cells), To: unitText(to.cells), Hint: "correct the attribute if both are the same statistic"}
		}
	}
	return nil
}

var comments = regexp.MustCompile(`\([^)]*\)`)

// methodsOf returns the methods of an attribute cell_methods by dimension or kind of cell, in
// order: "time: minimum within days time: mean over days" has two for time. Intervals and comments
// in parentheses are dropped, because they change no method.
func methodsOf(cells string) map[string][]string {
	methods := map[string][]string{}
	var names, words []string
	end := func() {
		for _, name := range names {
			methods[name] = append(methods[name], strings.Join(words, " "))
		}
		names, words = nil, nil
	}
	for _, word := range strings.Fields(strings.ToLower(comments.ReplaceAllString(cells, " "))) {
		name, isName := strings.CutSuffix(word, ":")
		if isName && len(words) > 0 {
			end()
		}
		if isName {
			names = append(names, name)
		} else {
			words = append(words, word)
		}
	}
	end()
	return methods
}
