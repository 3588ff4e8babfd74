package drxmp

import (
	"fmt"

	"drx"
	"drx/axial"
	"drx/internal/group"
	"drx/nd"
)

// Extend grows dimension dim by the given number of elements above its highest index and returns
// the new section, collective: see drx.Array.Extend. The extension, and what is written to it,
// become durable and visible to other programs with the next Sync. The decomposition of the array
// changes. If the file system has no space for the chunk table, the array has grown but cannot be
// written any more. For an array that was shrunk before, Extend commits; if that fails half way,
// Extend closes the array without a further commit.
func (a *Array) Extend(dim, by int) (nd.Section, error) {
	return a.extend(fmt.Sprintf("extend dimension %d by %d", dim, by), func(file *drx.Array) (nd.Section, error) {
		return file.Extend(dim, by)
	})
}

// ExtendLow is Extend below the lowest index: see drx.Array.ExtendLow.
func (a *Array) ExtendLow(dim, by int) (nd.Section, error) {
	return a.extend(fmt.Sprintf("extend dimension %d by %d on the low side", dim, by), func(file *drx.Array) (nd.Section, error) {
		return file.ExtendLow(dim, by)
	})
}

// ExtendCubical is Extend or, with axial.Low, ExtendLow, until all extents are equal: see
// drx.Array.ExtendCubical.
func (a *Array) ExtendCubical(dim, by int, side axial.Side) (nd.Section, error) {
	return a.extend(fmt.Sprintf("extend dimension %d by %d, cubical, side %d", dim, by, side), func(file *drx.Array) (nd.Section, error) {
		return file.ExtendCubical(dim, by, side)
	})
}

// An extension extends an array file and returns the new section.
type extension func(file *drx.Array) (nd.Section, error)

// extend carries out an extension that all procs have called by the same name, what.
func (a *Array) extend(what string, e extension) (nd.Section, error) {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agree(what, true, nil); err != nil {
		return nil, err
	}
	if err := a.shareWrites(); err != nil {
		return nil, err
	}
	grow := a.grow
	if a.member.Regrows() {
		grow = a.regrow
	}
	added, err := grow(e)
	if err != nil {
		return nil, err
	}
	if err := a.distribute(a.decomposition.Distribution()); err != nil {
		return added, err
	}
	return added, a.uncovered
}

// grow extends the array equally on all procs.
func (a *Array) grow(e extension) (nd.Section, error) {
	added, err := e(a.member.array)
	if err := a.agree("extend", err); err != nil {
		return nil, err
	}
	a.uncovered = a.cover()
	return added, nil
}

// regrow extends an array that was shrunk before, which changes chunks. It does so on proc 0
// between two commits, so that all procs have the same chunks before and after. After an error of
// proc 0 alone the array is unchanged; after a later one, when only proc 0 has extended the array,
// it is closed.
func (a *Array) regrow(e extension) (nd.Section, error) {
	if err := a.commit(); err != nil {
		return nil, err
	}
	var added nd.Section
	err := a.onLeader("extend", func(group.Leader) (err error) {
		added, err = e(a.member.array)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err = a.cover(); err == nil {
		err = a.sync()
	}
	if err != nil {
		return nil, a.closeAll(err)
	}
	return a.member.shareSection(added)
}

// cover extends the chunk table, which proc 0 writes, for the new chunks.
func (a *Array) cover() error {
	return a.onLeader("cover", group.Leader.Cover)
}

// Redistribute changes the owners of the chunks, collective. Nothing moves in the file. A
// GlobalArray keeps its decomposition until its own Follow.
func (a *Array) Redistribute(d Distribution) error {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agreeAfterWrites(fmt.Sprintf("redistribute as %v", d)); err != nil {
		return err
	}
	return a.distribute(d)
}
