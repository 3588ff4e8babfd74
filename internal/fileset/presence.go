package fileset

import (
	"errors"
	"io/fs"

	"drx/internal/chunktable"
	"drx/internal/metalog"
	"drx/internal/vfs"
)

// LazyPresence returns the presence map of an array that is open for reading, which is opened when a chunk
// is found that seems never written: most programs meet none. If the files have been replaced by then, it
// is an empty one, which says nothing.
func LazyPresence(fsys vfs.FS, name string, log vfs.File) vfs.File {
	return vfs.Lazy(Presence(name), func() (vfs.File, error) {
		for range openTries {
			f, again, err := openPresence(fsys, name, log)
			if !again {
				return f, err
			}
		}
		return nil, errReplaced(name)
	})
}

// openPresence opens what a LazyPresence stands for. It is to be called again if the mark has come, gone
// or become another one meanwhile: the file may be one of a Compact that is not complete.
func openPresence(fsys vfs.FS, name string, log vfs.File) (f vfs.File, again bool, err error) {
	s := &set{fsys: fsys, name: name, files: Files{Log: log}}
	if err := s.openMark(); err != nil {
		return nil, false, err
	}
	defer s.closeMark()
	f, err = s.open(PresenceExt, false)
	if err != nil {
		f = nil
	}
	same, currentErr := s.current()
	if same {
		return f, false, err
	}
	if f != nil {
		_ = f.Close()
	}
	if currentErr != nil {
		return nil, false, currentErr
	}
	if again, err = IsCurrent(fsys, name, log); err != nil || again {
		return nil, again, err
	}
	f, err = vfs.NewMem().Create(Presence(name))
	return f, false, err
}

// PresenceHead returns the head of the presence map of an array, and whether there is a good one.
func PresenceHead(fsys vfs.FS, name string) (h chunktable.Head, known bool, err error) {
	return headIn(fsys, Presence(name))
}

// headIn returns the head of the presence map in a file.
func headIn(fsys vfs.FS, file string) (h chunktable.Head, known bool, err error) {
	f, err := fsys.OpenNoFollow(file, false)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrNotRegular) {
		return h, false, nil
	}
	if err != nil {
		return h, false, err
	}
	defer f.Close()
	return chunktable.ReadHead(f)
}

// renamePresence puts the presence map in its place if a program has finished a Compact that knows of no
// such file: the log is the new one, and the map beside it is not. It reports whether it did.
func (s *set) renamePresence() (bool, error) {
	name := Presence(s.name)
	next, known, err := headIn(s.fsys, name+NewExt)
	if err != nil || !known {
		return false, err
	}
	_, log, err := metalog.ReadLog(s.files.Log)
	if err != nil {
		return false, nil // opening the array tells
	}
	now, known, err := headIn(s.fsys, name)
	end := chunktable.Head{Commits: int64(log.Commits()), Digits: log.Digits()}
	if err != nil || !next.Names(end) || known && now.Names(end) {
		return false, err
	}
	if err := s.fsys.Rename(name+NewExt, name); err != nil {
		return false, err
	}
	return true, syncFolder(s.fsys, s.name)
}
