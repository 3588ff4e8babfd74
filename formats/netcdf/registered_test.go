//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
)

// With every codec and type, in chunks of all sizes, the written elements must be read unchanged,
// also by netCDF4-python if it has a plugin. The tests of format hdf5, which has the same filters,
// cover codecs without a plugin here.
func TestRegisteredFilters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nc")
	rng := rand.New(rand.NewPCG(3, 9))
	var c formats.Content
	for _, text := range []string{"zstd:1", "lz4", "blosc", "blosc:lz4hc:9:noshuffle", "blosc:zlib:3", "blosc:zstd:4:bitshuffle", "gzip:3"} {
		codec, err := formats.ParseCodec(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range dtype.All() {
			if of == dtype.Float16 || of == dtype.BFloat16 {
				continue
			}
			v := formats.Info{Name: fmt.Sprint("v", len(c.Vars)), DType: of, Codec: codec}
			for d := range 1 + rng.IntN(3) {
				v.Shape = append(v.Shape, 1+rng.IntN(30))
				v.Chunk = append(v.Chunk, 1+rng.IntN(v.Shape[d]))
				v.Dims = append(v.Dims, fmt.Sprintf("%s_%d", v.Name, d))
				v.Unlimited = append(v.Unlimited, d == 0 && rng.IntN(2) == 0)
			}
			c.Vars = append(c.Vars, v)
		}
	}
	data := bridgetest.Write(t, path, "", c, bridgetest.SmallNumbers)
	args := []string{"-W", "ignore", "-c", `
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1]) as f:
    f.set_auto_mask(False)
    for name in sys.argv[2:]:
        print(f[name][...].tobytes().hex())
`, path}
	var want []string
	for i, v := range c.Vars {
		info, got := bridge.Get(t, path, v.Name)
		has := info.Codec
		if has.Name == "gzip" {
			has.Shuffle = ""
		}
		if !bytes.Equal(got, data[i]) || has != v.Codec {
			t.Errorf("%s, %v: codec %s, want %s: equal elements: %v", v.Name, v.DType, has, v.Codec, bytes.Equal(got, data[i]))
		}
		if v.Codec.Name != "zstd" {
			args, want = append(args, v.Name), append(want, fmt.Sprintf("%x", data[i]))
		}
	}
	cmd := exec.Command(bridge.Interpreter(t), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, want) {
		t.Errorf("netCDF4-python reads other elements, %v", err)
	}
}

func TestDamagedFrames(t *testing.T) { bridge.DamagedFrames(t, "../hdf5/testdata/damaged.py", "a.nc") }
