//go:build fits && cgo

package fits

import (
	"bytes"
	"compress/gzip"
	"context"
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
)

// childVariable tells the test program that it is to read damaged files, see child.
const childVariable = "DRX_FITS_READ_DAMAGED"

// readAll lists a file and reads everything in it.
func readAll(path string) error {
	c, err := convert.List(path, convert.Options{Format: "fits"})
	for _, v := range c.Vars {
		r, errOpen := convert.Open(path, convert.Options{Format: "fits", Variable: v.Name, Memory: 64 << 20})
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
	path := filepath.Join(os.Getenv(childVariable+"_DIR"), "damaged.fits")
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

// A damaged byte of a plain file is an error or another value, and never ends the program. Compressed tiles are decoded by the
// library, which may crash: that is counted here, and the reason why drx reads them in another process.
func TestDamagedFiles(t *testing.T) {
	dir := files(t)
	step := 487
	if testing.Short() {
		step *= 10
	}
	for _, name := range []string{"types.fits", "cards.fits", "scaled.fits", "groups.fits", "tiled.fits"} {
		crashes := 0
		for from := 0; from >= 0; {
			if from = readDamaged(t, filepath.Join(dir, name), from, step); from >= 0 {
				crashes++
			}
		}
		if crashes > 0 && name != "tiled.fits" || crashes > 20 {
			t.Errorf("%s: %d damaged bytes end the program", name, crashes)
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
	data, err := os.ReadFile(filepath.Join(files(t), "scaled.fits"))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 5, 20, 700, 2880, 2880 + 47} {
		path := filepath.Join(t.TempDir(), "a.fits")
		if err := os.WriteFile(path, data[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := convert.Open(path, convert.Options{Format: "fits"})
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) || size >= 2880 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A file of which the header promises more than there is, is refused before memory is taken for it.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	header := func(cards ...string) []byte {
		var b strings.Builder
		for _, c := range append(cards, "END") {
			fmt.Fprintf(&b, "%-80s", c)
		}
		return []byte(fmt.Sprintf("%-*s", (b.Len()+2879)/2880*2880, b.String()))
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 32<<20))
	_ = z.Close()
	for _, c := range []struct {
		path, text string
		is         error
	}{
		{write("huge.fits", header("SIMPLE  =                    T", "BITPIX  =                  -64", "NAXIS   =                    2", "NAXIS1  =           3000000000", "NAXIS2  =           3000000000")), "", nil},
		{write("long.fits", header("SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    1", "NAXIS1  =           3000000000")), "its elements end at", io.ErrUnexpectedEOF},
		{write("negative.fits", header("SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    1", "NAXIS1  =                   -5")), "", nil},
		{write("bitpix.fits", header("SIMPLE  =                    T", "BITPIX  =                   12", "NAXIS   =                    0")), "", nil},
		{write("bomb.fits.gz", bomb.Bytes()), "half of the limit", convert.ErrMemory},
		{write("zip.fits", []byte("PK\x03\x04aaaaaaaaaaaaaaaa")), "starts with", convert.ErrFormat},
	} {
		_, err := convert.Open(c.path, convert.Options{Format: "fits", Memory: 1 << 20})
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), c.text) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v; want %q", err, c.text)
		}
	}
}

// A tile that does not fit into the memory is refused.
func TestTooLittleMemory(t *testing.T) {
	path := filepath.Join(files(t), "tiled.fits")
	if _, err := convert.Open(path, convert.Options{Variable: "GZIP_2_8", Memory: 100}); !errors.Is(err, convert.ErrMemory) {
		t.Error(err)
	}
	_, err := convert.Open(path, convert.Options{Variable: "nothing"})
	if !errors.Is(err, convert.ErrVariable) || !strings.Contains(err.Error(), "RICE_1_1") {
		t.Error(err)
	}
}
