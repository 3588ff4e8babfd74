//go:build netcdf && cgo

package netcdf

import (
	"bytes"
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
const childVariable = "DRX_NETCDF_READ_DAMAGED"

// readAll lists a file and reads everything in it. The error is the first one.
func readAll(path string) error {
	c, err := convert.List(path, convert.Options{Format: "netcdf"})
	for _, v := range c.Vars {
		if v.Refused != "" {
			err = errors.Join(err, errors.New(v.Refused))
			continue
		}
		r, errOpen := convert.Open(path, convert.Options{Format: "netcdf", Variable: v.Name, Memory: 64 << 20})
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

// child reads copies of a file with one damaged byte each. Before each it prints the number of the byte, so that
// the parent knows which one ended it.
func child() {
	data, err := os.ReadFile(os.Getenv(childVariable))
	if err != nil {
		panic(err)
	}
	var from, step int
	if _, err := fmt.Sscan(os.Getenv(childVariable+"_FROM"), &from, &step); err != nil {
		panic(err)
	}
	path := filepath.Join(os.Getenv(childVariable+"_DIR"), "damaged.nc")
	for at := from; at < len(data); at += step {
		fmt.Println(at)
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x55
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			panic(err)
		}
		err := readAll(path)
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, one := range joined.Unwrap() {
				if text := one.Error(); strings.Contains(text, "\n") && !strings.Contains(text, ": ") {
					fmt.Printf("several lines: %q\n", text)
				}
			}
		}
	}
	fmt.Println("done")
}

// A damaged byte is an error or another value, and never a crash that ncdump does not have as well.
func TestDamagedFiles(t *testing.T) {
	tries := 500
	if testing.Short() {
		tries /= 10
	}
	crashes := 0
	for _, format := range []string{"netcdf", "netcdf3"} {
		path := filepath.Join(t.TempDir(), "a.nc")
		c := richContent(t)
		if format == "netcdf3" {
			c = classicContent(t)
		}
		c.Deflate = 0
		writeContent(t, path, format, c)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, int(info.Size())/tries)
		for from := 0; from >= 0; {
			var at int
			at, from = readDamaged(t, path, from, step)
			if from >= 0 {
				crashes++
				if ncdumpSurvives(t, filepath.Join(t.TempDir(), "damaged.nc"), path, at) {
					t.Errorf("%s: with byte %d damaged this program crashes or hangs, and ncdump does not", format, at)
				}
			}
		}
	}
	t.Logf("the library crashed %d times", crashes)
}

// readDamaged starts a child that damages every step-th byte from a number on. If it dies, or takes more than a minute,
// at is the byte and next the one to continue with; otherwise next is -1.
func readDamaged(t *testing.T, path string, from, step int) (at, next int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+path, fmt.Sprintf("%s_FROM=%d %d", childVariable, from, step), childVariable+"_DIR="+t.TempDir())
	out, err := command.Output()
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "several") {
		t.Errorf("%s: %s", path, out)
	}
	if err == nil && lines[len(lines)-1] == "done" {
		return 0, -1
	}
	if _, err := fmt.Sscan(lines[len(lines)-1], &at); err != nil {
		t.Fatal(err)
	}
	return at, at + step
}

// ncdumpSurvives reports whether ncdump reads the file with that byte damaged without crashing.
func ncdumpSurvives(t *testing.T, copyPath, path string, at int) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[at] ^= 0x55
	if err := os.WriteFile(copyPath, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = exec.CommandContext(ctx, "ncdump", copyPath).Run()
	var exit *exec.ExitError
	return !errors.As(err, &exit) || exit.Exited()
}

// A file that is cut is an error in one line that names it: of the file, or of the variables whose elements are missing.
func TestCutFiles(t *testing.T) {
	for _, format := range []string{"netcdf", "netcdf3"} {
		whole := filepath.Join(t.TempDir(), "a.nc")
		c := richContent(t)
		if format == "netcdf3" {
			c = classicContent(t)
		}
		writeContent(t, whole, format, c)
		data, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		for eighths := range 8 {
			path := filepath.Join(t.TempDir(), "a.nc")
			if err := os.WriteFile(path, data[:len(data)*eighths/8], 0o600); err != nil {
				t.Fatal(err)
			}
			content, err := convert.List(path, convert.Options{Format: "netcdf"})
			if err != nil {
				if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), path+": ") {
					t.Errorf("%d eighths of %s: %v", eighths, format, err)
				}
				continue
			}
			missing := 0
			for _, v := range content.Vars {
				if strings.Contains(v.Refused, "but the file has") {
					missing++
					if _, err := convert.Open(path, convert.Options{Variable: v.Name}); !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Error(err)
					}
				}
			}
			if missing == 0 {
				t.Errorf("%d eighths of %s: all variables can be read", eighths, format)
			}
		}
	}
}

// FuzzHeader reads headers of any content: it returns, and what it returns fits the file.
func FuzzHeader(f *testing.F) {
	f.Add([]byte("CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x00\x01x\x00\x00\x00\x00\x00\x00\x05" + strings.Repeat("\x00", 16)))
	f.Add([]byte("CDF\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 24)))
	f.Add([]byte("CDF\x05" + strings.Repeat("\x00", 8) + "\x00\x00\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !isClassic(data) {
			return
		}
		h, err := readHeader(bytes.NewReader(data), int64(len(data)), 1<<16)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "header: ") {
				t.Error(err)
			}
			return
		}
		for i, begin := range h.begins {
			shape := []int{2, 3}
			if h.check(i, shape, 4, i%2 == 0) == nil && (begin < 0 || begin+24 > int64(len(data))) {
				t.Errorf("elements from byte %d on do not fit %d bytes", begin, len(data))
			}
		}
	})
}
