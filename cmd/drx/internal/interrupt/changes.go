package interrupt

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"drx"
	"drx/internal/fileset"
	"drx/internal/wording"
)

// Changes are the arrays that this process is changing, so that an interruption can roll back what
// is not committed.
var Changes changes

// changes are arrays that are open for writing.
type changes struct {
	mu sync.Mutex
	of map[*drx.Array]change
}

// A change describes how far the change of an array is.
type change struct {
	log  int64  // the size of its log before, in bytes
	kept string // a phrase that says what is committed since, empty if that is unknown or nothing
}

// Begin adds an array that has just been opened.
func (c *changes) Begin(a *drx.Array) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[*drx.Array]change{}
	}
	c.of[a] = change{log: logBytes(a)}
}

// logBytes returns the size of the log of an array, -1 if it is unknown.
func logBytes(a *drx.Array) int64 {
	name := fileset.NewName(fileset.OS(), a.Name())
	if !fileset.OneFile(name) {
		info, err := os.Stat(fileset.Log(name))
		if err != nil {
			return -1
		}
		return info.Size()
	}
	files, err := fileset.OpenCurrent(fileset.OS(), name, false)
	if err != nil {
		return -1
	}
	defer files.Close()
	size, err := files.Log.Size()
	if err != nil {
		return -1
	}
	return size
}

// Keep notes what is committed of an array, as a phrase.
func (c *changes) Keep(a *drx.Array, phrase string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if was, ok := c.of[a]; ok {
		c.of[a] = change{was.log, phrase}
	}
}

// End removes an array, which is closed.
func (c *changes) End(a *drx.Array) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, a)
}

// kept returns what keep has noted.
func (c *changes) kept(a *drx.Array) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[a].kept
}

// phrase returns a phrase that says what is committed of an array that an interruption has closed,
// empty if that is unknown.
func (c *changes) phrase(a *drx.Array) string {
	c.mu.Lock()
	was := c.of[a]
	c.mu.Unlock()
	if now := logBytes(a); was.kept == "" && now >= 0 && now == was.log {
		return a.Name() + " is as it was before"
	}
	return was.kept
}

// Close ends a change that has failed with err, nil if it has not: it commits the array, or rolls
// back what is not committed and adds to the error what is.
func (c *changes) Close(a *drx.Array, err error) error {
	defer c.End(a)
	if err == nil {
		return a.Close()
	}
	_ = a.Discard() // if it cannot give back the space, the next writer does
	if !errors.Is(err, context.Canceled) {
		return WithKept(err, c.kept(a))
	}
	return WithKept(err, c.phrase(a))
}

// rollBack rolls back what is not committed of all arrays, and returns what is. It waits for
// operations on them that have begun. It is for a program that is about to end although a verb is
// still at work.
func (c *changes) rollBack() (phrases []string) {
	c.mu.Lock()
	arrays := slices.Collect(maps.Keys(c.of))
	c.mu.Unlock()
	for _, a := range arrays {
		_ = a.Discard() // as in close
		if phrase := c.phrase(a); phrase != "" {
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// A keptError is an error of a verb that says what is committed nevertheless.
type keptError struct {
	error
	phrase string
}

// WithKept adds a phrase, if it is not empty, to an error.
func WithKept(err error, phrase string) error {
	if phrase == "" {
		return err
	}
	return keptError{err, phrase}
}

// Error implements error.
func (e keptError) Error() string { return e.error.Error() + "; " + e.phrase }

// Unwrap returns the error without the phrase.
func (e keptError) Unwrap() error { return e.error }

// interruption returns the message of an interrupted verb, with phrases that say what is committed.
func interruption(phrases ...string) string {
	return wording.Escaped("drx: " + strings.Join(append([]string{"interrupted"}, phrases...), "; "))
}

// InterruptionOf returns the message of a verb that an interruption has ended with an error.
func InterruptionOf(err error) string {
	if kept := (keptError{}); errors.As(err, &kept) {
		return interruption(kept.phrase)
	}
	return interruption()
}
