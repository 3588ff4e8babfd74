package zarr

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// Options say how Create writes a store. The zero value writes version 2, with gzip if
// Content.Deflate is set.
type Options struct {
	Version    int        // of the format, 2 or 3; 0 is 2
	Compressor Compressor // of all variables
	Separator  string     // in the keys of chunks: "." or "/"; default "." in 2, "/" in 3
	BigEndian  bool       // the byte order of the elements
	Checksum   bool       // adds a CRC-32C to every chunk, in version 3
	Zip        bool       // writes a ZIP file instead of a folder
}

// A Compressor is the codec with which chunks are compressed.
type Compressor struct {
	// Name is gzip, zlib, zstd, lz4, blosc or none. If it is empty, Content.Deflate is the level of
	// gzip or, if that is 0, each variable's Info.Codec decides.
	Name  string
	Level int // 1 to 9, of zstd to 22
	// Blosc is the compressor in blosc: lz4, lz4hc, zlib or zstd; empty is lz4.
	Blosc string
	// Shuffle is the first step of blosc: 0 for none, 1 to sort the bytes of the elements, 2 the
	// bits.
	Shuffle int
}

// chunkBytes is the approximate size of a chunk in bytes if Info.Chunk does not give its extents.
const chunkBytes = 1 << 20

// Create makes the folder path, which must not exist, or the ZIP file, and writes the metadata of a
// store with the given content. It returns a writer for each variable, in the same order. The
// writers of a ZIP file must be used by one goroutine. Memory: chunks that are not complete are
// kept in memory up to 64 MiB per writer, and beyond that in their files, or in a hidden folder
// beside the ZIP file until that is complete. Version 2 gets .zmetadata too, from which xarray
// reads.
//
// The error wraps formats.ErrType for elements that the version does not have, formats.ErrVariable
// for names that two variables share or that no key can have, and fs.ErrExist. What Create has made
// is removed again.
func Create(name string, c formats.Content, o Options) (_ []formats.Writer, err error) {
	if o.Version == 0 {
		o.Version = 2
	}
	s := &storeWriter{Options: o, content: c, metadata: map[string]any{}}
	if err := s.describe(); err != nil {
		return nil, err
	}
	begin := s.makeFolder
	if o.Zip {
		begin = s.makeZip
	}
	if err := begin(name); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = joined(err, removeStore(name))
		}
	}()
	for _, key := range slices.Sorted(maps.Keys(s.metadata)) {
		if err := s.writeJSON(key, s.metadata[key]); err != nil {
			return nil, joined(err, s.finish())
		}
	}
	writers := make([]formats.Writer, len(s.arrays))
	for i, a := range s.arrays {
		writers[i] = newWriter(s, c.Vars[i], a)
	}
	s.users = len(writers)
	if s.users == 0 {
		err = s.finish()
	}
	return writers, err
}

// A storeWriter writes the files of a store.
type storeWriter struct {
	Options
	content  formats.Content
	root     *os.Root       // nil for a folder; otherwise root holds only incomplete chunks
	zip      *zipFile       // nil for a folder; else root holds only incomplete chunks
	users    int            // open writers
	metadata map[string]any // by key
	arrays   []*array
}

// describe makes the metadata of all nodes.
func (s *storeWriter) describe() error {
	if s.Version != 2 && s.Version != 3 {
		return errkind.Errorf(errors.ErrUnsupported, "zarr: version %d: 2 and 3 are known", s.Version)
	}
	isArray := map[string]bool{}
	for _, v := range s.content.Vars {
		if isArray[v.Name] {
			return errkind.Errorf(formats.ErrVariable, "zarr: two variables named %q", v.Name)
		}
		isArray[v.Name] = true
		a, err := s.describeArray(v)
		if err != nil {
			return fmt.Errorf("zarr: %s: %w", v.Name, err)
		}
		s.arrays = append(s.arrays, a)
	}
	groups := map[string]map[string]any{"": s.content.Attrs}
	maps.Copy(groups, s.content.Groups)
	for _, name := range append(slices.Collect(maps.Keys(isArray)), slices.Collect(maps.Keys(s.content.Groups))...) {
		for name != "" {
			if name = parentOf(name); groups[name] == nil {
				groups[name] = map[string]any{}
			}
		}
	}
	if isArray[""] {
		if len(isArray) > 1 || len(groups) > 1 || len(s.content.Attrs) > 0 {
			return errkind.Errorf(formats.ErrVariable, "zarr: a variable without a name is a store by itself, without groups and attributes of the store")
		}
		delete(groups, "")
	}
	for name, attrs := range groups {
		if isArray[name] {
			return errkind.Errorf(formats.ErrVariable, "zarr: %q is a variable and a group", name)
		}
		if err := s.describeGroup(name, attrs); err != nil {
			return err
		}
	}
	if s.Version == 2 && !isArray[""] {
		s.metadata[".zmetadata"] = map[string]any{"zarr_consolidated_format": 1, "metadata": maps.Clone(s.metadata)}
	}
	return nil
}

