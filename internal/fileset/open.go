package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"drx/internal/errkind"
	"drx/internal/metalog"
	"drx/internal/onefile"
	"drx/internal/remote"
	"drx/internal/vfs"
)

// Files are the open files of an array.
type Files struct {
	Log, Data, Table vfs.File
	Presence         vfs.File // nil for readers, see LazyPresence, and for arrays of version 1

	container *onefile.Container // nil for an array in several files
	created   string             // the name with which the file of a new container was created
}

// all returns the files that are open, in the order of their creation.
func (f Files) all() []vfs.File {
	all := []vfs.File{f.Log, f.Data, f.Table, f.Presence}
	return slices.DeleteFunc(all, func(file vfs.File) bool { return file == nil })
}

// file returns a pointer to the field for the extension mainExts[i].
func (f *Files) file(i int) *vfs.File {
	return [...]*vfs.File{&f.Log, &f.Data, &f.Table, &f.Presence}[i]
}

// Close closes the files, which releases the locks. It returns no error, because it is called for
// files that were not written, or after another error.
func (f Files) Close() {
	for _, file := range f.all() {
		_ = file.Close()
	}
}

// A Role is the purpose for which a process opens an array. It determines the locks.
type Role uint8

// The roles.
const (
	Reader Role = iota // acquires no lock
	Writer             // keeps all other writers out
	Sharer             // writes at the same time as other sharers
)

// An Absent is called for a missing file. It returns a file to use instead, or an error. For an
// array in one file that is damaged it is called with a onefile.Damage and the extension "", and
// the array is opened as far as it is whole if it returns no error.
type Absent func(ext string, err error) (vfs.File, error)

// openTries is how often the files are opened anew if a Compact replaces them meanwhile.
const openTries = 100

// Use opens the files of an array and calls f with them. For a Writer or a Sharer it first locks
// the files, and completes or undoes an interrupted Compact or Convert; symbolic links are refused,
// except for the principal array's. For a Reader f is called again, with other files, if the first
// ones turn out not to belong together. The files stay open if f returns nil; otherwise Use closes
// them. If absent is nil, a missing file is an error.
func Use(fsys vfs.FS, name string, role Role, absent Absent, f func(Files) error) error {
	return openAndRetry(fsys, name, role != Reader, absent, func(s *fileSet) (again bool, err error) {
		if role == Reader {
			return s.read(f)
		}
		return s.write(role, f)
	})
}

// OpenCurrent opens files that belonged together, and were those of the array, while they were
// opened. It acquires no lock.
func OpenCurrent(fsys vfs.FS, name string, write bool) (Files, error) {
	var files Files
	err := openAndRetry(fsys, name, write, nil, func(s *fileSet) (bool, error) {
		files = s.files
		return s.read(func(Files) error { return nil })
	})
	return files, err
}

