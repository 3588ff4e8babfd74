package drx

import (
	"errors"
	"io/fs"
	"path/filepath"

	"drx/internal/chunktable"
	"drx/internal/fileset"
	"drx/internal/state"
	"drx/internal/vfs"
)

// addPresenceMap gives an array without a presence map one, durably. If head is not nil, the map stores it.
func (a *Array) addPresenceMap(head *chunktable.Head) error {
	file, err := vfs.CreateLike(a.fsys, fileset.Presence(a.name), a.file)
	if errors.Is(err, fs.ErrExist) { // left by a writer that died in addPresenceMap
		file, err = a.fsys.OpenNoFollow(fileset.Presence(a.name), true)
	}
	if err != nil {
		return err
	}
	if err := a.writer.AddPresence(file, head); err != nil {
		_ = file.Close()
		return err
	}
	return a.syncDir()
}

// syncDir makes the names of the array's files durable.
func (a *Array) syncDir() error {
	if a.opts.Durability == DurabilityNone {
		return nil
	}
	return a.fsys.SyncDir(filepath.Dir(a.name))
}

// openPresenceMap opens the presence map for a writer if the log alone does not say that there is one, because
// the commit that made the array one of version 2 is in the journal.
func (a *Array) openPresenceMap() error {
	if !a.opts.Write || a.opts.acceptLoss || a.store.HasPresence() || a.state.Load().Version < state.PresenceVersion {
		return nil
	}
	file, err := a.fsys.OpenNoFollow(fileset.Presence(a.name), true)
	if err == nil {
		a.store.Table().SetPresence(file)
	}
	return err
}