// parentOf returns the path of the group in which a node is.
func parentOf(name string) string { return strings.TrimSuffix(path.Dir(name), ".") }

// checkName checks the path of a node.
func checkName(name string) error {
	if name == "" {
		return nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if !fs.ValidPath(part) || part == "." || strings.Trim(part, ".") == "" || strings.HasPrefix(part, "__") || strings.HasPrefix(part, ".z") ||
			part == "zarr.json" || strings.ContainsAny(part, "\x00\\") {
			return fmt.Errorf("zarr: %q cannot be the name of a variable or a group: %w; it must not have empty parts, . or .., nor begin with __ or .z", name, formats.ErrVariable)
		}
	}
	return nil
}

// describeGroup makes the metadata of a group.
func (s *storeWriter) describeGroup(name string, attrs map[string]any) error {
	encoded, err := encodeAttrs(attrs)
	if err == nil {
		err = checkName(name)
	}
	if err != nil {
		return err
	}
	if s.Version == 3 {
		s.metadata[path.Join(name, "zarr.json")] = map[string]any{"zarr_format": 3, "node_type": "group", "attributes": encoded}
		return nil
	}
	s.metadata[path.Join(name, ".zgroup")] = map[string]any{"zarr_format": 2}
	s.metadata[path.Join(name, ".zattrs")] = encoded
	return nil
}

// describeArray makes the metadata of an array.
func (s *storeWriter) describeArray(v formats.Info) (*array, error) {
	if err := checkName(v.Name); err != nil {
		return nil, err
	}
	if _, err := v.Bytes(); err != nil {
		return nil, err
	}
	a := &array{path: v.Name, order: v.Order, attrs: maps.Clone(v.Attrs), fill: v.Fill}
	a.dtype, a.size, a.big = v.DType, v.DType.Size(), s.BigEndian && v.DType != dtype.BFloat16
	if v.Labels != nil {
		if v.DType < dtype.Uint8 || v.DType > dtype.Uint64 {
			return nil, fmt.Errorf("indices of strings of type %v: %w: they are unsigned integers", v.DType, formats.ErrType)
		}
		a.text, a.fill = variable, make([]byte, a.size)
	}
	chunk := append([]int{}, v.Chunk...) // empty, not nil, which would become null in JSON
	if len(chunk) != len(v.Shape) {
		chunk = chooseChunk(v)
	}
	if err := a.setShape(append([]int{}, v.Shape...), chunk); err != nil {
		return nil, err
	}
	if v.Dims != nil {
		a.dims = ownNames(v, s.content.Vars)
	}
	if err := s.setCodecs(a, v.Codec); err != nil {
		return nil, err
	}
	delete(a.attrs, dimsAttr)
	if s.Version == 3 {
		return a, s.describe3(a)
	}
	return a, s.describe2(a)
}

// chooseChunk halves the largest extent until a chunk has about chunkBytes.
func chooseChunk(v formats.Info) []int {
	chunk := append([]int{}, v.Shape...)
	for d := range chunk {
		chunk[d] = max(chunk[d], 1)
	}
	for {
		n, err := formats.Info{DType: v.DType, Shape: chunk}.Bytes()
		if err == nil && n <= chunkBytes {
			return chunk
		}
		d := slices.Index(chunk, slices.Max(chunk))
		chunk[d] = (chunk[d] + 1) / 2
	}
}

