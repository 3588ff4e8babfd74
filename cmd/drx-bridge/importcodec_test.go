//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats/transfer"
)

// makesCompressed is a script that makes a file for each kind of compression, all with the same
// elements.
const makesCompressed = `
import sys, subprocess
import h5py, netCDF4, numcodecs, numpy, zarr
folder = sys.argv[1] + "/"
a = (numpy.arange(40 * 600) // 600 + numpy.arange(40 * 600) % 7).astype("i2").reshape(40, 600)
for name, how in {"raw": {}, "gzip": dict(compression="gzip", shuffle=True), "lzf": dict(compression="lzf"),
                  "szip": dict(compression="szip"), "nbit": dict(scaleoffset=0)}.items():
    with h5py.File(folder + name + ".h5", "w") as f:
        f.create_dataset("a", data=a, chunks=(20, 600), **how)
for name, how in {"raw": {}, "zlib": dict(zlib=True)}.items():
    with netCDF4.Dataset(folder + name + ".nc", "w") as f:
        f.createDimension("y", 40); f.createDimension("x", 600)
        f.createVariable("a", "i2", ("y", "x"), **how)[...] = a
for name, c in {"raw": None, "zstd": numcodecs.Zstd(5), "lz4": numcodecs.LZ4(), "gzip": numcodecs.GZip(3), "bz2": numcodecs.BZ2(),
                "blosc": numcodecs.Blosc("zstd", 4, 2), "snap": numcodecs.Blosc("blosclz", 4, 1), "zlib": numcodecs.Blosc("zlib", 4, 1)}.items():
    z = zarr.open_group(folder + name + ".zarr", "w").create_dataset("a", data=a, chunks=(20, 600), compressor=c)
numpy.save(folder + "raw.npy", a)
numpy.savez_compressed(folder + "npz.npz", a=a)
for name in "NONE", "LZW", "DEFLATE", "PACKBITS", "ZSTD":
    subprocess.check_call(["gdal_translate", "-q", "-co", "COMPRESS=" + name, "-ot", "Int16", 'HDF5:"%sraw.h5"://a' % folder, folder + name + ".tif"])
`

// An import keeps compression: with the same codec if drx has it, otherwise with zstd after a
// shuffle. Variables without compression, or all with the option none, are not compressed.
func TestImportKeepsCompression(t *testing.T) {
	dir := t.TempDir()
	runPython(t, makesCompressed, dir)
	const zstd, fast = "blosc:zstd:3:shuffle", "blosc:lz4:5:shuffle"
	var elements []int16
	for i := range 40 * 600 {
		elements = append(elements, int16(i/600+i%7))
	}
	for file, want := range map[string]string{
		"raw.h5": "none", "gzip.h5": zstd, "lzf.h5": fast, "szip.h5": zstd, "nbit.h5": zstd,
		"raw.nc": "none", "zlib.nc": zstd, "raw.npy": "none", "npz.npz": zstd,
		"raw.zarr": "none", "zstd.zarr": "zstd:5", "lz4.zarr": "lz4", "gzip.zarr": zstd, "bz2.zarr": zstd,
		"blosc.zarr": "blosc:zstd:4:bitshuffle", "snap.zarr": fast, "zlib.zarr": zstd,
		"NONE.tif": "none", "LZW.tif": zstd, "DEFLATE.tif": zstd, "PACKBITS.tif": zstd, "ZSTD.tif": "zstd:3",
	} {
		for given, want := range map[string]string{"": want, "none": "none", "zstd:9": "zstd:9"} {
			var notes []string
			name := filepath.Join(dir, "A_"+file+strings.ReplaceAll(given, ":", ""))
			o := transfer.ImportOptions{Codec: given, Vars: []string{"a"}, Alone: true, Note: func(text string) { notes = append(notes, text) }}
			if ext := filepath.Ext(file); ext == ".tif" || ext == ".npy" {
				o.Vars, o.Alone, o.Format = nil, false, map[string]string{".tif": "geotiff"}[ext]
			}
			if _, err := transfer.Import(t.Context(), name, o, filepath.Join(dir, file)); err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			a, err := drx.Open(name, drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 2*len(elements))
			if err := a.ReadBytes(nil, got, nil); err != nil || !bytes.Equal(got, dtype.Bytes(elements)) {
				t.Errorf("%s: other elements, %v", file, err)
			}
			if has := a.Layout().Codec; has != want {
				t.Errorf("%s, given %q: codec %s, want %s", file, given, has, want)
			}
			said := strings.Contains(strings.Join(notes, "\n"), "here")
			if says := given == "" && want != "none"; said != says {
				t.Errorf("%s, given %q: notes %q", file, given, notes)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
