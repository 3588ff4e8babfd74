//go:build matio && cgo

package mat

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// A damaged byte must give an error or another value. The library may crash: the test counts such
// crashes, which are the reason why drx reads files in another process.
func TestDamagedFiles(t *testing.T) {
	const most = 20
	for _, name := range madeNames {
		d := bridgetest.Damage{Step: 331, Flip: 0x15, Limit: 20 * time.Second, Most: most + 1}
		if crashes := bridge.Damaged(t, filepath.Join(bridge.Files(t), name), d); len(crashes) > most {
			t.Errorf("%s: more than %d damaged bytes end the program", name, most)
		}
	}
}

// A truncated file, or a file of another kind, must give an error in one line that names it.
func TestCutFiles(t *testing.T) {
	for _, name := range madeNames {
		whole := filepath.Join(bridge.Files(t), name)
		info, err := os.Stat(whole)
		if err != nil {
			t.Fatal(err)
		}
		n := int(info.Size())
		bridgetest.Cut(t, whole, []int{0, 5, 20, 120, 131, 150, n / 2, n - 1}, func(path string, size int) {
			err := errors.Join(bridge.ReadAll(path)...)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %d bytes: %v", name, size, err)
			}
			if is73 := name == "types73.mat"; !is73 && size > 16 && (!errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s: %d bytes: %v", name, size, err)
			}
		})
	}
}

// A file that is not a MAT file must be refused, even if HDF5 could read it.
func TestOthers(t *testing.T) {
	for head, text := range map[string]string{"\x89HDF\r\n\x1a\n": "in format hdf5", "PK\x03\x04aaaaaaaaaaaaaaaa": "starts with"} {
		bridgetest.NotOpened(t, bridgetest.File(t, "a.mat", []byte(head)), formats.Options{Format: "mat"}, text, formats.ErrFormat)
	}
}

// A compressed array, a text and a compressed struct are read as a whole, so they must be refused
// if they do not fit into the memory. Others need none.
func TestTooLittleMemory(t *testing.T) {
	packed := filepath.Join(t.TempDir(), "a.mat")
	write(t, packed, formats.Content{Deflate: 1, Vars: []formats.Info{{Name: "a", DType: dtype.Float64, Shape: []int{1000, 100}}}})
	plain := filepath.Join(bridge.Files(t), "types.mat")
	for _, c := range []struct {
		path, variable string
		memory         int64
		is             error
	}{
		{packed, "a", 800000, nil},
		{packed, "a", 799999, formats.ErrMemory},
		{plain, "rows", 100, formats.ErrMemory},
		{plain, "float64", 100, nil},
		{filepath.Join(bridge.Files(t), "packed.mat"), "float64", 100, formats.ErrMemory},
		{plain, "nothing", 1 << 20, formats.ErrVariable},
	} {
		r, err := formats.Open(c.path, formats.Options{Variable: c.variable, Memory: c.memory})
		if !errors.Is(err, c.is) {
			t.Errorf("%s, %d bytes: %v", c.variable, c.memory, err)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}

// If a file has fewer elements than a variable claims, there must be an error, before memory is
// allocated.
func TestHostile(t *testing.T) {
	for _, deflate := range []int{0, 1} {
		for _, rows := range []uint32{1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
			v := varDef{info: formats.Info{DType: dtype.Uint8, Shape: []int{10, 1}}, name: "a"}
			if err := v.layOut(); err != nil {
				t.Fatal(err)
			}
			binary.LittleEndian.PutUint32(v.head[32:], rows)
			element := append(v.head, make([]byte, 16)...)
			if deflate > 0 {
				var b bytes.Buffer
				z := zlib.NewWriter(&b)
				_, _ = z.Write(element)
				_ = z.Close()
				element = binary.LittleEndian.AppendUint32([]byte{miCOMPRESSED, 0, 0, 0}, uint32(b.Len()))
				element = append(element, b.Bytes()...)
			}
			path := bridgetest.File(t, "a.mat", append(header(), element...))
			r, err := formats.Open(path, formats.Options{Memory: 2 << 20})
			if err == nil {
				err = r.ReadSection(nd.Sec(nd.Span(0, 1<<20), nd.All), make([]byte, 1<<20))
				_ = r.Close()
			}
			if !bridgetest.Names(err, path) {
				t.Errorf("%d rows, deflate %d: %v", rows, deflate, err)
			}
		}
	}
}

// A file of MATLAB 4 with fewer elements than a variable claims must be refused: the library would
// return uninitialised memory.
func TestHostile4(t *testing.T) {
	file := func(kind, rows, columns, imaginary, name uint32) []byte {
		var b []byte
		for _, n := range []uint32{kind, rows, columns, imaginary, name} {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		return append(b, "a\x00\x01\x02\x03\x04"...)
	}
	for name, data := range map[string][]byte{
		"rows":      file(50, 1<<31-1, 1, 0, 2),
		"overflow":  file(0, 1<<31-1, 1<<31-1, 1, 2),
		"one":       file(50, 5, 1, 0, 2),
		"imaginary": file(50, 4, 1, 1, 2),
		"name":      file(50, 1, 1, 0, 1<<31-1),
	} {
		path := bridgetest.File(t, "a.mat", data)
		if _, err := formats.Open(path, formats.Options{}); !errors.Is(err, io.ErrUnexpectedEOF) || !bridgetest.Names(err, path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := formats.Open(bridgetest.File(t, "a.mat", file(50, 4, 1, 0, 2)), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// For a file of MATLAB 7.3 to which another program has added a group, the variables that libmatio
// lists must be listed, and the rest must be named with the reason.
func TestUnknownObject(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mat")
	script := `
import h5py, numpy as np, sys
f = h5py.File(sys.argv[1], "w", userblock_size=512)
for n in "a", "x", "y":
    f.create_dataset(n, data=np.arange(6.).reshape(2, 3)).attrs["MATLAB_class"] = np.bytes_("double")
f.create_group("notes"); f.create_group("#refs#"); f.close()
with open(sys.argv[1], "r+b") as b:
    b.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2020 HDF5 schema 1.00 .".ljust(116) + b"\0" * 8 + b"\x00\x02IM")
`
	if out, err := exec.Command("/usr/bin/python3", "-c", script, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range c.Vars {
		got = append(got, fmt.Sprint(v.Name, strings.Contains(v.Refused, `"notes"`)))
	}
	if want := []string{"afalse", "notestrue", "xtrue", "ytrue"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
