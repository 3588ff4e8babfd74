package zarr

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// An array is the metadata of an array.
type array struct {
	elementType
	path   string // in the store; "" is the root
	shape  []int
	chunk  []int    // extents of the chunks that have a file each
	order  nd.Order // of the elements of a chunk, or of an inner chunk; nil is row-major
	fill   []byte   // the element of missing chunks; nil for strings
	empty  string   // the string of missing chunks
	key    keyEncoding
	codecs []codec // from the bytes of the file to the elements, in the order of decoding
	shard  *shard  // nil unless the chunks are divided further
	dims   []string
	attrs  map[string]any
	// marked is set if the metadata itself, not an attribute, says which value marks missing
	// elements.
	marked bool
}

// codec returns the codec that compresses the chunks, with the shuffle before it.
func (a *array) codec() (found formats.CodecSpec) {
	for _, c := range a.codecs {
		switch c := c.(type) {
		case deflate:
			found = formats.CodecSpec{Name: c.id, Level: c.level}
			if c.id == "zlib" {
				found.Name = "gzip"
			}
		case zstandard:
			found = formats.CodecSpec{Name: "zstd", Level: c.level}
		case lz4Block:
			found = formats.CodecSpec{Name: "lz4"}
		case blosc:
			found = formats.CodecSpec{Name: "blosc", Blosc: c.cname, Level: c.clevel, Shuffle: []string{"noshuffle", "", "bitshuffle"}[c.shuffle]}
		case shuffle:
			if found != (formats.CodecSpec{}) {
				found.Shuffle = "shuffle"
			}
		}
	}
	return found
}

// A keyEncoding maps chunk indices to keys.
type keyEncoding struct {
	prefix    string // before the indices: "c" in version 3
	separator string
}

// key returns the key of a chunk, relative to the folder of its array.
func (k keyEncoding) key(index []int) string {
	var b strings.Builder
	b.WriteString(k.prefix)
	for i, n := range index {
		if i > 0 || k.prefix != "" {
			b.WriteString(k.separator)
		}
		b.WriteString(strconv.Itoa(n))
	}
	if b.Len() == 0 {
		return "0" // a scalar
	}
	return b.String()
}

// checkSeparator checks the separator of a key encoding.
func checkSeparator(s string) error {
	if s != "." && s != "/" {
		return errkind.Errorf(ErrFormat, "separator %q of chunk indices is neither . nor /", short(s))
	}
	return nil
}

// setShape sets shape and chunk and checks them. The fields have been decoded from JSON as they are
// in the file.
func (a *array) setShape(shape, chunk []int) error {
	if len(shape) > nd.MaxRank {
		return errkind.Errorf(nd.ErrRank, "shape of %d dimensions: the limit is %d", len(shape), nd.MaxRank)
	}
	if len(chunk) != len(shape) {
		return errkind.Errorf(nd.ErrRank, "chunks %v of shape %v: want as many dimensions", chunk, shape)
	}
	for d, n := range shape {
		if n < 0 || chunk[d] < 0 || chunk[d] == 0 && n > 0 {
			return errkind.Errorf(ErrFormat, "dimension %d: extent %d in chunks of %d: want at least 0, in chunks of at least 1", d, n, chunk[d])
		}
		chunk[d] = max(chunk[d], 1)
	}
	info := formats.Info{DType: a.dtype, Shape: shape}
	if _, err := info.Bytes(); err != nil {
		return err
	}
	a.shape, a.chunk = shape, chunk
	return nil
}

// setDims sets the names of the dimensions. An empty name means that the dimension has none.
func (a *array) setDims(names []string) error {
	if len(names) != len(a.shape) {
		return errkind.Errorf(ErrFormat, "%d names of %d dimensions: want one each", len(names), len(a.shape))
	}
	for _, name := range names {
		if name != "" {
			a.dims = names
		}
	}
	return nil
}

// setFill decodes the fill value of the metadata. null, which version 2 allows, means none.
func (a *array) setFill(raw json.RawMessage) (err error) {
	a.marked = len(raw) > 0 && string(raw) != "null"
	if a.text != noText {
		return a.setEmpty(raw)
	}
	a.fill = make([]byte, a.size)
	if a.marked {
		a.fill, err = a.dtype.FromJSON(raw)
	}
	if err != nil {
		return errkind.Errorf(ErrFormat, "fill_value %s of %v: %w", short(raw), a.dtype, err)
	}
	return nil
}

// setEmpty decodes the fill value of strings. Some writers store a number or null instead of a
// string; both become the empty string.
func (a *array) setEmpty(raw json.RawMessage) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	if a.text == fixed8 { // version 2 has its bytes in base64
		if b, err := base64.StdEncoding.DecodeString(s); err == nil {
			s = formats.Text(b)
		}
	}
	a.empty = strings.TrimRight(s, "\x00")
	return nil
}

// attrStrings removes an attribute whose value is a list of strings, and returns the list.
func (a *array) attrStrings(name string) (list []string, ok bool) {
	switch v := a.attrs[name].(type) {
	case []string:
		list = v
	case []any: // an empty list has no type
		if len(v) > 0 {
			return nil, false
		}
	default:
		return nil, false
	}
	delete(a.attrs, name)
	return list, true
}
