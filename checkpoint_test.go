package drx

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state/statetest"
	"drx/internal/vfs"
)

// withCheckpoints makes every commit of this test renew the checkpoint.
func withCheckpoints(t *testing.T) {
	every := metalog.CheckpointEvery
	metalog.CheckpointEvery = 1
	t.Cleanup(func() { metalog.CheckpointEvery = every })
}

// wantCheckpointed checks that an array opens as its log alone says, and that its checkpoint, if
// counts is set, is used.
func wantCheckpointed(t *testing.T, name string, counts bool) {
	t.Helper()
	log, err := fileset.OS().Open(name+fileset.LogExt, false)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	want, _, err := metalog.ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	got, l, next, err := fileset.ReadLog(fileset.OS(), name, log)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, statetest.Equal); diff != "" {
		t.Fatalf("%s after %d commits (-log +checkpoint):\n%s", name, l.Commits(), diff)
	}
	if used := next > metalog.CheckpointEvery; used != counts {
		t.Fatalf("%s after %d commits: the checkpoint counts: %v, want %v", name, l.Commits(), used, counts)
	}
}

// grownStep makes one random change of an array and of a model of it, in dimension 0.
func grownStep(t *testing.T, a *Array, model []int32, rng *rand.Rand) []int32 {
	t.Helper()
	var err error
	switch rng.IntN(6) {
	case 0:
		by := 1 + rng.IntN(3)
		if _, err = a.Extend(0, by); err == nil {
			model = append(model, make([]int32, by)...)
		}
	case 1:
		if len(model) > 4 {
			err, model = a.Shrink(0, 2), slices.Clone(model[:len(model)-2])
		}
	case 2:
		err = a.SetAttr("n", rng.IntN(100))
	case 3, 4:
		for range 2 {
			if at := rng.IntN(len(model)); err == nil {
				model[at] = rng.Int32()
				err = Set(a, model[at], append([]int{at}, make([]int, a.Rank()-1)...)...)
			}
		}
	case 5:
		if a.Rank() < 3 {
			_, err = a.AddDim("")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// wantModel compares all elements of an array with a model.
func wantModel(t *testing.T, name string, o Options, model []int32) {
	t.Helper()
	a, err := Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got := make([]int32, len(model))
	if err := ReadInto(a, nil, got); err != nil || !slices.Equal(got, model) {
		t.Fatalf("%s: %v, %v, want %v", name, got, err, model)
	}
}

// An array with checkpoints is, for every role and after every commit, what its log says; also when
// it is renamed, compacted, killed, or loses its checkpoint.
func TestCheckpointsOfArrays(t *testing.T) {
	withCheckpoints(t)
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		name := filepath.Join(t.TempDir(), "a")
		o := Options{Write: true, Durability: Durability(seed % 3)}
		a, err := Create(name, Spec{DType: dtype.Int32, Shape: []int{5}, ChunkShape: []int{2}, Options: o})
		if err != nil {
			t.Fatal(err)
		}
		model := make([]int32, 5)
		for range 40 {
			model = grownStep(t, a, model, rng)
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
			wantModel(t, name, Options{}, model)
			if rng.IntN(4) > 0 {
				continue
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			wantCheckpointed(t, name, a.log.Commits() > 1)
			if name, err = disturbed(name, rng); err != nil {
				t.Fatal(err)
			}
			wantModel(t, name, Options{}, model)
			wantModel(t, name, Options{Shared: true}, model)
			if a, err = Open(name, o); err != nil {
				t.Fatal(err)
			}
			if changes, err := a.History(); err != nil || changes[0].Kind != Created {
				t.Fatalf("history: %v, %v", changes, err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if a, err = Open(name, Options{}); err != nil {
			t.Fatal(err)
		}
		if report, err := a.Verify(context.Background(), nil); err != nil || !report.Good() {
			t.Fatalf("%+v, %v", report, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Remove(name); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(name + "*"); len(left) > 0 {
			t.Errorf("after its removal there are %v", left)
		}
	}
}

// disturbed does to an array that is closed what may happen to it, and returns its name.
func disturbed(name string, rng *rand.Rand) (string, error) {
	checkpoint, _ := fileset.Checkpoint(name)
	text, err := os.ReadFile(checkpoint)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(text) == 0 {
		return name, err
	}
	switch rng.IntN(6) {
	case 0:
		to := name + "x"
		return to, Rename(name, to)
	case 1:
		return name, os.Remove(checkpoint)
	case 2:
		text[rng.IntN(len(text))] ^= 1
		return name, os.WriteFile(checkpoint, text, 0o666)
	case 3:
		return name, os.WriteFile(checkpoint, text[:rng.IntN(len(text))], 0o666)
	case 4: // a program of before appends lines, and leaves the checkpoint as it is
		a, err := Open(name, Options{Write: true})
		if err != nil {
			return name, err
		}
		if err := errors.Join(a.SetAttr("before", rng.IntN(9)), a.Close()); err != nil {
			return name, err
		}
		return name, os.WriteFile(checkpoint, text, 0o666)
	}
	a, err := Open(name, Options{Write: true})
	if err != nil {
		return name, err
	}
	return name, errors.Join(a.Compact(context.Background(), nil), a.Close())
}

// A crash at any operation of a session whose commits renew the checkpoint leaves the array as it
// was at one of them, whatever of the checkpoint has reached the disk.
func TestCrashOfCheckpoint(t *testing.T) {
	withCheckpoints(t)
	crashEverywhere(t, 8, 500, func(l *scriptedSession, fsys vfs.FS) error { return l.run(fsys, DurabilityFull) })
}
