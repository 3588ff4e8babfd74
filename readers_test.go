package drx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/nd"
)

// The versions of the array that the writer process makes: version v overwrites a section that
// depends only on v, and every fifth version adds a row first. An element encodes its index and the
// version that wrote it.
const (
	versionCols = 13
	firstRows   = 6
	mostRows    = 40
)

func versionRows(v int) int { return min(mostRows, firstRows+v/5) }

func versionSection(v int) nd.Section {
	rng := rand.New(rand.NewPCG(uint64(v), 3))
	rows := versionRows(v)
	i, j := rng.IntN(rows), rng.IntN(versionCols)
	return nd.Sec(nd.Span(i, i+1+rng.IntN(rows-i)), nd.Span(j, j+1+rng.IntN(versionCols-j)))
}

func versionElement(i, j, v int) int64 { return int64(v)<<16 | int64(i)<<8 | int64(j) }

// createVersionZero creates the array without any element written, and returns its name.
func createVersionZero(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	a, err := Create(file, Spec{DType: dtype.Int64, Shape: []int{firstRows, versionCols}, ChunkShape: []int{4, 5}, FillValue: -1})
	if err == nil {
		err = a.SetAttr("version", 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// makeVersion writes and commits version v.
func makeVersion(a *Array, v int) error {
	if grow := versionRows(v) - a.Shape()[0]; grow > 0 {
		if _, err := a.Extend(0, grow); err != nil {
			return err
		}
	}
	var data []int64
	sec := versionSection(v)
	each(sec, nil, func(index []int) { data = append(data, versionElement(index[0], index[1], v)) })
	if err := Write(a, sec, data); err != nil {
		return err
	}
	if err := a.SetAttr("version", v); err != nil {
		return err
	}
	return a.Sync()
}

const versionWriterEnv = "DRX_TEST_VERSION_WRITER"

// TestVersionWriterProcess is not a test: TestKilledWriter starts it as a process. It continues
// from the version that it finds until it is killed, and prints each committed version.
func TestVersionWriterProcess(t *testing.T) {
	file := os.Getenv(versionWriterEnv)
	if file == "" {
		t.Skip("a part of TestKilledWriter")
	}
	fmt.Println("opening")
	a, err := Open(file, Options{Write: true, Cache: 1500, patchCost: 1})
	if err != nil {
		t.Fatal(err)
	}
	v, err := strconv.Atoi(string(a.Attrs()["version"]))
	for err == nil {
		v++
		if err = makeVersion(a, v); err == nil {
			fmt.Println("version", v)
		}
	}
	t.Fatal(err)
}

// A writer is killed repeatedly while it appends and overwrites, and readers read continuously. No
// reader sees a value that was not written there, or an older one than it saw before. After each
// kill the committed elements exist.
func TestKilledWriter(t *testing.T) {
	kills := enumtest.Sampled(t, soak).Share(200) / len(bothForms)
	for _, name := range bothForms {
		t.Run(name, func(t *testing.T) { testKilledWriter(t, createVersionZero(t, name), kills) })
	}
}

func testKilledWriter(t *testing.T, file string, kills int) {
	ctx, stop := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	var reads atomic.Int64
	for id := range 3 {
		readers.Go(func() {
			if err := readSections(ctx, file, rand.New(rand.NewPCG(uint64(id), 8)), &reads); err != nil {
				t.Errorf("reader %d: %v", id, err)
			}
		})
	}
	rng := rand.New(rand.NewPCG(6, 6))
	version, should := 0, newVersionContents()
	for kill := range kills {
		last, err := writeUntilKilled(file, time.Duration(5+rng.IntN(60))*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		version = should.check(t, file, max(version, last), 1)
		if t.Failed() {
			t.Fatalf("after kill %d", kill)
		}
	}
	stop()
	readers.Wait()
	t.Logf("%d versions, %d kills, %d sections read meanwhile", version, kills, reads.Load())
	if version < kills || reads.Load() < int64(kills) {
		t.Errorf("%d versions and %d reads with %d kills: hardly anything was tested", version, reads.Load(), kills)
	}
}

// writeUntilKilled runs the writer for a while after its first commit, kills it, and returns the
// last version that it reported as committed.
func writeUntilKilled(file string, lifetime time.Duration) (last int, err error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(exe, "-test.run=^TestVersionWriterProcess$")
	cmd.Env = append(os.Environ(), versionWriterEnv+"="+file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var other []string
	started := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "version ")
		if !ok {
			other = append(other, lines.Text())
			continue
		}
		if !started {
			started = true
			timer := time.AfterFunc(lifetime, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
		}
		if last, err = strconv.Atoi(text); err != nil {
			return 0, err
		}
	}
	if err := cmd.Wait(); err != nil && err.Error() != "signal: killed" {
		return 0, fmt.Errorf("%w: %v", err, other)
	}
	return last, nil
}

// A versionContents is the contents of the array after a version. It can only advance to later
// versions, so that the effect of each of the thousands of versions is computed once.
type versionContents struct {
	version int
	values  [mostRows * versionCols]int64
}

func newVersionContents() *versionContents {
	var w versionContents
	for i := range w.values {
		w.values[i] = -1
	}
	return &w
}

// at returns the elements after version v.
func (w *versionContents) at(v int) []int64 {
	for ; w.version < v; w.version++ {
		next := w.version + 1
		each(versionSection(next), nil, func(index []int) {
			w.values[index[0]*versionCols+index[1]] = versionElement(index[0], index[1], next)
		})
	}
	return w.values[:]
}

// check opens the array as the next writer would, and compares it with the version that the array
// itself states. That must be the last version that a writer reported as committed, or, because
// each of the writers may have been killed before its report, at most writers versions later.
func (w *versionContents) check(t *testing.T, file string, last, writers int) int {
	t.Helper()
	a, err := Open(file, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	v, err := strconv.Atoi(string(a.Attrs()["version"]))
	if err != nil || v < last || v > last+writers {
		t.Errorf("version %d, %v, after %d was committed", v, err, last)
	}
	if a.Shape()[0] != max(firstRows, versionRows(v)) {
		t.Errorf("version %d has %d rows", v, a.Shape()[0])
	}
	if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() {
		t.Errorf("verify: %+v, %v", r, err)
	}
	got, err := Read[int64](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := w.at(v)
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("version %d: element %d,%d is %x, want %x", v, i/versionCols, i%versionCols, got[i], want[i])
		}
	}
	return v
}

// While a writer commits continuously, no reader that opens or refreshes the array finds an earlier
// version than any reader has found before.
func TestVersionsNeverDecrease(t *testing.T) {
	for _, name := range bothForms {
		t.Run(name, func(t *testing.T) { testVersionsNeverDecrease(t, createVersionZero(t, name)) })
	}
}

func testVersionsNeverDecrease(t *testing.T, file string) {
	w, err := Open(file, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	var refreshes, shown atomic.Int64
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			if err := compareVersions(ctx, file, &refreshes, &shown); err != nil {
				t.Error(err)
			}
		})
	}
	version := 0
	for err == nil && ctx.Err() == nil {
		version++
		err = makeVersion(w, version)
	}
	readers.Wait()
	t.Logf("%d versions, %d refreshes", version, refreshes.Load())
	if err := errors.Join(err, w.Close()); err != nil {
		t.Error(err)
	}
}

// compareVersions refreshes an array, and occasionally opens it again, until ctx is done. shown is
// the last version that any reader has found.
func compareVersions(ctx context.Context, file string, refreshes, shown *atomic.Int64) error {
	a, err := Open(file, Options{})
	for i := 0; err == nil && ctx.Err() == nil; i++ {
		least := shown.Load()
		if i%4 > 0 {
			_, err = a.Refresh()
		} else if err = a.Close(); err == nil {
			a, err = Open(file, Options{})
		}
		if err != nil {
			break
		}
		version, _ := strconv.ParseInt(string(a.Attrs()["version"]), 10, 64)
		if version < least {
			return fmt.Errorf("version %d after %d, refreshed %v", version, least, i%4 > 0)
		}
		for last := shown.Load(); last < version && !shown.CompareAndSwap(last, version); last = shown.Load() {
		}
		refreshes.Add(1)
		time.Sleep(50 * time.Microsecond) // yields the processor to the writer
	}
	return errors.Join(err, a.Close())
}

// readSections reads sections until ctx is done, and occasionally refreshes the array or opens it
// again. It fails if it finds an earlier version than before.
func readSections(ctx context.Context, file string, rng *rand.Rand, reads *atomic.Int64) error {
	var seen [mostRows][versionCols]int64 // one more than the value, 0 for none
	last := 0
	a, err := Open(file, Options{})
	for ; err == nil && ctx.Err() == nil; reads.Add(1) {
		switch rng.IntN(8) {
		case 0:
			err = a.Close()
			if err == nil {
				a, err = Open(file, Options{})
			}
		case 1, 2, 3:
			_, err = a.Refresh()
		}
		if err != nil {
			break
		}
		version, _ := strconv.Atoi(string(a.Attrs()["version"]))
		if version < last {
			err = fmt.Errorf("version %d after %d", version, last)
			break
		}
		last = version
		time.Sleep(100 * time.Microsecond) // yields the processor to the writers
		sec := a.Bounds()
		lo := rng.IntN(sec[0].Hi)
		sec[0] = nd.Span(lo, lo+1+rng.IntN(sec[0].Hi-lo))
		var data []int64
		if data, err = Read[int64](a, sec); err != nil {
			break
		}
		n := 0
		each(sec, nil, func(index []int) {
			v, i, j := data[n], index[0], index[1]
			n++
			if v != -1 && v&0xffff != versionElement(i, j, 0) || v+1 < seen[i][j] {
				err = fmt.Errorf("element %d,%d is %x, was %x", i, j, v, seen[i][j]-1)
			}
			seen[i][j] = max(seen[i][j], v+1)
		})
	}
	if a != nil {
		err = errors.Join(err, a.Close())
	}
	return err
}
