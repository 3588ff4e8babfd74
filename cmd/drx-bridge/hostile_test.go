//go:build linux && hdf5 && netcdf && fits && gdal && matio

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// card returns a card of a FITS header.
func card(key, value string) string {
	return fmt.Sprintf("%-80s", fmt.Sprintf("%-8s= %20s", key, value))
}

// big returns a text followed by numbers of 32 bits, big-endian.
func big(text string, numbers ...uint32) string {
	b := []byte(text)
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return string(b)
}

// little is big with little-endian numbers.
func little(text string, numbers ...uint32) string {
	b := []byte(text)
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return string(b)
}

// pngOf returns a PNG picture of a declared size, with a chunk of pixels that has a declared
// length.
func pngOf(columns, rows, length uint32) string {
	header := big("IHDR", columns, rows) + "\x08\x00\x00\x00\x00"
	header = big("", 13) + header + big("", crc32.ChecksumIEEE([]byte(header)))
	return "\x89PNG\r\n\x1a\n" + header + big("", length) + "IDATx\x9c"
}

// tiffOf returns a TIFF picture with the given entries: tag, type, count, value.
func tiffOf(entries ...[4]uint32) string {
	b := binary.LittleEndian.AppendUint16([]byte(little("II*\x00", 8)), uint16(len(entries)))
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, uint16(e[0])), uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, e[2]), e[3])
	}
	return little(string(b), 0)
}

// zarr2 returns a description of an array with a chunk of 2 GiB, and the chunk's file.
func zarr2(codec, chunk string) map[string]string {
	return map[string]string{
		"a.zarr/.zarray": `{"zarr_format":2,"shape":[2147483648],"chunks":[2147483648],"dtype":"|u1","compressor":` + codec + `,"fill_value":0,"order":"C","filters":null}`,
		"a.zarr/0":       chunk,
	}
}

// zarr3 is zarr2 of version 3.
func zarr3(codecs, chunk string) map[string]string {
	return map[string]string{
		"a.zarr/zarr.json": `{"zarr_format":3,"node_type":"array","shape":[2147483648],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2147483648]}},` +
			`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[` + codecs + `]}`,
		"a.zarr/c/0": chunk,
	}
}

// hostile returns small files that declare much. The file to import has the name of its entry.
func hostile() map[string]map[string]string {
	const gib2, most = 1 << 31, 1<<32 - 1
	file := func(name, data string) map[string]string { return map[string]string{name: data} }
	shards := `{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}`
	size := [][4]uint32{{256, 4, 1, 60000}, {257, 4, 1, 60000}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1}, {273, 4, 1, 8}, {277, 3, 1, 1}, {278, 4, 1, 60000}, {279, 4, 1, most}}
	fits := func(cards ...string) string {
		text := card("SIMPLE", "T") + strings.Join(cards, "") + fmt.Sprintf("%-80s", "END")
		return text + strings.Repeat(" ", 2880-len(text)%2880)
	}
	mat := "MATLAB 5.0 MAT-file" + strings.Repeat(" ", 105) + "\x00\x01IM"
	return map[string]map[string]string{
		"zarr 2 plain":          zarr2("null", "x"),
		"zarr 2 zlib":           zarr2(`{"id":"zlib","level":1}`, "x\x9c"),
		"zarr 2 blosc":          zarr2(`{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`, "\x02\x01\x21\x01"+little("", 1<<31-1, 1<<31-1, 16)),
		"zarr 2 long attribute": {"a.zarr/.zarray": `{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<U1000000000","compressor":null,"fill_value":"","order":"C","filters":null}`},
		"zarr 3 plain":          zarr3(`{"name":"bytes"}`, "x"),
		"zarr 3 gzip":           zarr3(`{"name":"bytes"},{"name":"gzip","configuration":{"level":1}}`, "\x1f\x8b\x08"),
		"zarr 3 shards":         zarr3(shards, "x"),
		"npy header":            file("a.npy", little("\x93NUMPY\x02\x00", most)+"{'descr'"),
		"npy shape":             file("a.npy", "\x93NUMPY\x01\x00\x46\x00"+fmt.Sprintf("%-69s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (2147483648, 64), }")),
		"png pixels":            file("a.png", pngOf(1<<20, 1<<20, 1<<31-1)),
		"pgm":                   file("a.pgm", "P5 2000000000 2000000000 255\n"),
		"pgm in words":          file("a.pgm", "P2 100000 100000 255\n0"),
		"pam":                   file("a.pam", "P7\nWIDTH 1000000\nHEIGHT 1000000\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
		"jpeg":                  file("a.jpg", "\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\xff\xd9"),
		"gif":                   file("a.gif", "GIF89a\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02\x44\x01\x00;"),
		"tiff strip":            file("a.tif", tiffOf(size...)),
		"tiff list":             file("a.tif", tiffOf(append(append([][4]uint32{}, size[:5]...), [4]uint32{273, 4, 1 << 29, 8}, size[6], [4]uint32{278, 4, 1, 1}, [4]uint32{279, 4, 1 << 29, 8})...)),
		"fits axes":             file("a.fits", fits(card("BITPIX", "-64"), card("NAXIS", "2"), card("NAXIS1", "2000000000"), card("NAXIS2", "2000000000"))),
		"fits dimensions":       file("a.fits", fits(card("BITPIX", "8"), card("NAXIS", "999"))),
		"mat element":           file("a.mat", mat+little("", 14, most-7)),
		"mat packed":            file("a.mat", mat+little("", 15, 1<<31-8)+"x\x9c"),
		"mat name":              file("a.mat", mat+little("", 14, 64, 6, 8, 6, 0, 5, 8, 1<<30, 1, 1, 1<<30)),
		"netcdf dimensions":     file("a.nc", big("CDF\x01", 0, 10, most)),
		"netcdf name":           file("a.nc", big("CDF\x01", 0, 10, 1, gib2-8)),
		"netcdf attribute":      file("a.nc", big("CDF\x01", 0, 0, 0, 12, 1, 4)+big("name", 6, 1<<28)),
		"netcdf variable":       file("a.nc", big("CDF\x02", 0, 10, 1, 1)+big("x\x00\x00\x00", gib2-8, 0, 0, 11, 1, 1)+big("v\x00\x00\x00", 1, 0, 0, 0, 6, most, 0, 120)),
		"envi":                  {"a.hdr": "ENVI\nsamples = 1000000000\nlines = 1000000000\nbands = 60000\nheader offset = 0\ndata type = 5\ninterleave = bip\nbyte order = 0\n", "a.img": "x"},
		"csv line":              file("a.csv", `"`+strings.Repeat("x", 1<<20)),
	}
}

