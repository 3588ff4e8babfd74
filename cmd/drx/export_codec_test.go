package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/formats/pipe/pipetest"
)

// zarrPrints prints, for each store, the compressor and the elements of the array v, as zarr-python
// reads them.
const zarrPrints = `
import sys, json, zarr
for path in sys.argv[1:]:
    v = zarr.open(path, mode="r")["v"]
    print(json.dumps([v.compressor and v.compressor.get_config(), v[...].tobytes().hex()]))
`

// --codec must write Zarr with every codec; the elements must be read unchanged, also by
// zarr-python in version 2.
func TestExportCodec(t *testing.T) {
	dir := t.TempDir()
	elements := make([]int32, 60*50)
	for i := range elements {
		elements[i] = int32(i % 97 * (i % 7))
	}
	f := large(pipetest.Fault{})
	f.Vars[1].DType, f.Vars[1].Shape, f.Vars[1].Chunk = "int32", []int{60, 50}, []int{30, 50}
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, make([]byte, 7*8), dtype.Bytes(elements))
	mustRun(t, dir, "import @/a.hdf5 @/W")
	codecs := []string{
		"raw", "none", "gzip", "gzip:9", "zstd", "zstd:19", "lz4", "blosc", "blosc:9", "blosc:lz4hc", "blosc:zlib:3", "blosc:zstd:1", "blosc:zstd:1:bitshuffle", "blosc:noshuffle",
	}
	var stores []string
	for _, codec := range codecs {
		for _, ext := range []string{".zarr", ".zarr3", ".zip"} {
			name := strings.ReplaceAll(codec, ":", "_") + ext
			mustRun(t, dir, "export @/W @/"+name+" --codec "+codec)
			path := filepath.Join(dir, name)
			if v := contents(t, path)["v"]; v.elements != string(dtype.Bytes(elements)) {
				t.Errorf("%s: other elements", name)
			}
			if ext == ".zarr" {
				stores = append(stores, path)
			}
			if ext == ".zarr3" {
				meta, err := os.ReadFile(filepath.Join(path, "v", "zarr.json"))
				if id, _, _ := strings.Cut(codec, ":"); err != nil || (codec != "raw" && codec != "none") != bytes.Contains(meta, []byte(id+`"`)) {
					t.Errorf("%s: %s, %v", name, meta, err)
				}
			}
		}
	}
	t.Run("zarr-python", func(t *testing.T) { zarrReads(t, stores, codecs, dtype.Bytes(elements)) })
}

// zarrReads checks that zarr-python reads the elements of stores, and finds the codecs with which
// they were written.
func zarrReads(t *testing.T, stores, codecs []string, elements []byte) {
	t.Helper()
	names := []string{"python3", "/usr/bin/python3"}
	python := slices.IndexFunc(names, func(name string) bool { return exec.Command(name, "-c", "import zarr").Run() == nil })
	if python < 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Python has zarr: apt-get install python3-zarr")
		}
		t.Skip("no Python has zarr")
	}
	out, err := exec.Command(names[python], append([]string{"-c", zarrPrints}, stores...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"raw": "null", "none": "null", "gzip": `{"id":"gzip","level":5}`, "gzip:9": `{"id":"gzip","level":9}`, "zstd:19": `{"id":"zstd","level":19}`,
		"blosc:zstd:1":            `{"blocksize":0,"clevel":1,"cname":"zstd","id":"blosc","shuffle":1}`,
		"blosc:zstd:1:bitshuffle": `{"blocksize":0,"clevel":1,"cname":"zstd","id":"blosc","shuffle":2}`,
		"blosc:noshuffle":         `{"blocksize":0,"clevel":5,"cname":"lz4","id":"blosc","shuffle":0}`,
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(codecs) {
		t.Fatalf("%d lines for %d stores", len(lines), len(codecs))
	}
	for i, line := range lines {
		var got struct {
			compressor any
			elements   string
		}
		if err := json.Unmarshal([]byte(line), &[]any{&got.compressor, &got.elements}); err != nil {
			t.Fatal(err)
		}
		compressor, _ := json.Marshal(got.compressor) // of JSON
		if w := want[codecs[i]]; w != "" && w != string(compressor) {
			t.Errorf("%s: compressor %s, want %s", codecs[i], compressor, w)
		}
		if got.elements != hex.EncodeToString(elements) {
			t.Errorf("%s: zarr-python reads other elements", codecs[i])
		}
	}
}

// An unknown codec, one that the format lacks, and two compressions must be errors of the command
// line.
func TestExportWrongCodec(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, filepath.Join(dir, "a.hdf5"), large(pipetest.Fault{}))
	mustRun(t, dir, "import @/a.hdf5 @/W")
	before := filesIn(t, dir)
	for line, says := range map[string]string{
		"export @/W @/b.mat --codec zstd":             "--codec zstd:3: format mat has no codec zstd, zarr2, zarr3, zarrzip, hdf5, netcdf have; --deflate compresses",
		"export @/W @/b.npz --codec keep":             `--codec "keep": no such codec`,
		"export @/W @/b.npz --codec lz4":              "--codec lz4: format npz has no codec lz4",
		"export @/W @/b.zarr --codec zip":             `--codec "zip": no such codec: want none, gzip, zstd, lz4 or blosc`,
		"export @/W @/b.zarr --codec blosc:shuf":      "then a level, then a shuffle behind blosc",
		"export @/W @/b.zarr --codec lz4:3":           `lz4 has no levels`,
		"export @/W @/b.zarr --codec gzip:11":         `levels of gzip are 1 to 9`,
		"export @/W @/b.zarr --codec lz4 --deflate 4": "exclude each other",
	} {
		code, text := tryRun(dir, line)
		if code != cli.ExitUsage || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
		if now := filesIn(t, dir); !slices.Equal(now, before) {
			t.Fatalf("%s left %s, there were %s", line, now, before)
		}
	}
}
