package bridgetest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drx/formats"
)

// damageVariable makes the test program read damaged copies of a file, see readDamaged. Its value
// contains the folder for the copies, the bytes to damage, and the file.
const damageVariable = "DRX_READ_DAMAGED"

// fills are values of MALLOC_PERTURB_, with which the C library fills memory when it is allocated
// and freed. Libraries that read a damaged file may use uninitialised memory; without a fixed fill
// the same copy would crash them only sometimes.
var fills = []string{"85", "165", "90"}

// withFill returns the environment of a program with a fill of memory.
func withFill(fill string) []string { return append(os.Environ(), "MALLOC_PERTURB_="+fill) }

// A Damage describes the copies of a file that Damaged reads.
type Damage struct {
	Step  int           // each copy has one damaged byte; Step is the distance of these bytes
	Flip  byte          // bits of the byte that are inverted
	Limit time.Duration // time to read one copy
	Most  int           // number of crashes after which no further copies are read; 0 is no limit
}

// Damaged reads everything in copies of a file of the bridge, in another process. Each copy has one
// damaged byte. Damaged returns the bytes whose damage crashed that process, or made it exceed the
// time limit, with every fill of memory. In a short test the steps are ten times as large.
func (b *Bridge) Damaged(t *testing.T, path string, d Damage) (crashes []int) {
	t.Helper()
	if testing.Short() {
		d.Step *= 10
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	size, chance := int(info.Size()), 0
	for from := 0; from < size; {
		at, crashed := b.readOn(t, path, from, size, d, fills[0])
		if !crashed {
			break
		}
		from = at + d.Step
		if !b.always(t, path, at, d) {
			chance++
			continue
		}
		crashes = append(crashes, at)
		if len(crashes) == d.Most {
			break
		}
	}
	t.Logf("%s: of %d damaged copies the library crashed with %d, and with %d by chance",
		filepath.Base(path), (size+d.Step-1)/d.Step, len(crashes), chance)
	return crashes
}

// always reports whether a copy that has crashed also crashes with the other fills of memory.
func (b *Bridge) always(t *testing.T, path string, at int, d Damage) bool {
	t.Helper()
	for _, fill := range fills[1:] {
		if _, crashed := b.readOn(t, path, at, at+1, d, fill); !crashed {
			return false
		}
	}
	return true
}

// readOn starts a process that reads copies whose damaged byte is in [from, to), and returns the
// byte at which it crashed.
func (b *Bridge) readOn(t *testing.T, path string, from, to int, d Damage, fill string) (at int, crashed bool) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(withFill(fill), fmt.Sprintf("%s=%d %d %d %d %q %q", damageVariable, from, to, d.Step, d.Flip, t.TempDir(), path))
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(d.Limit, func() { _ = command.Process.Kill() })
	defer hung.Stop()
	last, lines := "", bufio.NewScanner(out)
	for lines.Scan() {
		hung.Reset(d.Limit)
		if strings.HasPrefix(lines.Text(), "several lines") {
			t.Errorf("%s: %s", path, lines.Text())
			continue
		}
		last = lines.Text()
	}
	err = command.Wait()
	if err == nil && last == "done" {
		return 0, false
	}
	if _, errScan := fmt.Sscan(last, &at); errScan != nil {
		t.Fatalf("%s: %q: %v", path, last, err)
	}
	return at, true
}

// readDamaged reads damaged copies of a file. Before each it prints the number of the byte, so that
// the process that started this one knows which copy ended it.
func (b *Bridge) readDamaged() {
	var from, to, step int
	var flip byte
	var dir, path string
	_, err := fmt.Sscanf(os.Getenv(damageVariable), "%d %d %d %d %q %q", &from, &to, &step, &flip, &dir, &path)
	if err != nil {
		panic(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	damaged := filepath.Join(dir, "damaged"+filepath.Ext(path))
	for at := from; at < to; at += step {
		fmt.Println(at)
		if err := os.WriteFile(damaged, Flip(data, at, flip), 0o600); err != nil {
			panic(err)
		}
		for _, err := range b.ReadAll(damaged) {
			if strings.Contains(err.Error(), "\n") {
				fmt.Printf("several lines: %q\n", err)
			}
		}
	}
	fmt.Println("done")
}

// Flip returns data with some bits of one byte inverted.
func Flip(data []byte, at int, bits byte) []byte {
	data = bytes.Clone(data)
	data[at] ^= bits
	return data
}

// mostRead limits the arrays that ReadAll reads, and its memory, in bytes.
const mostRead = 64 << 20

// ReadAll lists a file and reads everything in it. Each error is that of a call, or the reason why
// a variable is refused.
func (b *Bridge) ReadAll(path string) (all []error) {
	note := func(err error) {
		if err != nil {
			all = append(all, err)
		}
	}
	c, err := formats.List(path, formats.Options{Format: b.Format})
	note(err)
	for _, v := range c.Vars {
		if v.Refused != "" {
			note(errors.New(v.Refused))
		}
		r, err := formats.Open(path, formats.Options{Format: b.Format, Variable: v.Name, Memory: mostRead})
		if err != nil {
			note(err)
			continue
		}
		if n, err := r.Info().Bytes(); err == nil && n <= mostRead {
			note(r.ReadSection(nil, make([]byte, n)))
		}
		note(r.Close())
	}
	return all
}

// Survives reports whether a program reads a copy of a file with a damaged byte without crashing,
// with every fill of memory.
func Survives(t *testing.T, program, path string, at int, bits byte) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := File(t, filepath.Base(path), Flip(data, at, bits))
	for _, fill := range fills {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		command := exec.CommandContext(ctx, program, damaged)
		command.Env = withFill(fill)
		err = command.Run()
		cancel()
		var exit *exec.ExitError
		if errors.As(err, &exit) && !exit.Exited() {
			return false
		}
	}
	return true
}

// Cut calls f with copies of a file that are truncated to the given sizes, in bytes.
func Cut(t *testing.T, path string, sizes []int, f func(cut string, size int)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		f(File(t, filepath.Base(path), data[:size]), size)
	}
}

// Eighths returns the sizes of zero, one, two ... seven eighths of a file.
func Eighths(t *testing.T, path string) (sizes []int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		sizes = append(sizes, int(info.Size())*i/8)
	}
	return sizes
}
