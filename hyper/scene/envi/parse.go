package envi

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// maxHeader is the largest header that is read, in bytes. Real ones have less than a megabyte.
const maxHeader = 16 << 20

// readFields reads the fields of a header. Keys are converted to lower case with single spaces. A
// value in braces may span several lines and is returned without the braces.
func readFields(r io.Reader) (map[string]string, error) {
	limited := &io.LimitedReader{R: r, N: maxHeader + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxHeader+1)
	if !lines.Scan() || strings.TrimSpace(lines.Text()) != "ENVI" {
		return nil, fmt.Errorf("the first line of an ENVI header is ENVI, not %.20q", lines.Text())
	}
	fields := map[string]string{}
	for n := 2; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == ';' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: %.40q is not of the form name = value", n, line)
		}
		key = strings.ToLower(strings.Join(strings.Fields(key), " "))
		value = strings.TrimSpace(value)
		if list, ok := strings.CutPrefix(value, "{"); ok {
			var more int
			if value, more, ok = readList(list, lines); !ok {
				return nil, fmt.Errorf("line %d: the list of %q has no closing brace", n, key)
			}
			n += more
		}
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("line %d: %q is there twice", n, key)
		}
		fields[key] = value
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("the header has more than %d MiB", maxHeader>>20)
	}
	return fields, lines.Err()
}

// readList returns the text up to the closing brace, the number of further lines that it read, and
// whether it found the brace.
func readList(first string, lines *bufio.Scanner) (text string, more int, ok bool) {
	var b strings.Builder
	for part := first; ; part = lines.Text() {
		inside, _, closed := strings.Cut(part, "}")
		b.WriteString(inside)
		if closed {
			return strings.TrimSpace(b.String()), more, true
		}
		b.WriteByte('\n')
		if !lines.Scan() {
			return "", more, false
		}
		more++
	}
}
