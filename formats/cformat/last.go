package cformat

import (
	"io/fs"
	"os"

	"drx/formats"
)

// A State holds the size, times and inode number of a file, to detect changes.
type State struct {
	path string
	info fs.FileInfo // nil if the operating system reports none
}

// StateOf returns the current state of the file of an input.
func StateOf(in *formats.Input) State {
	if f, ok := in.File.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil {
			return State{in.Path, info}
		}
	}
	return State{in.Path, nil}
}

// same reports whether a file has not changed.
func (s State) same(other State) bool {
	a, b := s.info, other.info
	return a != nil && b != nil && s.path == other.path && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Last caches the catalog of the last file read: a program lists a file and then opens its
// variables one after another. Callers hold the mutex of the library.
type Last[T any] struct {
	state State
	found T
	is    bool
}

// Keep stores the catalog of a file. s is what StateOf returned before the file was read.
func (l *Last[T]) Keep(s State, found T) { l.state, l.found, l.is = s, found, true }

// Get returns the stored catalog if s is the state with which it was stored.
func (l *Last[T]) Get(s State) (found T, ok bool) {
	if l.is && l.state.same(s) {
		return l.found, true
	}
	return found, false
}

// Forget makes Get return nothing.
func (l *Last[T]) Forget() { *l = Last[T]{} }
