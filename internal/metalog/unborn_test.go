package metalog

import (
	"bytes"
	"strings"
	"testing"

	"drx/internal/state"
)

// A first line that was cut anywhere, or has lost sectors, is no commit. Any other contents are a
// log, or a file of another program.
func TestUnborn(t *testing.T) {
	long := header([]int{2}, 1)
	long.Header.Dims = []string{strings.Repeat("n", 1200)}
	file, _ := write(t, []state.Record{long, setAttr("u", `"K"`)})
	text := bytesOf(t, file)
	is := func(want bool, text []byte, what ...any) {
		t.Helper()
		if got, err := Unborn(newFile(t, text)); got != want || err != nil {
			t.Errorf("%v, want %v: %v: %v", got, want, err, what)
		}
	}
	for n := range len(text) - 1 {
		is(true, text[:n], "cut at", n)
	}
	is(false, text[:len(text)-1], "without its newline")
	is(false, text)
	for from := 0; from < len(text); from += sector {
		lost := bytes.Clone(text)
		clear(lost[from:min(from+sector, len(lost))])
		is(true, lost, "lost sector at", from)
		is(false, append(lost, "deadbeef {}\n"...), "lost sector at", from, "and a second line")
	}
	is(true, make([]byte, len(text)), "zeros")
	damaged := bytes.Clone(text)
	damaged[20] ^= 1
	is(false, damaged, "damaged")
	for _, other := range []string{"x", "a letter", "\x7fELF", "12345678 [1", `12345678 {"a`, "0123 ", strings.Repeat("\x00", sector) + "\x01\x02"} {
		is(false, []byte(other), other)
	}
	two := append(bytes.Clone(text), `01234567 {"ext`...)
	is(false, two, "a torn second line")
}
