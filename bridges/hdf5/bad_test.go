//go:build hdf5 && cgo

package hdf5

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
const childVariable = "DRX_HDF5_READ_DAMAGED"

// readAll lists a file and reads everything in it. The error is the first one.
func readAll(path string) error {
	c, err := convert.List(path, convert.Options{Format: "hdf5"})
	for _, v := range c.Vars {
		if v.Refused != "" {
			err = errors.Join(err, errors.New(v.Refused))
			continue
		}
		r, errOpen := convert.Open(path, convert.Options{Format: "hdf5", Variable: v.Name, Memory: 64 << 20})
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
	path := filepath.Join(os.Getenv(childVariable+"_DIR"), "damaged.h5")
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

// A damaged byte is an error or another value. Where this program crashes, h5dump does so too: it is the library.
func TestDamagedFiles(t *testing.T) {
	dir := files(t)
	step := 61
	if testing.Short() {
		step *= 10
	}
	crashes := 0
	for _, name := range []string{"compounds.h5", "scales.h5", "links.h5", "attributes.h5", "filters.h5"} {
		path := filepath.Join(dir, name)
		for from := 0; from >= 0; {
			var at int
			at, from = readDamaged(t, path, from, step)
			if from >= 0 {
				crashes++
				if alone := h5dumpSurvives(t, filepath.Join(t.TempDir(), "damaged.h5"), path, at); alone {
					t.Errorf("%s: with byte %d damaged this program crashes or hangs, and h5dump does not", name, at)
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

// h5dumpSurvives reports whether h5dump reads the file with that byte damaged without crashing.
func h5dumpSurvives(t *testing.T, copyPath, path string, at int) bool {
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
	err = exec.CommandContext(ctx, "h5dump", copyPath).Run()
	var exit *exec.ExitError
	return !errors.As(err, &exit) || exit.Exited()
}

// A file that is cut, or is something else, is an error in one line that names it.
func TestCutFiles(t *testing.T) {
	dir := files(t)
	for _, name := range []string{"numbers.h5", "strings.h5", "block.h5"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for eighths := range 8 {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, data[:len(data)*eighths/8], 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := convert.List(path, convert.Options{Format: "hdf5"})
			if err == nil || strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), path) < 1 {
				t.Errorf("%d eighths of %s: %v", eighths, name, err)
			}
			if eighths == 7 && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d eighths of %s: %v", eighths, name, err)
			}
		}
	}
}
