//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// makeRegistered makes a file with all kinds of chunks behind gzip, blosc, lz4 and zstd.
func makeRegistered(t *testing.T, seed int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.h5")
	bridge.Python(t, "testdata/registered.py", path, fmt.Sprint(seed))
	return path
}

// Chunks that plugins, or libzstd, have encoded must be decoded without them: all types, shuffles,
// several filters, masks of filters, missing chunks. Sections must equal those of the whole.
func TestRegisteredFilters(t *testing.T) {
	seeds := 2
	if os.Getenv("DRX_SOAK") != "" {
		seeds = 20
	}
	for seed := range seeds {
		path := makeRegistered(t, seed)
		c, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rng, compared := rand.New(rand.NewPCG(uint64(seed), 32001)), 0
		for _, v := range c.Vars {
			if strings.HasPrefix(v.Name, "plain/") {
				continue
			}
			if v.Refused != "" {
				t.Errorf("%s: %s", v.Name, v.Refused)
				continue
			}
			info, got := bridge.Get(t, path, v.Name)
			plain, want := bridge.Get(t, path, "plain/"+v.Name)
			if !bytes.Equal(got, want) || info.DType != plain.DType || info.Codec.IsNone() {
				t.Errorf("seed %d, %s: other elements than the plain ones, codec %s", seed, v.Name, info.Codec)
			}
			sec := make(nd.Section, len(v.Shape))
			for d, n := range v.Shape {
				lo := rng.IntN(n)
				sec[d] = nd.Span(lo, lo+1+rng.IntN(n-lo))
			}
			if !bytes.Equal(readPart(t, path, v.Name, sec), readPart(t, path, "plain/"+v.Name, sec)) {
				t.Errorf("seed %d, %s: section %v has other elements", seed, v.Name, sec)
			}
			compared++
		}
		if compared < 5*34 {
			t.Errorf("%d datasets were compared", compared)
		}
	}
}

// readPart reads a section of a dataset.
func readPart(t *testing.T, path, name string, sec nd.Section) []byte {
	t.Helper()
	r, err := formats.Open(path, formats.Options{Variable: name})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, _ := sec.Len()
	buf := make([]byte, n*r.Info().DType.Size())
	if err := r.ReadSection(sec, buf); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return buf
}

// With every codec and type, in chunks of all sizes, the written elements must be read unchanged,
// also by h5py if it has a plugin.
func TestWritesRegistered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	rng := rand.New(rand.NewPCG(3, 9))
	var c formats.Content
	for i, text := range []string{"zstd:1", "zstd:19", "lz4", "blosc", "blosc:lz4hc:9:noshuffle", "blosc:zlib:3", "blosc:zstd:4:bitshuffle", "gzip:3"} {
		codec, err := formats.ParseCodec(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range richContent(t).Vars {
			if v.Labels != nil || len(v.Shape) == 0 || v.Attrs["enum_type"] != nil {
				continue
			}
			v.Name, v.Dims, v.Attrs, v.Codec, v.Unlimited = fmt.Sprintf("v%d_%d", i, len(c.Vars)), nil, nil, codec, nil
			v.Chunk = nil
			for d := range v.Shape {
				v.Shape = slices.Clone(v.Shape)
				v.Shape[d] += rng.IntN(30)
				v.Chunk = append(v.Chunk, 1+rng.IntN(v.Shape[d]))
			}
			c.Vars = append(c.Vars, v)
		}
	}
	data := writeContent(t, path, c)
	for i, v := range c.Vars {
		info, got := bridge.Get(t, path, v.Name)
		has := info.Codec
		if has.Name == "gzip" {
			has.Shuffle = ""
		}
		if !bytes.Equal(got, data[i]) || has != v.Codec {
			t.Errorf("%s: codec %s, want %s: equal elements: %v", v.Name, has, v.Codec, bytes.Equal(got, data[i]))
		}
	}
	args := []string{"testdata/hex.py", path}
	var want []string
	for i, v := range c.Vars { // h5py has no plugin for zstd, and reads a bfloat16 as a float32
		if v.Codec.Name != "zstd" && v.DType != dtype.BFloat16 {
			args, want = append(args, v.Name), append(want, fmt.Sprintf("%x", data[i]))
		}
	}
	if got := strings.Fields(string(bridge.Python(t, args...))); !slices.Equal(got, want) {
		t.Errorf("h5py reads other elements of %v", args)
	}
}
