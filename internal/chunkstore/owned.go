package chunkstore

import (
	"errors"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/state"
	"drx/internal/vfs"
)

// A sharer that has reserved a section changes the chunks in it without their locks, and names them
// with its next commit only. So that no other process takes them for chunks that nobody writes, it
// has the locks of their presence bytes, for as long as it has the array open; whoever changes a
// common chunk has that of its presence byte meanwhile, shared.

// Own makes spans of chunks this process's own, until the store is closed. The error wraps
// vfs.ErrLocked if another process owns or changes one of them.
func (s *Sharer) Own(spans []axial.Span) error {
	s.common.Lock()
	defer s.common.Unlock()
	file := s.files.Presence
	if file == nil { // version 1: nobody changes common chunks but those of reservations
		return nil
	}
	release, err := lockSpans(spans, func(span axial.Span) (func() error, error) {
		return file.TryLockRange(chunktable.PresenceHead+int64(span.From), span.N, false)
	})
	if err == nil {
		s.owned = append(s.owned, release)
	}
	return err
}

// unlessOwned keeps others from making chunks their own until release is called. The error wraps
// vfs.ErrLocked if another process owns one of them.
func (s *Sharer) unlessOwned(chunks []axial.Number) (release func() error, err error) {
	file := s.files.Presence
	if file == nil {
		return func() error { return nil }, nil
	}
	release, err = lockSpans(spansOf(chunks), func(span axial.Span) (func() error, error) {
		return file.TryLockRange(chunktable.PresenceHead+int64(span.From), span.N, true)
	})
	if errors.Is(err, vfs.ErrLocked) {
		err = errkind.Errorf(vfs.ErrLocked, "another process has reserved what is to be written, and has the array open: "+
			"write when it has closed it (%v)", err)
	}
	return release, err
}

// ErrOld is returned for an array of version 1, which has no presence map.
var ErrOld = errkind.Errorf(state.ErrVersion, "the array is of version 1, in which processes write beside each other in reserved sections only: "+
	"open it for writing alone once, change it, and commit that")

// HasOwners reports whether it can be told which process owns a chunk.
func (s *Sharer) HasOwners() bool { return s.files.Presence != nil }
