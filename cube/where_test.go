package cube

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write writes terms so that ParseConditions reads them, all texts in quotes.
func write(terms []Condition) string {
	quote := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
	var parts []string
	for _, t := range terms {
		var items []string
		for _, it := range t.Items {
			var b strings.Builder
			if it.From != nil {
				b.WriteString(quote(*it.From))
			}
			if it.IsRange {
				b.WriteString("..")
			}
			if it.To != nil {
				b.WriteString(quote(*it.To))
			}
			items = append(items, b.String())
		}
		parts = append(parts, quote(t.Dim)+"="+strings.Join(items, "|"))
	}
	return strings.Join(parts, ",")
}

// TestParseWhere compares conditions with the same ones in plain notation.
func TestParseWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                     ``,
		"store=3,Item=7":       `"store"="3","Item"="7"`,
		"store=3|4":            `"store"="3"|"4"`,
		"d=1..2|7|9..":         `"d"="1".."2"|"7"|"9"..`,
		"d=..2":                `"d"=.."2"`,
		"d=1.5..2.5":           `"d"="1.5".."2.5"`,
		"d=a=b":                `"d"="a=b"`,
		`"a, b"="c|d"|"1..2"`:  `"a, b"="c|d"|"1..2"`,
		`d="say ""so"""`:       `"d"="say ""so"""`,
		`d=""`:                 `"d"=""`,
		"d=a...b":              `"d"="a"..".b"`,
		"date=2013-01-01..,x=": "",
		"d":                    "",
		"d=":                   "",
		"=3":                   "",
		"d=..":                 "",
		"d=3,":                 "",
		",d=3":                 "",
		"d=3|":                 "",
		"d=1..2..3":            "",
		`d="3`:                 "",
		`d="3"4`:               "",
		`d=3"4`:                "",
		`"d=3`:                 "",
	} {
		terms, err := ParseConditions(text)
		switch {
		case want == "" && text != "":
			if !errors.Is(err, ErrWhere) {
				t.Errorf("%s: %s, %v, want an error", text, write(terms), err)
			}
		case err != nil || write(terms) != want:
			t.Errorf("%s: %s, %v, want %s", text, write(terms), err, want)
		}
	}
}

// FuzzParseWhere checks that conditions written in plain notation are read as the same.
func FuzzParseWhere(f *testing.F) {
	for _, text := range []string{"store=3|4,date=a..b", `"a, b"="x""y"..`, "d=..2|3", `d="`, "a=b=c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms, err := ParseConditions(text)
		if err != nil {
			if !errors.Is(err, ErrWhere) {
				t.Fatal(err)
			}
			return
		}
		again, err := ParseConditions(write(terms))
		if err != nil {
			t.Fatalf("%q, read from %q: %v", write(terms), text, err)
		}
		if diff := cmp.Diff(terms, again, cmp.AllowUnexported(Condition{}, Item{})); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	})
}
