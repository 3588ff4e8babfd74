package drx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"time"

	"drx/dtype"
	"drx/internal/codec"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/wording"
	"drx/nd"
)

// An ElementOrder is the order of the elements inside a stored chunk.
type ElementOrder string

// The element orders. Along a curve, elements that are near to each other in the array are mostly
// near to each other in the chunk. A curve needs a table in memory of 4 bytes per element of a
// chunk, and limits a chunk to 2^31 - 1 elements.
const (
	RowOrder     ElementOrder = "row"     // the last dimension varies fastest, as in C
	ColOrder     ElementOrder = "col"     // the first dimension varies fastest, as in Fortran
	MortonOrder  ElementOrder = "morton"  // the Z curve, see curve.Morton
	HilbertOrder ElementOrder = "hilbert" // the Hilbert curve, see curve.Hilbert
)

// A Spec describes an array to create. DType and Shape are required; the zero values of the other
// fields are sensible defaults.
type Spec struct {
	DType dtype.DType
	// Shape has the extents, in elements, one per dimension. An extent may be 0: the dimension can
	// grow later.
	Shape []int
	// Lo has the low bounds, one per dimension: the array begins with the bounds [Lo, Lo + Shape).
	// nil means zeros.
	Lo []int
	// ChunkShape has the extents of a chunk, in elements, one per dimension. nil means the result
	// of DefaultChunk.
	ChunkShape []int
	// Order is the order of the elements inside a chunk; empty means RowOrder. It influences which
	// accesses are fast, but not the results of Read.
	Order ElementOrder
	// FillValue is the value of elements that were never written: a number, a bool, or a string as
	// dtype.Encode reads it. nil means zero.
	FillValue any
	// Dims has the names of the dimensions. nil and empty names mean no name.
	Dims []string
	// Align makes every chunk begin at a multiple of Align bytes, such as a page, or a stripe of a
	// parallel file system. 0 leaves no gaps between chunks.
	Align int
	// Attrs are attributes that the array has from its creation on. Values are as for SetAttr.
	Attrs map[string]any
	// Source is the name of the array from which the new one is made, if any. The new files then
	// grant no permission that the log of the source does not grant.
	Source string

	// Codec compresses the chunks. It is "zstd", "lz4" or "blosc", followed by parameters after
	// colons, as in "zstd:3" (the level, 1 to 22) or "blosc:zstd:5:shuffle" (the compressor: lz4,
	// lz4hc or zstd; the level, 1 to 9; and the filter of the bytes: noshuffle, shuffle or
	// bitshuffle). Empty and "none" mean no compression. A compressed chunk keeps its slot in the
	// file and uses the beginning of it. The rest is a hole, which saves space on file systems with
	// holes, in blocks of 4 KiB, so that a chunk should have 64 KiB or more.
	Codec string

	Options
}

// access returns the mode and owner of the new files, nil for those of any new file.
func (s Spec) access() (*vfs.Access, error) {
	if s.Source == "" {
		return nil, nil
	}
	source, err := resolve(s.filesystem(), s.Source)
	if err != nil {
		return nil, err
	}
	log, err := s.filesystem().Open(fileset.Log(source), false)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	access, err := limitedAccess(log)
	return &access, err
}

// limitedAccess returns the mode and owner of new files that are derived from an array with the
// given log.
func limitedAccess(log vfs.File) (vfs.Access, error) {
	access, err := log.Access()
	access.Limit = true
	return access, err
}

