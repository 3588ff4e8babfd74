package zarr

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"sync"

	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

const (
	// chunkSlack limits an encoded chunk to twice its decoded size plus this number of bytes. A
	// larger chunk is damaged.
	chunkSlack = 64 << 10
	// maxWhole is the size, in bytes, up to which an uncompressed chunk is read as a whole.
	maxWhole = 4 << 20
	// decodeTimes is the memory for decoding a unit, in multiples of its size: the encoded bytes,
	// which may be twice as many, the decoded bytes, and a copy for the shuffle.
	decodeTimes = 6
)

// A reader reads an array by sections. Its unit is a chunk or, in an array with shards, an inner
// chunk.
type reader struct {
	a     *array
	store *store
	info  formats.Info

	unit         []int // extents of a unit
	unitElements int
	unitBytes    int  // decoded size; 0 for strings of any length
	plain        bool // a unit consists of the elements themselves

	workers  int        // number of goroutines that decode units
	mu       sync.Mutex // guards the fields below while several workers run
	cache    *cache
	indices  map[string]shardIndex    // indices of the shard that was read last
	shards   map[string]*bytes.Reader // that shard, if it is in a ZIP file
	elements []byte                   // for strings: the indices of the whole array
}

// newReader returns a reader of an array and checks that its units can be decoded in the memory
// allowed.
func newReader(s *store, a *array) (*reader, error) {
	r := &reader{a: a, store: s, unit: a.chunk, plain: len(a.codecs) == 0 && a.text == noText}
	r.info = formats.Info{
		Name: a.path, DType: a.dtype, Shape: a.shape, Order: a.order, Dims: a.dims, Attrs: a.attrs, Fill: a.fillOf(), Codec: a.codec(),
	}
	if a.shard != nil {
		r.unit = a.shard.chunk
		if _, _, err := a.shard.indexBytes(a.chunk, s.memory/8); err != nil {
			return nil, err
		}
	}
	r.info.Chunk = r.unit
	n, err := nd.Product(r.unit...)
	size := a.size
	if a.text == variable {
		size = 4
	}
	var ok bool
	if err == nil {
		r.unitElements = n
		if r.unitBytes, ok = nd.Mul(n, size); !ok {
			err = nd.ErrOverflow
		}
	}
	if !r.plain && (err != nil || !r.fits(decodeTimes)) {
		return nil, fmt.Errorf("chunks %v of %d bytes each: %w: decoding takes up to 12 times as much, the limit is %d bytes",
			r.unit, r.unitBytes, formats.ErrMemory, s.memory)
	}
	if err != nil {
		return nil, fmt.Errorf("chunks %v: %w", r.unit, err)
	}
	if r.plain {
		r.info.Chunk = r.readable()
	}
	r.cache, r.workers = newCache(s.memory/4), r.workersFor()
	if a.text != noText {
		if r.info.Labels, r.elements, err = r.readText(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readable returns the extents of the parts in which plain units are read. They may be smaller than
// a unit, so that the chunk size that a store declares does not determine the memory.
func (r *reader) readable() []int {
	part, bytes := slices.Clone(r.unit), r.unitBytes
	for _, d := range r.info.Order.Dims(len(part)) {
		if bytes <= maxWhole {
			break
		}
		rest := bytes / part[d]
		part[d] = max(1, min(part[d], maxWhole/rest))
		bytes = rest * part[d]
	}
	return part
}

// Missing implements formats.Sparse.
func (r *reader) Missing(sec nd.Section) []byte {
	if r.elements != nil || r.a.shard != nil || r.a.text != noText {
		return nil
	}
	err := r.eachUnit(sec, func(u unit) error {
		f, _, err := r.store.open(path.Join(r.a.path, r.a.key.key(u.index)))
		if f != nil {
			err = errors.Join(errStop, f.Close())
		}
		return err
	})
	if err != nil { // the file has elements, or ReadSection reports the error
		return nil
	}
	return r.a.fill
}

// fits reports whether times the size of a unit is within the memory limit.
func (r *reader) fits(times int64) bool {
	return int64(r.unitBytes) <= (r.store.memory/2-chunkSlack)/times
}

// fillOf returns the element that marks missing values, from the attributes _FillValue or
// missing_value, or from the metadata; nil if there is none.
func (a *array) fillOf() []byte {
	if a.text != noText {
		return nil
	}
	for _, name := range []string{fillAttr, "missing_value"} {
		v, ok := a.attrs[name]
		if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.Len() == 1 {
			v = list.Index(0).Interface()
		}
		if fill, err := a.dtype.EncodeValue(v); ok && err == nil {
			return fill
		}
	}
	if !a.marked {
		return nil
	}
	return a.fill
}

// Info implements formats.Reader.
func (r *reader) Info() formats.Info { return r.info }

// Close implements formats.Reader.
func (r *reader) Close() error { return r.store.close() }

// wholeSection returns the section of all elements.
func (r *reader) wholeSection() nd.Section {
	return nd.Box(make([]int, len(r.info.Shape)), r.info.Shape)
}

// ReadSection implements formats.Reader.
func (r *reader) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := r.info.Check(sec, buf)
	if err != nil {
		return err
	}
	lo, size := make([]int, len(sec)), r.info.DType.Size()
	for d := range sec {
		lo[d] = sec[d].Lo
	}
	extents := sec.Shape()
	if r.elements != nil {
		from := newBox(lo, make([]int, len(lo)), r.info.Shape, r.info.Order, size)
		copyBox(buf, newBox(lo, lo, extents, r.info.Order, size), r.elements, from, extents, r.info.Order, size)
		return nil
	}
	return r.eachParallel(sec, func(u unit) error {
		return r.readUnit(u, buf, newBox(u.lo, lo, extents, r.info.Order, size))
	})
}

// A unit is the part of a section that lies in one chunk, or one inner chunk of a shard.
type unit struct {
	index  []int // of the chunk in the grid of units
	origin []int // its first element
	lo, hi []int // bounds of the part
}

// shape returns the extents of the part.
func (u unit) shape() []int { return nd.Shape(u.lo, u.hi) }

// eachUnit calls f for the units that a section touches, in row-major order. The error names the
// chunk.
func (r *reader) eachUnit(sec nd.Section, f func(u unit) error) error {
	rank := len(sec)
	first, end := make([]int, rank), make([]int, rank)
	for d, s := range sec {
		if s.Len() == 0 {
			return nil
		}
		first[d], end[d] = s.Lo/r.unit[d], nd.CeilDiv(s.Hi, r.unit[d])
	}
	u := unit{slices.Clone(first), make([]int, rank), make([]int, rank), make([]int, rank)}
	for more := true; more; more = rank > 0 && nd.Next(u.index, first, end) {
		for d, s := range sec {
			u.origin[d] = u.index[d] * r.unit[d]
			u.lo[d] = max(s.Lo, u.origin[d])
			u.hi[d] = min(s.Hi, u.origin[d]+r.unit[d])
		}
		if err := r.named(u, f(u)); err != nil {
			return err
		}
	}
	return nil
}

// named returns an error that names a unit.
func (r *reader) named(u unit, err error) error {
	if err == nil {
		return nil
	}
	return &unitError{r.prefix(), u.index, err}
}

// A unitError is an error of a unit, which names the array.
type unitError struct {
	prefix string // the array's path, unless it is the root
	index  []int
	err    error
}

// Error implements error.
func (e *unitError) Error() string { return fmt.Sprintf("%schunk %v: %v", e.prefix, e.index, e.err) }

// Unwrap returns the underlying error.
func (e *unitError) Unwrap() error { return e.err }

// prefix returns the array's path, for errors, unless it is the root.
func (r *reader) prefix() string {
	if r.a.path == "" {
		return ""
	}
	return r.a.path + ": "
}

// readUnit copies the part of a unit to a box of buf.
func (r *reader) readUnit(u unit, buf []byte, to box) error {
	size, shape := r.info.DType.Size(), u.shape()
	from := newBox(u.lo, u.origin, r.unit, r.info.Order, size)
	if r.plain && (r.unitBytes > maxWhole && r.store.seekable || !r.fits(1)) {
		return r.readPlain(u, buf, to, from)
	}
	data, err := r.load(u)
	if err != nil {
		return err
	}
	if data == nil {
		fillBox(buf, to, shape, r.info.Order, r.a.fill)
		return nil
	}
	copyBox(buf, to, data, from, shape, r.info.Order, size)
	return nil
}

// load returns the elements of a unit, or nil if the unit is missing.
func (r *reader) load(u unit) ([]byte, error) {
	key := fmt.Sprint(u.index)
	data, known, err := r.find(key, u)
	if known || err != nil {
		return data, err
	}
	if data != nil {
		if data, err = r.undo(data, r.unitBytes); err != nil {
			return nil, err
		}
		if len(data) != r.unitBytes {
			return nil, errkind.Of(ErrFormat, errkind.Errorf(io.ErrUnexpectedEOF, "%d bytes of elements, expected %d", len(data), r.unitBytes))
		}
		if err := r.toElements(data); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cache.add(key, data)
	return data, nil
}

// find returns the elements of a unit if they are in memory (known is true), otherwise its bytes as
// stored in the file. data is nil if the unit is missing.
func (r *reader) find(key string, u unit) (data []byte, known bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if data, known = r.cache.get(key); known {
		return data, true, nil
	}
	data, err = r.encoded(u)
	return data, false, err
}

// undo undoes the codecs of a unit, whose bytes must decode to at most limit bytes.
func (r *reader) undo(data []byte, limit int) (_ []byte, err error) {
	for i, c := range r.a.codecs {
		most := limit
		if i < len(r.a.codecs)-1 {
			most = 2*limit + chunkSlack
		}
		if data, err = c.decode(data, most); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// toElements turns decoded bytes into little-endian elements, in place, and checks bools.
func (r *reader) toElements(data []byte) error {
	if r.a.big {
		r.a.dtype.Swap(data)
	}
	if r.a.dtype == dtype.Bool {
		if i := slices.IndexFunc(data, func(b byte) bool { return b > 1 }); i >= 0 {
			return errkind.Errorf(ErrFormat, "element %d: bool %d is neither 0 nor 1", i, data[i])
		}
	}
	return nil
}

// encoded returns the bytes of a unit as stored in the file, or nil if the unit is missing. The
// caller may change them.
func (r *reader) encoded(u unit) (data []byte, err error) {
	limit := 2*int64(r.unitBytes) + chunkSlack
	if r.a.text == variable {
		limit = r.store.memory / 4
	}
	err = r.withUnit(u, func(f fs.File, at io.ReaderAt, size int64) error {
		if size > limit {
			return errkind.Errorf(ErrFormat, "%d bytes, %d at most are expected for %d bytes of elements", size, limit, r.unitBytes)
		}
		data = make([]byte, size)
		var n int
		if at != nil {
			n, err = at.ReadAt(data, 0)
		} else {
			n, err = io.ReadFull(f, data)
		}
		if n < len(data) {
			return fmt.Errorf("%d of %d bytes: %w", n, size, bare(err))
		}
		return nil
	})
	return data, err
}

// withUnit calls f with the bytes of a unit: a whole file, or part of a shard. at is nil if the
// file can only be read from front to back. It does not call f if the unit is missing.
func (r *reader) withUnit(u unit, f func(f fs.File, at io.ReaderAt, size int64) error) error {
	index := slices.Clone(u.index)
	if r.a.shard != nil {
		for d := range index {
			index[d] /= r.a.chunk[d] / r.unit[d]
		}
	}
	key := path.Join(r.a.path, r.a.key.key(index))
	file, size, err := r.store.open(key)
	if file == nil || err != nil {
		return err
	}
	defer file.Close()
	at, _ := file.(io.ReaderAt)
	if r.a.shard == nil {
		return f(file, at, size)
	}
	if at == nil {
		if at, err = r.wholeShard(key, file, size); err != nil {
			return err
		}
	}
	where, err := r.innerChunk(key, at, size, u.index)
	if err != nil || where.missing() {
		return err
	}
	return f(nil, io.NewSectionReader(at, int64(where.offset), int64(where.length)), int64(where.length))
}

// wholeShard reads a shard that can only be read from front to back, and keeps it.
func (r *reader) wholeShard(key string, f fs.File, size int64) (io.ReaderAt, error) {
	if known := r.shards[key]; known != nil {
		return known, nil
	}
	if limit := r.store.memory / 4; size > limit {
		return nil, fmt.Errorf("a shard of %d bytes in a ZIP file: %w: the limit is %d; unzip it first", size, formats.ErrMemory, limit)
	}
	r.shards = nil
	data := make([]byte, size)
	if n, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%d of %d bytes: %w", n, size, bare(err))
	}
	r.shards = map[string]*bytes.Reader{key: bytes.NewReader(data)}
	return r.shards[key], nil
}

// innerChunk returns the location of an inner chunk in its shard. It keeps the index of the shard
// for the next call.
func (r *reader) innerChunk(key string, at io.ReaderAt, size int64, index []int) (extentInFile, error) {
	s := r.a.shard
	known, ok := r.indices[key]
	if !ok {
		var err error
		if known, err = s.readIndex(at, size, r.a.chunk, r.store.memory/8); err != nil {
			return extentInFile{}, err
		}
		r.indices = map[string]shardIndex{key: known}
	}
	i := 0
	for _, d := range s.order.Dims(len(index)) {
		n := r.a.chunk[d] / r.unit[d]
		i = i*n + index[d]%n
	}
	return known[i], nil
}

// readPlain reads the part of a unit that holds plain elements, run by run.
func (r *reader) readPlain(u unit, buf []byte, to, from box) error {
	size, shape, found := r.info.DType.Size(), u.shape(), false
	err := r.withUnit(u, func(f fs.File, at io.ReaderAt, have int64) error {
		found = true
		if at == nil {
			return fmt.Errorf("chunks of %d bytes in a ZIP file that compresses them: %w: the limit is %d bytes; unzip it first",
				r.unitBytes, formats.ErrMemory, r.store.memory)
		}
		if have != int64(r.unitBytes) {
			return errkind.Of(ErrFormat, errkind.Errorf(io.ErrUnexpectedEOF, "%d bytes, expected %d", have, r.unitBytes))
		}
		return eachRun(shape, r.info.Order, size, to, from, func(t, f, n int) error {
			p := buf[t : t+n]
			if got, err := at.ReadAt(p, int64(f)); got < n {
				return fmt.Errorf("%d of %d bytes at byte %d: %w", got, n, f, bare(err))
			}
			return r.toElements(p)
		})
	})
	if err == nil && !found {
		fillBox(buf, to, shape, r.info.Order, r.a.fill)
	}
	return err
}
