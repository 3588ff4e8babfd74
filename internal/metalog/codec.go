package metalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"drx/internal/errkind"
	"drx/internal/state"
)

// encodeCommit encodes the records of one commit as one JSON value without newlines: an object for
// one record, an array of objects for several.
func encodeCommit(records []state.Record) ([]byte, error) {
	all := make([]any, len(records))
	for i, r := range records {
		all[i] = fields(r)
	}
	if len(all) == 1 {
		return EncodeJSON(all[0])
	}
	return EncodeJSON(all)
}

// EncodeJSON encodes a value as the log has it: without newlines, and with the characters <, > and
// & as they are.
func EncodeJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // keep texts readable; the log is not used in web pages
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// decodeCommit is the inverse of encodeCommit. It accepts exactly the text that encodeCommit
// writes. It calls f for each record and stops at the first error of f. The error wraps ErrVersion
// for unknown fields and kinds of records, and ErrCorrupt for everything else that is wrong.
func decodeCommit(text []byte, f func(state.Record) error) error {
	rest, list := bytes.CutPrefix(text, []byte("["))
	for n, more := 0, true; more; n++ {
		r, behind, err := decodeRecord(rest)
		if err != nil {
			return err
		}
		rest, more = behind, false
		if list {
			rest, more = bytes.CutPrefix(rest, []byte(","))
		}
		if list && !more && n == 0 {
			return fmt.Errorf("%w: %.40q is a list of one record", state.ErrCorrupt, text)
		}
		if err := f(r); err != nil {
			return err
		}
	}
	end := ""
	if list {
		end = "]"
	}
	if string(rest) != end {
		return fmt.Errorf("%w: %.40q after the last record", state.ErrCorrupt, rest)
	}
	return nil
}

// decodeRecord decodes the record at the beginning of text and returns the rest of text.
func decodeRecord(text []byte) (r state.Record, rest []byte, err error) {
	for _, decode := range []func([]byte) (state.Record, []byte, bool){decodeStep, decodeAny} {
		if r, rest, ok := decode(text); ok {
			return r, rest, nil
		}
	}
	return r, nil, recordError(text)
}

// decodeStep is decodeAny for an extension or a shrink by an unsigned number. It takes a tenth of
// the time, and nearly all records of a long log are extensions.
func decodeStep(text []byte) (r state.Record, rest []byte, ok bool) {
	step := new(state.Extend)
	if step.Dim, rest, ok = decodeNumber(text, `{"extend":`); ok {
		r.Extend = step
	} else if step.Dim, rest, ok = decodeNumber(text, `{"shrink":`); ok {
		r.Shrink = (*state.Shrink)(step)
	} else {
		return state.Record{}, nil, false
	}
	if step.By, rest, ok = decodeNumber(rest, `,"by":`); !ok {
		return state.Record{}, nil, false
	}
	rest, step.Low = bytes.CutPrefix(rest, []byte(`,"low":true`))
	rest, ok = bytes.CutPrefix(rest, []byte("}"))
	return r, rest, ok
}

// decodeNumber decodes an unsigned number after a name and returns the rest of text.
func decodeNumber(text []byte, name string) (n int, rest []byte, ok bool) {
	text, ok = bytes.CutPrefix(text, []byte(name))
	digits := 0
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		digits++
	}
	if !ok || digits > 1 && text[0] == '0' { // JSON has no leading zeros
		return 0, nil, false
	}
	n, err := strconv.Atoi(string(text[:digits]))
	return n, text[digits:], err == nil
}

// decodeAny decodes a record of any kind. It accepts only the text that encodeCommit writes for the
// record. encoding/json alone would also accept names in any case, null for any value, repeated or
// missing fields, and spaces.
func decodeAny(text []byte) (r state.Record, rest []byte, ok bool) {
	name, found := bytes.CutPrefix(text, []byte(`{"`))
	end := bytes.IndexByte(name, '"')
	if !found || end < 0 {
		return r, nil, false
	}
	blank := kinds[string(name[:end])]
	if blank == nil {
		return r, nil, false
	}
	r = blank()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(fields(r)) != nil || !complete(r) {
		return state.Record{}, nil, false
	}
	text, rest = text[:d.InputOffset()], text[d.InputOffset():]
	again, err := encodeCommit([]state.Record{r})
	if err != nil || !bytes.Equal(again, text) || !utf8.Valid(text) {
		return state.Record{}, nil, false
	}
	return r, rest, true
}

