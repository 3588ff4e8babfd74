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
	"strings"
	"sync"
	"testing"
	"time"

	"drx/axial"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// sharedSpec describes an array with chunks that several reservations of one frame share.
func sharedSpec(fsys vfs.FS) Spec {
	return Spec{DType: dtype.Int64, Shape: []int{0, 6}, ChunkShape: []int{4, 4}, FillValue: -1, Options: Options{fs: fsys}}
}

// appendFrames reserves and fills n sections along dimension 0, some of them of several frames.
func appendFrames(a *Array, rng *rand.Rand, n int, done func(nd.Section)) error {
	for range n {
		sec, err := reserveSide(a, 0, 1+rng.IntN(6), axial.Side(rng.IntN(2)))
		if err != nil {
			return err
		}
		if err := writeStamps(a, sec); err != nil {
			return err
		}
		if err := a.Sync(); err != nil {
			return err
		}
		done(sec)
	}
	return nil
}

// Several Arrays append to one array at the same time: no sections overlap, and nothing is lost.
func TestReserve(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{
		"memory": vfs.NewMem(), "system": vfs.OS, "memory, one file": vfs.NewMem(), "system, one file": vfs.OS,
	} {
		t.Run(name, func(t *testing.T) {
			file := "a"
			if strings.HasSuffix(name, "one file") {
				file = "a.drx"
			}
			if fsys == vfs.OS {
				file = filepath.Join(t.TempDir(), file)
			}
			w, err := Create(file, sharedSpec(fsys))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Open(file, Options{Shared: true, fs: fsys}); !errors.Is(err, ErrLocked) {
				t.Errorf("sharing beside a writer: %v", err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			var appenders sync.WaitGroup
			for id := range 4 {
				appenders.Go(func() {
					a, err := Open(file, Options{Shared: true, fs: fsys, Cache: 1000})
					if err == nil {
						err = appendFrames(a, rand.New(rand.NewPCG(1, uint64(id))), 15, func(nd.Section) {})
					}
					if err == nil {
						err = a.Close()
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			appenders.Wait()
			checkStamps(t, file, fsys, nil)
		})
	}
}

// checkStamps opens the array as its only writer and checks that every element is its stamp or,
// outside of the given sections, the fill value. nil means that all elements are stamps.
func checkStamps(t *testing.T, file string, fsys vfs.FS, filled []nd.Section) {
	t.Helper()
	a, err := Open(file, Options{Write: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() {
		t.Fatalf("verify: %+v, %v", r, err)
	}
	data, err := Read[int64](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	each(a.Bounds(), nil, func(index []int) {
		v := data[n]
		n++
		if v == stamp(index[0], index[1]) {
			return
		}
		inside := filled == nil
		for _, sec := range filled {
			inside = inside || sec.Contains(nd.Box(index, plusOne(index)))
		}
		if v != -1 || inside {
			t.Errorf("element %v is %d, want %d", index, v, stamp(index[0], index[1]))
		}
	})
}

// A shared array can be written where no other process has reserved a chunk, and grows by
// reservations only.
func TestReserveErrors(t *testing.T) { inBothForms(t, testReserveErrors) }

func testReserveErrors(t *testing.T) {
	fsys := vfs.NewMem()
	w, err := Create(named(t, "a"), sharedSpec(fsys))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Reserve(0, 1); !errors.Is(err, ErrReadOnly) {
		t.Errorf("reserve by a writer: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", Options{Shared: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open("a", Options{Shared: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open("a", Options{Write: true, fs: fsys}); !errors.Is(err, ErrLocked) {
		t.Errorf("a writer beside sharers: %v", err)
	}
	mine, err := a.Reserve(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := Set(a, int64(7), 1, 1); err != nil {
		t.Error(err)
	}
	if v, err := At[int64](a, 1, 1); err != nil || v != 7 {
		t.Errorf("At = %d, %v", v, err)
	}
	theirs, err := b.Reserve(0, 2)
	if err != nil || theirs[0] != nd.Span(3, 5) {
		t.Errorf("second reservation %v, %v", theirs, err)
	}
	if err := writeStamps(b, mine); err != nil { // it has no chunk that only a uses
		t.Error(err)
	}
	if _, err := a.Reserve(0, 7); err != nil {
		t.Error(err)
	}
	if _, err := b.Reserve(0, 1); err != nil { // which shows it the bounds
		t.Error(err)
	}
	whole := nd.Sec(nd.Span(8, 12), nd.Span(0, 4))
	_, extend := a.Extend(0, 1)
	_, addDim := a.AddDim("")
	for op, err := range map[string]error{
		"write to another's": writeStamps(b, whole), "fill": Fill(b, whole, int64(1)), "set": Set(b, int64(1), 9, 0),
	} {
		if !errors.Is(err, ErrLocked) {
			t.Errorf("%s: %v", op, err)
		}
	}
	for op, err := range map[string]error{
		"extend": extend, "add": addDim, "shrink": a.Shrink(0, 1), "attr": a.SetAttr("n", 1),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if _, err := a.Reserve(2, 1); !errors.Is(err, ErrRank) {
		t.Errorf("reserve dimension 2: %v", err)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

// Elements of chunks within one reservation are read as they were written, by every read function,
// also before a Sync.
func TestReservedElements(t *testing.T) { inBothForms(t, testReservedElements) }

func testReservedElements(t *testing.T) {
	fsys := vfs.NewMem()
	a := mustCreate(t, sharedSpec(fsys))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", Options{Shared: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	sec, err := a.Reserve(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCursor[int64](a)
	if err != nil {
		t.Fatal(err)
	}
	for turn := range int64(3) {
		each(sec, nil, func(index []int) {
			want := turn<<20 + stamp(index[0], index[1])
			if err := Set(a, want, index...); err != nil {
				t.Fatal(err)
			}
			var gathered [1]int64
			at, err := At[int64](a, index...)
			moved, err2 := c.At(index...)
			if err := errors.Join(err, err2, Gather(a, index, gathered[:])); err != nil || at != want || moved != want || gathered[0] != want {
				t.Errorf("element %v is %d, under the cursor %d, gathered %d, want %d; %v", index, at, moved, gathered[0], want, err)
			}
		})
		if turn == 1 {
			err = a.Sync()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

const appenderEnv = "DRX_TEST_APPENDER"

// TestAppenderProcess is not a test: TestReserveKilled starts it as a process. It appends until it
// is killed and prints each committed section.
func TestAppenderProcess(t *testing.T) {
	file := os.Getenv(appenderEnv)
	if file == "" {
		t.Skip("a part of TestReserveKilled")
	}
	a, err := Open(file, Options{Shared: true, Cache: 1000})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	err = appendFrames(a, rng, 1<<30, func(sec nd.Section) { fmt.Println("section", sec) })
	t.Fatal(err)
}

// Processes that append to one array are killed at random moments, and others start. Everything
// that they reported as committed exists, at the right index.
func TestReserveKilled(t *testing.T) {
	rounds := 12 / len(bothForms)
	if testing.Short() {
		rounds = 2
	}
	for _, name := range bothForms {
		t.Run(name, func(t *testing.T) { testReserveKilled(t, filepath.Join(t.TempDir(), name), rounds) })
	}
}

func testReserveKilled(t *testing.T, file string, rounds int) {
	w, err := Create(file, sharedSpec(vfs.OS))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var mu sync.Mutex
	committed := []nd.Section{} // not nil, which would mean that everything was written
	slowness := time.Duration(1)
	for range rounds {
		before := len(committed)
		var round sync.WaitGroup
		for range 3 {
			lifetime := slowness * time.Duration(30+rng.IntN(150)) * time.Millisecond
			round.Go(func() {
				secs, err := appendUntilKilled(file, lifetime)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				committed = append(committed, secs...)
			})
		}
		round.Wait()
		if t.Failed() {
			return
		}
		checkStamps(t, file, vfs.OS, committed)
		if len(committed) < before+3 { // a busy machine: let them run longer
			slowness *= 2
		}
	}
	t.Logf("%d sections committed by %d processes that were killed", len(committed), 3*rounds)
	if len(committed) < rounds {
		t.Errorf("only %d sections were committed: nothing was tested", len(committed))
	}
}

// appendUntilKilled runs an appender for a while, kills it, and returns what it committed.
func appendUntilKilled(file string, lifetime time.Duration) ([]nd.Section, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, "-test.run=^TestAppenderProcess$")
	cmd.Env = append(os.Environ(), appenderEnv+"="+file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	timer := time.AfterFunc(lifetime, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var secs []nd.Section
	var other []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "section "); ok {
			sec, err := nd.ParseSection(text)
			if err != nil {
				return nil, err
			}
			secs = append(secs, sec)
		} else {
			other = append(other, lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil && err.Error() != "signal: killed" {
		return nil, fmt.Errorf("%w: %v", err, other)
	}
	return secs, nil
}
