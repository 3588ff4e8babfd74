package fileset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"drx/internal/metalog"
	"drx/internal/vfs"
)

// Rename gives the files of an array other names. The caller holds the locks of a writer, and nothing is in a journal.
// Four renames are not atomic, so it goes through these steps:
//
//	claim    create an empty log with the new name, which keeps others from creating an array there
//	link     give data, table and presence map their new names beside the old ones; make that durable
//	rename   the log, in place of the empty one; make that durable: from now on the new names count
//	remove   the old names of presence map, table and data; make that durable
//
// So at every moment one name has all of the files of the array. An interrupted Rename leaves names without a log, or
// with an empty one, which the next Rename from and to the same names, or a Remove, takes away.
//
// The error wraps fs.ErrExist if a file with one of the new names exists, fs.ErrInvalid if both names lead to one array
// or if the principal array is a symbolic link, vfs.ErrOtherDevice if the new names are on another file system. If the
// log has not got its new name, there is no file with one of the new names after an error.
func Rename(fsys vfs.FS, from, to string) error {
	r := &renaming{fsys: fsys, from: from, to: to}
	if err := r.check(); err != nil {
		return err
	}
	if err := r.begin(); err != nil {
		return err
	}
	defer r.claim.Close()
	if err := r.link(); err != nil {
		return err
	}
	if err := r.decide(); err != nil {
		return err
	}
	_, err := r.removeOldNames()
	return err
}

// FinishRename removes the old names that an interrupted Rename has left, and reports whether there were any. It is for
// a name without a log.
func FinishRename(fsys vfs.FS, from, to string) (done bool, err error) {
	r := &renaming{fsys: fsys, from: from, to: to}
	if left, err := r.left(); err != nil || !left {
		return false, err
	}
	err = Use(fsys, to, Writer, standIn, func(files Files) (err error) {
		// Nobody else renames the array while its files are locked.
		left, err := r.left()
		unborn, bornErr := metalog.Unborn(files.Log)
		if err = cmp.Or(err, bornErr); err != nil || !left || unborn {
			return cmp.Or(err, fs.ErrNotExist)
		}
		if done, err = r.removeOldNames(); err == nil {
			files.Close()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return done && err == nil, err
}

// A renaming is a Rename under way.
type renaming struct {
	fsys     vfs.FS
	from, to string
	claim    vfs.File // the empty log
	linked   []string // new names that this Rename has made
}

// dataExts are the extensions of the files that get their new names before the log.
var dataExts = []string{DataExt, TableExt, PresenceExt}

// check returns an error for names that Rename cannot deal with.
func (r *renaming) check() error {
	if same, err := sameFile(r.fsys, Log(r.from), Log(r.to)); err != nil {
		return err
	} else if same {
		return fmt.Errorf("%s and %s are the same file: %w", Log(r.from), Log(r.to), fs.ErrInvalid)
	}
	link, err := DataLink(r.fsys, r.from)
	if err != nil {
		return err
	}
	if link != nil {
		return fmt.Errorf("%s is a symbolic link to %s: rename the files by hand while nobody uses them, the log last: %w", link.Name, link.Target, fs.ErrInvalid)
	}
	return mustNotExist(r.fsys, append(firstJournals(r.to), markOf(r.to))...)
}

// begin claims the new name. It first removes what an earlier Rename of this array has left there.
func (r *renaming) begin() error {
	for _, ext := range dataExts {
		same, err := sameFile(r.fsys, r.from+ext, r.to+ext)
		if err == nil && same {
			err = r.fsys.Remove(r.to + ext)
		}
		if err != nil {
			return err
		}
	}
	var err error
	if r.claim, err = createFile(r.fsys, Log(r.to), nil); err != nil {
		return err
	}
	err = RemoveNew(r.fsys, r.to) // left by an interrupted Recover
	if err == nil {
		err = r.removeJournal()
	}
	if err != nil {
		r.undo()
		_ = r.claim.Close()
	}
	return err
}

// removeJournal removes the journal, which is empty, durably: it must not stay behind.
func (r *renaming) removeJournal() error {
	err := r.fsys.Remove(Journal(r.from))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncFolder(r.fsys, r.from)
}

// link gives data, table and presence map their new names. After an error it takes them back.
func (r *renaming) link() error {
	for _, ext := range dataExts {
		err := r.linkFile(r.from+ext, r.to+ext)
		if errors.Is(err, fs.ErrNotExist) && ext == PresenceExt {
			continue // an array of version 1 has none
		}
		if err != nil {
			r.undo()
			return err
		}
		r.linked = append(r.linked, r.to+ext)
	}
	err := syncFolder(r.fsys, r.to)
	if err != nil {
		r.undo()
	}
	return err
}

// linkFile links one file. An empty file that has the new name is replaced, as Claim does.
func (r *renaming) linkFile(from, to string) error {
	err := r.fsys.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		removed, removeErr := removeBlank(r.fsys, to)
		if !removed {
			return cmp.Or(removeErr, error(&fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}))
		}
		err = r.fsys.Link(from, to)
	}
	switch {
	case errors.Is(err, vfs.ErrOtherDevice):
		return fmt.Errorf("%w; to another file system use drx copy, then drx rm", err)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return err
	}
	return fmt.Errorf("%w; where files cannot be linked use drx copy, then drx rm", err)
}

// decide renames the log.
func (r *renaming) decide() error {
	if err := r.fsys.Rename(Log(r.from), Log(r.to)); err != nil {
		r.undo()
		return err
	}
	err := syncFolder(r.fsys, r.to)
	if err == nil && filepath.Dir(r.from) != filepath.Dir(r.to) {
		err = syncFolder(r.fsys, r.from)
	}
	return err
}

// undo removes the new names, as long as the log has not got its own: a file system may report an error although it has
// renamed the log.
func (r *renaming) undo() {
	if claimed, err := hasItsName(r.fsys, r.claim); err != nil || !claimed {
		return
	}
	for _, name := range append(r.linked, Log(r.to)) {
		_ = r.fsys.Remove(name) // the error before is what the caller needs
	}
}

// left reports whether the array has only the new name, and some file the old one as well.
func (r *renaming) left() (bool, error) {
	if id, err := identityOf(r.fsys, Log(r.from)); err != nil || id != nil {
		return false, err
	}
	for _, ext := range dataExts {
		if same, err := sameFile(r.fsys, r.from+ext, r.to+ext); err != nil || same {
			return same, err
		}
	}
	return false, nil
}

// removeOldNames removes the old names of files that have a new one, the principal array's last: as long as it is
// there nobody creates an array with the old name. It reports whether it has removed any.
func (r *renaming) removeOldNames() (removed bool, err error) {
	for _, ext := range []string{PresenceExt, TableExt, DataExt} {
		same, err := sameFile(r.fsys, r.from+ext, r.to+ext)
		if err == nil && same {
			removed = true
			err = r.fsys.Remove(r.from + ext)
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, syncFolder(r.fsys, r.from)
}

// sameFile reports whether two names stand for one file. Symbolic links stand for none: to remove the name that one
// leads to would be to remove the file.
func sameFile(fsys vfs.FS, one, other string) (bool, error) {
	var ids [2]any
	for i, name := range []string{one, other} {
		f, err := fsys.OpenNoFollow(name, false)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrNotRegular) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		ids[i], err = f.Identity()
		_ = f.Close()
		if err != nil {
			return false, err
		}
	}
	return ids[0] == ids[1], nil
}
