package fileset

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/metalog"
	"drx/internal/onefile"
	"drx/internal/state"
	"drx/internal/vfs"
)

// several returns the files of an array in several files, in the order of mainExts.
func several(raw []vfs.File) (files Files) {
	for i, f := range raw {
		*files.file(i) = f
	}
	return files
}

// newInOne returns the files of a new array in one file, which is empty. The caller then calls
// Format.
func newInOne(file vfs.File) Files {
	files := inOne(onefile.New(file))
	files.created = file.Name()
	return files
}

// inOne returns the files of an array in one file.
func inOne(c *onefile.Container) Files {
	return Files{Log: c.Log(), Data: c.Data(), Table: c.Table(), Presence: c.Presence(), container: c}
}

// openInOne opens the files of an array in one file. A reader follows symbolic links.
func openInOne(fsys vfs.FS, name string, write bool) (Files, error) {
	if err := mustNotBeSeveral(fsys, name); err != nil {
		return Files{}, err
	}
	open := fsys.Open
	if write {
		open = fsys.OpenNoFollow
	}
	f, err := open(name, write)
	if link := (*vfs.LinkError)(nil); errors.As(err, &link) {
		return Files{}, fmt.Errorf("%w; write to the array by the name that the link leads to", err)
	}
	if err != nil {
		return Files{}, err
	}
	c, err := onefile.Open(f, write)
	if err != nil {
		err = withAdvice(f, err)
		_ = f.Close()
		return Files{}, err
	}
	return inOne(c), nil
}

// withAdvice adds a remedy to the error for a damaged file, if the file has arrays.
func withAdvice(file vfs.File, err error) error {
	if !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	if is, failed := onefile.Is(file); !is || failed != nil {
		return err
	}
	return &Advice{Err: err, Text: "the file cannot be mended: recover what is left into another array"}
}

// openDamaged is openInOne for reading a file that may be damaged. It calls absent if the file is
// damaged.
func openDamaged(fsys vfs.FS, name string, absent Absent) (files Files, damaged bool, err error) {
	if err := mustNotBeSeveral(fsys, name); err != nil {
		return Files{}, false, err
	}
	f, ofNames, err := openFileOf(fsys, name)
	if err != nil {
		return Files{}, false, err
	}
	c, damage, err := onefile.OpenDamaged(f, layoutOf)
	if damage = damage.With(ofNames); err == nil && damage != nil {
		_, err = absent("", damage)
	}
	if err != nil {
		_ = f.Close()
		return Files{}, false, err
	}
	return inOne(c), damage != nil, nil
}

// openFileOf opens the file of an array in one file, for openDamaged. It returns the damage to the
// directory of a file with several arrays.
func openFileOf(fsys vfs.FS, name string) (vfs.File, *onefile.Damage, error) {
	several, is := fsys.(interface {
		openDamaged(name string) (vfs.File, *onefile.Damage, error)
	})
	if is {
		return several.openDamaged(name)
	}
	f, err := fsys.Open(name, false)
	return f, nil, err
}

// layoutOf returns the bytes from one chunk to the next of an array, and the alignment of chunks,
// as its log says, which may be damaged.
func layoutOf(log vfs.File) (slot int64, align int, err error) {
	s, _, _, _, err := metalog.Salvage(log)
	if err != nil {
		return 0, 0, err
	}
	return s.Slot(), s.Align, nil
}

// Format prepares new files for chunks that are slot bytes apart and begin at multiples of align
// bytes. relaxed says that nothing needs to be durable.
func (f Files) Format(slot int64, align int, relaxed bool) error {
	if f.container == nil {
		return nil
	}
	f.Relax(relaxed)
	return f.container.Format(slot, align)
}

// Relax says, if relaxed is set, that nothing needs to be durable: a crash of the machine may leave
// anything.
func (f Files) Relax(relaxed bool) {
	if f.container != nil && relaxed {
		f.container.Relax()
	}
}

