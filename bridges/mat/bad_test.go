//go:build matio && cgo

package mat

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drx/convert"
	"drx/dtype"
	"drx/nd"
)

// childVariable tells the test program that it is to read damaged files, see child.
const childVariable = "DRX_MAT_READ_DAMAGED"

// readAll lists a file and reads everything in it.
func readAll(path string) error {
	c, err := convert.List(path, convert.Options{Format: "mat"})
	for _, v := range c.Vars {
		r, errOpen := convert.Open(path, convert.Options{Format: "mat", Variable: v.Name, Memory: 64 << 20})
		if errOpen != nil {
			err = errors.Join(err, errOpen)
			continue
		}
		if n, errSize := r.Info().Bytes(); errSize == nil && n <= 64<<20 {
			err = errors.Join(err, r.ReadSection(nil, make([]byte, n)))
		}
		err = errors.Join(err, r.Close())
	}
	return err
}

// child reads copies of a file with one damaged byte each, and prints the number of the byte before.
func child() {
	data, err := os.ReadFile(os.Getenv(childVariable))
	if err != nil {
		panic(err)
	}
	var from, step int
	if _, err := fmt.Sscan(os.Getenv(childVariable+"_FROM"), &from, &step); err != nil {
		panic(err)
	}
	path := filepath.Join(os.Getenv(childVariable+"_DIR"), "damaged.mat")
	for at := from; at < len(data); at += step {
		fmt.Println(at)
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x15
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			panic(err)
		}
		_ = readAll(path)
	}
	fmt.Println("done")
}

// A damaged byte is an error or another value. The library may crash: that is counted here, and the reason why drx reads
// files in another process.
func TestDamagedFiles(t *testing.T) {
	dir := files(t)
	step := 331
	if testing.Short() {
		step *= 10
	}
	for _, name := range madeNames {
		crashes := 0
		for from := 0; from >= 0 && crashes <= 20; {
			if from = readDamaged(t, filepath.Join(dir, name), from, step); from >= 0 {
				crashes++
			}
		}
		if crashes > 20 {
			t.Errorf("%s: more than %d damaged bytes end the program", name, 20)
		}
		t.Logf("%s: the library crashed %d times", name, crashes)
	}
}

// readDamaged starts a child that damages every step-th byte from a number on. If it dies, or takes more than
// 20 seconds, next is the byte to continue with; otherwise it is -1.
func readDamaged(t *testing.T, path string, from, step int) (next int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+path, fmt.Sprintf("%s_FROM=%d %d", childVariable, from, step), childVariable+"_DIR="+t.TempDir())
	out, err := command.Output()
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		t.Fatal(err)
	}
	if err == nil && lines[len(lines)-1] == "done" {
		return -1
	}
	if _, err := fmt.Sscan(lines[len(lines)-1], &next); err != nil {
		t.Fatal(err)
	}
	return next + step
}

// A file that is cut, or is something else, is an error in one line that names it.
func TestCutFiles(t *testing.T) {
	for _, name := range madeNames {
		data, err := os.ReadFile(filepath.Join(files(t), name))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 5, 20, 120, 131, 150, len(data) / 2, len(data) - 1} {
			path := filepath.Join(t.TempDir(), "a.mat")
			if err := os.WriteFile(path, data[:size], 0o600); err != nil {
				t.Fatal(err)
			}
			err := readAll(path)
			if strings.HasPrefix(name, "types4") && size > 16 && err == nil {
				continue // the file of MATLAB 4 has fewer variables then
			}
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %d bytes: %v", name, size, err)
			}
			if is5 := name == "types.mat" || name == "packed.mat"; is5 && size > 16 && (!errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s: %d bytes: %v", name, size, err)
			}
		}
	}
}

// What is no MAT file is refused, also if HDF5 could read it.
func TestOthers(t *testing.T) {
	for head, text := range map[string]string{"\x89HDF\r\n\x1a\n": "--format hdf5", "PK\x03\x04aaaaaaaaaaaaaaaa": "starts with"} {
		path := filepath.Join(t.TempDir(), "a.mat")
		if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := convert.Open(path, convert.Options{Format: "mat"})
		if !errors.Is(err, convert.ErrFormat) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v; want %q", err, text)
		}
	}
}

// A compressed array, a text and a compressed struct are read as a whole, and refused if they do not fit into the memory.
// Others need none.
func TestTooLittleMemory(t *testing.T) {
	packed := filepath.Join(t.TempDir(), "a.mat")
	write(t, packed, convert.Content{Deflate: 1, Vars: []convert.Info{{Name: "a", DType: dtype.Float64, Shape: []int{1000, 100}}}})
	plain := filepath.Join(files(t), "types.mat")
	for _, c := range []struct {
		path, variable string
		memory         int64
		is             error
	}{
		{packed, "a", 800000, nil},
		{packed, "a", 799999, convert.ErrMemory},
		{plain, "rows", 100, convert.ErrMemory},
		{plain, "float64", 100, nil},
		{filepath.Join(files(t), "packed.mat"), "float64", 100, convert.ErrMemory},
		{plain, "nothing", 1 << 20, convert.ErrVariable},
	} {
		r, err := convert.Open(c.path, convert.Options{Variable: c.variable, Memory: c.memory})
		if !errors.Is(err, c.is) {
			t.Errorf("%s, %d bytes: %v", c.variable, c.memory, err)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}

// Elements that a variable says it has and the file has not are an error, and take no memory before.
func TestHostile(t *testing.T) {
	for _, deflate := range []int{0, 1} {
		for _, rows := range []uint32{1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
			path := filepath.Join(t.TempDir(), "a.mat")
			v := planned{info: convert.Info{DType: dtype.Uint8, Shape: []int{10, 1}}, name: "a"}
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
			if err := os.WriteFile(path, append(header(), element...), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := convert.Open(path, convert.Options{Memory: 2 << 20})
			if err == nil {
				err = r.ReadSection(nd.Sec(nd.Span(0, 1<<20), nd.All), make([]byte, 1<<20))
				_ = r.Close()
			}
			if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
				t.Errorf("%d rows, deflate %d: %v", rows, deflate, err)
			}
		}
	}
}
