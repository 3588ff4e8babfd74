package drx

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/mapped"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/nd"
)

// An ElementOrder is the order of the elements inside a stored chunk.
type ElementOrder string

// The element orders. Along a curve elements that are near to each other in any dimension are
// mostly near in the chunk; a table of 4 bytes per element of a chunk is kept in memory for it,
// and a chunk has at most 2^31 - 1 elements.
const (
	RowOrder     ElementOrder = "row"     // the last dimension varies fastest, as in C
	ColOrder     ElementOrder = "col"     // the first dimension varies fastest, as in Fortran
	MortonOrder  ElementOrder = "morton"  // the Z curve, see curve.Morton
	HilbertOrder ElementOrder = "hilbert" // the Hilbert curve, see curve.Hilbert
)

// A Spec says what array to create. DType and Shape are required, everything else has a
// sensible zero value.
type Spec struct {
	DType dtype.DType
	// Shape holds the extents, in elements. Extents may be zero: the dimension is to grow.
	Shape []int
	// Lo holds the low bounds; nil is zeros. The array begins with the bounds
	// [Lo, Lo + Shape).
	Lo []int
	// ChunkShape holds the extents of a chunk, in elements; nil is DefaultChunk.
	ChunkShape []int
	// Order is the order of the elements inside a chunk; empty is RowOrder. It decides
	// what is fast, not what Read returns.
	Order ElementOrder
	// FillValue is the value of elements never written: a number, a bool, or a text as
	// dtype.Encode reads it. nil is zero.
	FillValue any
	// Dims names the dimensions; nil or empty names leave them without.
	Dims []string
	// Align makes every chunk begin at a multiple of so many bytes (a page, a stripe of a
	// parallel file system). 0 packs them.
	Align int
	// Attrs are attributes that the array has from the moment when it exists, values as SetAttr takes them.
	Attrs map[string]any
	// Source names the array that the new one is made from, empty for none: the new files are made as
	// all others, but give nobody a permission that the source's log does not give.
	Source string

	Options
}

// access returns the Access of the new files, nil for that of any new file.
func (s Spec) access() (*vfs.Access, error) {
	if s.Source == "" {
		return nil, nil
	}
	log, err := s.filesystem().Open(fileset.Log(fileset.BaseName(s.Source)), false)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	as, err := limitOf(log)
	return &as, err
}

// limitOf returns the Access of new files that are made from an array with such a log.
func limitOf(log vfs.File) (vfs.Access, error) {
	as, err := log.Access()
	as.Limit = true
	return as, err
}

// Options say how an array is opened. The zero value opens it for reading.
type Options struct {
	// Write opens the array for writing. Create implies it.
	Write bool
	// Shared opens the array for Reserve: several processes may do so at once, and write
	// to the sections that are theirs.
	Shared bool
	// Cache is the number of bytes of the array kept in memory, as chunks and, where files can
	// be mapped, in place. One chunk is always kept. 0 is DefaultCache for chunks and a quarter
	// of the machine's memory in place: pages of the system's file cache, counted to this process
	// as well, which the system takes back when it needs them. Beside it up to 36 MiB may be in use:
	// of the chunk table, of what was checked, and of small changes of large chunks until Sync.
	Cache int64
	// Goroutines is how many of them one call may use; 0 is runtime.GOMAXPROCS(0). If that is more than one,
	// a call that writes uses up to two more, as one or the other waits for the file.
	Goroutines int
	// Durability says what Sync does for the array to survive a crash.
	Durability Durability
	// Checking says when chunks are checked against their checksums.
	Checking Checking
	// Incomplete opens an array that a copy has not completed, too. Create makes one that carries
	// IncompleteAttr from its first commit on: for the target of a copy.
	Incomplete bool
	// Observe, if not nil, is called with the extents in elements of every section that is read or, if
	// write, written, before its elements are moved; with a step they reach from the first index to the
	// last. It may be called by several goroutines at once. Package accesslog counts for "drx advise".
	Observe func(write bool, box []int)

	fs         vfs.FS // nil is the operating system's
	acceptLoss bool   // see AcceptLoss
	noPresence bool   // there is no presence map, although there should be, see Recover
	patchCost  int    // see pool.Pool, 0 is the usual one
}

// A Checking says when chunks are checked against their checksums. Verify, Compact and
// Recover always check them.
type Checking uint8

// The checkings.
const (
	// CheckFirst checks a chunk the first time that it is read from the file after somebody else
	// wrote it, or before this program did. What this program has written itself counts as checked
	// until it is closed, or until the system says that it could not store it.
	CheckFirst Checking = iota
	// CheckAlways checks a chunk each time that it is read from the file.
	CheckAlways
	// CheckNever takes what the file says: for readers of data that nobody writes any more,
	// on storage that checks by itself.
	CheckNever
)

// A Durability says what Sync does for the array to survive a crash.
type Durability uint8

// The durabilities.
const (
	// DurabilityFull makes Sync durable and atomic: after a crash the array is as it was
	// at some Sync between the last that returned and the one it was in.
	DurabilityFull Durability = iota
	// DurabilityNoJournal makes Sync durable, but overwrites chunks in place, at half the
	// cost: a crash may leave some of the chunks that were being overwritten changed, and
	// some damaged, which is detected.
	DurabilityNoJournal
	// DurabilityNone syncs nothing: for scratch arrays. A crash of the machine, though not
	// of the program, may leave anything.
	DurabilityNone
)

// DefaultCache is the number of bytes of chunks kept in memory when Options say nothing.
const DefaultCache = 64 << 20

