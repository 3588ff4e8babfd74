package drx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/dtype"
	"drx/internal/chunkstore"
	"drx/internal/chunktable"
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

// alone returns an error unless this process is the only one that changes the array.
func (a *Array) alone() error {
	if a.shared {
		return fmt.Errorf("the array is open for Reserve only: %w", ErrReadOnly)
	}
	return nil
}

// headOf returns how a log ends, for the presence map.
func headOf(log *metalog.Log) *chunktable.Head {
	return &chunktable.Head{Commits: int64(log.Commits()), Digits: log.Digits()}
}

// unfinished is a commit that was begun. It changes only with a.commit held exclusively.
type unfinished struct {
	made   bool         // it counts and has to be finished; if not, to be taken back
	line   []byte       // what the log lacks of it, once it is made
	chunks axial.Number // that the log has then
}
