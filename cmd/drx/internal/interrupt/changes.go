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

// Changes is the set of arrays that this process is changing, so that an interruption can roll back
// what is not committed.
var Changes changes

// changes is a set of arrays that are open for writing. A mutex guards it, because an interruption
// is handled in a goroutine of its own while the verb goes on.
type changes struct {
	mu sync.Mutex
	of map[*drx.Array]change
}

// A change records the state of an array when the verb opened it, and what was committed since.
type change struct {
	log  int64  // the size of its log at the beginning, in bytes; -1 if unknown
	kept string // a phrase for what was committed since, empty if unknown or nothing
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

// End removes a closed array.
func (c *changes) End(a *drx.Array) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, a)
}

// kept returns the phrase that Keep has noted, empty if none.
func (c *changes) kept(a *drx.Array) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[a].kept
}

// phrase returns a phrase for what is committed of an array that an interruption has closed, empty
// if that is unknown. A log of unchanged size proves that nothing was committed, since every commit
// appends to the log.
func (c *changes) phrase(a *drx.Array) string {
	c.mu.Lock()
	was := c.of[a]
	c.mu.Unlock()
	if now := logBytes(a); was.kept == "" && now >= 0 && now == was.log {
		return a.Name() + " is as it was before"
	}
	return was.kept
}

// Close ends a change whose verb returned err. If err is nil it commits and closes the array.
// Otherwise it rolls back to the last commit, and adds to the error what is committed.
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

// rollBack rolls back all arrays to their last commits, and returns a phrase for each about what is
// committed. It waits for operations on them that have begun. It is for a program that is about to
// exit while a verb is still running.
func (c *changes) rollBack() (phrases []string) {
	c.mu.Lock()
	arrays := slices.Collect(maps.Keys(c.of))
	c.mu.Unlock()
	for _, a := range arrays {
		_ = a.Discard() // as in Close
		if phrase := c.phrase(a); phrase != "" {
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// A keptError is the error of a verb, with a phrase for what is committed in spite of it.
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

// interruption returns the message of an interrupted verb, with phrases for what is committed.
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
