package bridgetest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"drx/formats"
)

// fragile is a bridge to a library that crashes with a damaged byte 4, and with a damaged byte 2 if
// uninitialised memory holds the first or the last fill.
var fragile = &Bridge{Format: "fragile"}

func TestMain(m *testing.M) {
	formats.Register(formats.Format{
		Name:      fragile.Format,
		Recognise: func([]byte) bool { return false },
		Open:      func(*formats.Input) (formats.Reader, error) { return nil, errors.New("no variable") },
		List: func(in *formats.Input) (formats.Content, error) {
			data, err := io.ReadAll(in.Stream)
			fill := slices.Index(fills, os.Getenv("MALLOC_PERTURB_"))
			if err == nil && (data[4] != 'e' || data[2] != 'c' && fill != 1) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return formats.Content{}, err
		},
	})
	fragile.Main(m)
}

// A crash must count only if it does not depend on uninitialised memory.
func TestDamaged(t *testing.T) {
	path := File(t, "a.fragile", []byte("abcdefg"))
	got := fragile.Damaged(t, path, Damage{Step: 1, Flip: 1, Limit: time.Minute})
	if want := []int{4}; !testing.Short() && !slices.Equal(got, want) {
		t.Errorf("crashes with the bytes %v, want %v", got, want)
	}
}

// A program must count as surviving a copy only if it does so with all fills of memory.
func TestSurvives(t *testing.T) {
	path := File(t, "a.txt", []byte("abcdefg"))
	for script, want := range map[string]bool{
		"exit 1":        true,
		"kill -SEGV $$": false,
		`test $MALLOC_PERTURB_ = 85 || kill -SEGV $$`: false,
	} {
		program := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := Survives(t, program, path, 0, 1); got != want {
			t.Errorf("%s: %t", script, got)
		}
	}
}
