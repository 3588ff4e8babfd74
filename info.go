package drx

import (
	"drx/axial"
	"drx/internal/errkind"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/nd"
)

// A Usage describes the space that an array takes. Sizes in bytes are allocated bytes, unless the
// comment says otherwise: holes of a file, where nothing was written, do not count if the file
// system supports them.
type Usage struct {
	Chunks   int64   // chunks of the grid
	Written  int64   // chunks of the grid that were ever written
	Elements float64 // elements within the bounds; exact up to 2^53
	// Utilisation is the number of elements within the bounds divided by the number of elements of
	// all chunks of the grid (Nimako's thesis, equation 6.4.1). It is 1 if the chunks divide the
	// extents, or if there are none.
	Utilisation   float64
	LogBytes      int64 // length of the committed part of the log
	TableBytes    int64 // the chunk table and the presence map
	DataBytes     int64 // the principal array
	JournalBytes  int64 // the journals: of an active or dead writer, and of sharers
	LogicalBytes  int64 // length of the principal array if every chunk were written
	WrittenBytes  int64 // bytes of the elements of the written chunks
	StoredBytes   int64 // stored bytes of these elements: fewer if compressed
	Commits       int   // commits in the log
	UncommittedOp int   // changes of bounds and attributes since the last commit
}

// Usage returns how much space the array takes. It reads the allocated parts of the chunk table,
// after writing back the table's changed pages. The error wraps ErrClosed or ErrOverflow, or is the
// file system's.
func (a *Array) Usage() (Usage, error) {
	done, err := a.begin("usage", false)
	if err != nil {
		return Usage{}, err
	}
	defer done()
	s := a.state.Load()
	stored, err := a.store.Usage(s.Grid.Chunks())
	if err != nil {
		return Usage{}, a.errorf("usage", err)
	}
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	u := Usage{
		Chunks: int64(s.Grid.Chunks()), Written: stored.Written, Utilisation: 1,
		TableBytes: stored.Table, DataBytes: stored.Allocated, JournalBytes: stored.Journal,
		LogicalBytes: int64(s.Grid.Chunks()) * s.Slot(), LogBytes: a.log.Size(),
		Commits: a.log.Commits(), UncommittedOp: len(a.pending),
		WrittenBytes: stored.Written * int64(s.ChunkBytes), StoredBytes: stored.Stored,
	}
	elements, err := nd.Product(nd.Shape(s.Lo, s.Hi)...)
	if err != nil {
		return Usage{}, a.errorf("usage", err)
	}
	u.Elements = float64(elements)
	if u.Chunks > 0 {
		perChunk, _ := nd.Product(s.Chunk...)
		u.Utilisation = u.Elements / (float64(u.Chunks) * float64(perChunk))
	}
	return u, nil
}

// Written reports whether the chunk with the given number was ever written. If not, its elements
// read as the fill value. The error wraps ErrBounds if there is no such chunk, ErrClosed or
// ErrCorrupt.
func (a *Array) Written(q axial.Number) (bool, error) {
	done, err := a.begin("written", false)
	if err != nil {
		return false, err
	}
	defer done()
	if n := a.Grid().Chunks(); q < 0 || q >= n {
		return false, a.errorf("written", errkind.Errorf(ErrBounds, "chunk %d: there are %d", q, n))
	}
	absent, err := a.pool.Absent(q)
	return !absent, a.errorf("written", err)
}

// ChunkVersions stores the versions of the chunks from, from+1, ... in versions. Every commit that
// overwrites elements of a chunk changes its version; 0 means that the chunk was never written. By
// keeping the versions a program can later find the chunks that have changed. Versions repeat after
// 4096 commits that overwrite the chunk, or a multiple of 4096. Compact changes the numbers and
// versions of chunks. Changes since the last Sync may not be included. The error wraps ErrBounds if
// a chunk does not exist, ErrClosed or ErrCorrupt.
func (a *Array) ChunkVersions(from axial.Number, versions []uint64) error {
	done, err := a.begin("chunk versions", false)
	if err != nil {
		return err
	}
	defer done()
	if n, all := axial.Number(len(versions)), a.Grid().Chunks(); from < 0 || from > all || n > all-from {
		return a.errorf("chunk versions", errkind.Errorf(ErrBounds, "chunks %d to %d: there are %d", from, from+n, all))
	}
	for i := range versions {
		if versions[i], err = a.store.Version(from + axial.Number(i)); err != nil {
			return a.errorf("chunk versions", err)
		}
	}
	return nil
}

// A Layout locates the bytes of an array in its .xta file. The file is a sequence of slots of equal
// size, one per chunk, in the order of the chunk numbers. In a one-file array groups of slots are
// separated by other bytes. A Layout does not change when the array grows.
type Layout struct {
	// ElementOrder is the order of the elements inside a chunk.
	ElementOrder ElementOrder
	// Align is the alignment in bytes: every chunk begins at a multiple of it. 0 means none.
	Align int
	// SlotBytes is the distance in bytes between the beginnings of two consecutive chunks: the size
	// of a chunk, rounded up to a multiple of the alignment.
	SlotBytes int64
	// Codec is the codec of the chunks, as in Spec.Codec; "none" without compression. A compressed
	// chunk occupies only the beginning of its slot, and its elements have no offsets of their own.
	Codec string

	state *state.State
	data  vfs.File // the principal array if it is a part of a file, nil otherwise
}

// Layout returns the present layout.
func (a *Array) Layout() Layout {
	s := a.now()
	l := Layout{ElementOrder: ElementOrder(s.Order), Align: s.Align, SlotBytes: s.Slot(), Codec: s.Codec.String(), state: s}
	a.filesMu.RLock()
	defer a.filesMu.RUnlock()
	if a.open {
		l.data = a.store.Located()
	}
	return l
}

// Offset returns the offset in the .xta file, in bytes, of the chunk with the given number. For an
// array in one file it is the offset in the .drx file, or -1 if the chunk has no slot yet.
func (l Layout) Offset(q axial.Number) int64 {
	off := int64(q) * l.SlotBytes
	if l.data == nil {
		return off
	}
	file, at := vfs.Locate(l.data, off)
	if file == l.data {
		return -1
	}
	return at
}

// Locate returns where an element is stored: the index and the number of its chunk, and the
// element's own offset in the .xta file, in bytes, or -1 if chunks are compressed. The error wraps
// ErrRank or ErrBounds.
func (l Layout) Locate(index ...int) (chunkIndex []int, q axial.Number, offset int64, err error) {
	if err := nd.CheckIndex(index, l.state.Lo, l.state.Hi); err != nil {
		return nil, 0, 0, err
	}
	chunkIndex = make([]int, len(index))
	q, within, _ := plan.Locate(l.state, index, chunkIndex)
	if !l.state.Codec.IsNone() {
		return chunkIndex, q, -1, nil
	}
	return chunkIndex, q, l.Offset(q) + int64(within), nil
}
