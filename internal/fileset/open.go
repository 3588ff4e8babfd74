package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"drx/internal/metalog"
	"drx/internal/vfs"
)

// Files are open files of an array.
type Files struct {
	Log, Data, Table vfs.File
	Presence         vfs.File // nil for readers, see LazyPresence, and for an array that has none
}

// all returns the files that are open, in the order in which they are created.
func (f Files) all() []vfs.File {
	var all []vfs.File
	for _, file := range []vfs.File{f.Log, f.Data, f.Table, f.Presence} {
		if file != nil {
			all = append(all, file)
		}
	}
	return all
}

// of returns where the file with one of the four extensions is kept.
func (f *Files) of(ext string) *vfs.File {
	switch ext {
	case LogExt:
		return &f.Log
	case DataExt:
		return &f.Data
	case TableExt:
		return &f.Table
	}
	return &f.Presence
}

// Close closes the files, which gives up the locks. The error is dropped: it is for files that were not written, or
// after another error.
func (f Files) Close() {
	for _, file := range f.all() {
		_ = file.Close()
	}
}

// A Role is what a process opens an array for, which says what locks it takes.
type Role uint8

// The roles.
const (
	Reader Role = iota // takes no lock
	Writer             // alone, as long as it has the files open
	Sharer             // writes beside other sharers
)

// An Absent says what to do about a file that is missing: it returns a stand-in, or the error.
type Absent func(ext string, err error) (vfs.File, error)

// openTries is how often to open the files of an array that is being compacted all the time.
const openTries = 100

// Use opens the files of an array and calls f with them. Those of a Writer or a Sharer are locked,
// and what an interrupted Compact left is finished, or removed, before; symbolic links are refused but for
// the principal array's. For a Reader f is called again with other files if the first turn out not to belong together.
// The files stay open if f returns no error; otherwise they are closed. absent may be nil.
func Use(fsys vfs.FS, name string, role Role, absent Absent, f func(Files) error) error {
	return eachTry(fsys, name, role != Reader, absent, func(s *set) (again bool, err error) {
		if role == Reader {
			return s.read(f)
		}
		return s.write(role, f)
	})
}

// OpenCurrent opens files that belong together and counted while they were opened, and takes no lock.
func OpenCurrent(fsys vfs.FS, name string, write bool) (Files, error) {
	var files Files
	err := eachTry(fsys, name, write, nil, func(s *set) (bool, error) {
		files = s.files
		return s.read(func(Files) error { return nil })
	})
	return files, err
}

// eachTry opens the files and calls use with them until that does not ask for another try. The files stay
// open if there is no error.
func eachTry(fsys vfs.FS, name string, write bool, absent Absent, use func(*set) (again bool, err error)) error {
	for range openTries {
		s, err := openSet(fsys, name, write, absent)
		if err != nil {
			return err
		}
		again, err := use(s)
		s.closeMark()
		if err == nil && !again {
			return nil
		}
		s.files.Close()
		if !again {
			return err
		}
	}
	return errReplaced(name)
}

func errReplaced(name string) error {
	return fmt.Errorf("%s: the files were replaced %d times while they were opened", name, openTries)
}

// A set is the files of an array as they were found by their names.
type set struct {
	fsys  vfs.FS
	name  string
	files Files
	mark  vfs.File // kept open so that another one cannot be taken for it; nil for none
}

// openSet opens the files that count. They belong together if current says so afterwards.
func openSet(fsys vfs.FS, name string, write bool, absent Absent) (*set, error) {
	s := &set{fsys: fsys, name: name}
	if err := s.openMark(); err != nil {
		return nil, err
	}
	for _, ext := range mainExts {
		if ext == PresenceExt && !write {
			break // see LazyPresence
		}
		f, err := s.open(ext, write)
		if errors.Is(err, fs.ErrNotExist) && ext == PresenceExt {
			break // an array of version 1 has none
		}
		if errors.Is(err, fs.ErrNotExist) && absent != nil {
			f, err = absent(ext, err)
		}
		if err != nil {
			s.files.Close()
			s.closeMark()
			return nil, err
		}
		*s.files.of(ext) = f
	}
	return s, nil
}