// unbornInOne is Unborn for an array in one file.
func (f Files) unbornInOne() (bool, error) {
	written, err := f.Data.Size()
	if err != nil || written > 0 {
		return false, err
	}
	if h, known, err := chunktable.ReadHead(f.Presence); err != nil || known && h.ProvesCreation() {
		return false, err
	}
	return metalog.Unborn(f.Log)
}

// isBlankInOne reports whether a file is empty, or was left by an interrupted creation of an array
// in one file. A file that lost only its header is not blank if its log has more than the creation
// line, or if chunks were written.
func isBlankInOne(f vfs.File) (bool, error) {
	unborn, err := onefile.Unborn(f)
	if err != nil || unborn && onefile.IsMember(f) {
		return unborn, err
	}
	if unborn {
		lines, _, err := firstLines(f)
		if err != nil || bytes.Count(lines, []byte("\n")) > 1 {
			return false, err
		}
		return onefile.LacksChunks(f)
	}
	c, err := onefile.Open(f, false)
	if errors.Is(err, onefile.ErrSeveral) {
		return false, nil
	}
	if err != nil {
		if lacks, err := onefile.LacksChunks(f); err != nil || !lacks {
			return false, err
		}
		return hasNoLine(f)
	}
	return inOne(c).Unborn() // the views are not closed: the file stays open
}

// hasNoLine reports whether a damaged file was left by a creation that had synced nothing when the
// machine crashed: without a whole first line there is no array. It returns false for a file that
// is something else.
func hasNoLine(f vfs.File) (bool, error) {
	lines, is, err := firstLines(f)
	if err != nil || !is {
		return false, err
	}
	log, err := vfs.NewMem().Create(f.Name())
	if err == nil {
		_, err = log.WriteAt(lines, 0)
	}
	if err != nil {
		return false, err
	}
	return metalog.Unborn(log)
}

// firstLines returns the contents of the log's first extent, see onefile.FirstLogExtent; is is
// false if the file is of another kind.
func firstLines(f vfs.File) (lines []byte, is bool, err error) {
	extent, err := onefile.FirstLogExtent(f)
	return bytes.TrimRight(extent, "\x00"), extent != nil, err
}

// existsInOne is Exists for an array in one file. A damaged one exists; a folder or a file of
// another kind is not an array.
func existsInOne(fsys vfs.FS, name string) (bool, error) {
	f, err := openIfInOne(fsys, name)
	if f == nil || err != nil {
		return false, err
	}
	defer f.Close()
	unborn, err := onefile.Unborn(f)
	if err != nil || unborn {
		return false, err
	}
	c, err := onefile.Open(f, false)
	if err != nil {
		return true, nil
	}
	unborn, err = inOne(c).Unborn() // the views are not closed: the file stays open
	return err == nil && !unborn, err
}

