package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
)

// known are the sentinels that are recognised in errors of other processes. All processes run
// the same program and so have the same list.
var known = struct {
	sync.RWMutex
	errs []error
}{errs: []error{
	ErrDisagree, fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, fs.ErrClosed,
	io.EOF, io.ErrUnexpectedEOF, errors.ErrUnsupported,
}}

// Register adds sentinels to those that errors.Is finds in the errors of other processes. To
// be called while the program is initialised.
func Register(errs ...error) {
	known.Lock()
	defer known.Unlock()
	for _, err := range errs {
		if !slices.Contains(known.errs, err) {
			known.errs = append(known.errs, err)
		}
	}
}

// MaxText is the length in bytes to which the text of an error is cut on its way.
const MaxText = 600

// wire is a Call on its way.
type wire struct {
	Proc int    `json:"p"`
	What string `json:"w"`
	Hash int64  `json:"h"`
	Text string `json:"e,omitempty"`
	Is   []int  `json:"is,omitempty"` // places in known
	Bad  bool   `json:"bad,omitempty"`
	Of   int    `json:"of,omitempty"` // Blamed
}

// Encode returns a call as bytes, fewer than 8 KiB.
func (c Call) Encode() []byte {
	w := wire{Proc: c.Proc, What: cut(c.What), Hash: c.Hash(), Bad: c.Err != nil, Of: c.Blamed}
	if w.Bad {
		w.Text = cut(c.Err.Error())
		known.RLock()
		defer known.RUnlock()
		for i, err := range known.errs {
			if errors.Is(c.Err, err) {
				w.Is = append(w.Is, i)
			}
		}
	}
	b, _ := json.Marshal(w) // of ints and strings: cannot fail
	return b
}

// Decode is the inverse of Encode. The error of the call has the text of the one encoded and is
// recognised as the registered sentinels which that one wraps. Its Hash is that of the one encoded, even
// where What has been cut.
func Decode(b []byte) (Call, error) {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return Call{}, fmt.Errorf("call of another proc: %w", err)
	}
	c := Call{Proc: w.Proc, What: w.What, Blamed: w.Of, hash: w.Hash}
	if !w.Bad {
		return c, nil
	}
	r := &remote{text: w.Text}
	known.RLock()
	defer known.RUnlock()
	for _, i := range w.Is {
		if i >= 0 && i < len(known.errs) {
			r.is = append(r.is, known.errs[i])
		}
	}
	c.Err = r
	return c, nil
}

// remote is an error that happened in another process.
type remote struct {
	text string
	is   []error
}

func (r *remote) Error() string   { return r.text }
func (r *remote) Unwrap() []error { return r.is }

func cut(s string) string {
	if len(s) <= MaxText {
		return s
	}
	return s[:MaxText] + "..."
}