// ownNames returns the names of the dimensions of a variable without paths, because Zarr has names
// without paths. It removes the path that scopeDims has added, or that of a coordinate in another
// group.
func ownNames(v formats.Info, vars []formats.Info) []string {
	names := make([]string, len(v.Shape))
	for d := range min(len(names), len(v.Dims)) {
		names[d] = v.Dims[d]
		for outer := v.Name; outer != ""; outer = parentOf(outer) {
			if rest, ok := strings.CutPrefix(names[d], outer+"/"); ok && rest != "" {
				names[d] = rest
				break
			}
		}
		coordinate := func(w formats.Info) bool { return w.Name == v.Dims[d] && slices.Equal(w.Dims, v.Dims[d:d+1]) }
		if slices.ContainsFunc(vars, coordinate) {
			names[d] = path.Base(v.Dims[d])
		}
	}
	return names
}

// bloscWritten are the compressors with which blosc writes.
var bloscWritten = []string{"lz4", "lz4hc", "zlib", "zstd"}

// setCodecs chooses the codecs, in the order of decoding. own is the codec that the variable asks
// for.
func (s *storeWriter) setCodecs(a *array, own formats.CodecSpec) error {
	c := s.Compressor
	if c.Name == "" && s.content.Deflate > 0 {
		c = Compressor{Name: "gzip", Level: s.content.Deflate}
	}
	if c.Name == "" {
		c = compressorOf(own)
	}
	if c.Level < 0 || c.Level > 22 || c.Level > 9 && c.Name != "zstd" || c.Shuffle < 0 || c.Shuffle > 2 {
		return errkind.Errorf(errors.ErrUnsupported, "compressor %+v: levels are 1 to 9, of zstd to 22, shuffles 0 to 2", c)
	}
	switch c.Name {
	case "", "none":
	case "gzip", "zlib":
		a.codecs = append(a.codecs, deflate{c.Name, c.Level})
	case "zstd":
		a.codecs = append(a.codecs, zstandard{level: c.Level})
	case "lz4":
		a.codecs = append(a.codecs, lz4Block{})
	case "blosc":
		b := blosc{cname: c.Blosc, clevel: c.Level, shuffle: c.Shuffle, typeSize: a.size}
		if b.cname == "" {
			b.cname = "lz4"
		}
		if a.text != noText {
			b.typeSize = 1
		}
		if !slices.Contains(bloscWritten, b.cname) {
			return errkind.Errorf(errors.ErrUnsupported, "blosc with %q: lz4, lz4hc, zlib and zstd are written", b.cname)
		}
		a.codecs = append(a.codecs, b)
	default:
		return errkind.Errorf(errors.ErrUnsupported, "compressor %q: gzip, zlib, zstd, lz4 and blosc are written", c.Name)
	}
	if s.Checksum && s.Version == 3 {
		a.codecs = slices.Insert(a.codecs, 0, codec(checksum{id: "crc32c"}))
	}
	return nil
}

// describe2 makes the metadata of an array in version 2.
func (s *storeWriter) describe2(a *array) error {
	a.key.separator = "."
	if s.Separator != "" {
		a.key.separator = s.Separator
	}
	meta := map[string]any{
		"zarr_format": 2, "shape": a.shape, "chunks": a.chunk, "dtype": name2(a.dtype), "order": "C",
		"filters": nil, "compressor": nil, "fill_value": nil, "dimension_separator": a.key.separator,
	}
	switch {
	case a.order == nil || slices.Equal(a.order, nd.RowMajor.Dims(len(a.shape))):
	case slices.Equal(a.order, nd.ColMajor(len(a.shape))):
		meta["order"] = "F"
	default:
		return errkind.Errorf(nd.ErrRank, "order %v: version 2 has row-major and column-major chunks", a.order)
	}
	if a.big && a.size > 1 {
		meta["dtype"] = ">" + names2[a.dtype]
	}
	if a.text != noText {
		meta["dtype"], meta["filters"], meta["fill_value"] = "|O", []any{map[string]any{"id": "vlen-utf8"}}, nil
	} else if a.fill != nil {
		meta["fill_value"] = a.fillJSON(a.fill)
	}
	for _, c := range a.codecs { // at most one
		id, config := c.spec(2)
		compressor := map[string]any{"id": id}
		maps.Copy(compressor, config)
		meta["compressor"] = compressor
	}
	attrs, err := encodeAttrs(a.attrs)
	if names := a.allNames(); names != nil {
		attrs[dimsAttr] = names
	}
	s.metadata[path.Join(a.path, ".zarray")] = meta
	s.metadata[path.Join(a.path, ".zattrs")] = attrs
	return err
}

