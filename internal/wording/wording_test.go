package wording

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	verbs := []string{"create", "copy", "read", "extend", "rm", "mv", ""}
	for word, want := range map[string]string{
		"crate": "create", "CREATE": "create", "raed": "read", "ex": "extend", "cpoy": "copy", "rn": "rm",
		"x": "", "frobnicate": "", "": "", "extendd": "extend", strings.Repeat("x", 1<<20): "",
	} {
		if got := Nearest(word, verbs); got != want {
			t.Errorf("%.20q: %q, want %q", word, got, want)
		}
	}
	if got := Nearest("jsn", []string{"in", "json"}); got != "json" {
		t.Errorf("%q, want json", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"time", "tme", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
