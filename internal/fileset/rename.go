package fileset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"drx/internal/errkind"
	"drx/internal/metalog"
	"drx/internal/vfs"
)

// Rename gives the files of an array other names. The caller holds the locks of a writer, and the
// journal is empty. Four renames are not atomic, so Rename does these steps:
//
//	claim    create an empty log with the new name, so that nobody else creates an array there
//	link     give data, table and presence map their new names in addition to the old ones; make that durable
//	rename   rename the log, which replaces the empty one; make that durable: from now on the new names count
//	remove   remove the old names of presence map, table and data; make that durable
//
// So at any moment all files of the array have one of the two names. An interrupted Rename leaves
// names without a log, or with an empty one. The next Rename from and to the same names removes
// them, and so does Remove.
//
// The error wraps fs.ErrExist if a file with one of the new names exists, fs.ErrInvalid if both
// names lead to the same array or the principal array is a symbolic link, and vfs.ErrOtherDevice if
// the new names are on another file system. After an error there is no file with a new name, unless
// the log has its new name already.
func Rename(fsys vfs.FS, from, to string) error {
	r := &renameJob{fsys: fsys, from: from, to: to}
	if err := r.check(); err != nil {
		return err
	}
	if err := r.claimName(); err != nil {
		return err
	}
	defer r.claim.Close()
	err := r.link()
	if err == nil {
		err = r.renameLog()
	}
	if err != nil {
		r.removeNewNames()
		return err
	}
	_, err = r.removeOldNames()
	return err
}

