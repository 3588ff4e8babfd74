//go:build fits && cgo

package fits

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCards parses cards of any content. It also writes texts to cards and parses these: the text
// must be the same, without the spaces at its end.
func FuzzCards(f *testing.F) {
	f.Add("NOTE    = 'it''s'           / a comment", "it's")
	f.Add("HIERARCH a long name = (1.5, -2D3)", strings.Repeat("'&", 80))
	f.Add("CONTINUE  'more&'", "ends with &")
	f.Add("COMMENT   x", "  spaces  ")
	f.Add("X       = \xff", "\n\tzwölf 𝄞")
	f.Fuzz(func(t *testing.T, card, text string) {
		p := cardParser{values: map[string]any{}}
		for part := range strings.SplitSeq(card, "\n") {
			p.add(part[:min(len(part), cardBytes)])
		}
		p.join()
		for name, value := range p.values {
			if s, ok := value.(string); !utf8.ValidString(name) || ok && !utf8.ValidString(s) {
				t.Errorf("%q = %q", name, value)
			}
		}
		cards, err := attributeCards("NOTE", text)
		if err != nil {
			t.Fatal(err)
		}
		p = cardParser{values: map[string]any{}}
		for _, c := range cards {
			if len(c) > cardBytes {
				t.Errorf("%q has %d bytes", c, len(c))
			}
			p.add(strings.TrimRight(c, " "))
		}
		p.join()
		if want := strings.TrimRight(ascii(text), " "); p.values["NOTE"] != want {
			t.Errorf("%q came back as %q", want, p.values["NOTE"])
		}
	})
}
