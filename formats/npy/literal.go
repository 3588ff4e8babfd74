package npy

import (
	"fmt"
	"strconv"
	"strings"

	"drx/internal/errkind"
)

// maxDepth limits the nesting of tuples and lists; a structured type has a few levels.
const maxDepth = 16

// A literal parses a Python literal. It supports what a header may contain: a dict with
// strings as keys, and with strings, integers, True, False, tuples and lists as values.
type literal struct {
	text string
	pos  int
}

// An item is a value of the dict: a string, int, bool, tuple or list, and its text.
type item struct {
	value any
	text  string
}

type (
	tuple []any
	list  []any
)

// parseDict parses a dict that only blanks may surround. Its keys are strings without
// duplicates. The error wraps ErrFormat and names the byte.
func parseDict(text string) (map[string]item, error) {
	l := &literal{text: text}
	if !l.accept('{') {
		return nil, l.errExpected("a dict")
	}
	dict := map[string]item{}
	for !l.accept('}') {
		key, err := l.value(0)
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, l.errExpected("a quoted key")
		}
		if _, ok := dict[name]; ok {
			return nil, errkind.Errorf(ErrFormat, "header names %q twice", name)
		}
		if !l.accept(':') {
			return nil, l.errExpected("a colon")
		}
		l.blanks()
		start := l.pos
		value, err := l.value(0)
		if err != nil {
			return nil, err
		}
		dict[name] = item{value, l.text[start:l.pos]}
		if !l.accept(',') && l.peek() != '}' {
			return nil, l.errExpected("a comma or the end of the dict")
		}
	}
	if l.peek() != 0 || l.pos < len(text) {
		return nil, l.errExpected("nothing after the dict")
	}
	return dict, nil
}

// value parses one value. An integer that does not fit an int is an error.
func (l *literal) value(depth int) (any, error) {
	switch c := l.peek(); {
	case depth > maxDepth:
		return nil, l.errExpected(fmt.Sprintf("at most %d levels of brackets", maxDepth))
	case c == '\'' || c == '"':
		return l.quoted()
	case c == '(' || c == '[':
		return l.sequence(depth)
	case c == '-' || c >= '0' && c <= '9':
		return l.integer()
	case l.acceptWord("True"):
		return true, nil
	case l.acceptWord("False"):
		return false, nil
	}
	return nil, l.errExpected("a string, an integer, True, False, a tuple or a list")
}

// quoted parses a string in single or double quotes. It keeps escape sequences as they are:
// they occur only in the field names of types that are not supported.
func (l *literal) quoted() (any, error) {
	quote, start := l.text[l.pos], l.pos+1
	for i := start; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case quote:
			l.pos = i + 1
			return l.text[start:i], nil
		}
	}
	l.pos = len(l.text)
	return nil, l.errExpected("a closing quote")
}

// integer parses a decimal integer, with the suffix L that Python 2 gave long ones.
func (l *literal) integer() (any, error) {
	start := l.pos
	if l.text[l.pos] == '-' {
		l.pos++
	}
	digits := l.pos
	for l.pos < len(l.text) && l.text[l.pos] >= '0' && l.text[l.pos] <= '9' {
		l.pos++
	}
	if l.pos == digits {
		return nil, l.errExpected("a digit")
	}
	n, err := strconv.Atoi(l.text[start:l.pos])
	if err != nil {
		return nil, errkind.Errorf(ErrFormat, "%.30s at byte %d of the header does not fit an int", l.text[start:l.pos], start)
	}
	if l.pos < len(l.text) && l.text[l.pos] == 'L' {
		l.pos++
	}
	return n, nil
}

// sequence parses a tuple or a list. As in Python, one value in parentheses without a
// comma is that value, not a tuple.
func (l *literal) sequence(depth int) (any, error) {
	closing := byte(')')
	if l.text[l.pos] == '[' {
		closing = ']'
	}
	l.pos++
	var values []any
	comma := false
	for !l.accept(closing) {
		v, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		comma = l.accept(',')
		if !comma && l.peek() != closing {
			return nil, l.errExpected(fmt.Sprintf("a comma or %q", closing))
		}
	}
	switch {
	case closing == ']':
		return list(values), nil
	case len(values) == 1 && !comma:
		return values[0], nil
	}
	return tuple(values), nil
}

// acceptWord consumes w if it is next.
func (l *literal) acceptWord(w string) bool {
	if !strings.HasPrefix(l.text[l.pos:], w) {
		return false
	}
	l.pos += len(w)
	return true
}

// accept skips blanks and consumes the byte c if it is next.
func (l *literal) accept(c byte) bool {
	if l.peek() != c {
		return false
	}
	l.pos++
	return true
}

// peek returns the next byte that is not blank, 0 at the end.
func (l *literal) peek() byte {
	l.blanks()
	if l.pos == len(l.text) {
		return 0
	}
	return l.text[l.pos]
}

func (l *literal) blanks() {
	for l.pos < len(l.text) && strings.IndexByte(" \t\r\n\f", l.text[l.pos]) >= 0 {
		l.pos++
	}
}

// errExpected returns the error that something else was expected at the current position.
func (l *literal) errExpected(expected string) error {
	found := "the end"
	if l.pos < len(l.text) {
		found = fmt.Sprintf("%.20q", l.text[l.pos:])
	}
	return errkind.Errorf(ErrFormat, "header: expected %s at byte %d, found %s", expected, l.pos, found)
}
