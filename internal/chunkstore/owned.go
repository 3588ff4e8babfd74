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
// only with its next commit. Other processes must not mistake these for chunks that nobody writes.
// So the sharer holds the locks of their presence bytes as long as it has the array open, and a
// process that changes a common chunk holds the lock of its presence byte meanwhile, shared.

// Own locks spans of chunks for this process, until the store is closed. The error wraps
// vfs.ErrLocked if another process owns or changes one of them.
func (s *Sharer) Own(spans []axial.Span) error {
	s.common.Lock()
	defer s.common.Unlock()
	file := s.files.Presence
	if file == nil { // version 1: nobody changes common chunks outside of reservations
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

// unlessOwned keeps other processes from owning chunks until release is called. The error wraps
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

// HasOwners reports whether the files record which process owns a chunk.
func (s *Sharer) HasOwners() bool { return s.files.Presence != nil }