// FinishRename removes the old names that an interrupted Rename has left, and reports whether there
// were any. The name from must have no log.
func FinishRename(fsys vfs.FS, from, to string) (done bool, err error) {
	r := &renameJob{fsys: fsys, from: from, to: to}
	if remain, err := r.oldNamesRemain(); err != nil || !remain {
		return false, err
	}
	err = Use(fsys, to, Writer, emptySubstitute, func(files Files) (err error) {
		// Look again, now that the files are locked and nobody else can rename the array.
		remain, err := r.oldNamesRemain()
		unborn, bornErr := metalog.Unborn(files.Log)
		if err = cmp.Or(err, bornErr); err != nil || !remain || unborn {
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

// A renameJob is a Rename in progress.
type renameJob struct {
	fsys     vfs.FS
	from, to string
	claim    vfs.File // the empty log with the new name
	linked   []string // the new names that this Rename has created
}

// linkedExts returns the extensions of the files that get their new names before the log, in this
// order.
func (r *renameJob) linkedExts() []string {
	if OneFile(r.from) {
		return nil
	}
	return []string{DataExt, TableExt, PresenceExt}
}

// check returns an error if the names cannot be used for a Rename.
func (r *renameJob) check() error {
	if OneFile(r.from) != OneFile(r.to) {
		return errkind.Errorf(fs.ErrInvalid, "only one of %s and %s is the name of an array in one file: to change the form use drx convert", r.from, r.to)
	}
	if one, other := containerOf(r.fsys, r.from), containerOf(r.fsys, r.to); one != other {
		return errkind.Errorf(vfs.ErrOtherDevice, "an array stays in its file, use drx cp, then drx rm")
	}
	if same, err := sameFile(r.fsys, Log(r.from), Log(r.to)); err != nil {
		return err
	} else if same {
		return errkind.Errorf(fs.ErrInvalid, "%s and %s are the same file", Log(r.from), Log(r.to))
	}
	link, err := DataLink(r.fsys, r.from)
	if err != nil {
		return err
	}
	if link != nil {
		return errkind.Errorf(fs.ErrInvalid, "%s is a symbolic link to %s: rename the files by hand while nobody uses them, the log last", link.Name, link.Target)
	}
	return CheckFree(r.fsys, r.to)
}

// CheckFree returns an error wrapping fs.ErrExist if an array cannot be renamed to a name, because
// it exists in either form, or a file exists that would be mistaken for part of the array. It
// removes such files if they are empty.
func CheckFree(fsys vfs.FS, to string) error {
	if err := mustNotBeSeveral(fsys, to); err != nil {
		return err
	}
	if err := mustNotBeArray(fsys, to, OtherForm(to)); err != nil {
		return err
	}
	if err := mustNotExist(fsys, markName(to)); err != nil {
		return err
	}
	// The mark may be all that is left of a conversion, as in Claim.
	if err := removeIfExists(fsys, conversionMark(to)); err != nil {
		return err
	}
	return clearJournals(fsys, to)
}

// containerOf returns the name of the file that has the named array among several, "" if there is
// none.
func containerOf(fsys vfs.FS, name string) string {
	container, _ := Container(fsys, name)
	return filepath.Clean("./" + container)
}

// claimName claims the new name with an empty log. It first removes new names that an earlier
// Rename of this array has left.
func (r *renameJob) claimName() error {
	for _, ext := range r.linkedExts() {
		same, err := sameFile(r.fsys, r.from+ext, r.to+ext)
		if err == nil && same {
			err = r.fsys.Remove(r.to + ext)
		}
		if err != nil {
			return err
		}
	}
	var err error
	r.claim, err = createFile(r.fsys, Log(r.to), nil)
	return err
}

// removeJournal removes the empty journal, durably, because it must not remain under the old name.
func (r *renameJob) removeJournal() error {
	if err := removeIfExists(r.fsys, Journal(r.from)); err != nil {
		return err
	}
	return syncDir(r.fsys, r.from)
}

// link gives data, table and presence map their new names, after it has removed files that must not
// remain.
func (r *renameJob) link() error {
	if err := RemoveNew(r.fsys, r.to); err != nil { // left by an interrupted Recover
		return err
	}
	if err := r.removeJournal(); err != nil {
		return err
	}
	for _, ext := range r.linkedExts() {
		err := r.linkFile(r.from+ext, r.to+ext)
		if errors.Is(err, fs.ErrNotExist) && ext == PresenceExt {
			continue // an array of version 1 has none
		}
		if err != nil {
			return err
		}
		r.linked = append(r.linked, r.to+ext)
	}
	return syncDir(r.fsys, r.to)
}

// linkFile gives one file its new name. An empty file with that name is replaced, as by Claim.
func (r *renameJob) linkFile(from, to string) error {
	err := r.fsys.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		removed, removeErr := removeBlank(r.fsys, to)
		if !removed {
			exists := &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
			return cmp.Or(removeErr, withLeftovers(r.fsys, r.to, exists))
		}
		err = r.fsys.Link(from, to)
	}
	switch {
	case errors.Is(err, vfs.ErrOtherDevice):
		return fmt.Errorf("%w; to another file system use drx cp, then drx rm", err)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return err
	}
	return fmt.Errorf("%w; where files cannot be linked use drx cp, then drx rm", err)
}

// renameLog gives the log its new name, durably.
func (r *renameJob) renameLog() error {
	if err := r.fsys.Rename(Log(r.from), Log(r.to)); err != nil {
		return err
	}
	if from, ok := Checkpoint(r.from); ok && !OneFile(r.to) {
		to, _ := Checkpoint(r.to)
		_ = r.fsys.Rename(from, to) // usually there is none; without it opening takes longer
	}
	err := syncDir(r.fsys, r.to)
	if err == nil && filepath.Dir(r.from) != filepath.Dir(r.to) {
		err = syncDir(r.fsys, r.from)
	}
	return err
}

// removeNewNames undoes claimName and link, unless the log has its new name: a file system may
// report an error although it has renamed the log.
func (r *renameJob) removeNewNames() {
	if claimed, err := hasStillItsName(r.fsys, r.claim); err != nil || !claimed {
		return
	}
	for _, name := range append(r.linked, Log(r.to)) {
		_ = r.fsys.Remove(name) // the caller needs the previous error
	}
}

// oldNamesRemain reports whether the log has only its new name, but another file has both names.
func (r *renameJob) oldNamesRemain() (bool, error) {
	if id, err := identityOf(r.fsys, Log(r.from)); err != nil || id != nil {
		return false, err
	}
	for _, ext := range r.linkedExts() {
		if same, err := sameFile(r.fsys, r.from+ext, r.to+ext); err != nil || same {
			return same, err
		}
	}
	return false, nil
}

// removeOldNames removes the old names of files that have both names. It removes the principal
// array's last, because as long as that exists nobody creates an array with the old name. It
// reports whether it has removed any.
func (r *renameJob) removeOldNames() (removed bool, err error) {
	for _, ext := range slices.Backward(r.linkedExts()) {
		same, err := sameFile(r.fsys, r.from+ext, r.to+ext)
		if err == nil && same {
			removed = true
			err = r.fsys.Remove(r.from + ext)
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, syncDir(r.fsys, r.from)
}

// sameFile reports whether two names lead to the same file. A symbolic link counts as no file,
// because removing the name to which it leads would remove the file.
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
