package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"drx/internal/chunkio"
	"drx/internal/metalog"
	"drx/internal/vfs"
)

// Compact replaces the files of an array by new ones. Four renames are not atomic, so
// it goes through these steps, holding the locks on the old log and the new one:
//
//	write    the new files, as name.xmd.new and so on, and make them durable
//	mark     create name.xcp and make that durable: from now on the new files count
//	rename   data, table, presence map and, last, the log; make that durable
//	unmark   remove name.xcp and make that durable, before there are new files again
//
// So while there is a mark, the files with the extension .new count where they exist and the
// others where not; without a mark those with .new are left over from a writer that died.
const (
	markExt = ".xcp"
	newExt  = ".new"
)

// presenceFile is the number of the presence map among the files of an array.
const presenceFile = 3

// A fileSet is the files of an array as they were found by their names.
type fileSet struct {
	fsys  vfs.FS
	name  string
	files []vfs.File // log, data, table and, for a writer of version 2, presence map; in this order, see current
	mark  vfs.File   // kept open so that another one cannot be taken for it; nil for none
}

// An absentFile says what to do about a file that is missing: it returns a stand-in, or the
// error.
type absentFile func(ext string, err error) (vfs.File, error)

// openSet opens the files that count. They belong together if current says so afterwards.
func openSet(fsys vfs.FS, name string, write bool, absent absentFile) (*fileSet, error) {
	s := &fileSet{fsys: fsys, name: name}
	if err := s.openMark(); err != nil {
		return nil, err
	}
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		if ext == presenceExt && !write {
			break // see lazyPresence
		}
		f, err := s.open(ext, write)
		if errors.Is(err, fs.ErrNotExist) && ext == presenceExt {
			break // an array of version 1 has none, see checkPresence
		}
		if errors.Is(err, fs.ErrNotExist) && absent != nil {
			f, err = absent(ext, err)
		}
		if err != nil {
			s.close()
			return nil, err
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

func (s *fileSet) openMark() error {
	mark, err := s.fsys.OpenNoFollow(s.name+markExt, false)
	if err == nil {
		s.mark = mark
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// open opens the file with an extension that counts. A reader follows symbolic links. Of a writer's files
// only the principal array may be one, to another volume, and only if it leads to a file with the same
// extension: what has another name may be no file of an array, and would be emptied. If the log were
// one the array would have two names, and a journal under each.
func (s *fileSet) open(ext string, write bool) (vfs.File, error) {
	if s.mark != nil {
		f, err := s.fsys.OpenNoFollow(s.name+ext+newExt, write)
		if err == nil {
			return vfs.Renamed(f, s.name+ext), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if !write {
		return s.fsys.Open(s.name+ext, false)
	}
	f, err := s.fsys.OpenNoFollow(s.name+ext, true)
	link := (*vfs.LinkError)(nil)
	switch {
	case !errors.As(err, &link):
		return f, err
	case ext != dataExt:
		return nil, fmt.Errorf("%w; write to the array by the name that the link leads to", err)
	case filepath.Ext(link.Target) != dataExt:
		return nil, fmt.Errorf("%w: what it leads to must have the extension %s to be written", err, dataExt)
	}
	return s.fsys.Open(s.name+ext, true)
}

// lazyPresence returns the presence map of an array that is open for reading, which is opened when a chunk
// is found that seems never written: most programs meet none. If the files have been replaced by then, it
// is an empty one, which says nothing.
func lazyPresence(fsys vfs.FS, name string, log vfs.File) vfs.File {
	return vfs.Lazy(name+presenceExt, func() (vfs.File, error) {
		for range openTries {
			f, again, err := openPresence(fsys, name, log)
			if !again {
				return f, err
			}
		}
		return nil, errReplaced(name)
	})
}

// openPresence opens what a lazyPresence stands for. It is to be called again if the mark has come, gone
// or become another one meanwhile: the file may be one of a Compact that is not complete.
func openPresence(fsys vfs.FS, name string, log vfs.File) (f vfs.File, again bool, err error) {
	s := &fileSet{fsys: fsys, name: name, files: []vfs.File{log}}
	if err := s.openMark(); err != nil {
		return nil, false, err
	}
	defer s.closeMark()
	f, err = s.open(presenceExt, false)
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
	if again, err = isCurrent(fsys, name, log); err != nil || again {
		return nil, again, err
	}
	f, err = vfs.NewMem().Create(name + presenceExt)
	return f, false, err
}

// current reports whether the files belong together and still count. The log is opened
// first, renamed last, and compared last here: a set with a log that is the present one, and
// with the mark of the beginning or still none, was not opened while files were renamed.
func (s *fileSet) current() (bool, error) {
	now, err := identityOf(s.fsys, s.name+markExt)
	if err != nil || (now == nil) != (s.mark == nil) {
		return false, err
	}
	if s.mark != nil {
		if then, err := s.mark.Identity(); err != nil || then != now {
			return false, err
		}
	}
	return isPresent(s.fsys, s.name, s.files[0], now != nil)
}

// isCurrent reports whether an open log is still the one of the array, rather than one that
// Compact has replaced.
func isCurrent(fsys vfs.FS, name string, log vfs.File) (bool, error) {
	mark, err := identityOf(fsys, name+markExt)
	if err != nil {
		return false, err
	}
	return isPresent(fsys, name, log, mark != nil)
}

// isPresent is isCurrent for those who have looked whether there is a mark.
func isPresent(fsys vfs.FS, name string, log vfs.File, marked bool) (bool, error) {
	var now any
	var err error
	if marked {
		now, err = identityOf(fsys, name+logExt+newExt)
	}
	if now == nil && err == nil {
		now, err = identityOf(fsys, name+logExt)
	}
	if err != nil {
		return false, err
	}
	own, err := log.Identity()
	return own == now, err
}

// identityOf returns the identity of the file with a name, nil when there is none.
func identityOf(fsys vfs.FS, name string) (any, error) {
	id, err := fsys.Identity(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return id, err
}

// close closes the files; nothing was written through them.
func (s *fileSet) close() {
	for _, f := range s.files {
		_ = f.Close()
	}
	s.closeMark()
}

func (s *fileSet) closeMark() {
	if s.mark != nil {
		_ = s.mark.Close()
	}
}

// withFiles opens the files of an array and calls f with them. Those of a writer are locked,
// and what a Compact left behind that was interrupted is finished, or removed, before. For
// a reader f is called again if the files turn out not to belong together.
func withFiles(name string, o Options, absent absentFile, f func(files []vfs.File) (*Array, error)) (*Array, error) {
	for range openTries {
		s, err := openSet(o.filesystem(), name, o.Write, absent)
		if err != nil {
			return nil, err
		}
		use := s.read
		if o.Write {
			use = s.write
		}
		a, again, err := use(o, f)
		if err == nil && !again {
			s.closeMark()
			return a, nil
		}
		if a != nil {
			_ = a.store.Close(true) // the journal too
		}
		s.close()
		if !again {
			return nil, err
		}
	}
	return nil, errReplaced(name)
}

func errReplaced(name string) error {
	return fmt.Errorf("%s: the files were replaced %d times while they were opened", name, openTries)
}

// openTries is how often to open the files of an array that is being compacted all the time.
const openTries = 100

func (s *fileSet) read(_ Options, f func([]vfs.File) (*Array, error)) (a *Array, again bool, err error) {
	a, err = f(s.files)
	ok, currentErr := s.current()
	if currentErr != nil {
		return a, false, currentErr
	}
	return a, !ok, err
}

func (s *fileSet) write(o Options, f func([]vfs.File) (*Array, error)) (a *Array, again bool, err error) {
	if err := lockFiles(o, s.files); err != nil {
		return nil, false, err
	}
	if ok, err := s.current(); err != nil || !ok {
		return nil, err == nil, err
	}
	if s.mark != nil {
		// The writer that created the mark may have been killed before it was durable.
		err := s.fsys.SyncDir(filepath.Dir(s.name))
		if err == nil {
			err = putInPlace(s.fsys, s.name)
		}
		return nil, err == nil, err
	}
	if renamed, err := s.renamePresence(); err != nil || renamed {
		return nil, err == nil, err
	}
	if err := removeNew(s.fsys, s.name); err != nil {
		return nil, false, err
	}
	a, err = f(s.files)
	return a, false, err
}

// renamePresence puts the presence map in its place if a program has finished a Compact that knows of no
// such file: the log is the new one, and the map beside it is not. It reports whether it did.
func (s *fileSet) renamePresence() (bool, error) {
	name := s.name + presenceExt
	next, known, err := headIn(s.fsys, name+newExt)
	if err != nil || !known {
		return false, err
	}
	_, log, err := metalog.ReadLog(s.files[0])
	if err != nil {
		return false, nil // opening the array tells
	}
	now, known, err := headIn(s.fsys, name)
	end := *headOf(log)
	if err != nil || !next.Names(end) || known && now.Names(end) {
		return false, err
	}
	if err := s.fsys.Rename(name+newExt, name); err != nil {
		return false, err
	}
	return true, s.fsys.SyncDir(filepath.Dir(s.name))
}

// headIn returns the head of the presence map with a name, and whether there is a good one.
func headIn(fsys vfs.FS, name string) (h chunkio.Head, known bool, err error) {
	f, err := fsys.OpenNoFollow(name, false)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrNotRegular) {
		return h, false, nil
	}
	if err != nil {
		return h, false, err
	}
	defer f.Close()
	return chunkio.ReadHead(f)
}

// putInPlace gives the new files of an array their names, once there is a mark, and removes
// that. It can be called again after an error. The lock on the new log must be held.
func putInPlace(fsys vfs.FS, name string) error {
	for _, ext := range []string{dataExt, tableExt, presenceExt, logExt} {
		if err := fsys.Rename(name+ext+newExt, name+ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := fsys.SyncDir(filepath.Dir(name)); err != nil {
		return err
	}
	return unmark(fsys, name)
}

// unmark removes the mark, durably.
func unmark(fsys vfs.FS, name string) error {
	if err := fsys.Remove(name + markExt); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// removeNew removes what an unfinished Compact left behind. There must be no mark.
func removeNew(fsys vfs.FS, name string) error {
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		if err := fsys.Remove(name + ext + newExt); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
