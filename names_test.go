package drx

import (
	"errors"
	"io/fs"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// The extensions of the files, for tests that look at files from outside.
const (
	logExt      = fileset.LogExt
	dataExt     = fileset.DataExt
	tableExt    = fileset.TableExt
	presenceExt = fileset.PresenceExt
	journalExt  = fileset.JournalExt
	markExt     = fileset.MarkExt
	newExt      = fileset.NewExt
)

// identityOf returns the identity of the file with a name, nil when there is none.
func identityOf(fsys vfs.FS, name string) (any, error) {
	id, err := fsys.Identity(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return id, err
}
