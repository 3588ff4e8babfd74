// Package meta is the metadata log of an array: its records, the state that replaying
// them gives, and the file that holds them. docs/FORMAT.md is its specification and uses
// the same names.
package meta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Version is the format version this package reads and writes.
const Version = 1

// Sentinel errors, wrapped with the file and what was found.
var (
	// ErrVersion is returned for a log that a later version of the format wrote.
	ErrVersion = errors.New("written by a newer version")
	// ErrCorrupt is returned for bytes that cannot be what was written.
	ErrCorrupt = errors.New("corrupt")
)

// A Record is one change of an array. Exactly one field is set.
type Record struct {
	*Header
	*Extend
	*AddDim
	*SetAttrs
	*DelAttrs
}

// Header is the first record: what the array is, and its bounds at creation.
type Header struct {
	Version int             `json:"drx"`
	DType   string          `json:"dtype"`
	Chunk   []int           `json:"chunk"`
	Order   string          `json:"order"`
	Lo      []int           `json:"lo"`
	Hi      []int           `json:"hi"`
	Fill    json.RawMessage `json:"fill"`
	Dims    []string        `json:"dims,omitempty"`
	Align   int             `json:"align,omitempty"`
}

// Extend grows dimension Dim by By elements, on the low side if Low.
type Extend struct {
	Dim int  `json:"extend"`
	By  int  `json:"by"`
	Low bool `json:"low,omitempty"`
}

// AddDim appends a dimension of extent and chunk extent one.
type AddDim struct {
	Name string `json:"adddim"`
}

// SetAttrs sets attributes.
type SetAttrs struct {
	Attrs map[string]json.RawMessage `json:"attr"`
}

// DelAttrs removes attributes.
type DelAttrs struct {
	Names []string `json:"delattr"`
}

// value returns the field that is set.
func (r Record) value() any {
	switch {
	case r.Header != nil:
		return r.Header
	case r.Extend != nil:
		return r.Extend
	case r.AddDim != nil:
		return r.AddDim
	case r.SetAttrs != nil:
		return r.SetAttrs
	}
	return r.DelAttrs
}

// kinds maps the field that names a record's kind to a new record of that kind.
var kinds = map[string]func() Record{
	"drx":     func() Record { return Record{Header: new(Header)} },
	"extend":  func() Record { return Record{Extend: new(Extend)} },
	"adddim":  func() Record { return Record{AddDim: new(AddDim)} },
	"attr":    func() Record { return Record{SetAttrs: new(SetAttrs)} },
	"delattr": func() Record { return Record{DelAttrs: new(DelAttrs)} },
}

// encodeCommit writes the records of one commit as one JSON value without newlines: the
// object itself when there is one, an array of objects when there are more.
func encodeCommit(records []Record) ([]byte, error) {
	var b bytes.Buffer
	for i, r := range records {
		text, err := json.Marshal(r.value())
		if err != nil {
			return nil, err
		}
		if len(records) > 1 {
			b.WriteByte(",["[b2i(i == 0)])
		}
		b.Write(text)
	}
	if len(records) > 1 {
		b.WriteByte(']')
	}
	return b.Bytes(), nil
}

// decodeCommit is the inverse of encodeCommit. It calls f for each record and stops at
// its first error. Fields and kinds of records that it does not know are an error
// wrapping ErrVersion, anything else that is wrong one wrapping ErrCorrupt.
func decodeCommit(text []byte, f func(Record) error) error {
	if len(text) == 0 || text[0] != '[' {
		r, err := decodeRecord(text)
		if err != nil {
			return err
		}
		return f(r)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		r, err := decodeRecord(raw)
		if err == nil {
			err = f(r)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: data behind the record", ErrCorrupt)
	}
	return nil
}

func decodeRecord(text []byte) (Record, error) {
	kind, err := kindOf(text)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	blank := kinds[kind]
	if blank == nil {
		return Record{}, fmt.Errorf("record of unknown kind %q: %w", kind, ErrVersion)
	}
	r := blank()
	if err := strictly(text, r.value()); err != nil {
		// A header says itself which version it needs; its other fields may be anything.
		var probe struct {
			Version int `json:"drx"`
		}
		if kind == "drx" && json.Unmarshal(text, &probe) == nil && probe.Version > Version {
			return Record{}, fmt.Errorf("format version %d, this program knows up to %d: %w", probe.Version, Version, ErrVersion)
		}
		return Record{}, err
	}
	return r, nil
}

// kindOf returns the first field of a JSON object.
func kindOf(text []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", fmt.Errorf("record %.40q is no JSON object", text)
	}
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	kind, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("record %.40q is empty", text)
	}
	return kind, nil
}

// strictly decodes text into v and accepts no fields that v has not.
func strictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if bytes.Contains([]byte(err.Error()), []byte("unknown field")) {
			return fmt.Errorf("record %.60q: %w: %w", text, ErrVersion, err)
		}
		return fmt.Errorf("record %.60q: %w: %w", text, ErrCorrupt, err)
	}
	if d.InputOffset() != int64(len(text)) {
		return fmt.Errorf("record %.60q: %w: data behind it", text, ErrCorrupt)
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
