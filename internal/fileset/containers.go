package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drx/internal/errkind"
	"drx/internal/onefile"
	"drx/internal/vfs"
)

// A location is the meaning of a name in a FS: a file, an array in a container, or nothing.
type location struct {
	file              string // the name of a file, "" for none
	container, member string // the name of an array in a container
}

// locate returns the location of a name.
func (f FS) locate(name string) location {
	container, inside, in := split(f.FS, name)
	switch array, isNew := strings.CutSuffix(inside, NewExt); {
	case !in:
		return location{file: name}
	case OneFile(inside) || isNew && OneFile(array):
		return location{container: container, member: inside}
	}
	if array, journal, is := strings.Cut(inside, OneFileExt+JournalExt); is {
		return location{file: besideName(container, array) + JournalExt + journal}
	}
	return location{}
}

// escaper turns the path of an array in a container into part of a file name.
var escaper = strings.NewReplacer("%", "%25", "/", "%2F")

// besideName returns the name, without extension, of files beside a container that belong to an
// array in it.
func besideName(container, array string) string { return container + "." + escaper.Replace(array) }

// nowhere returns the error for names that lead nowhere.
func nowhere(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// Create creates a file, or names an array in a container. It creates a missing container.
func (f FS) Create(name string) (vfs.File, error) { return f.create(name, nil) }

// CreateAs is Create with a mode and an owner, which a new container gets.
func (f FS) CreateAs(name string, a vfs.Access) (vfs.File, error) { return f.create(name, &a) }

func (f FS) create(name string, access *vfs.Access) (vfs.File, error) {
	p := f.locate(name)
	switch {
	case p.file != "":
		return newFile(f.FS, p.file, access)
	case p.member == "":
		return nil, errkind.Errorf(fs.ErrInvalid, "create %s: a file with several arrays has only arrays in one file in it", name)
	}
	file, d, err := f.openDirectory(p.container, true, access)
	if err != nil {
		return nil, err
	}
	stream, err := d.Create(p.member)
	if err != nil {
		_ = file.Close()
		f.removeEmpty(name)
		return nil, pathError("create", name, err)
	}
	return onefile.NewMember(file, name, stream), nil
}

// pathError returns an error that names the file.
func pathError(op, name string, err error) error {
	if path := (*fs.PathError)(nil); err == nil || errors.As(err, &path) {
		return err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Open opens a file, or an array in a container.
func (f FS) Open(name string, write bool) (vfs.File, error) { return f.open(name, write, f.FS.Open) }

// OpenNoFollow is Open for a name that must not be a symbolic link.
func (f FS) OpenNoFollow(name string, write bool) (vfs.File, error) {
	return f.open(name, write, f.FS.OpenNoFollow)
}

func (f FS) open(name string, write bool, open func(string, bool) (vfs.File, error)) (vfs.File, error) {
	p := f.locate(name)
	switch {
	case p.file != "":
		return open(p.file, write)
	case p.member == "":
		return nil, nowhere("open", name)
	}
	file, d, err := f.openContainer(p.container, write)
	if err != nil {
		return nil, f.notInOne("open", name, err)
	}
	stream := d.Stream(p.member)
	if stream == 0 {
		_ = file.Close()
		return nil, nowhere("open", name)
	}
	return onefile.NewMember(file, name, stream), nil
}

// openDamaged is Open for reading an array in one file, which may be damaged. The damage is in the
// directory that has its name.
func (f FS) openDamaged(name string) (vfs.File, *onefile.Damage, error) {
	p := f.locate(name)
	if p.member == "" {
		file, err := f.FS.Open(p.file, false)
		return file, nil, err
	}
	file, err := f.FS.Open(p.container, false)
	if err != nil {
		return nil, nil, err
	}
	d, damage, err := onefile.OpenDamagedDirectory(file)
	if err == nil && d.Stream(p.member) != 0 {
		return onefile.NewMember(file, name, d.Stream(p.member)), damage, nil
	}
	_ = file.Close()
	switch {
	case err == nil && damage != nil: // the array may be there all the same
		err = damage
	case err == nil:
		err = nowhere("open", name)
	}
	return nil, nil, f.notInOne("open", name, err)
}

// notInOne makes the error for a file that has one array only one for a file in it that does not
// exist.
func (f FS) notInOne(op, name string, err error) error {
	if errors.Is(err, onefile.ErrOneArray) || errors.Is(err, fs.ErrNotExist) {
		return nowhere(op, name)
	}
	return err
}

// openContainer opens a container and its directory.
func (f FS) openContainer(container string, write bool) (vfs.File, *onefile.Directory, error) {
	if write {
		return f.openDirectory(container, false, nil)
	}
	file, err := f.FS.Open(container, false)
	if err != nil {
		return nil, nil, err
	}
	return withDirectory(file, false)
}

// withDirectory reads the directory of a container, which it closes after an error.
func withDirectory(file vfs.File, write bool) (vfs.File, *onefile.Directory, error) {
	d, err := onefile.OpenDirectory(file, write)
	if err != nil {
		err = withAdvice(file, err)
		_ = file.Close()
		return nil, nil, err
	}
	return file, d, nil
}

// openDirectory opens a container for writing and, with create, creates it if there is none. All
// its writers share its lock, so that nobody removes or renames it in the meantime.
func (f FS) openDirectory(container string, create bool, access *vfs.Access) (vfs.File, *onefile.Directory, error) {
	for range openTries {
		file, err := f.FS.OpenNoFollow(container, true)
		if err == nil {
			if file, err = f.shareCurrent(file); file == nil && err == nil {
				continue
			}
		}
		unborn := false
		if err == nil {
			if unborn, err = onefile.Unborn(file); err == nil && !unborn {
				return withDirectory(file, true)
			}
			_ = file.Close()
		}
		switch none := errors.Is(err, fs.ErrNotExist) || unborn; {
		case !none:
			return nil, nil, err
		case !create:
			return nil, nil, nowhere("open", container)
		}
		if err = f.createContainer(container, access); err != nil && !f.exists(container, err) {
			return nil, nil, err
		}
	}
	return nil, nil, errReplaced(container)
}

// exists reports whether an error says that the name exists because another process has just
// created the file.
func (f FS) exists(name string, err error) bool {
	path := (*fs.PathError)(nil)
	return errors.Is(err, fs.ErrExist) && errors.As(err, &path) && path.Path == name
}

// shareCurrent shares the lock of a container. It returns nil if the file does not have its name
// any more.
func (f FS) shareCurrent(file vfs.File) (vfs.File, error) {
	err := lockSoon("the file with several arrays, which others hold while they create, move or remove it", file.LockShared)
	still := false
	if err == nil {
		still, err = hasStillItsName(f.FS, file)
	}
	if err != nil || !still {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// createContainer creates a file with several arrays, durably. It replaces the remains of an
// interrupted creation. The error wraps fs.ErrExist if there is a file with the name, or an array
// in several files with that name without the extension.
func (f FS) createContainer(name string, access *vfs.Access) error {
	if err := mustNotBeArray(f.FS, OtherForm(name)); err != nil {
		return err
	}
	file, err := createFile(f.FS, name, access)
	if err != nil {
		return err
	}
	defer file.Close()
	if err = onefile.FormatSeveral(file); err == nil {
		err = syncDir(f.FS, name)
	}
	if err != nil {
		_ = f.FS.Remove(name)
	}
	return err
}

// removeEmpty removes the container of an array, unless it has arrays or another process writes in
// it. It is called after an error and returns none of its own.
func (f FS) removeEmpty(name string) {
	container, in := Container(f, name)
	if !in {
		return
	}
	file, d, err := f.openContainer(container, true)
	if err != nil {
		return
	}
	defer file.Close()
	if len(d.Names()) > 0 || file.Unlock() != nil || file.Lock() != nil {
		return
	}
	if d, err = onefile.OpenDirectory(file, true); err == nil && len(d.Names()) == 0 {
		_ = f.FS.Remove(container)
	}
}

// Remove removes a file, or an array from a container, where its bytes stay.
func (f FS) Remove(name string) error {
	p := f.locate(name)
	switch {
	case p.file != "":
		return f.FS.Remove(p.file)
	case p.member == "":
		return nowhere("remove", name)
	}
	return f.change("remove", p, name, func(d *onefile.Directory) error { return d.Remove(p.member) })
}

// Rename gives a file, or an array in a container, another name. An array stays in its container:
// otherwise the error wraps vfs.ErrOtherDevice.
func (f FS) Rename(from, to string) error {
	p, q := f.locate(from), f.locate(to)
	switch {
	case p.file != "" && q.file != "":
		return f.FS.Rename(p.file, q.file)
	case p.container != q.container:
		return fmt.Errorf("rename %s to %s: %w", from, to, vfs.ErrOtherDevice)
	case p.member == "":
		return nowhere("rename", from)
	}
	return f.change("rename", p, from, func(d *onefile.Directory) error { return d.Rename(p.member, q.member) })
}

// change changes the directory of a container.
func (f FS) change(op string, p location, name string, do func(*onefile.Directory) error) error {
	file, d, err := f.openContainer(p.container, true)
	if err != nil {
		return f.notInOne(op, name, err)
	}
	defer file.Close()
	return pathError(op, name, do(d))
}

// Link gives a file a second name. An array in a container can have only one name.
func (f FS) Link(from, to string) error {
	p, q := f.locate(from), f.locate(to)
	if p.file == "" || q.file == "" {
		return errkind.Errorf(errors.ErrUnsupported, "link %s to %s: an array in a file has one name", from, to)
	}
	return f.FS.Link(p.file, q.file)
}

// Identity returns the identity of a file, or of an array in a container.
func (f FS) Identity(name string) (any, error) {
	p := f.locate(name)
	switch {
	case p.file != "":
		return f.FS.Identity(p.file)
	case p.member == "":
		return nil, nowhere("stat", name)
	}
	file, err := f.Open(name, false)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Identity()
}

// List returns the names of the files and folders in a folder, or of the arrays in a container.
func (f FS) List(dir string) (files, folders []string, err error) {
	container, inside, in := split(f.FS, path.Join(dir, "x"))
	if !in {
		return f.FS.List(dir)
	}
	file, d, err := f.openContainer(container, false)
	if errors.Is(err, onefile.ErrOneArray) || errors.Is(err, fs.ErrNotExist) {
		return f.FS.List(dir) // the error
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	folder := strings.TrimSuffix(inside, "x")
	for _, name := range d.Names() {
		if rest, is := strings.CutPrefix(name, folder); is {
			if sub, _, deeper := strings.Cut(rest, "/"); deeper {
				folders = append(folders, sub)
			} else {
				files = append(files, rest)
			}
		}
	}
	if folder != "" && files == nil && folders == nil {
		return nil, nil, nowhere("open", dir)
	}
	slices.Sort(folders)
	return files, slices.Compact(folders), nil
}

// Mkdir creates a folder or, if the name has the extension of one, a container. A folder in a
// container exists as long as it has an array.
func (f FS) Mkdir(dir string) error {
	if _, _, in := split(f.FS, dir); in {
		return nil
	}
	if OneFile(dir) && !isFolder(f.FS, dir) {
		return f.createContainer(dir, nil)
	}
	return f.FS.Mkdir(dir)
}

// SyncDir makes names durable. Names in a container are durable already, but there may be journals
// beside it.
func (f FS) SyncDir(dir string) error {
	if container, _, in := split(f.FS, path.Join(dir, "x")); in {
		dir = filepath.Dir(container)
	}
	return f.FS.SyncDir(dir)
}

// Arrays returns the names of the arrays in a container, in whatever state they are.
func Arrays(fsys vfs.FS, container string) ([]string, error) {
	f, d, err := FS{plain(fsys)}.openContainer(container, false)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	for _, name := range d.Names() {
		if OneFile(name) { // the others are to replace one
			names = append(names, filepath.Join(container, name))
		}
	}
	return names, nil
}

// mustBeEmpty returns an error wrapping vfs.ErrLocked if an array in a container has a journal with
// a commit, left by a writer that has just ended.
func mustBeEmpty(fsys vfs.FS, container string, arrays []string) error {
	for _, array := range arrays {
		for _, name := range namesButLog(filepath.Join(container, array)) {
			f, err := vfs.IfExists(In(fsys).Open(name, false))
			if f == nil && err == nil {
				continue
			}
			size := int64(0)
			if err == nil {
				size, err = f.Size()
				_ = f.Close()
			}
			if err == nil && size > 0 {
				err = errkind.Errorf(vfs.ErrLocked, "%s has a commit: try again", name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// RenameContainer gives a file with several arrays another name, atomically and durably. Nobody may
// have an array of it open for writing, and their journals are empty. The error wraps
// vfs.ErrLocked, fs.ErrExist if the new name exists, or fs.ErrInvalid if it is no name of a file
// with arrays.
func RenameContainer(fsys vfs.FS, from, to string) error {
	fsys = plain(fsys)
	if !OneFile(to) {
		return errkind.Errorf(fs.ErrInvalid, "%s has several arrays, so its name must end in %s", from, OneFileExt)
	}
	if err := mustNotBeArray(fsys, OtherForm(to)); err != nil {
		return err
	}
	f, err := fsys.OpenNoFollow(from, true)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Lock(); err != nil {
		return err
	}
	if still, err := hasStillItsName(fsys, f); err != nil || !still {
		return errors.Join(err, nowhere("rename", from))
	}
	arrays := arraysIn(f)
	if err := mustBeEmpty(fsys, from, arrays); err != nil {
		return err
	}
	if err := removeJournals(fsys, from, arrays); err != nil {
		return err
	}
	claim, err := createFile(fsys, to, nil)
	if err != nil {
		return err
	}
	defer claim.Close()
	if err := fsys.Rename(from, to); err != nil {
		_ = fsys.Remove(to)
		return err
	}
	return errors.Join(syncDir(fsys, to), syncDir(fsys, from))
}
