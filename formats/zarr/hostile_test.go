package zarr

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// put writes the files of a store.
func put(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "hostile.zarr")
	for key, text := range files {
		path := filepath.Join(folder, key)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// array2 returns the metadata of an array of version 2. Each member, given as "name":value,
// replaces the usual one.
func array2(members ...string) string {
	all := []string{
		`"zarr_format":2`, `"shape":[4]`, `"chunks":[2]`, `"dtype":"<i4"`, `"fill_value":0`, `"order":"C"`, `"filters":null`, `"compressor":null`,
	}
	return replaced(all, members)
}

// array3 is array2 for version 3.
func array3(members ...string) string {
	all := []string{
		`"zarr_format":3`, `"node_type":"array"`, `"shape":[4]`, `"data_type":"int32"`, `"fill_value":0`, `"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]`,
		`"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}}`, `"chunk_key_encoding":{"name":"default"}`,
	}
	return replaced(all, members)
}

func replaced(all, members []string) string {
	for _, m := range members {
		name, _, _ := strings.Cut(m, ":")
		found := false
		for i := range all {
			if strings.HasPrefix(all[i], name+":") {
				all[i], found = m, true
			}
		}
		if !found {
			all = append(all, m)
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// Metadata that is wrong or not supported must be refused with the reason, on one line.
func TestRefusedMetadata(t *testing.T) {
	for _, c := range []struct {
		meta string // .zarray, or zarr.json if it contains node_type
		is   error
		text string
	}{
		{`{`, ErrFormat, "unexpected end of JSON input"},
		{`null`, ErrFormat, "null is not a JSON object"},
		{`{"zarr_format":2}`, ErrFormat, "needs zarr_format 2, shape, chunks and dtype"},
		{array2(`"zarr_format":1`), ErrFormat, "version 1"},
		{array2(`"shape":[-4]`), ErrFormat, "dimension 0: extent -4"},
		{array2(`"shape":["4"]`), ErrFormat, `shape ["4"]`},
		{array2(`"shape":[4,4]`), nd.ErrRank, "chunks [2] of shape [4 4]"},
		{array2(`"chunks":[0]`), ErrFormat, "chunks of 0"},
		{array2(`"shape":[4611686018427387904]`, `"dtype":"<i8"`), nd.ErrOverflow, "shape"},
		{array2(`"chunks":[4611686018427387904]`), nd.ErrOverflow, "chunks"},
		{array2(`"chunks":[1000000000]`, `"compressor":{"id":"zlib","level":1}`), formats.ErrMemory, "decoding takes up to 12 times as much, the limit is 536870912 bytes"},
		{array2(`"dtype":[["a","<i4"],["b","<f8"]]`), formats.ErrType, "is structured"},
		{array2(`"dtype":"|V7"`), formats.ErrType, `dtype "|V7"`},
		{array2(`"dtype":"<M8[Y]"`), formats.ErrType, "known are the units W, D, h"},
		{array2(`"dtype":"i4"`), ErrFormat, `dtype "i4"`},
		{array2(`"dtype":"|O"`), ErrCodec, "without the filter vlen-utf8"},
		{array2(`"fill_value":"x"`), ErrFormat, `fill_value "x" of int32`},
		{array2(`"fill_value":1e300`), ErrFormat, "fill_value 1e300 of int32"},
		{array2(`"order":"K"`), ErrFormat, `order "K" is neither C nor F`},
		{array2(`"dimension_separator":"../"`), ErrFormat, `separator "../"`},
		{array2(`"compressor":{"id":"zfpy"}`), ErrCodec, `codec "zfpy"`},
		{array2(`"filters":[{"id":"delta","dtype":"<i4"}]`), ErrCodec, `codec "delta"`},
		{array2(`"filters":[{"id":"shuffle","elementsize":0}]`), ErrFormat, "elements of 0 bytes"},
		{array3(`"fill_value":null`), ErrFormat, "zarr.json has no fill_value"},
		{array3(`"zarr_format":4`), ErrFormat, "version 4"},
		{array3(`"node_type":"tree"`), ErrFormat, `node_type "tree"`},
		{array3(`"data_type":"r16"`), formats.ErrType, `data_type "r16"`},
		{array3(`"extra":{"name":"x"}`), ErrCodec, "extra, which is not known: " + ErrCodec.Error() + "; " + rewritten},
		{array3(`"chunk_grid":{"name":"rectangular"}`), ErrCodec, "only regular ones are; zarr-python rewrites the array with one"},
		{array3(`"chunk_key_encoding":{"name":"fancy"}`), ErrCodec, "only default and v2 are; zarr-python rewrites"},
		{array3(`"chunk_key_encoding":{"name":"v2","configuration":{"separator":"/../"}}`), ErrFormat, "separator"},
		{array3(`"dimension_names":["x","y"]`), ErrFormat, "2 names of 1 dimensions"},
		{array3(`"codecs":[]`), ErrFormat, "do not turn elements into bytes"},
		{array3(`"codecs":["bytes"]`), ErrFormat, `endian "" is neither`},
		{array3(`"codecs":[{"name":"transpose","configuration":{"order":[1]}}]`), ErrFormat, "transpose: order [1]"},
		{array3(`"codecs":["numcodecs.pcodec"]`), ErrCodec, `codec "numcodecs.pcodec"`},
		{array3(`"storage_transformers":[{"name":"x"}]`), ErrCodec, `storage transformer "x": ` + ErrCodec.Error() + "; " + rewritten},
		{array3(`"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[3],"codecs":["bytes"],"index_codecs":["bytes"]}}]`), ErrFormat, "chunks of 3 do not divide shards of 2"},
		{array3(`"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes"],"index_codecs":["gzip"]}}]`), ErrCodec, "the index has no codec bytes: " + ErrCodec.Error() + "; zarr-python rewrites"},
		{array3(`"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]}}]`), ErrCodec, "only checksums are; " + rewritten},
		{array3(`"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}},{"name":"gzip","configuration":{"level":1}}]`), ErrCodec, `codec "gzip" after sharding_indexed: ` + ErrCodec.Error() + "; " + rewritten},
		{array3(`"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]}}]`), ErrCodec, "shards within shards: " + ErrCodec.Error() + "; zarr-python rewrites"},
		{array3(`"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1000000000]}}`,
			`"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`), formats.ErrMemory, "the index takes more than"},
	} {
		name := ".zarray"
		if strings.Contains(c.meta, "node_type") {
			name = "zarr.json"
		}
		folder := put(t, map[string]string{name: c.meta})
		_, err := formats.Open(folder, formats.Options{})
		if !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), folder+": ") || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.200s: %v, want %q", c.meta, err, c.text)
		}
		if l, err := formats.List(folder, formats.Options{}); err != nil || len(l.Vars) != 1 || !strings.Contains(l.Vars[0].Refused, c.text) {
			t.Errorf("%.200s: %+v, %v", c.meta, l, err)
		}
	}
}

// Chunks that are truncated, too long or damaged must give errors that name them.
func TestRefusedChunks(t *testing.T) {
	gzipped := `"compressor":{"id":"gzip","level":1}`
	blosc := `"compressor":{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1}`
	header := func(size, block, encoded string) string {
		return "\x02\x01\x21\x04" + size + "\x00\x00\x00" + block + "\x00\x00\x00" + encoded + "\x00\x00\x00"
	}
	for _, c := range []struct {
		meta, chunk string
		is          error
		text        string
	}{
		{array2(), "1234567", io.ErrUnexpectedEOF, "7 bytes of elements, expected 8"},
		{array2(), "123456789", ErrFormat, "9 bytes of elements, expected 8"},
		{array2(), strings.Repeat("x", 1<<20), ErrFormat, "1048576 bytes, 65552 at most are expected for 8"},
		{array2(`"dtype":"|b1"`), "\x01\x02", ErrFormat, "element 1: bool 2"},
		{array2(gzipped), "\x1f\x8b\x08", ErrFormat, "gzip"},
		{array2(blosc), "\x02\x01", ErrFormat, "blosc: 2 bytes"},
		{array2(blosc), header("\x08", "\x08", "\x99"), ErrFormat, "blosc: 153 bytes by its header, found 16"},
		{array2(blosc), header("\xff", "\x08", "\x10"), ErrFormat, "blosc: 255 bytes, more than 8"},
		{array2(blosc), header("\x08", "\x00", "\x10"), ErrFormat, "blosc: blocks of 0 bytes"},
		{array2(blosc), header("\x08", "\x01", "\x10"), ErrFormat, "blosc: 0 bytes for the starts of blocks of 1 in 8"},
		{array2(blosc), header("\x08", "\x08", "\x14") + "\xff\x00\x00\x00", ErrFormat, "it begins at byte 255"},
		{array2(`"dtype":"|O"`, `"filters":[{"id":"vlen-utf8"}]`), "\x02\x00\x00\x00\xff\xff\xff\xff", ErrFormat, "string 0 of 2 is cut"},
		{array2(`"dtype":"|O"`, `"filters":[{"id":"vlen-utf8"}]`), "\x03\x00\x00\x00", ErrFormat, "begins with another number"},
		{array2(`"dtype":"|S3"`), "12345", ErrFormat, "5 bytes for 2 strings"},
	} {
		folder := put(t, map[string]string{"g/a/.zarray": c.meta, "g/a/0": c.chunk, "g/.zgroup": "{}"})
		r, err := formats.Open(folder, formats.Options{})
		if err == nil {
			err = r.ReadSection(nil, make([]byte, 4*r.Info().DType.Size()))
			r.Close()
		}
		if !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), folder+": g/a: chunk [0]: ") || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%.100s: %v, want %q", c.meta, err, c.text)
		}
	}
}

