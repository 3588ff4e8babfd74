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

// known holds the sentinels that are recognised in errors from other processes. All processes run
// the same program, so they have the same list.
var known = struct {
	sync.RWMutex
	errs []error
}{errs: []error{
	ErrDisagree, fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, fs.ErrClosed,
	io.EOF, io.ErrUnexpectedEOF, errors.ErrUnsupported,
}}

// Register adds sentinels that errors.Is then finds in errors from other processes. Call it in init
// functions.
func Register(errs ...error) {
	known.Lock()
	defer known.Unlock()
	for _, err := range errs {
		if !slices.Contains(known.errs, err) {
			known.errs = append(known.errs, err)
		}
	}
}

// MaxText is the length in bytes to which texts in messages are truncated.
const MaxText = 600

// wire is a Call in a message.
type wire struct {
	Proc int    `json:"p"`
	What string `json:"w"`
	Hash int64  `json:"h"`
	Text string `json:"e,omitempty"`
	Is   []int  `json:"is,omitempty"` // indices in known
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
	b, _ := json.Marshal(w) // ints and strings cannot fail
	return b
}

// Decode is the inverse of Encode. The error of the call has the text of the original error, and
// wraps the registered sentinels that the original wraps. The Hash is that of the original, even if
// What was cut.
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

// remote is an error from another process.
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
