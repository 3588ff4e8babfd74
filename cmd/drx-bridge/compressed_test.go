//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats/transfer"
)

// howStored is a script that prints, as one line of JSON per file, how libraries say that the
// variable a is compressed, and a sum of its elements.
const howStored = `
import json, subprocess, sys
import h5py, netCDF4, numpy, xarray, zarr
for name in sys.argv[1:]:
    how, values = None, None
    if name.endswith(".h5"):
        with h5py.File(name) as f:
            d = f["a"]
            how, values = [d.compression, d.compression_opts, d.shuffle], d[...]
    elif name.endswith(".nc"):
        with netCDF4.Dataset(name) as f:
            v = f["a"].filters()
            how, values = ["gzip" if v["zlib"] else None, v["complevel"] or None, v["shuffle"]], f["a"][...]
    elif name.endswith(".zarr"):
        c = zarr.open(name, "r")["a"].compressor
        with xarray.open_zarr(name, consolidated=False) as f:
            how, values = c and [c.get_config()[k] for k in ("id", "cname", "clevel", "shuffle") if k in c.get_config()], f["a"].values
    elif name.endswith(".zarr3"):
        codecs = json.load(open(name + "/a/zarr.json"))["codecs"]
        how = [c["name"] for c in codecs[1:]] or None
    elif name.endswith(".tif"):
        how = json.loads(subprocess.check_output(["gdalinfo", "-json", name]))["metadata"]["IMAGE_STRUCTURE"]
        how = [how.get("COMPRESSION"), how.get("PREDICTOR")]
    print(json.dumps([how, None if values is None else float(numpy.asarray(values).astype(float).sum())]))
`

// An export compresses like the programs of the format, with the libraries in this process and with
// the two programs. none, and level 0, do not compress; Zarr keeps the codec of the array.
func TestExportIsCompressed(t *testing.T) {
	dir, elements := t.TempDir(), make([]int16, 40*50)
	sum := 0.
	for i := range elements {
		elements[i] = int16(i/50 + i%7)
		sum += float64(elements[i])
	}
	for name, codec := range map[string]string{"raw": "", "own": "blosc:zstd:3:bitshuffle"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		a, err := drx.Create(filepath.Join(dir, name, "a"), drx.Spec{DType: dtype.Int16, Shape: []int{40, 50}, Dims: []string{"y", "x"}, ChunkShape: []int{20, 50}, Codec: codec})
		if err == nil {
			err = a.WriteBytes(nil, dtype.Bytes(elements), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	program, files := buildPrograms(t), []string{}
	var want []string
	for _, c := range []struct{ array, ext, codec, how string }{
		{"raw", ".h5", "", `["gzip",4,true]`},
		{"own", ".h5", "", `["gzip",4,true]`},
		{"raw", ".h5", "none", `[null,null,false]`},
		{"raw", ".nc", "", `["gzip",4,true]`},
		{"own", ".nc", "none", `[null,null,false]`},
		{"raw", ".zarr", "", `["blosc","lz4",5,1]`},
		{"own", ".zarr", "", `["blosc","zstd",3,2]`},
		{"own", ".zarr", "none", `null`},
		{"raw", ".zarr3", "", `["zstd"]`},
		{"own", ".zarr3", "", `["blosc"]`},
		{"raw", ".zarr3", "none", `null`},
		{"raw", ".tif", "", `["DEFLATE","2"]`},
		{"own", ".tif", "none", `[null,null]`},
	} {
		here, there := filepath.Join(dir, c.array+"_here_"+c.codec+c.ext), filepath.Join(dir, c.array+"_there_"+c.codec+c.ext)
		source := filepath.Join(dir, c.array, "a")
		if _, err := transfer.Export(t.Context(), source, here, transfer.ExportOptions{Codec: c.codec}); err != nil {
			t.Fatal(err)
		}
		files, want = append(files, here), append(want, c.how)
		if c.array == "raw" {
			arguments := []string{"export", source, there}
			if c.codec == "none" {
				arguments = append(arguments, "--deflate", "0")
			}
			runProgram(t, program, arguments...)
			files, want = append(files, there), append(want, c.how)
		}
	}
	python := exec.Command("/usr/bin/python3", append([]string{"-W", "ignore", "-c", howStored}, files...)...)
	python.Stderr = os.Stderr
	out, err := python.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(files) {
		t.Fatalf("%d lines for %d files", len(lines), len(files))
	}
	for i, line := range lines {
		var got []json.RawMessage
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if how := strings.ReplaceAll(string(got[0]), " ", ""); how != want[i] {
			t.Errorf("%s: compressed %s, want %s", filepath.Base(files[i]), how, want[i])
		}
		var read *float64
		if err := json.Unmarshal(got[1], &read); err != nil || read != nil && *read != sum {
			t.Errorf("%s: %s, %v: other elements", filepath.Base(files[i]), got[1], err)
		}
	}
}
