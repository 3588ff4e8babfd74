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

// addPresence gives an array that has none a presence map, durably, which says head of the log, nothing if
// that is nil.
func (a *Array) addPresence(head *chunktable.Head) error {
	file, err := vfs.CreateLike(a.fsys, fileset.Presence(a.name), a.file)
	if errors.Is(err, fs.ErrExist) { // left by a writer that died here
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
	if a.durability == DurabilityNone {
		return nil
	}
	return a.fsys.SyncDir(filepath.Dir(a.name))
}

// openPresence opens the presence map for a writer if it is the commit in the journal that has made the
// array one of version 2: the log alone did not say so.
func (a *Array) openPresence() error {
	if !a.write || a.acceptLoss || a.store.HasPresence() || a.state.Load().Version < state.PresenceVersion {
		return nil
	}
	file, err := a.fsys.OpenNoFollow(fileset.Presence(a.name), true)
	if err == nil {
		a.writer.SetPresence(file)
	}
	return err
}
