package drx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// TestKilledOften kills writers at times counted from their start, many of them while they open the
// array and recover from the previous one. Several are killed in a row before the array is checked.
// (TestKilledWriter lets each writer commit, and has readers.)
func TestKilledOften(t *testing.T) {
	rounds := 25 / len(bothForms)
	if testing.Short() {
		rounds = 4
	}
	for _, name := range bothForms {
		t.Run(name, func(t *testing.T) { testKilledOften(t, createVersionZero(t, name), rounds) })
	}
}

func testKilledOften(t *testing.T, file string, rounds int) {
	rng := rand.New(rand.NewPCG(12, 12))
	version, committed := 0, 0
	should := newVersionContents()
	for round := range rounds {
		for range 6 {
			last, err := runAndKill(file, time.Duration(rng.IntN(30_000))*time.Microsecond)
			if err != nil {
				t.Fatal(err)
			}
			if last > 0 {
				committed++
			}
			version = max(version, last)
		}
		version = should.check(t, file, version, 6)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d writers, %d of them committed something, %d versions", 6*rounds, committed, version)
	if version == 0 || committed == 6*rounds {
		t.Errorf("%d versions by %d of %d writers: the moments are badly chosen", version, committed, 6*rounds)
	}
}

// runAndKill runs a writer process for a while after it begins to open the array, and returns the
// last version that it reported as committed, 0 for none.
func runAndKill(file string, lifetime time.Duration) (last int, err error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(exe, "-test.run=^TestVersionWriterProcess$")
	cmd.Env = append(os.Environ(), versionWriterEnv+"="+file)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	out := bufio.NewReader(pipe)
	begin, beginErr := out.ReadString('\n')
	// The process may have ended, which Wait reports.
	timer := time.AfterFunc(lifetime, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	rest, readErr := io.ReadAll(out)
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		return 0, fmt.Errorf("the writer ended by itself: %w: %s%s", err, begin, rest)
	}
	if err := errors.Join(beginErr, readErr); err != nil || begin != "opening\n" {
		return 0, fmt.Errorf("the writer begins with %q: %w", begin, err)
	}
	lines := bytes.Split(rest, []byte("\n"))
	for _, line := range lines[:len(lines)-1] { // the text after the last newline is incomplete
		if _, err := fmt.Sscanf(string(line), "version %d", &last); err != nil {
			return 0, fmt.Errorf("the writer says %q", line)
		}
	}
	return last, nil
}

// An outage is a disk on which writes to the principal array fail for a while.
type outage struct {
	before, during int // writes that succeed, and writes that fail after these
}

var errAway = errors.New("the disk is away")

func (o *outage) fail(op vfstest.Op, name string) error {
	switch {
	case op != vfstest.OpWrite || name != "a"+dataExt:
	case o.before > 0:
		o.before--
	case o.during > 0:
		o.during--
		return errAway
	}
	return nil
}

// If a write of a few elements fails during an outage and is repeated, earlier writes are not
// damaged: neither to committed chunks nor to new ones.
func TestWritesAcrossAnOutage(t *testing.T) { inBothForms(t, testWritesAcrossAnOutage) }

func testWritesAcrossAnOutage(t *testing.T) {
	for _, rows := range []int{256, 0} {
		for before := range 3 {
			for during := range 6 {
				var o outage
				a := mustCreateAt(t, named(t, "a"), Spec{
					DType: dtype.Float64, Shape: []int{rows, 512}, ChunkShape: []int{256, 32},
					Options: Options{fs: vfstest.Faulty{FS: vfs.NewMem(), Fail: o.fail}, Cache: 4 * (64<<10 + 256)},
				})
				if rows == 0 {
					if _, err := a.Extend(0, 256); err != nil {
						t.Fatal(err)
					}
				}
				first, second := nd.Sec(nd.At(10), nd.All), nd.Sec(nd.Span(20, 23), nd.Span(496, 500))
				if err := Write(a, first, sequence[float64](nd.Sec(nd.Span(0, 512)))); err != nil {
					t.Fatal(err)
				}
				o = outage{before, during}
				data := sequence[float64](second)
				if err := Write(a, second, data); err != nil && !errors.Is(err, errAway) { // three lines of one chunk
					t.Fatal(err)
				}
				wantAfterOutage(t, a, &o, first, second, data)
			}
		}
	}
}

// wantAfterOutage repeats writes that may have failed, the first ones possibly still during the
// outage, and checks both sections.
func wantAfterOutage(t *testing.T, a *Array, o *outage, first, second nd.Section, data []float64) {
	t.Helper()
	if err := a.Sync(); err != nil && !errors.Is(err, errAway) {
		t.Fatal(err)
	}
	o.during = 0
	if err := errors.Join(Write(a, second, data), a.Sync()); err != nil {
		t.Fatal(err)
	}
	if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
		t.Errorf("damaged: %+v, %v", r, err)
	}
	wantSection(t, a, second, data)
	wantSection(t, a, first, sequence[float64](nd.Sec(nd.Span(0, 512))))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// wantSection checks the elements of a section.
func wantSection[T dtype.Element](t *testing.T, a *Array, sec nd.Section, want []T) {
	t.Helper()
	got, err := Read[T](a, sec)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d elements of %v, want %d, %v", len(got), sec, len(want), err)
	}
	for i, v := range got {
		if v != want[i] {
			t.Fatalf("element %d of %v is %v, want %v", i, sec, v, want[i])
		}
	}
}
