package fileset

import (
	"errors"
	"io/fs"

	"drx/internal/chunktable"
	"drx/internal/vfs"
)

// LazyPresence returns the presence map of an array that is open for reading. The file is opened
// only when it is needed, for a chunk that seems never written, which most programs do not meet. If
// the array's files have been replaced by then, the map is empty, which means that it says nothing.
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

// openPresence opens the file for LazyPresence. It asks for another attempt if a mark has appeared,
// disappeared or been replaced meanwhile, because the file may then belong to a Compact that is not
// complete.
func openPresence(fsys vfs.FS, name string, log vfs.File) (f vfs.File, again bool, err error) {
	s := &fileSet{fsys: fsys, name: name, files: Files{Log: log}}
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

// PresenceHead returns the head of an array's presence map, and whether there is a valid one.
func PresenceHead(fsys vfs.FS, name string) (h chunktable.Head, known bool, err error) {
	if OneFile(name) {
		return h, false, nil // callers ask where an array lacks a map, which one file always has
	}
	return readHead(fsys, Presence(name))
}

// readHead returns the head of the presence map in a file, and whether there is a valid one.
func readHead(fsys vfs.FS, file string) (h chunktable.Head, known bool, err error) {
	var b [chunktable.HeadBytes]byte
	if in, is := fsys.(FS); is && !OneFile(file) { // a file of several, which is in no container
		fsys = in.FS
	}
	n, err := vfs.ReadStart(fsys, file, b[:])
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrNotRegular) {
		return h, false, nil
	}
	if err != nil {
		return h, false, err
	}
	h, known = chunktable.DecodeHead(b[:n])
	return h, known, nil
}

// renamePresence gives a new presence map its name if an older program, which does not know of the
// map, has completed a Compact: the log is the new one, and the map beside it is not. It reports
// whether it renamed the map.
func (s *fileSet) renamePresence() (bool, error) {
	if OneFile(s.name) {
		return false, nil
	}
	name := Presence(s.name)
	next, known, err := readHead(s.fsys, name+NewExt)
	if err != nil || !known {
		return false, err
	}
	_, log, _, err := ReadLog(s.fsys, s.name, s.files.Log)
	if err != nil {
		return false, nil // opening the array reports the error
	}
	now, known, err := readHead(s.fsys, name)
	end := chunktable.Head{Commits: int64(log.Commits()), Digits: log.Digits()}
	if err != nil || !next.Names(end) || known && now.Names(end) {
		return false, err
	}
	if err := s.fsys.Rename(name+NewExt, name); err != nil {
		return false, err
	}
	return true, syncDir(s.fsys, s.name)
}
