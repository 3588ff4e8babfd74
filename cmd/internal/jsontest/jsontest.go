// Package jsontest checks the JSON that commands print against the page that documents it,
// docs/JSON.md.
//
// A section of the page is about one verb. Its heading is the command line, `drx info`. Every field
// of the JSON has a row in its table, with its path and its type:
//
//	| `records[].dim` | int | the dimension |
//
// A list or an object has no row of its own if its elements or fields have rows. "optional" after
// the type allows a field to be missing, "or null" to be null.
package jsontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// A Page holds the sections of a page by their headings.
type Page map[string]*Section

// A Section is the documented form of what a verb prints.
type Section struct {
	verb     string
	fields   map[string]field // by path
	examples []string
}

type field struct {
	typ            string
	optional, null bool
	seen           bool
}

// Read parses a page.
func Read(t *testing.T, path string) Page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := Page{}
	var s *Section
	example := false
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "## "):
			s = &Section{verb: line[3:], fields: map[string]field{}}
			page[s.verb] = s
		case s == nil:
		case strings.HasPrefix(line, "```"):
			if example = line == "```json"; example {
				s.examples = append(s.examples, "")
			}
		case example:
			s.examples[len(s.examples)-1] += line + "\n"
		case strings.HasPrefix(line, "| `"):
			s.addRow(t, line)
		}
	}
	return page
}

// addRow adds the field of a row of the table.
func (s *Section) addRow(t *testing.T, line string) {
	t.Helper()
	cells := strings.Split(line, "|")
	if len(cells) < 4 {
		t.Fatalf("%s: row %s: want three columns", s.verb, line)
	}
	var f field
	typ, optional := strings.CutSuffix(strings.TrimSpace(cells[2]), ", optional")
	f.optional = optional
	f.typ, f.null = strings.CutSuffix(typ, " or null")
	if _, known := types[strings.TrimPrefix(f.typ, "list of ")]; !known {
		t.Errorf("%s: row %s: %q is not a type", s.verb, line, f.typ)
	}
	s.fields[strings.Trim(strings.TrimSpace(cells[1]), "`")] = f
}

// Check checks the output of a verb: one JSON value, or several.
func (s *Section) Check(t *testing.T, output string) {
	t.Helper()
	if err := s.decode(output); err != nil {
		t.Errorf("%s prints %s: %v", s.verb, output, err)
	}
}

func (s *Section) decode(output string) error {
	d := json.NewDecoder(strings.NewReader(output))
	d.UseNumber()
	for n := 0; ; n++ {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) && n > 0 {
			return nil
		}
		if err == nil {
			err = s.value("", v)
		}
		if err != nil {
			return err
		}
	}
}

// Done checks the examples of the section, and that every field of the table has occurred.
func (s *Section) Done(t *testing.T) {
	t.Helper()
	for path, f := range s.fields {
		if !f.seen {
			t.Errorf("%s: no output had the field %s", s.verb, path)
		}
	}
	if len(s.examples) == 0 {
		t.Errorf("%s: no example", s.verb)
	}
	for _, example := range s.examples {
		s.Check(t, example)
	}
}

// value checks a value at a path.
func (s *Section) value(path string, v any) error {
	if f, ok := s.fields[path]; ok {
		f.seen = true
		s.fields[path] = f
		return f.check(path, v)
	}
	switch v := v.(type) {
	case map[string]any:
		return s.object(path, v)
	case []any:
		for _, element := range v {
			if err := s.value(path+"[]", element); err != nil {
				return err
			}
		}
		if s.has(path + "[]") {
			return nil
		}
	}
	return fmt.Errorf("the field %q is not documented", path)
}

// object checks the fields of an object: all must be documented, and those that are not optional
// must be there.
func (s *Section) object(path string, v map[string]any) error {
	prefix := path + "."
	if path == "" {
		prefix = ""
	}
	for name, value := range v {
		if err := s.value(prefix+name, value); err != nil {
			return err
		}
	}
	for documented, f := range s.fields {
		rest, below := strings.CutPrefix(documented, prefix)
		name, _, _ := strings.Cut(strings.ReplaceAll(rest, "[]", ""), ".")
		if _, there := v[name]; below && !f.optional && !there {
			return fmt.Errorf("the field %q is missing", documented)
		}
	}
	return nil
}

// has reports whether there are fields at a path or below.
func (s *Section) has(path string) bool {
	for documented := range s.fields {
		if strings.HasPrefix(documented, path) {
			return true
		}
	}
	return false
}

// check checks the type of a value.
func (f field) check(path string, v any) error {
	if v == nil && f.null {
		return nil
	}
	values := []any{v}
	typ, list := strings.CutPrefix(f.typ, "list of ")
	if list {
		var ok bool
		if values, ok = v.([]any); !ok {
			return fmt.Errorf("the field %q is %v, want a %s", path, v, f.typ)
		}
	}
	for _, v := range values {
		if !types[typ](v) {
			return fmt.Errorf("the field %q has %v, want %s", path, v, f.typ)
		}
	}
	return nil
}

// types are the types of fields, each with a function that reports whether a value has it.
var types = map[string]func(v any) bool{
	"int": func(v any) bool {
		n, ok := v.(json.Number)
		return ok && !strings.ContainsAny(n.String(), ".eE")
	},
	"number": func(v any) bool {
		if text, ok := v.(string); ok {
			return slices.Contains([]string{"NaN", "Infinity", "-Infinity"}, text)
		}
		_, ok := v.(json.Number)
		return ok
	},
	"string": func(v any) bool { _, ok := v.(string); return ok },
	"bool":   func(v any) bool { _, ok := v.(bool); return ok },
	"object": func(v any) bool { _, ok := v.(map[string]any); return ok },
	"value":  func(any) bool { return true },
}