// Options control how an array is opened. The zero value opens it for reading.
type Options struct {
	// Write opens the array for writing. Create implies it.
	Write bool
	// Shared opens the array for writing beside other processes that have it open in this way. Each
	// may write everywhere, and grow the array by Reserve. Each chunk is changed as a whole, under
	// a lock, and durably when the call returns: processes that write different elements of one
	// chunk wait for each other, and no write is lost. A write to a section that another process
	// has reserved, and has not closed yet, returns ErrLocked. In an array of version 1 only
	// reserved sections can be written.
	Shared bool
	// Wait is the longest time for which Open and ReserveKey wait for other processes that hold a
	// lock, before they return ErrLocked; 0 means no waiting.
	Wait time.Duration
	// Cache limits the memory for the array's elements, in bytes: for chunks in memory and, if
	// files can be mapped, for resident pages of the mapped files, which belong to the system's
	// page cache and can be reclaimed by the system. One chunk is always allowed. 0 means a part of
	// the memory of SetMemory, at most DefaultCache of it for chunks. In addition up to 36
	// MiB may be used for pages of the chunk table, for the record of verified chunks, and for
	// small changes of large chunks until Sync.
	Cache int64
	// Goroutines is the number of goroutines that one call may use; 0 means runtime.GOMAXPROCS(0).
	// If it is more than one, a call that writes may use two more, because some of them wait for
	// the file.
	Goroutines int
	// Durability determines how Sync makes the array survive a crash.
	Durability Durability
	// Checking determines when chunks are verified against their checksums.
	Checking Checking
	// Incomplete also opens the target of a copy that is not complete. Create with Incomplete makes
	// such a target, which has the attribute relayout.IncompleteAttr from its first commit on.
	Incomplete bool
	// Examine also opens, for reading, an array whose log has lost lines that the presence map
	// knows of. The array is then as the remaining lines describe it. It is for Verify, which
	// reports the loss.
	Examine bool
	// Observe, if not nil, is called before a section is read or, if write is true, written. box
	// has the extents of the section in elements, one per dimension; those of a strided section
	// reach from the first index to the last. Observe may be called by several goroutines at the
	// same time. Package advise/accesslog uses it.
	Observe func(write bool, box []int)

	fs         vfs.FS // nil is the operating system's
	acceptLoss bool   // damage of the log and the journal is accepted, see AcceptLoss
	noPresence bool   // the presence map is missing and not needed, see Recover
	digits     string // of the line of the commit of OpenAt, see Snapshot; empty if not known
	patchCost  int    // pool.Pool.PatchCost; 0 means the default
}

// A Checking determines when chunks are verified against their checksums. Verify, Compact and
// Recover always verify them.
type Checking uint8

// The values of Checking.
const (
	// CheckFirst checks a chunk when it is read from the file for the first time, and for the first
	// time after another process has written it. A chunk that this Array has written to its place
	// counts as checked until the Array is closed, or until the system reports that it could not
	// store the chunk.
	CheckFirst Checking = iota
	// CheckAlways checks a chunk whenever it is read from the file.
	CheckAlways
	// CheckNever never checks. It is meant for readers of data that is no longer written, on
	// storage with checksums of its own.
	CheckNever
)

// A Durability determines how Sync makes the array survive a crash.
type Durability uint8

// The values of Durability.
const (
	// DurabilityFull makes Sync durable and atomic: after a crash the array is as it was at the
	// last Sync that returned, or at the Sync in progress.
	DurabilityFull Durability = iota
	// DurabilityNoJournal makes Sync durable, but overwrites chunks in place, at half the cost.
	// After a crash some of the chunks being overwritten may be changed and some damaged; the
	// damage is detected.
	DurabilityNoJournal
	// DurabilityNone has no journal and syncs nothing of its own. It is meant for scratch arrays: a
	// crash of the machine, but not of the program, may leave anything in the files.
	DurabilityNone
)

// defaultChunkBytes is the approximate size of a chunk if Spec.ChunkShape is nil: large enough for
// a disk to read at full speed, small enough that reading a part of a chunk wastes little.
const defaultChunkBytes = 1 << 20