// openAndRetry opens the files and calls use with them, again and again until use does not ask for
// another attempt. The files stay open if there is no error.
func openAndRetry(fsys vfs.FS, name string, write bool, absent Absent, use func(*fileSet) (again bool, err error)) error {
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

// A fileSet is the files of an array as they were found by their names.
type fileSet struct {
	fsys    vfs.FS
	name    string
	files   Files
	damaged bool     // the file of an array in one file is, or the directory that has its name
	mark    vfs.File // nil for none; kept open so that no later mark has the same identity
}

// openSet opens the files that count at present. Whether they belong together, current can tell
// only afterwards.
func openSet(fsys vfs.FS, name string, write bool, absent Absent) (*fileSet, error) {
	s := &fileSet{fsys: fsys, name: name}
	if OneFile(name) {
		var err error
		if absent != nil && !write {
			s.files, s.damaged, err = openDamaged(fsys, name, absent)
		} else {
			s.files, err = openInOne(fsys, name, write)
		}
		return s, err
	}
	if err := s.openMark(); err != nil {
		return nil, err
	}
	for i, ext := range mainExts {
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
		*s.files.file(i) = f
	}
	return s, nil
}

func (s *fileSet) openMark() error {
	if OneFile(s.name) {
		return nil
	}
	mark, err := vfs.IfExists(s.fsys.OpenNoFollow(markName(s.name), false))
	s.mark = mark
	return err
}

func (s *fileSet) closeMark() {
	if s.mark != nil {
		_ = s.mark.Close()
	}
}

// close closes the files and the mark.
func (s *fileSet) close() {
	s.closeMark()
	s.files.Close()
}

// open opens the file with the given extension that counts. A reader follows symbolic links. A
// writer accepts a link only for the principal array, which may be on another volume, and only if
// the target has the same extension: another file may not belong to an array, and would lose its
// contents. If the log were a link, the array would have two names, and a journal under each of
// them.
func (s *fileSet) open(ext string, write bool) (vfs.File, error) {
	if s.mark != nil {
		f, err := vfs.IfExists(s.fsys.OpenNoFollow(s.name+ext+NewExt, write))
		if err != nil {
			return nil, err
		}
		if f != nil {
			return vfs.Renamed(f, s.name+ext), nil
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

// DataLink returns the symbolic link in the place of the principal array, nil if there is none. The
// other files of a writer are never links, because a writer refuses to open these.
func DataLink(fsys vfs.FS, name string) (*vfs.LinkError, error) {
	if OneFile(name) {
		return nil, nil // it would be the log's, too
	}
	f, err := fsys.OpenNoFollow(Data(name), false)
	if link := (*vfs.LinkError)(nil); errors.As(err, &link) {
		return link, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, f.Close()
}

// read calls f with the files, and asks for another attempt if they are not, or no longer, those of
// the array.
func (s *fileSet) read(f func(Files) error) (again bool, err error) {
	err = f(s.files)
	ok, currentErr := s.current()
	if currentErr != nil {
		return false, currentErr
	}
	return !ok, err
}

// write locks the files, completes or undoes what was interrupted, and calls f. It asks for another
// attempt if the files are no longer those of the array.
func (s *fileSet) write(role Role, f func(Files) error) (again bool, err error) {
	if again, err := s.lockCurrent(role); again || err != nil {
		return again, err
	}
	if err := finishConversion(s.fsys, s.name); err != nil {
		return false, err
	}
	return false, f(s.files)
}

// lockCurrent locks the files, and completes or undoes an interrupted Compact. It asks for another
// attempt if the files are no longer those of the array.
func (s *fileSet) lockCurrent(role Role) (again bool, err error) {
	if err := s.files.lock(role); err != nil {
		return false, err
	}
	if ok, err := s.current(); err != nil || !ok {
		return err == nil, err
	}
	if s.mark != nil {
		// The writer that created the mark may have been killed before it was durable.
		err := syncDir(s.fsys, s.name)
		if err == nil {
			err = PutInPlace(s.fsys, s.name)
		}
		return err == nil, err
	}
	if renamed, err := s.renamePresence(); err != nil || renamed {
		return err == nil, err
	}
	return false, RemoveNew(s.fsys, s.name)
}

// lock acquires the locks of a role. The lock on the log is for processes that change it: a writer
// holds it as long as it has the files open, a sharer while it opens them and while it reserves.
// The lock on the principal array keeps writers and sharers apart. The lock on the chunk table is
// shared by the members of a group, see groupLeader.join of the root: if the group has failed,
// nobody else writes before its last process is gone.
func (f Files) lock(role Role) error {
	if role == Sharer {
		if err := f.sharable(); err != nil {
			return err
		}
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

// sharable returns an error wrapping errors.ErrUnsupported if processes cannot share the array: its
// file system may have no locks on single chunks that other machines see.
func (f Files) sharable() error {
	s := remote.SystemOf(f.Data)
	if !s.LocalLocks {
		return nil
	}
	if s.Name == "" {
		return errkind.Errorf(errors.ErrUnsupported, "%s: locks are lock files, by the setting, which processes cannot share: write with one process at a time", f.Data.Name())
	}
	return errkind.Errorf(errors.ErrUnsupported, "%s: processes cannot share an array on %s, where locks may keep out only those of one machine or mount: "+
		"write with one process at a time, or have the system's locks trusted, if all processes use one mount", f.Data.Name(), s.Name)
}

// lockTimeout limits how long a process waits for the reservations of others, each of which takes a
// moment.
var lockTimeout = 10 * time.Second

// LockSoon acquires the lock on the log of a shared array, which other processes hold only for
// moments. The error wraps vfs.ErrLocked after ten seconds, and says for what it waited.
func LockSoon(log vfs.File) error {
	return lockSoon("the log, which others hold while they open the array or reserve", log.Lock)
}

// lockSoon is LockSoon for a lock that lock acquires, and what says which.
func lockSoon(what string, lock func() error) error {
	wait := 100 * time.Microsecond
	for end := time.Now().Add(lockTimeout); ; wait = min(2*wait, 10*time.Millisecond) {
		err := lock()
		if !errors.Is(err, vfs.ErrLocked) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w; waited %v for the lock of %s", err, lockTimeout, what)
		}
		time.Sleep(wait)
	}
}

// current reports whether the files belong together and still are those of the array. The log is
// opened first, renamed last, and compared last here. So if it is still the array's log, and the
// mark is the same as at the beginning, or there still is none, no file was renamed while the files
// were opened.
func (s *fileSet) current() (bool, error) {
	if s.damaged {
		return true, nil // its name may lead nowhere
	}
	if OneFile(s.name) {
		return isCurrent(s.fsys, s.name, s.files.Log, false)
	}
	now, err := identityOf(s.fsys, markName(s.name))
	if err != nil || (now == nil) != (s.mark == nil) {
		return false, err
	}
	if s.mark != nil {
		if then, err := s.mark.Identity(); err != nil || then != now {
			return false, err
		}
	}
	return isCurrent(s.fsys, s.name, s.files.Log, now != nil)
}

// IsCurrent reports whether an open log is still the array's, and was not replaced, renamed or
// removed.
func IsCurrent(fsys vfs.FS, name string, log vfs.File) (bool, error) {
	if OneFile(name) {
		return isCurrent(fsys, name, log, false)
	}
	mark, err := identityOf(fsys, markName(name))
	if err != nil {
		return false, err
	}
	return isCurrent(fsys, name, log, mark != nil)
}

// isCurrent is IsCurrent for a caller that knows whether there is a mark.
func isCurrent(fsys vfs.FS, name string, log vfs.File, marked bool) (bool, error) {
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

// identityOf returns the identity of the named file, nil if it does not exist.
func identityOf(fsys vfs.FS, name string) (any, error) {
	return vfs.IfExists(fsys.Identity(name))
}

// Exists reports whether there is an array with the given name, that is, a log with a commit, or
// with one that was lost. The error is the file system's.
func Exists(fsys vfs.FS, name string) (bool, error) {
	if OneFile(name) {
		return existsInOne(fsys, name)
	}
	s := &fileSet{fsys: fsys, name: name}
	if err := s.openMark(); err != nil {
		return false, err
	}
	defer s.closeMark()
	log, err := vfs.IfExists(s.open(LogExt, false))
	if log == nil || err != nil {
		return false, err
	}
	defer log.Close()
	if size, err := log.Size(); err != nil || size == 0 { // Rename claims a name with an empty log
		return false, err
	}
	unborn, err := metalog.Unborn(log)
	if err != nil || !unborn {
		return err == nil, err
	}
	head, known, err := PresenceHead(fsys, name)
	return known && head.ProvesCreation(), err
}

// syncDir makes the names of an array's files durable.
func syncDir(fsys vfs.FS, name string) error { return fsys.SyncDir(filepath.Dir(name)) }
