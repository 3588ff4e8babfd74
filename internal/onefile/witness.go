package onefile

import (
	"bytes"

	"drx/internal/chunktable"
)

// A witness is a stream with a second record of what others have: presence bytes, or a copy of the
// directory. It has blocks of the file for itself, so that a disk or file system that loses a block
// never loses both. Files of earlier versions have none: the presence bytes of a group are beside
// its entries, and the directory has no mirror.

// allowWitnesses marks a file of an earlier version as one that may have witnesses, which programs
// of earlier versions then refuse. One copy of the first sector is durable before the other one
// changes. A crash in between leaves them different, so readers read both. Nobody else may change
// the header at the same time.
func (c *Container) allowWitnesses() error {
	next := *c.streams.Load()
	next.witnesses = true
	start, is := encodeStart(next.form), make([]byte, recordsAt)
	for copy := range int64(2) {
		if _, err := c.File().ReadAt(is, copy*page); err != nil {
			return err
		}
		if bytes.Equal(is, start) {
			continue
		}
		next.raw = nil
		if _, err := c.File().WriteAt(start, copy*page); err != nil {
			return err
		}
		c.note()
		if err := c.syncGrowth(); err != nil {
			return err
		}
	}
	c.streams.Store(&next)
	return nil
}

// addWitness creates the witness of stream n, with space for size bytes, if the file has none
// because an older program created it.
func (c *Container) addWitness(n int, size int64) error {
	if c.streams.Load().stream(witness(n)).length >= size {
		return nil
	}
	if err := c.allocate(func(*streams) error { return c.allowWitnesses() }); err != nil {
		return err
	}
	return c.growLog(witness(n), size)
}

// Moves reports whether the presence map is in the fronts of groups, and moves to a witness when
// its head is written.
func (v *view) Moves() bool {
	return v.member == presenceMember && v.alone.Load() && !v.fronts && v.now().shaped()
}

// move moves the presence map to a witness. Its bytes are durable there before its head is. A map
// without a head is empty, so a process that finds it so after a crash derives it from the table.
// The old map is cleared for processes that may still read it, because it is then empty, too.
func (v *view) move() error {
	old := &view{Container: v.Container, member: presenceMember, fronts: true}
	size := old.capacity()
	if err := v.addWitness(v.base, size); err != nil {
		return err
	}
	err := eachNonzero(old, chunktable.PresenceHead, size, func(piece []byte, off int64) error {
		_, err := v.WriteAt(piece, off)
		return err
	})
	if err != nil {
		return err
	}
	if err := v.syncGrowth(); err != nil {
		return err
	}
	return old.zero(0, size)
}
