package state

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// Version is the format version that this package writes. It reads all versions from 1 on.
const Version = 2

// PresenceVersion is the first format version in which an array has a presence map.
const PresenceVersion = 2

// Sentinel errors, wrapped with the file and what was found.
var (
	// ErrVersion is returned for a log in a later version of the format.
	ErrVersion = errors.New("written by a newer version")
	// ErrCorrupt is returned for bytes that differ from what was written.
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
	*RenameDim
	*SetAttrs
	*DelAttrs
	*Format
	*Journal
	*Recompress
	*Recompressed
	*Reserve
	*Identity
	*Shared
}

// Header is the first record: the description of the array, and its initial bounds.
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
	Codec   string          `json:"codec,omitempty"`
}

// Extend grows dimension Dim by By elements, on the low side if Low is set.
type Extend struct {
	Dim int  `json:"extend"`
	By  int  `json:"by"`
	Low bool `json:"low,omitempty"`
}

// Shrink removes By elements from dimension Dim, on the low side if Low is set.
type Shrink struct {
	Dim int  `json:"shrink"`
	By  int  `json:"by"`
	Low bool `json:"low,omitempty"`
}

// AddDim appends a dimension of extent and chunk extent one.
type AddDim struct {
	Name string `json:"adddim"`
}

// RenameDim gives dimension Dim another name, which may be empty.
type RenameDim struct {
	Dim  int    `json:"renamedim"`
	Name string `json:"name"`
}

// SetAttrs sets attributes.
type SetAttrs struct {
	Attrs map[string]json.RawMessage `json:"attr"`
}

// DelAttrs removes attributes.
type DelAttrs struct {
	Names []string `json:"delattr"`
}

// Format raises the format version of the array from this commit on.
type Format struct {
	Version int `json:"format"`
}

// Recompress changes the codec of everything that is written from this commit on. Chunks of the
// first After commits, those before this one, may have frames of earlier codecs.
type Recompress struct {
	Codec string `json:"recompress"`
	After int64  `json:"after"`
}

// Recompressed records that no frame of an earlier codec is left.
type Recompressed struct {
	Codec string `json:"recompressed"`
}

// Journal is the first record of a commit that is also in the journal. It holds the number of
// chunks within the bounds of earlier commits that get a new table entry. Appended says that these
// chunks have changed only outside of the bounds after the commit before.
type Journal struct {
	Chunks   int64 `json:"journal"`
	Appended bool  `json:"appended,omitempty"`
}

// Identity begins a history whose commits can be told apart: from this commit on, each has a line,
// and the table entry of a chunk says which of them wrote it. ID is different for every history.
// Elements of the commits before it cannot be told from later ones.
type Identity struct {
	ID string `json:"id"`
}

// NewID returns the ID of a new history. Tests replace it, so that equal histories have equal
// files.
var NewID = func() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// Shared says whether other processes may change chunks with entries of this commit, or of later
// ones up to the first without Shared, at any time: a writer that shares the array has made it.
// With false it says nothing, and is there so that a commit has a line.
type Shared struct {
	Shared bool `json:"shared"`
}

// Reserve records the key of a reservation: the extension that follows in the same commit.
type Reserve struct {
	Key string `json:"reserve"`
}
