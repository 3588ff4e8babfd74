package drx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/dtype"
	"drx/internal/chunkstore"
	"drx/internal/metalog"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/internal/transfer"
	"drx/internal/vfs"
	"drx/nd"
)

// An Array is an open array file. Its methods may be called by any number of goroutines. The zero Array is
// closed.
//
// # Invariants
//
//  1. state is what replaying the log and then pending gives; it is replaced, never
//     changed, so that a reader keeps a consistent view without a lock.
//  2. The log is appended to in one place, Sync, after the chunks it vouches for are
//     durable.
type Array struct {
	name       string
	fsys       vfs.FS
	write      bool
	shared     bool // with other processes, see Reserve
	durability Durability
	checking   Checking
	cache      int64 // bytes
	goroutines int   // what the options say

	observe func(write bool, box []int) // see Options.Observe

	acceptLoss bool // the log may have lost its end, see AcceptLoss
	lost       bool // and has

	state atomic.Pointer[state.State]
	// The chunks, and the store and the pool that they are in.
	chunks *transfer.Chunks
	store  *chunkstore.Store
	pool   *pool.Pool
	// The role of this process in the store: reader is nil for all that write, committer for a reader, and for a member
	// of a group but the leader. writer is nil for a reader and for a process that shares the array.
	reader    *chunkstore.Reader
	writer    *chunkstore.Writer
	committer chunkstore.Committer
	file      vfs.File // the log's

	// The locks, in the order in which they are taken. gate is held shared by every operation
	// that changes something, and exclusively by those that replace the files or close them.
	gate sync.RWMutex
	// life is held shared by every operation, and exclusively while the files, that is the
	// fields above, are replaced or closed.
	life sync.RWMutex
	open bool
	// commit is held shared by operations that change chunks and exclusively by Sync.
	commit sync.RWMutex
	// grow serialises changes of the state; it guards what follows.
	grow       sync.Mutex
	log        *metalog.Log
	logged     *state.State // what a reader has read of the log gives
	fixed      bool         // at an earlier commit
	pending    []state.Record
	unfinished *unfinished  // nil when there is nothing to finish
	left       func() error // to be done before the next commit, nil for nothing, see Compact
	reserved   []nd.Section // what this process may write, if shared
}

// now returns the present state: that of no dimensions for the zero Array.
func (a *Array) now() *state.State {
	if s := a.state.Load(); s != nil {
		return s
	}
	return &state.State{Form: new(state.Form)}
}

// String describes the array in a line: its name, element type, bounds and chunk shape.
func (a *Array) String() string {
	s := a.now()
	chunk := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Chunk), "[]"), " ", "x")
	return fmt.Sprintf("%s: %v %v in chunks of %s", a.name, s.DType, nd.Box(s.Lo, s.Hi), chunk)
}

// Name returns the name the array was opened by, without extension.
func (a *Array) Name() string { return a.name }

// Writable reports whether the array is open for writing.
func (a *Array) Writable() bool { return a.write }

// DType returns the element type.
func (a *Array) DType() dtype.DType { return a.now().DType }

// Rank returns the number of dimensions.
func (a *Array) Rank() int { return len(a.now().Lo) }

// Shape returns the present extents, in elements.
func (a *Array) Shape() []int {
	s := a.now()
	return nd.Shape(s.Lo, s.Hi)
}

// Bounds returns the present bounds as the section of the whole array.
func (a *Array) Bounds() nd.Section {
	s := a.now()
	return nd.Box(s.Lo, s.Hi)
}

// ChunkShape returns the extents of a chunk, in elements.
func (a *Array) ChunkShape() []int { return slices.Clone(a.now().Chunk) }

// FillValue returns the value of elements never written, as little-endian bytes.
func (a *Array) FillValue() []byte { return slices.Clone(a.now().Fill) }

// Dim returns the dimension with a name. Text that is no dimension's name is read as a number from 0 on.
// The error wraps ErrRank and tells which dimensions there are.
func (a *Array) Dim(name string) (int, error) {
	dims := a.Dims()
	if d := slices.Index(dims, name); d >= 0 && name != "" {
		return d, nil
	}
	if d, err := strconv.Atoi(name); err == nil && d >= 0 && d < len(dims) {
		return d, nil
	}
	return 0, fmt.Errorf("%s: no dimension %q: there are 0 to %d, named %q: %w", a.name, name, len(dims)-1, dims, ErrRank)
}

// Dims returns the names of the dimensions, empty where there is none.
func (a *Array) Dims() []string { return slices.Clone(a.now().Dims) }

// Grid returns the present chunk grid, which computes the number of any chunk and tells
// the history of the expansions. It does not change when the array grows.
func (a *Array) Grid() *axial.Grid { return a.now().Grid }

// Attrs returns the attributes: JSON values by name.
func (a *Array) Attrs() map[string]json.RawMessage {
	return a.now().Attrs.Map()
}

// Attr decodes the value of an attribute, which is JSON, into what value points to, as json.Unmarshal
// does, and reports whether there is such an attribute. The error is json.Unmarshal's.
func (a *Array) Attr(name string, value any) (found bool, err error) {
	raw, found := a.now().Attrs.Map()[name]
	if !found {
		return false, nil
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return true, a.errorf("attribute "+name, err)
	}
	return true, nil
}

