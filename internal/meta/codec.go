package meta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// encodeCommit writes the records of one commit as one JSON value without newlines: the
// object itself when there is one, an array of objects when there are more.
func encodeCommit(records []Record) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // no web page: texts stay readable
	for i, r := range records {
		if len(records) > 1 {
			b.WriteByte(",["[b2i(i == 0)])
		}
		if err := e.Encode(r.value()); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the newline
	}
	if len(records) > 1 {
		b.WriteByte(']')
	}
	return b.Bytes(), nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// decodeCommit is the inverse of encodeCommit. It calls f for each record and stops at
// its first error. Fields and kinds of records that it does not know are an error
// wrapping ErrVersion, anything else that is wrong one wrapping ErrCorrupt.
func decodeCommit(text []byte, f func(Record) error) error {
	end := ""
	if rest, list := bytes.CutPrefix(text, []byte("[")); list {
		text, end = rest, "]"
	}
	for more := true; more; {
		r, rest, err := decodeRecord(text)
		if err == nil {
			err = f(r)
		}
		if err != nil {
			return err
		}
		text = rest
		if end != "" {
			text, more = bytes.CutPrefix(text, []byte(","))
		} else {
			more = false
		}
	}
	if string(text) != end {
		return fmt.Errorf("%w: %.40q behind the last record", ErrCorrupt, text)
	}
	return nil
}

// decodeRecord decodes the record that text begins with and returns what follows it.
func decodeRecord(text []byte) (r Record, rest []byte, err error) {
	for _, decode := range []func([]byte) (Record, []byte, bool){decodeExtend, decodeGood} {
		if r, rest, ok := decode(text); ok {
			return r, rest, nil
		}
	}
	return decodeAny(text)
}

// decodeExtend is decodeAny for an extension in the very form in which encodeCommit
// writes it, which nearly all records of a long log are; it refuses every other text.
func decodeExtend(text []byte) (r Record, rest []byte, ok bool) {
	var e Extend
	if e.Dim, text, ok = number(text, `{"extend":`); !ok {
		return r, nil, false
	}
	if e.By, text, ok = number(text, `,"by":`); !ok {
		return r, nil, false
	}
	text, e.Low = bytes.CutPrefix(text, []byte(`,"low":true`))
	rest, ok = bytes.CutPrefix(text, []byte("}"))
	return Record{Extend: &e}, rest, ok
}

// number reads a number without sign behind a name, and returns what follows it.
func number(text []byte, name string) (n int, rest []byte, ok bool) {
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

// decodeAny decodes a record of any kind.
func decodeAny(text []byte) (r Record, rest []byte, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return r, nil, fmt.Errorf("record %.60q: %w: %w", text, ErrCorrupt, err)
	}
	kind, err := kindOf(raw)
	if err != nil {
		return r, nil, fmt.Errorf("record %.60q: %w: %w", raw, ErrCorrupt, err)
	}
	blank := kinds[kind]
	if blank == nil {
		return r, nil, fmt.Errorf("record of unknown kind %.60q: %w", kind, ErrVersion)
	}
	r = blank()
	if err := strictly(raw, r.value()); err != nil {
		// A header says itself which version it needs; its other fields may be anything.
		var probe struct {
			Version int `json:"drx"`
		}
		if kind == "drx" && json.Unmarshal(raw, &probe) == nil && probe.Version > Version {
			err = fmt.Errorf("format version %d, this program knows up to %d: %w", probe.Version, Version, ErrVersion)
		}
		return Record{}, nil, err
	}
	return r, text[d.InputOffset():], nil
}

// decodeGood is decodeAny for text whose first field is written as encodeCommit does; it refuses
// every other text, and whatever is wrong.
func decodeGood(text []byte) (r Record, rest []byte, ok bool) {
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
	if d.Decode(r.value()) != nil {
		return Record{}, nil, false
	}
	return r, text[d.InputOffset():], true
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

// strictly decodes text, which is a JSON value, into v and accepts no fields that v has
// not.
func strictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "unknown field"):
		return fmt.Errorf("record %.60q: %w: %w", text, ErrVersion, err)
	}
	return fmt.Errorf("record %.60q: %w: %w", text, ErrCorrupt, err)
}