// DefaultChunk returns a chunk shape for an array of the given element type and shape: chunks of
// about 1 MiB, with edges that are powers of two and as equal as the extents allow. A dimension of
// extent 0 is expected to grow by small steps: its edge is about the square root of the others'. No
// other edge is longer than its extent, so that a dimension of extent 1 has chunks of extent 1 even
// if it grows later.
func DefaultChunk(t dtype.DType, shape []int) []int {
	chunk := make([]int, len(shape))
	halvings := make([]int, len(shape)) // binary logarithm of the edge, doubled where the extent is 0
	for d := range chunk {
		chunk[d] = 1
	}
	for elements := defaultChunkBytes / max(1, t.Size()); elements > 1; elements /= 2 {
		grow := -1
		for d, n := range shape {
			canGrow := n == 0 || chunk[d] < n
			// Of several dimensions with equal edges the last one grows, because rows are
			// contiguous.
			if canGrow && (grow < 0 || halvings[d] <= halvings[grow]) {
				grow = d
			}
		}
		if grow < 0 {
			break
		}
		chunk[grow] *= 2
		halvings[grow]++
		if shape[grow] == 0 && slices.ContainsFunc(shape, func(n int) bool { return n != 0 }) {
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

// defaultCodec is the codec of a Spec without Codec. Tests replace it.
var defaultCodec = codec.None

// records checks the spec and returns the records of the first line of the log.
func (s Spec) records() ([]state.Record, error) {
	header, err := s.header()
	if err != nil {
		return nil, err
	}
	attrs := map[string]json.RawMessage{}
	for name, value := range s.Attrs {
		if attrs[name], err = encodeAttr(name, value); err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
	}
	if s.Incomplete {
		attrs[state.IncompleteAttr] = json.RawMessage("true")
	}
	records := []state.Record{{Header: header}}
	if len(attrs) > 0 {
		records = append(records, state.Record{SetAttrs: &state.SetAttrs{Attrs: attrs}})
	}
	return records, nil
}

// header checks the spec and returns the first record of the log.
func (s Spec) header() (*state.Header, error) {
	if !s.DType.Valid() {
		return nil, errkind.Errorf(ErrDType, "there is no element type %v", s.DType)
	}
	k := len(s.Shape)
	compression, err := parseCodec(cmp.Or(s.Codec, defaultCodec))
	if err != nil {
		return nil, err
	}
	h := &state.Header{
		Version: state.Version, DType: s.DType.String(), Chunk: s.ChunkShape, Order: string(s.Order),
		Lo: s.Lo, Hi: make([]int, k), Dims: s.Dims, Align: s.Align,
	}
	if !compression.IsNone() {
		h.Codec = compression.String()
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

// usualCodec is a codec for most arrays, given as an example in errors.
const usualCodec = "blosc:zstd:3:shuffle"

// parseCodec reads Spec.Codec. The error wraps fs.ErrInvalid.
func parseCodec(text string) (codec.Spec, error) {
	if text == AutoCodec {
		return codec.Spec{}, errkind.Errorf(fs.ErrInvalid, "codec %q: it is chosen by elements, and none are at hand here: name a codec, as %s; "+
			"imports take it, and the verbs append, copy and recompress of drx", text, usualCodec)
	}
	spec, err := codec.Parse(text)
	if err != nil {
		return spec, wording.Reworded(err.Error(), fs.ErrInvalid)
	}
	return spec, nil
}

// ParseCodec returns the complete form of a Spec.Codec, with all parameters, as in Layout.Codec:
// "blosc:lz4:5:shuffle" for "blosc", and "none" for "". The error wraps fs.ErrInvalid.
func ParseCodec(text string) (string, error) {
	spec, err := parseCodec(cmp.Or(text, codec.None))
	return spec.String(), err
}

// cacheBudgets returns the limits, in bytes, of the chunks in memory and of the resident pages of
// mapped files. Only files of the operating system can be mapped. An array that is open for reading
// gets a small share for chunks, because it uses them only while a writer overwrites a chunk; but
// if chunks are compressed it gets most of it.
func (o Options) cacheBudgets(compressed bool) (chunks, resident int64) {
	cache := o.Cache
	switch {
	case o.filesystem() != fileset.OS():
		return cmp.Or(max(cache, 0), DefaultCache), 0
	case cache <= 0:
		return arrayMemory.firstPart(compressed)
	case compressed:
		return cache - cache/4, cache / 4
	case o.Write:
		return cache / 2, cache - cache/2
	default:
		return cache / 8, cache - cache/8
	}
}

// readers returns the number of goroutines that a call that reads may use. Each may need a chunk in
// memory.
func (o Options) readers(chunkBytes int) int {
	n := o.Goroutines
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return int(max(1, min(int64(n), o.memoryBudget()/8/int64(chunkBytes))))
}

// memoryBudget returns the memory in bytes that calls may share.
func (o Options) memoryBudget() int64 {
	if o.Cache > 0 {
		return o.Cache
	}
	return min(DefaultCache, Memory())
}

// writers returns the number of goroutines that a call that writes may use, if a call that reads
// uses parallel ones and there is memory for limit combined writes. One goroutine writes at a time;
// meanwhile another should prepare its write and a third should be ready.
func writers(parallel int, limit int64) int {
	if parallel == 1 {
		return 1
	}
	return max(parallel, int(min(int64(parallel)+2, limit)))
}

// filesystem returns the file system, in which files with several arrays appear as folders.
func (o Options) filesystem() vfs.FS {
	if o.fs == nil {
		return fileset.OS()
	}
	return fileset.In(o.fs)
}

// encodeAttr returns the stored form of an attribute's value. An attribute without a name, which
// older programs could store, is an error, because the command line could not name it.
func encodeAttr(name string, value any) (json.RawMessage, error) {
	if name == "" {
		return nil, errkind.Errorf(fs.ErrInvalid, "the name is empty")
	}
	return metalog.EncodeJSON(value)
}
