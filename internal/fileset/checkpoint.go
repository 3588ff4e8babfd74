package fileset

import (
	"errors"
	"io/fs"

	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
)

// ReadLog is metalog.ReadLog for the log of an array, from its checkpoint on if it has one. next is
// the size of the log from which on another checkpoint is worth its while.
func ReadLog(fsys vfs.FS, name string, log vfs.File) (s *state.State, l *metalog.Log, next int64, err error) {
	checkpoint := openCheckpoint(fsys, name, log)
	if checkpoint == nil {
		s, l, err = metalog.ReadLog(log)
		return s, l, metalog.CheckpointEvery, err
	}
	defer checkpoint.Close()
	s, l, from, err := metalog.ReadLogFrom(log, checkpoint)
	return s, l, nextCheckpoint(from, checkpoint), err
}

// nextCheckpoint returns the size of the log from which on another checkpoint is worth its while,
// after one up to an offset: when the log has grown by as much as the checkpoint has, so that all
// of them together are not much longer than the log.
func nextCheckpoint(from int64, checkpoint vfs.File) int64 {
	size, err := checkpoint.Size()
	if err != nil || from == 0 {
		size = 0
	}
	return from + max(metalog.CheckpointEvery, size)
}

// openCheckpoint returns the checkpoint of an array, nil if there is none, or if the log is too
// short to be worth looking for it.
func openCheckpoint(fsys vfs.FS, name string, log vfs.File) vfs.File {
	file, ok := Checkpoint(name)
	if size, err := log.Size(); err != nil || !ok || size < metalog.CheckpointEvery {
		return nil
	}
	f, err := fsys.OpenNoFollow(file, false)
	if err != nil {
		return nil // a checkpoint is a hint: the log has everything
	}
	return f
}

// RenewCheckpoint writes the checkpoint of an array whose log has a number of commits, and returns
// the size of the log from which on another one is worth its while. The caller has the lock of a
// writer. An error, which is the file system's, means only that opening the array takes longer.
//
// The checkpoint is made from the last one and the log, and from nothing that this process
// remembers. It ends before the last line, which says more than the state, see state.Journaled.
func RenewCheckpoint(fsys vfs.FS, name string, log vfs.File, commits int) (next int64, err error) {
	size, err := log.Size()
	file, ok := Checkpoint(name)
	if err != nil || !ok || commits < 2 {
		return size + metalog.CheckpointEvery, err
	}
	next = size + metalog.CheckpointEvery // after an error
	f, err := fsys.OpenNoFollow(file, true)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = vfs.CreateLike(fsys, file, log)
	}
	if err != nil {
		return next, err
	}
	defer f.Close()
	s, l, err := metalog.ReadLogBefore(log, f, commits)
	if err != nil {
		return next, err
	}
	text, err := l.EncodeCheckpoint(s.BeginCommit(false))
	if err != nil {
		return next, err
	}
	if err := f.Truncate(0); err != nil {
		return next, err
	}
	if _, err := f.WriteAt(text, 0); err != nil {
		return next, err
	}
	return nextCheckpoint(l.Size(), f), nil
}