// Nothing outside of the store may be read, neither through links nor by names with dots, and a
// pipe must not block the reader.
func TestStaysInside(t *testing.T) {
	outside := put(t, map[string]string{"secret": "12345678"})
	folder := put(t, map[string]string{".zarray": array2()})
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(folder, "0")); err != nil {
		t.Fatal(err)
	}
	r, err := formats.Open(folder, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ReadSection(nil, make([]byte, 16)); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("a link out of the store: %v", err)
	}
	r.Close()
	secret := put(t, map[string]string{"zarr.json": array3(), ".zarray": array2(), "c/0": "12345678", "c/1": "12345678"})
	for _, c := range []struct{ link, to, beside string }{
		{"zarr.json", "zarr.json", ""}, {".zarray", ".zarray", ""}, {"c", "c", "zarr.json"}, {"g", "", ".zgroup"},
	} {
		folder := put(t, map[string]string{".zgroup": `{"zarr_format":2}`, "zarr.json": array3()})
		for _, name := range []string{".zgroup", "zarr.json"} {
			if name != c.beside {
				os.Remove(filepath.Join(folder, name))
			}
		}
		if err := os.Symlink(filepath.Join(secret, c.to), filepath.Join(folder, c.link)); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 16)
		r, err := formats.Open(folder, formats.Options{Format: "zarr3"})
		if err == nil {
			err = r.ReadSection(nil, buf)
			r.Close()
		}
		if err == nil || strings.Contains(string(buf), "1") {
			t.Errorf("%s leads out of the store: %v, %q", c.link, err, buf)
		}
	}
	for _, key := range []string{"../a/.zarray", "/a/.zarray", "a/../../.zarray", "a//.zarray"} {
		folder := put(t, map[string]string{".zmetadata": `{"metadata":{"` + key + `":` + array2() + `}}`})
		if _, err := formats.List(folder, formats.Options{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// .zmetadata counts for nodes without metadata of their own; other nodes use their own.
func TestConsolidated(t *testing.T) {
	folder := put(t, map[string]string{
		".zmetadata": `{"zarr_consolidated_format":1,"metadata":{".zgroup":{},"a/.zarray":` + array2() + `,"g/b/.zarray":` + array2() + `,"g/b/.zattrs":{"x":1}}}`,
		"a/.zarray":  array2(`"shape":[3]`),
	})
	c, err := formats.List(folder, formats.Options{})
	if err != nil || len(c.Vars) != 2 || c.Vars[0].Shape[0] != 3 || c.Vars[1].Name != "g/b" || c.Vars[1].Attrs["x"] != int64(1) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A variable must be found by its name, and the error for an unknown name must list the names.
func TestVariables(t *testing.T) {
	for name, text := range map[string]string{"": "no such variable: name one of a, b", "c": "c: no such variable: there are a, b"} {
		folder := put(t, map[string]string{".zgroup": "{}", "a/.zarray": array2(), "b/.zarray": array2()})
		if _, err := formats.Open(folder, formats.Options{Variable: name}); !errors.Is(err, formats.ErrVariable) || err.Error() != folder+": "+text {
			t.Errorf("%q: %v", name, err)
		}
	}
	draft := put(t, map[string]string{"zarr.json": `{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_encoding":"x","metadata_key_suffix":".json"}`})
	if _, err := formats.Open(draft, formats.Options{}); !errors.Is(err, ErrCodec) || !strings.Contains(err.Error(), "a draft of version 3") {
		t.Error(err)
	}
}

// Create must refuse what it cannot write, and leave nothing behind.
func TestCreateRefuses(t *testing.T) {
	v := func(name string) formats.Info { return formats.Info{Name: name, DType: dtype.Int8, Shape: []int{2}} }
	order := v("v")
	order.Shape, order.Order = []int{2, 2, 2}, nd.Order{1, 0, 2}
	labels := v("v")
	labels.Labels = []string{"a"}
	for _, c := range []struct {
		vars []formats.Info
		o    Options
		is   error
	}{
		{[]formats.Info{v("a"), v("a")}, Options{}, formats.ErrVariable},
		{[]formats.Info{v("a"), v("a/b")}, Options{}, formats.ErrVariable},
		{[]formats.Info{v(""), v("b")}, Options{}, formats.ErrVariable},
		{[]formats.Info{v("../a")}, Options{}, formats.ErrVariable},
		{[]formats.Info{v("/a")}, Options{}, formats.ErrVariable},
		{[]formats.Info{v("a//b")}, Options{}, formats.ErrVariable},
		{[]formats.Info{v("a/.zarray")}, Options{}, formats.ErrVariable},
		{[]formats.Info{v("a/__b")}, Options{Version: 3}, formats.ErrVariable},
		{[]formats.Info{order}, Options{}, nd.ErrRank},
		{[]formats.Info{labels}, Options{}, formats.ErrType},
		{[]formats.Info{{Name: "a"}}, Options{}, dtype.ErrDType},
		{[]formats.Info{v("a")}, Options{Compressor: Compressor{Name: "lzma"}}, errors.ErrUnsupported},
		{[]formats.Info{v("a")}, Options{Compressor: Compressor{Name: "blosc", Blosc: "blosclz"}}, errors.ErrUnsupported},
		{[]formats.Info{v("a")}, Options{Version: 4}, errors.ErrUnsupported},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if _, err := Create(path, formats.Content{Vars: c.vars}, c.o); !errors.Is(err, c.is) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v %+v: %v", c.vars, c.o, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+v: something remains: %v", c.vars, err)
		}
	}
}

// A chunk without compression, of any declared size, must be read in parts. A missing one reads as
// the fill value and takes no memory.
func TestHugePlainChunks(t *testing.T) {
	const huge = `68719476736`
	for _, meta := range []string{
		array2(`"shape":[1099511627776]`, `"chunks":[`+huge+`]`, `"dtype":"|u1"`),
		array2(`"shape":[1099511627776]`, `"chunks":[`+huge+`]`, `"dtype":"|u1"`, `"order":"F"`),
	} {
		r, err := formats.Open(put(t, map[string]string{".zarray": meta}), formats.Options{Memory: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		sec := nd.Sec(nd.Span(1<<37, 1<<37+5))
		if n := r.Info().Chunk[0]; n > maxWhole {
			t.Errorf("parts of %d bytes", n)
		}
		if fill := r.(formats.Sparse).Missing(sec); string(fill) != "\x00" {
			t.Errorf("missing: %v", fill)
		}
		if err := errors.Join(r.ReadSection(sec, make([]byte, 5)), r.Close()); err != nil {
			t.Error(err)
		}
	}
	folder := put(t, map[string]string{".zarray": array2(`"shape":[`+huge+`]`, `"chunks":[`+huge+`]`, `"dtype":"|u1"`), "0": "x"})
	r, err := formats.Open(folder, formats.Options{Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if fill := r.(formats.Sparse).Missing(nd.Sec(nd.Span(0, 5))); fill != nil {
		t.Errorf("a chunk that is there counts as missing: %v", fill)
	}
	if err := r.ReadSection(nd.Sec(nd.Span(0, 5)), make([]byte, 5)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("chunk that is cut: %v", err)
	}
}
