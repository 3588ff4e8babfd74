package zarr

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"drx/formats"
)

// FuzzMetadata checks that no metadata causes a panic or takes more memory than allowed, whatever
// its chunks are.
func FuzzMetadata(f *testing.F) {
	paths, err := filepath.Glob(golden + "/*/*/zarr.json")
	more, err2 := filepath.Glob(golden + "/*/zarr.json")
	if err := errors.Join(err, err2); err != nil || len(paths)+len(more) < 50 {
		f.Fatalf("%d files, %v", len(paths)+len(more), err)
	}
	for _, path := range append(paths, more...) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte("{}"), []byte{1, 0, 0, 0})
	}
	f.Add([]byte(`{"zarr_format":2,"shape":[2,3],"chunks":[1,2],"dtype":"<i4","fill_value":null,"order":"F","filters":[{"id":"shuffle","elementsize":4}],"compressor":{"id":"zlib","level":1}}`),
		[]byte(`{"_ARRAY_DIMENSIONS":["y","x"],"a":NaN}`), []byte("\x78\x9c"))
	f.Add([]byte(`{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|O","fill_value":0,"order":"C","filters":[{"id":"vlen-utf8"}],"compressor":null}`),
		[]byte(`{}`), []byte("\x02\x00\x00\x00\x01\x00\x00\x00a\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, meta, attrs, chunk []byte) {
		files := fstest.MapFS{".zarray": {Data: meta}, ".zattrs": {Data: attrs}}
		if bytes.Contains(meta, []byte("node_type")) {
			files = fstest.MapFS{"zarr.json": {Data: meta}}
		}
		for _, key := range []string{"0", "0.0", "c/0", "c/0/0", "0/0", "c"} {
			files[key] = &fstest.MapFile{Data: chunk}
		}
		s := &store{files: files, memory: 1 << 22, close: func() error { return nil }}
		h, err := readHierarchy(s)
		if err != nil {
			return
		}
		h.content()
		r, err := h.open("")
		if err != nil {
			return
		}
		sec := r.wholeSection()
		for d := range sec {
			sec[d].Hi = min(sec[d].Hi, 3)
		}
		if n, err := (formats.Info{DType: r.info.DType, Shape: sec.Shape()}).Bytes(); err == nil && n < 1<<20 {
			_ = r.ReadSection(sec, make([]byte, n))
		}
	})
}

// FuzzDecode checks that no bytes make a codec panic or return more than its limit.
func FuzzDecode(f *testing.F) {
	source := bytes.Repeat([]byte("abcdefgh12345678"), 20)
	codecs := []codec{deflate{id: "bz2"}, checksum{id: "crc32c"}, checksum{"fletcher32", false}, checksum{"crc32", true}, shuffle{4}}
	for _, c := range compressors[1:] {
		s := &storeWriter{Options: Options{Version: 2, Compressor: c}}
		a := &array{elementType: elementType{size: 4}}
		if err := s.setCodecs(a, formats.CodecSpec{}); err != nil {
			f.Fatal(err)
		}
		codecs = append(codecs, a.codecs...)
	}
	for i, c := range codecs {
		if data, err := c.encode(source); err == nil {
			f.Add(uint(i), data, uint16(len(source)))
		}
	}
	// A frame of blosclz that C-Blosc has made from 64 zeros: one block of one stream.
	f.Add(uint(5), []byte("\x02\x01\x11\x01\x40\x00\x00\x00\x40\x00\x00\x00\x1d\x00\x00\x00\x14\x00\x00\x00\x05\x00\x00\x00\x00\x00\xe0\x34\x00"), uint16(64))
	f.Fuzz(func(t *testing.T, i uint, data []byte, limit uint16) {
		c := codecs[i%uint(len(codecs))]
		out, err := c.decode(slices.Clone(data), int(limit))
		if _, isSum := c.(checksum); !isSum && c != (shuffle{4}) && err == nil && len(out) > int(limit) {
			t.Errorf("%T: %d bytes, the limit is %d", c, len(out), limit)
		}
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%T: %v", c, err)
		}
	})
}

// FuzzEncode checks that every codec decodes what it has encoded.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("abcabcabcabcabcabc"), uint8(1), uint8(1))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 4, 0, 0, 0, 0}, 100), uint8(4), uint8(8))
	f.Fuzz(func(t *testing.T, data []byte, which, size uint8) {
		c := compressors[1+int(which)%(len(compressors)-1)]
		a := &array{elementType: elementType{size: max(1, int(size))}}
		s := &storeWriter{Options: Options{Version: 3, Compressor: c, Checksum: true}}
		if err := s.setCodecs(a, formats.CodecSpec{}); err != nil {
			t.Fatal(err)
		}
		a.codecs = append(a.codecs, shuffle{max(1, int(size))})
		encoded := slices.Clone(data)
		for _, c := range slices.Backward(a.codecs) {
			var err error
			if encoded, err = c.encode(encoded); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range a.codecs {
			var err error
			if encoded, err = c.decode(encoded, 2*len(data)+1000); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(encoded, data) {
			t.Errorf("%+v: % x, want % x", c, encoded, data)
		}
	})
}

// FuzzShard checks that no index of a shard causes a panic or leads out of its file.
func FuzzShard(f *testing.F) {
	for _, name := range []string{"shard/start_True/c/0/0", "shard/end_False/c/1/0", "shard/holes/c/0"} {
		data, err := os.ReadFile(filepath.Join(golden, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, true, true)
		f.Add(data, false, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, atStart, big bool) {
		s := &shard{chunk: []int{2, 3}, atStart: atStart, big: big}
		if !big {
			s.indexCodec = []codec{checksum{id: "crc32c"}}
		}
		index, err := s.readIndex(bytes.NewReader(data), int64(len(data)), []int{4, 6}, 1<<20)
		if err != nil {
			return
		}
		for _, e := range index {
			if !e.missing() && e.offset+e.length > uint64(len(data)) {
				t.Errorf("%d bytes at %d of %d", e.length, e.offset, len(data))
			}
		}
	})
}

// FuzzText checks that no bytes of strings cause a panic.
func FuzzText(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x01\x00\x00\x00a\x00\x00\x00\x00"), uint8(3), uint8(0))
	f.Add([]byte("a\x00\x00\x00b\x00\x00\x00"), uint8(2), uint8(4))
	f.Fuzz(func(t *testing.T, data []byte, kind, size uint8) {
		e := elementType{text: textKind(1 + kind%3), size: int(size) &^ 3}
		n := 2
		if e.size > 0 {
			n = len(data) / e.size
		}
		seen := 0
		err := e.eachString(data, n, func(i int, s string) error {
			seen++
			return nil
		})
		if err == nil && seen != n {
			t.Errorf("%d strings, want %d", seen, n)
		}
	})
}
