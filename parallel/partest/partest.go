// Package partest tests implementations of par.Comm. Code built on a Comm may rely on everything
// that is tested here. The tests of the implementations call its functions.
package partest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"drx/parallel/par"
)

// A Launch runs a program in the procs of an implementation, as par.Run does. If procs are
// processes, each of them calls Test and launches the same programs.
type Launch func(f func(par.Comm) error, o ...par.Options) error

// Test runs the conformance suite, for one number of procs.
func Test(t *testing.T, launch Launch) {
	for _, part := range []struct {
		name string
		test func(*testing.T, Launch)
	}{
		{"collective", testCollective},
		{"reduce", testReduce},
		{"split", testSplit},
		{"agree", testAgree},
		{"window", testWindow},
		{"file", testFile},
		{"failure", testFailure},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, launch) })
	}
}

// program runs a program, which must not fail.
func program(t *testing.T, launch Launch, name string, f func(par.Comm) error) {
	t.Run(name, func(t *testing.T) {
		if err := launch(f); err != nil {
			t.Fatal(err)
		}
	})
}

// random returns a generator of the same numbers on all procs, given the same seeds.
func random(seeds ...uint64) *rand.Rand {
	s := uint64(0)
	for _, x := range seeds {
		s = s*1_000_003 + x + 1
	}
	return rand.New(rand.NewPCG(s, 20070325))
}

// noise returns n bytes that depend on the seeds only.
func noise(n int, seeds ...uint64) []byte {
	var seed [32]byte
	for i, s := range seeds {
		binary.LittleEndian.PutUint64(seed[8*i:], s+1)
	}
	b := make([]byte, n)
	rand.NewChaCha8(seed).Read(b)
	return b
}

// equal returns an error unless both values are equal.
func equal[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// same is equal for bytes.
func same(what string, got, want []byte) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: got %d bytes, want %d", what, len(got), len(want))
	}
	if bytes.Equal(got, want) {
		return nil
	}
	i := 0
	for got[i] == want[i] {
		i++
	}
	return fmt.Errorf("%s: byte %d of %d: got %d, want %d", what, i, len(got), got[i], want[i])
}

// is returns an error unless err wraps the wanted one.
func is(what string, err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %v", what, err, want)
}

// from returns an error unless err comes from the given proc.
func from(what string, err error, proc int) error {
	var e *par.ProcError
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %v names no proc", what, err)
	}
	return equal(what+": proc blamed", e.Proc, proc)
}

// soon returns an error if a function does not return within a minute.
func soon(what string, f func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("%s: goes on after a minute", what)
	}
}

// folder creates a new folder, and returns its name on all procs.
func folder(c par.Comm) (string, error) {
	var name string
	var err error
	if c.Proc() == 0 {
		name, err = os.MkdirTemp("", "partest")
	}
	if err := c.Agree("folder", err); err != nil {
		return "", err
	}
	all, err := c.AllGather([]byte(name))
	if err != nil {
		return "", err
	}
	return string(all[0]), nil
}

// inFolder calls f with a new folder, which it removes afterwards.
func inFolder(c par.Comm, f func(dir string) error) error {
	dir, err := folder(c)
	if err != nil {
		return err
	}
	if c.Proc() == 0 {
		defer os.RemoveAll(dir)
	}
	if err := f(dir); err != nil {
		return err
	}
	return c.Barrier()
}

// sorted returns the keys of a map in ascending order: the same on all procs.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
