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
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/internal/transfer"
	"drx/internal/vfs"
	"drx/nd"
)

// An Array is an open array. Its methods may be called by any number of goroutines at the same
// time. The zero Array is closed.
type Array struct {
	// Invariants:
	//
	//  1. state is the result of replaying the log and then pending. A state is replaced, never
	//     changed, so that a reader has a consistent view without a lock.
	//  2. Only Sync, Reserve, announceSharing and a recovery append to the log, after the chunks that
	//     the new line vouches for are durable.

	name string
	fsys vfs.FS
	opts Options // the options given to Open
	lost bool    // damage was found that Options.acceptLoss accepts

	state atomic.Pointer[state.State]
	// chunks is the data path; it finds the chunks in store and pool.
	chunks *transfer.Chunks
	store  *chunkstore.Store
	pool   *pool.Pool
	// The role of this process in the store. reader is nil if the array is open for writing.
	// committer is nil for a reader and for a follower of a group, which do not commit; a leader
	// commits with its writer. writer is nil for a reader and for a process that shares the array.
	reader    *chunkstore.Reader
	writer    *chunkstore.Writer
	committer chunkstore.Committer
	file      vfs.File // the file of the log
	system    vfs.System

	// The locks, in the order in which they are acquired. changesMu is held shared by every
	// operation that changes something, and exclusively by those that replace or close the files.
	changesMu sync.RWMutex
	// filesMu is held shared by every operation, and exclusively while the files, and with them the
	// fields above, are replaced or closed.
	filesMu sync.RWMutex
	open    bool
	// commitMu is held shared by operations that change chunks, and exclusively by Sync, Shrink and
	// Verify.
	commitMu sync.RWMutex
	// stateMu serialises changes of the state, and guards the fields below.
	stateMu sync.Mutex
	log     *metalog.Log
	logged  *state.State // the state after the last log line that was read or written
	fixed   bool         // opened by OpenAt: the state does not change
	fixedAt int          // the commit of OpenAt
	// committed is the state after the last commit, of a writer. overwrote says that elements within
	// its bounds may have changed since. Both change only while commitMu is held, see appends.
	committed *state.State
	overwrote atomic.Bool
	// journaledLine is the line of the last commit if that is in the journal only.
	journaledLine []byte
	pending       []state.Record
	// nextCheckpoint is the size of the log from which on a writer renews its checkpoint.
	nextCheckpoint int64
	unfinished     *unfinishedCommit      // nil for none; changed while commitMu is held exclusively
	announced      atomic.Bool            // see announceSharing
	reserved       []nd.Section           // the sections that this process has reserved, if shared
	keys           map[string]reservation // keys in the log; nil before the first ReserveKey
	// unfinishedCompact completes or undoes an earlier Compact; nil if there is nothing to do. It
	// must succeed before the next commit.
	unfinishedCompact func() error
}

// now returns the present state. For the zero Array it is a state of rank 0.
func (a *Array) now() *state.State {
	if s := a.state.Load(); s != nil {
		return s
	}
	return &state.State{Form: new(state.Form)}
}

// String returns a one-line description of the array: its name, element type, bounds and chunk
// shape.
func (a *Array) String() string {
	s := a.now()
	chunk := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Chunk), "[]"), " ", "x")
	return fmt.Sprintf("%s: %v %v in chunks of %s", a.name, s.DType, nd.Box(s.Lo, s.Hi), chunk)
}

// Name returns the name by which the array was opened, without extension. The name of an array in
// one file keeps .drx, unless the file has several arrays.
func (a *Array) Name() string { return fileset.ShownName(a.opts.filesystem(), a.name) }

// Writable reports whether the array is open for writing.
func (a *Array) Writable() bool { return a.opts.Write }

// DType returns the element type.
func (a *Array) DType() dtype.DType { return a.now().DType }

// Rank returns the number of dimensions.
func (a *Array) Rank() int { return len(a.now().Lo) }

// Shape returns the present extents, in elements, one per dimension.
func (a *Array) Shape() []int {
	s := a.now()
	return nd.Shape(s.Lo, s.Hi)
}

// Bounds returns the present bounds, as the section of the whole array.
func (a *Array) Bounds() nd.Section {
	s := a.now()
	return nd.Box(s.Lo, s.Hi)
}

// ChunkShape returns the extents of a chunk, in elements, one per dimension.
func (a *Array) ChunkShape() []int { return slices.Clone(a.now().Chunk) }

// FillValue returns the value of elements that were never written, as one little-endian element.
func (a *Array) FillValue() []byte { return slices.Clone(a.now().Fill) }

// Dim returns the number of the dimension with the given name. If there is none, Dim parses the
// name as a decimal number, counted from 0. The error wraps ErrRank and lists the dimensions.
func (a *Array) Dim(name string) (int, error) {
	dims := a.Dims()
	if d := slices.Index(dims, name); d >= 0 && name != "" {
		return d, nil
	}
	if d, err := strconv.Atoi(name); err == nil && d >= 0 && d < len(dims) {
		return d, nil
	}
	return 0, errkind.Errorf(ErrRank, "%s: no dimension %q: there are 0 to %d, named %q", a.name, name, len(dims)-1, dims)
}

// Dims returns the names of the dimensions; "" for a dimension without a name.
func (a *Array) Dims() []string { return slices.Clone(a.now().Dims) }

// Grid returns the present chunk grid, which computes the number of any chunk and knows the history
// of the expansions. The result does not change when the array grows; call Grid again for the new
// grid.
func (a *Array) Grid() *axial.Grid { return a.now().Grid }

// errorf adds the array's name and the operation to an error. It returns nil for nil.
func (a *Array) errorf(op string, err error) error {
	if err == nil {
		return nil
	}
	return errkind.Doing(a.name, op, err)
}

// errUnlessExclusive returns an error wrapping ErrReadOnly if other processes may change the array
// at the same time, because it is open with Options.Shared.
func (a *Array) errUnlessExclusive() error {
	if a.opts.Shared {
		return errkind.Errorf(ErrReadOnly, "the array is open with Options.Shared: only Reserve may change its bounds, and nothing its attributes")
	}
	return nil
}

// headOf returns what the presence map stores about the log: the number of commits and the digits
// of the last one.
func headOf(log *metalog.Log) *chunktable.Head {
	return &chunktable.Head{Commits: int64(log.Commits()), Digits: log.Digits()}
}

// An unfinishedCommit is a commit that was begun but not completed. If it is made, in the journal
// or in the log, it counts and must be completed; otherwise it must be undone.
type unfinishedCommit struct {
	made bool
	line []byte // its line, if the commit counts and the log lacks the line
	// unsynced is its line, if the log has it but is synced only with what the journal has. dropped
	// says that syncing has failed, after which the system may have forgotten the line.
	unsynced []byte
	dropped  bool
	chunks   axial.Number // chunks of the grid after the commit
}

// A reservation is the section reserved by a key, and the extension that created it.
type reservation struct {
	state.Extend
	section nd.Section
}