// SetAttr sets an attribute to anything that encoding/json can write; the characters <, > and
// & are stored as they are. It becomes durable with the next Sync. The error is encoding/json's,
// or wraps ErrReadOnly or ErrClosed.
func (a *Array) SetAttr(name string, value any) error {
	raw, err := encodeAttr(value)
	if err != nil {
		return a.errorf("attribute "+name, err)
	}
	return a.change("attribute "+name, state.Record{SetAttrs: &state.SetAttrs{Attrs: map[string]json.RawMessage{name: raw}}})
}

// encodeAttr returns the value of an attribute as it is stored.
func encodeAttr(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// DeleteAttr removes an attribute; one that does not exist is no error.
func (a *Array) DeleteAttr(name string) error {
	return a.change("attribute "+name, state.Record{DelAttrs: &state.DelAttrs{Names: []string{name}}})
}

// change applies records to the state and keeps them for the next Sync; all or none.
func (a *Array) change(op string, records ...state.Record) error {
	done, err := a.begin(op, true)
	if err != nil {
		return err
	}
	defer done()
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := a.alone(); err != nil {
		return a.errorf(op, err)
	}
	return a.errorf(op, a.apply(records))
}

// apply is change with a.grow held.
func (a *Array) apply(records []state.Record) error {
	s := a.state.Load()
	for _, r := range records {
		next, err := s.Apply(r)
		if err == nil && r.Extend != nil && s.WidestLo != nil {
			err = a.blankRegrown(s, next, *r.Extend)
		}
		if err != nil {
			return err
		}
		s = next
	}
	for _, r := range records {
		a.keep(r)
	}
	a.state.Store(s)
	return nil
}

// keep appends a record to those that wait for the next Sync. An extension that goes on
// where the last one ended is one with it: the state is the same, and a million
// uncommitted steps are one record.
func (a *Array) keep(r state.Record) {
	if n := len(a.pending); n > 0 && r.Extend != nil {
		last := a.pending[n-1].Extend
		if last != nil && last.Dim == r.Extend.Dim && last.Low == r.Extend.Low {
			a.pending[n-1].Extend = &state.Extend{Dim: last.Dim, By: last.By + r.Extend.By, Low: last.Low}
			return
		}
	}
	a.pending = append(a.pending, r)
}

// begin starts an operation: it checks that the array is open, for writing if that is
// what is asked, and keeps it open until done is called.
func (a *Array) begin(op string, write bool) (done func(), err error) {
	if !write {
		return a.enter(op, false)
	}
	a.gate.RLock()
	leave, err := a.enter(op, true)
	if err != nil {
		a.gate.RUnlock()
		return nil, err
	}
	return func() {
		leave()
		a.gate.RUnlock()
	}, nil
}

// enter is begin for those who hold the gate.
func (a *Array) enter(op string, write bool) (done func(), err error) {
	if err := a.hold(op, write); err != nil {
		return nil, err
	}
	return a.life.RUnlock, nil
}

// hold is enter for those who unlock a.life themselves.
func (a *Array) hold(op string, write bool) error { return a.errorf(op, a.keepOpen(write)) }

// keepOpen is hold for those who say themselves what was to be done.
func (a *Array) keepOpen(write bool) error {
	a.life.RLock()
	var err error
	switch {
	case !a.open:
		err = ErrClosed
	case write && !a.write:
		err = ErrReadOnly
	default:
		return nil
	}
	a.life.RUnlock()
	return err
}

// errorf puts the name of the array and the operation before an error.
func (a *Array) errorf(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", a.name, op, err)
}

// Close commits what was changed, as Sync does, and closes the files. After an error of
// the commit the array is closed all the same, as it was at the last Sync that returned
// nil or with that commit as a whole. A second Close returns ErrClosed.
func (a *Array) Close() error {
	commit := func() error { return nil }
	if a.write {
		commit = func() error {
			if err := a.sync(); err != nil || a.shared {
				return err
			}
			return a.writer.SetUnjournaled(false, *headOf(a.log))
		}
	}
	return a.end("close", !a.write, commit)
}

// Discard closes the files without committing: what was changed since the last Sync is gone,
// as if the program had died, but that the space of new chunks is given back. What is durable already stays: sections that Reserve
// made, chunks shared with other processes, and a commit that a Sync could not finish. The
// error is the file system's, or wraps ErrClosed.
func (a *Array) Discard() error {
	return a.end("discard", true, func() error {
		if a.unfinished == nil && a.write {
			a.store.Abandon()
		}
		return nil
	})
}

// end closes the files after a last step; keep says to leave the journal as it is.
func (a *Array) end(op string, keep bool, last func() error) error {
	a.gate.Lock()
	defer a.gate.Unlock()
	a.life.Lock()
	defer a.life.Unlock()
	if !a.open {
		return a.errorf(op, ErrClosed)
	}
	a.open = false
	err := last()
	for _, closeErr := range []error{a.store.Close(keep), a.file.Close()} {
		if err == nil {
			err = closeErr
		}
	}
	return a.errorf(op, err)
}