// openIfInOne opens a file for reading if it is an array in one file, damaged or unborn ones
// included. It returns nil for anything else.
func openIfInOne(fsys vfs.FS, name string) (vfs.File, error) {
	f, err := vfs.IfExists(fsys.Open(name, false))
	if errors.Is(err, vfs.ErrNotRegular) {
		return nil, nil
	}
	if f == nil || err != nil {
		return nil, err
	}
	if is, err := onefile.Is(f); err != nil || !is {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// mustNotBeSeveral returns an error wrapping fs.ErrInvalid if an array in several files has a name
// of the one-file form, as programs have created them that knew only several files. The journals of
// both would have the same names.
func mustNotBeSeveral(fsys vfs.FS, name string) error {
	if !OneFile(name) {
		return nil
	}
	if log, err := identityOf(fsys, name+LogExt); err != nil || log == nil {
		return err
	}
	base := strings.TrimSuffix(name, OneFileExt)
	return errkind.Errorf(fs.ErrInvalid, "%s is of an array in several files, and a name that ends in %s is for one in one file: rename the files with %s, %s, %s and %s to %s or another name",
		name+LogExt, OneFileExt, name+LogExt, DataExt, TableExt, PresenceExt, base+LogExt)
}

// CheckFile returns an error wrapping fs.ErrInvalid if a file that is to be removed with its folder
// belongs to no array, or to one that cannot be opened by its name; see mustNotBeSeveral.
func CheckFile(fsys vfs.FS, name string) error {
	if !IsFile(name) {
		return errkind.Errorf(fs.ErrInvalid, "%s is no file of an array: move it, or remove the folder with rm -r", name)
	}
	array := BaseName(strings.TrimSuffix(name, NewExt))
	if err := mustNotBeSeveral(fsys, array); err != nil || !OneFile(name) {
		return err
	}
	f, err := openIfInOne(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a symbolic link to nowhere
		return nil
	case err != nil:
		return err
	case f == nil:
		return errkind.Errorf(fs.ErrInvalid, "%s is no array, although its name ends in %s: move it, or remove the folder with rm -r", name, OneFileExt)
	}
	return f.Close()
}

// removeInOne removes the file of an array, which may be damaged, after it has called first. Nobody
// may have it open for writing.
func removeInOne(fsys vfs.FS, name string, first func() error) error {
	f, err := fsys.OpenNoFollow(name, true)
	if link := (*vfs.LinkError)(nil); errors.As(err, &link) {
		return RemoveLocked(fsys, name) // only the link
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if is, err := onefile.Is(f); err != nil || !is {
		return errkind.InFile(name, errors.Join(err, errkind.Errorf(fs.ErrInvalid, "it is no array, and is not removed")))
	}
	c := onefile.New(f)
	views := Files{Log: c.Log(), Data: c.Data(), Table: c.Table()}
	if err := views.lock(Writer); err != nil {
		return err
	}
	if still, err := hasStillItsName(fsys, f); err != nil || !still {
		return errors.Join(err, &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist})
	}
	arrays := arraysIn(f)
	if err := first(); err != nil {
		return err
	}
	if err := RemoveLocked(fsys, name); err != nil {
		return err
	}
	return removeJournals(fsys, name, arrays)
}

// arraysIn returns the names of the arrays in a file with several, none if it is damaged.
func arraysIn(f vfs.File) []string {
	if several, err := onefile.Several(f); err != nil || !several || onefile.IsMember(f) {
		return nil
	}
	d, err := onefile.OpenDirectory(f, false)
	if err != nil {
		return nil
	}
	return d.Names()
}

// removeJournals removes the journals beside a file with several arrays.
func removeJournals(fsys vfs.FS, container string, arrays []string) error {
	for _, array := range arrays {
		if err := removeNames(In(fsys), filepath.Join(container, array)); err != nil {
			return err
		}
	}
	return syncDir(fsys, container)
}

// Resolve returns the name of an array whose name was given without an extension: that of the
// several-files form, or that of the one-file form if only this exists. If both exist because a
// conversion was interrupted, it returns the one that replaces the other. Otherwise two forms are
// an error that wraps fs.ErrExist.
func Resolve(fsys vfs.FS, name string) (string, error) {
	one := OtherForm(name)
	if OneFile(name) {
		return name, nil
	}
	if in := NewName(fsys, name); in != name {
		return in, nil
	}
	if id, err := identityOf(fsys, one); err != nil || id == nil {
		return name, nil // opening the array reports what is wrong with the folder
	}
	several, err := Exists(fsys, name)
	if err != nil {
		return name, err
	}
	if !several {
		f, err := openIfInOne(fsys, one)
		if f == nil && err == nil {
			return name, nil
		}
		if f != nil {
			_ = f.Close()
		}
		return one, nil // opening the array reports what is wrong with the file
	}
	both, err := existsInOne(fsys, one)
	if err != nil || !both {
		return name, err
	}
	return newerForm(fsys, name, one)
}

// newerForm returns the one of two names that replaces the other.
func newerForm(fsys vfs.FS, several, one string) (string, error) {
	for _, name := range []string{one, several} {
		if marked, err := isConverted(fsys, name); err != nil || marked {
			return name, err
		}
	}
	return several, errkind.Errorf(fs.ErrExist, "there are %s and %s, which are two arrays: give the name with its extension", Log(several), one)
}