func (s *set) openMark() error {
	mark, err := s.fsys.OpenNoFollow(markOf(s.name), false)
	if err == nil {
		s.mark = mark
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (s *set) closeMark() {
	if s.mark != nil {
		_ = s.mark.Close()
	}
}

// open opens the file with an extension that counts. A reader follows symbolic links. Of a writer's files
// only the principal array may be one, to another volume, and only if it leads to a file with the same
// extension: what has another name may be no file of an array, and would be emptied. If the log were
// one the array would have two names, and a journal under each.
func (s *set) open(ext string, write bool) (vfs.File, error) {
	if s.mark != nil {
		f, err := s.fsys.OpenNoFollow(s.name+ext+NewExt, write)
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
	case ext != DataExt:
		return nil, fmt.Errorf("%w; write to the array by the name that the link leads to", err)
	case filepath.Ext(link.Target) != DataExt:
		return nil, fmt.Errorf("%w: what it leads to must have the extension %s to be written", err, DataExt)
	}
	return s.fsys.Open(s.name+ext, true)
}

// DataLink returns where the principal array leads to if it is a symbolic link, else nil. (The other files of a writer
// are none, or they could not have been opened.)
func DataLink(fsys vfs.FS, name string) (*vfs.LinkError, error) {
	f, err := fsys.OpenNoFollow(Data(name), false)
	if link := (*vfs.LinkError)(nil); errors.As(err, &link) {
		return link, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, f.Close()
}

func (s *set) read(f func(Files) error) (again bool, err error) {
	err = f(s.files)
	ok, currentErr := s.current()
	if currentErr != nil {
		return false, currentErr
	}
	return !ok, err
}

func (s *set) write(role Role, f func(Files) error) (again bool, err error) {
	if err := s.files.lock(role); err != nil {
		return false, err
	}
	if ok, err := s.current(); err != nil || !ok {
		return err == nil, err
	}
	if s.mark != nil {
		// The writer that created the mark may have been killed before it was durable.
		err := syncFolder(s.fsys, s.name)
		if err == nil {
			err = PutInPlace(s.fsys, s.name)
		}
		return err == nil, err
	}
	if renamed, err := s.renamePresence(); err != nil || renamed {
		return err == nil, err
	}
	if err := RemoveNew(s.fsys, s.name); err != nil {
		return false, err
	}
	return false, f(s.files)
}

// lock takes the locks of a role. The lock on the log is for whoever
// changes it: a writer has it as long as it is open, a process that shares the array while
// it opens and reserves. The lock on the principal array keeps the two kinds apart. That on the
// chunk table members of a group share, see groupLeader.join of the root: nobody else writes until the last one of a
// group that has failed is gone.
func (f Files) lock(role Role) error {
	if role == Sharer {
		if err := f.Data.LockShared(); err != nil {
			return err
		}
		if err := LockSoon(f.Log); err != nil {
			return err
		}
		if err := f.Table.Lock(); err != nil {
			return err
		}
		return f.Table.Unlock()
	}
	for _, file := range []vfs.File{f.Log, f.Data, f.Table} {
		if err := file.Lock(); err != nil {
			return err
		}
	}
	return nil
}

// lockPatience is how long a process waits for the others that share an array with it to
// finish their reservations, each of which takes a moment.
const lockPatience = 10 * time.Second

// LockSoon takes a lock that others hold for moments only.
func LockSoon(f vfs.File) error {
	wait := 100 * time.Microsecond
	for end := time.Now().Add(lockPatience); ; wait = min(2*wait, 10*time.Millisecond) {
		err := f.Lock()
		if !errors.Is(err, vfs.ErrLocked) || time.Now().After(end) {
			return err
		}
		time.Sleep(wait)
	}
}

// current reports whether the files belong together and still count. The log is opened
// first, renamed last, and compared last here: a set with a log that is the present one, and
// with the mark of the beginning or still none, was not opened while files were renamed.
func (s *set) current() (bool, error) {
	now, err := identityOf(s.fsys, markOf(s.name))
	if err != nil || (now == nil) != (s.mark == nil) {
		return false, err
	}
	if s.mark != nil {
		if then, err := s.mark.Identity(); err != nil || then != now {
			return false, err
		}
	}
	return isPresent(s.fsys, s.name, s.files.Log, now != nil)
}

// IsCurrent reports whether an open log is still the one of the array, rather than one that
// was replaced, renamed or removed.
func IsCurrent(fsys vfs.FS, name string, log vfs.File) (bool, error) {
	mark, err := identityOf(fsys, markOf(name))
	if err != nil {
		return false, err
	}
	return isPresent(fsys, name, log, mark != nil)
}

// isPresent is IsCurrent for those who have looked whether there is a mark.
func isPresent(fsys vfs.FS, name string, log vfs.File, marked bool) (bool, error) {
	var now any
	var err error
	if marked {
		now, err = identityOf(fsys, Log(name)+NewExt)
	}
	if now == nil && err == nil {
		now, err = identityOf(fsys, Log(name))
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

// Exists reports whether there is an array with a name: a log with a commit. The error is the file system's.
func Exists(fsys vfs.FS, name string) (bool, error) {
	s := &set{fsys: fsys, name: name}
	if err := s.openMark(); err != nil {
		return false, err
	}
	defer s.closeMark()
	log, err := s.open(LogExt, false)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer log.Close()
	unborn, err := metalog.Unborn(log)
	return err == nil && !unborn, err
}

// syncFolder makes the names of the files of an array durable.
func syncFolder(fsys vfs.FS, name string) error { return fsys.SyncDir(filepath.Dir(name)) }