// defaultChunkBytes is about what a chunk takes when Spec.ChunkShape is nil: large enough
// that a disk streams, small enough that a piece of one is not a waste.
const defaultChunkBytes = 1 << 20

// DefaultChunk returns a chunk shape for an array of the given shape: about 1 MiB, with
// edges that are powers of two and as equal as the extents allow, so that they shrink
// with the rank. A dimension of extent zero is expected to grow by small steps: its edge
// is about the square root of the others'. An edge is never longer than its extent, so
// that a dimension of extent one, which may grow too, is cut into slices of one.
func DefaultChunk(t dtype.DType, shape []int) []int {
	chunk := make([]int, len(shape))
	halvings := make([]int, len(shape)) // binary logarithm of the edge, doubled where it is to be thin
	for d := range chunk {
		chunk[d] = 1
	}
	for elements := defaultChunkBytes / max(1, t.Size()); elements > 1; elements /= 2 {
		grow := -1
		for d, n := range shape {
			room := n == 0 || chunk[d] < n
			// Of equals the later dimension grows: rows, which are contiguous.
			if room && (grow < 0 || halvings[d] <= halvings[grow]) {
				grow = d
			}
		}
		if grow < 0 {
			break
		}
		chunk[grow] *= 2
		halvings[grow]++
		if shape[grow] == 0 && !allZero(shape) {
			halvings[grow]++
		}
	}
	for d, n := range shape {
		if n > 0 {
			chunk[d] = min(chunk[d], n)
		}
	}
	return chunk
}

func allZero(shape []int) bool {
	for _, n := range shape {
		if n != 0 {
			return false
		}
	}
	return true
}

// records checks the spec and turns it into the first line of the log.
func (s Spec) records() ([]state.Record, error) {
	header, err := s.header()
	if err != nil {
		return nil, err
	}
	attrs := map[string]json.RawMessage{}
	for name, value := range s.Attrs {
		if attrs[name], err = encodeAttr(value); err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
	}
	if s.Incomplete {
		attrs[IncompleteAttr] = json.RawMessage("true")
	}
	records := []state.Record{{Header: header}}
	if len(attrs) > 0 {
		records = append(records, state.Record{SetAttrs: &state.SetAttrs{Attrs: attrs}})
	}
	return records, nil
}

// header checks the spec and turns it into the record that starts the log.
func (s Spec) header() (*state.Header, error) {
	if !s.DType.Valid() {
		return nil, fmt.Errorf("dtype %v: %w", s.DType, ErrDType)
	}
	k := len(s.Shape)
	h := &state.Header{
		Version: state.Version, DType: s.DType.String(), Chunk: s.ChunkShape, Order: string(s.Order),
		Lo: s.Lo, Hi: make([]int, k), Dims: s.Dims, Align: s.Align,
	}
	if h.Chunk == nil {
		h.Chunk = DefaultChunk(s.DType, s.Shape)
	}
	if h.Order == "" {
		h.Order = string(RowOrder)
	}
	if h.Lo == nil {
		h.Lo = make([]int, k)
	}
	if err := nd.CheckRank("low bounds", len(h.Lo), k); err != nil {
		return nil, err
	}
	for d, n := range s.Shape {
		var ok bool
		if h.Hi[d], ok = nd.Add(h.Lo[d], n); !ok {
			return nil, fmt.Errorf("dimension %d: %d elements from index %d: %w", d, n, h.Lo[d], ErrOverflow)
		}
	}
	fill := make([]byte, s.DType.Size())
	if s.FillValue != nil {
		var err error
		if fill, err = s.DType.EncodeValue(s.FillValue); err != nil {
			return nil, fmt.Errorf("fill value: %w", err)
		}
	}
	h.Fill = s.DType.ToJSON(fill)
	return h, nil
}

// shares returns how many bytes may be in memory: of chunks, and of the files where they are
// mapped. Only files of the operating system can be. Who only reads has hardly any other use
// for chunks than those that a writer is just overwriting.
func (o Options) shares() (chunks, resident int64) {
	cache := o.Cache
	switch {
	case o.filesystem() != vfs.OS:
		return cmp.Or(max(cache, 0), DefaultCache), 0
	case cache <= 0:
		return DefaultCache, max(DefaultCache, ram()/4)
	case o.Write:
		return cache / 2, cache - cache/2
	default:
		return cache / 8, cache - cache/8
	}
}

var ram = sync.OnceValue(mapped.RAM)

// parallel returns how many goroutines one call may use: each may need a chunk of its own.
func (o Options) parallel(chunkBytes int) int {
	n := o.Goroutines
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return int(max(1, min(int64(n), o.room()/8/int64(chunkBytes))))
}

// room is the bytes of memory that calls may have parts of.
func (o Options) room() int64 { return cmp.Or(max(o.Cache, 0), DefaultCache) }

// writers returns how many goroutines a call that writes may use, if others use so many and there is room for
// what at most so many have put together. One writes at a time: while it does, something is to be put
// together, and something is to be ready when it is done.
func writers(parallel int, room int64) int {
	if parallel == 1 {
		return 1
	}
	return max(parallel, int(min(int64(parallel)+2, room)))
}

func (o Options) filesystem() vfs.FS {
	if o.fs == nil {
		return vfs.OS
	}
	return o.fs
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

// IncompleteAttr is the attribute that marks an array as the target of a copy that is not
// complete. Whoever sets it removes it in the end.
const IncompleteAttr = "relayout.incomplete"
