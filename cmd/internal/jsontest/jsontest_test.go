package jsontest

import (
	"strings"
	"testing"
)

// A section must refuse fields that it does not describe.
func TestSection(t *testing.T) {
	s := &Section{fields: map[string]field{
		"name": {typ: "string"}, "lo": {typ: "list of int", null: true}, "rate": {typ: "number", optional: true},
		"items[].ok": {typ: "bool"}, "items[].any": {typ: "value", optional: true}, "attrs": {typ: "object", optional: true},
	}}
	for text, want := range map[string]string{
		`{"name":"a","lo":[1,9007199254740993],"items":[]}`:                                     "",
		`{"name":"a","lo":null,"rate":"NaN","items":[{"ok":true,"any":[1,2]}],"attrs":{"x":1}}`: "",
		`{"name":"a","lo":[1.5],"items":[]}`:                                                    "want list of int",
		`{"name":"a","lo":1,"items":[]}`:                                                        "want a list of int",
		`{"name":null,"lo":[],"items":[]}`:                                                      "want string",
		`{"lo":[],"items":[]}`:                                                                  `"name" is missing`,
		`{"name":"a","lo":[]}`:                                                                  `"items[].ok" is missing`,
		`{"name":"a","lo":[],"items":[{"any":1}]}`:                                              `"items[].ok" is missing`,
		`{"name":"a","lo":[],"items":[],"more":1}`:                                              `"more" is not documented`,
		`{"name":"a","lo":[],"items":[{"ok":true,"more":1}]}`:                                   `"items[].more" is not documented`,
		`{"name":"a","lo":[],"items":[],"rate":"fast"}`:                                         "want number",
		`[]`: "not documented",
	} {
		err := s.decode(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"", "text", `{"name":"a","lo":[],"items":[]} text`} {
		if s.decode(text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