// negativeZero is a number in JSON that Python reads as the integer 0.
var negativeZero = regexp.MustCompile(`-0\b([^.]|$)`)

// fillJSON returns a fill value as JSON.
func (a *array) fillJSON(fill []byte) json.RawMessage {
	return negativeZero.ReplaceAll(a.dtype.ToJSON(fill), []byte("-0.0$1"))
}

// allNames returns the names of the dimensions; nil if none has one. A dimension without a name
// gets one, because version 2 has names for all or for none. For a scalar the list is empty, not
// nil, because xarray refuses a group in which one array has no list of names.
func (a *array) allNames() []string {
	if len(a.shape) == 0 {
		return []string{}
	}
	if !slices.ContainsFunc(a.dims, func(name string) bool { return name != "" }) {
		return nil
	}
	names := slices.Clone(a.dims)
	for d := range names {
		if names[d] == "" {
			names[d] = fmt.Sprintf("dim_%d", d)
		}
	}
	return names
}

// describe3 makes the metadata of an array in version 3.
func (s *storeWriter) describe3(a *array) error {
	a.key = keyEncoding{"c", "/"}
	if s.Separator != "" {
		a.key.separator = s.Separator
	}
	var codecs []any
	add := func(name string, config map[string]any) {
		c := map[string]any{"name": name}
		if len(config) > 0 {
			c["configuration"] = config
		}
		codecs = append(codecs, c)
	}
	if a.order != nil && !slices.Equal(a.order, nd.RowMajor.Dims(len(a.shape))) {
		add("transpose", map[string]any{"order": a.order})
	}
	typeName, fill := a.dtype.String(), a.fill
	switch endian := map[bool]string{false: "little", true: "big"}[a.big]; {
	case a.text != noText:
		typeName = "string"
		add("vlen-utf8", nil)
	case a.size > 1:
		add("bytes", map[string]any{"endian": endian})
	default:
		add("bytes", nil)
	}
	for _, c := range slices.Backward(a.codecs) {
		add(c.spec(3))
	}
	if fill == nil {
		fill = make([]byte, a.size)
	}
	meta := map[string]any{
		"zarr_format": 3, "node_type": "array", "shape": a.shape, "data_type": typeName, "codecs": codecs,
		"chunk_grid":         map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": a.chunk}},
		"chunk_key_encoding": map[string]any{"name": "default", "configuration": map[string]any{"separator": a.key.separator}},
		"fill_value":         a.fillJSON(fill),
	}
	if a.text != noText {
		meta["fill_value"] = ""
	}
	if a.dims != nil || len(a.shape) == 0 {
		names := make([]any, len(a.dims))
		for d, name := range a.dims {
			if name != "" {
				names[d] = name
			}
		}
		meta["dimension_names"] = names
	}
	a.encodeFillAttr()
	attrs, err := encodeAttrs(a.attrs)
	meta["attributes"] = attrs
	s.metadata[path.Join(a.path, "zarr.json")] = meta
	return err
}

// encodeFillAttr is the inverse of decodeFillAttr.
func (a *array) encodeFillAttr() {
	v, ok := a.attrs[fillAttr]
	if !ok || !a.dtype.IsFloat() || a.text != noText {
		return
	}
	if b, err := dtype.Float64.EncodeValue(v); err == nil {
		f := math.Float64frombits(binary.LittleEndian.Uint64(b))
		a.attrs[fillAttr] = base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
	}
}

// writeJSON writes a file of metadata.
func (s *storeWriter) writeJSON(key string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return s.write(key, append(ascii(data), '\n'))
}

// ascii escapes all non-ASCII characters of JSON, which zarr-python 2 cannot read. They occur only
// in strings.
func ascii(data []byte) []byte {
	var out []byte
	for _, r := range string(data) {
		switch high, low := utf16.EncodeRune(r); {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case high != utf8.RuneError:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
