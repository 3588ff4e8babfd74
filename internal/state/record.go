package state

import (
	"encoding/json"
	"errors"
)

// Version is the format version that this package writes. It reads all from 1 on.
const Version = 2

// PresenceVersion is the version from which on an array has a presence map.
const PresenceVersion = 2

// Sentinel errors, wrapped with the file and what was found.
var (
	// ErrVersion is returned for a log that a later version of the format wrote.
	ErrVersion = errors.New("written by a newer version")
	// ErrCorrupt is returned for bytes that cannot be what was written.
	ErrCorrupt = errors.New("corrupt")
	// ErrName is returned for a name that is not UTF-8 text.
	ErrName = errors.New("not UTF-8 text")
)

// A Record is one change of an array. Exactly one field is set.
type Record struct {
	*Header
	*Extend
	*Shrink
	*AddDim
	*SetAttrs
	*DelAttrs
	*Format
	*Journal
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

// Shrink takes By elements from dimension Dim, on the low side if Low.
type Shrink struct {
	Dim int  `json:"shrink"`
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

// Format says that the array is of a later version of the format from this commit on.
type Format struct {
	Version int `json:"format"`
}

// Journal is the first record of a commit that is in the journal too. It says how many chunks of
// earlier commits, or of their bounds, get a new entry by it.
type Journal struct {
	Chunks int64 `json:"journal"`
}
