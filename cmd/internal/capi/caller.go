package capi

import (
	"encoding/json"
	"slices"
	"strings"

	"drx/optionerr"
)

// A caller is the language of the host. Errors of imports and exports call options by their names
// in it.
type caller string

// The callers. The zero value is a program in C, whose options are JSON.
const (
	callerC      caller = ""
	callerPython caller = "python"
)

// UnmarshalJSON rejects unknown callers.
func (c *caller) UnmarshalJSON(text []byte) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	if *c = caller(name); *c != callerPython {
		return invalidf("caller %q: python, or leave it out", name)
	}
	return nil
}

// rename returns an error with the caller's names of options.
func (c caller) rename(err error) error {
	if c == callerPython {
		return optionerr.Rename(err, pythonKeyword)
	}
	return optionerr.Rename(err, member)
}

// switches are the options of type boolean. An error shows them as true, even without a value.
var switches = []string{"alone", "any-order", "as-stored", "clip", "exact", "low", "resume", "unscale", "widen"}

// member returns an option in the form of the JSON of drx_import and drx_export: "memory": 1024.
func member(o optionerr.Option) string {
	switch {
	case o.Name == "section":
		return `options "lo" and "hi"`
	case slices.Contains(switches, o.Name):
		return `option "` + o.Name + `": true`
	case o.Value == nil:
		return `option "` + o.Name + `"`
	}
	return `option "` + o.Name + `": ` + o.ValueText()
}

// pythonKeyword returns an option in the form of a keyword of Python's import_file and export_file:
// memory=1024.
func pythonKeyword(o optionerr.Option) string {
	name := strings.ReplaceAll(o.Name, "-", "_")
	switch {
	case o.Name == "section":
		return "lo= and hi="
	case slices.Contains(switches, o.Name):
		return name + "=True"
	case name == "as":
		name = "dtype"
	case name == "chunk":
		name = "chunks"
	}
	if o.Value == nil {
		return name + "="
	}
	return name + "=" + o.ValueText()
}