// recordError returns the error for a text that does not begin with a record in the form of
// encodeCommit.
func recordError(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return fmt.Errorf("record %.60q: %w: %w", text, state.ErrCorrupt, err)
	}
	kind, err := kindOf(raw)
	if err != nil {
		return fmt.Errorf("record %.60q: %w: %w", raw, state.ErrCorrupt, err)
	}
	blank := kinds[kind]
	if blank == nil {
		return errkind.Errorf(state.ErrVersion, "record of unknown kind %.60q, written by a newer version", kind)
	}
	// A header holds its format version; in a later version its other fields may be anything.
	var probe struct {
		Version int `json:"drx"`
	}
	if kind == "drx" && json.Unmarshal(raw, &probe) == nil && probe.Version > state.Version {
		return errkind.Errorf(state.ErrVersion, "format version %d, this program knows up to %d", probe.Version, state.Version)
	}
	if err := decodeStrictly(raw, fields(blank())); err != nil {
		return err
	}
	return fmt.Errorf("record %.60q: %w: not written as the format says", text, state.ErrCorrupt)
}

// kindOf returns the first field of a JSON object.
func kindOf(text []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", fmt.Errorf("no JSON object")
	}
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	kind, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("an empty object")
	}
	return kind, nil
}

// decodeStrictly decodes a JSON value into v and rejects fields that v does not have, which a later
// version may have written: the error wraps state.ErrVersion for them, and state.ErrCorrupt
// otherwise.
func decodeStrictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		return nil
	}
	kind := state.ErrCorrupt
	if json.Unmarshal(text, v) == nil { // so there are only too many fields
		kind = state.ErrVersion
	}
	return fmt.Errorf("record %.60q: %w: %w", text, kind, err)
}

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
	case r.RenameDim != nil:
		return r.RenameDim
	case r.SetAttrs != nil:
		return r.SetAttrs
	case r.DelAttrs != nil:
		return r.DelAttrs
	case r.Format != nil:
		return r.Format
	case r.Recompress != nil:
		return r.Recompress
	case r.Recompressed != nil:
		return r.Recompressed
	case r.Reserve != nil:
		return r.Reserve
	case r.Identity != nil:
		return r.Identity
	case r.Shared != nil:
		return r.Shared
	}
	return r.Journal
}

// complete reports whether a record has all fields that JSON could give as null.
func complete(r state.Record) bool {
	return (r.SetAttrs == nil || r.SetAttrs.Attrs != nil) && (r.DelAttrs == nil || r.DelAttrs.Names != nil)
}

// kinds maps the field that names a record's kind to a new record of that kind.
var kinds = map[string]func() state.Record{
	"drx":          func() state.Record { return state.Record{Header: new(state.Header)} },
	"extend":       func() state.Record { return state.Record{Extend: new(state.Extend)} },
	"shrink":       func() state.Record { return state.Record{Shrink: new(state.Shrink)} },
	"adddim":       func() state.Record { return state.Record{AddDim: new(state.AddDim)} },
	"renamedim":    func() state.Record { return state.Record{RenameDim: new(state.RenameDim)} },
	"attr":         func() state.Record { return state.Record{SetAttrs: new(state.SetAttrs)} },
	"delattr":      func() state.Record { return state.Record{DelAttrs: new(state.DelAttrs)} },
	"format":       func() state.Record { return state.Record{Format: new(state.Format)} },
	"recompress":   func() state.Record { return state.Record{Recompress: new(state.Recompress)} },
	"recompressed": func() state.Record { return state.Record{Recompressed: new(state.Recompressed)} },
	"reserve":      func() state.Record { return state.Record{Reserve: new(state.Reserve)} },
	"id":           func() state.Record { return state.Record{Identity: new(state.Identity)} },
	"shared":       func() state.Record { return state.Record{Shared: new(state.Shared)} },
	"journal":      func() state.Record { return state.Record{Journal: new(state.Journal)} },
}