// TestHostile imports small files that declare gigabytes, with little memory. The programs allocate
// nothing for missing contents, and end soon, with an array that has fill values there or with a
// one-line error.
func TestHostile(t *testing.T) {
	program := buildPrograms(t)
	all := hostile()
	maps.Copy(all, hostileArchives(t))
	maps.Copy(all, hostileFiles(t))
	for name, data := range hostileHDF5() {
		all["hdf5 "+name], all["netcdf 4 "+name] = map[string]string{"a.h5": data}, map[string]string{"a.nc": data}
	}
	for name, files := range all {
		t.Run(name, func(t *testing.T) {
			dir, path := t.TempDir(), ""
			for file, data := range files {
				full := filepath.Join(dir, file)
				err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, []byte(data), 0o600))
				if err != nil {
					t.Fatal(err)
				}
				if top, _, _ := strings.Cut(file, "/"); path == "" || strings.HasSuffix(top, ".hdr") {
					path = filepath.Join(dir, top)
				}
			}
			takesLittle(t, program, path, filepath.Join(dir, "out"))
		})
	}
}

// takesLittle imports a file and checks the time, the memory and the error.
func takesLittle(t *testing.T, program, path, out string) {
	t.Helper()
	const allowed = 220 << 20 // bytes, for each of both programs
	var said bytes.Buffer
	m := runMeasured(t, &said, program, "import", "--quiet", "--memory", "64MiB", path, out)
	if m.Exit > 1 || m.Exit < 0 || m.Memory > allowed || m.Used > 30*time.Second || strings.Contains(said.String(), "hung") {
		t.Errorf("%+v: %.300s", m, &said)
	}
	if n := strings.Count(said.String(), "\n"); m.Exit == 1 && n != 1 {
		t.Errorf("%d lines: %.300s", n, &said)
	}
	t.Logf("exit %d, %d MiB, %v: %.300s", m.Exit, m.Memory>>20, m.Used, &said)
}

// measuring is the environment variable with which this program runs measure.
const measuring = "DRX_TEST_MEASURE"

// measured is the output of measure: the exit code, the largest memory of one process, and the
// processor time.
type measured struct {
	Exit, Memory int
	Used         time.Duration
}

func (m *measured) add(u *syscall.Rusage) {
	m.Memory = max(m.Memory, int(u.Maxrss)<<10)
	m.Used += time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// runMeasured runs a command with measure. said receives its error output.
func runMeasured(t *testing.T, said *bytes.Buffer, command ...string) (m measured) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, command...)
	cmd.Env, cmd.Stderr = append(os.Environ(), measuring+"=1"), said
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	return m
}

// measure runs a command and prints its resources. A new process inherits the peak memory of its
// parent, which the tests make large; so this is a separate process. It also measures processes
// that the command starts and does not wait for.
func measure(command []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // the machine may be busy
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), measuring+"=")
	cmd.Stderr = os.Stderr
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return 1
	}
	_ = cmd.Run() // its state has the exit code
	state := cmd.ProcessState
	if state == nil {
		return 1
	}
	m := measured{Exit: state.ExitCode()}
	m.add(state.SysUsage().(*syscall.Rusage))
	for {
		var u syscall.Rusage
		if _, err := syscall.Wait4(-1, nil, 0, &u); err == syscall.ECHILD {
			break
		} else if err == nil {
			m.add(&u)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(m); err != nil {
		return 1
	}
	return 0
}
