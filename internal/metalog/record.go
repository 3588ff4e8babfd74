package metalog

import "drx/internal/state"

// fields returns the field that is set.
func fields(r state.Record) any {
	switch {
	case r.Header != nil:
		return r.Header
	case r.Extend != nil:
		return r.Extend
	case r.Shrink != nil:
		return r.Shrink
	case r.AddDim != nil:
		return r.AddDim
	case r.SetAttrs != nil:
		return r.SetAttrs
	case r.DelAttrs != nil:
		return r.DelAttrs
	case r.Format != nil:
		return r.Format
	}
	return r.Journal
}

// complete reports whether a record has all fields that JSON could give as null.
func complete(r state.Record) bool {
	return (r.SetAttrs == nil || r.SetAttrs.Attrs != nil) && (r.DelAttrs == nil || r.DelAttrs.Names != nil)
}

// kinds maps the field that names a record's kind to a new record of that kind.
var kinds = map[string]func() state.Record{
	"drx":     func() state.Record { return state.Record{Header: new(state.Header)} },
	"extend":  func() state.Record { return state.Record{Extend: new(state.Extend)} },
	"shrink":  func() state.Record { return state.Record{Shrink: new(state.Shrink)} },
	"adddim":  func() state.Record { return state.Record{AddDim: new(state.AddDim)} },
	"attr":    func() state.Record { return state.Record{SetAttrs: new(state.SetAttrs)} },
	"delattr": func() state.Record { return state.Record{DelAttrs: new(state.DelAttrs)} },
	"format":  func() state.Record { return state.Record{Format: new(state.Format)} },
	"journal": func() state.Record { return state.Record{Journal: new(state.Journal)} },
}
