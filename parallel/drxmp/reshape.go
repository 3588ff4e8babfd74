package drxmp

import (
	"fmt"

	"drx"
	"drx/internal/group"
)

// AddDim adds a last dimension of extent 1 and returns its number, collective: see
// drx.Array.AddDim. The array is committed before and after. It has another decomposition then,
// with one proc along the new dimension.
func (a *Array) AddDim(name string) (dim int, err error) {
	err = a.reshape(fmt.Sprintf("add dimension %q", name), func(file *drx.Array) error {
		_, err := file.AddDim(name)
		return err
	}, func() error { return nil })
	return len(a.Shape()) - 1, err
}

// Shrink removes the highest by indices of dimension dim, collective: see drx.Array.Shrink. The
// array is committed before and after. It has another decomposition then.
func (a *Array) Shrink(dim, by int) error {
	return a.shrink(fmt.Sprintf("shrink dimension %d by %d", dim, by), func(file *drx.Array) error {
		return file.Shrink(dim, by)
	})
}

// ShrinkLow is like Shrink but removes the lowest indices.
func (a *Array) ShrinkLow(dim, by int) error {
	return a.shrink(fmt.Sprintf("shrink dimension %d by %d on the low side", dim, by), func(file *drx.Array) error {
		return file.ShrinkLow(dim, by)
	})
}

// shrink is reshape for changes that remove chunks. The other procs open the files again, because
// they do not know yet which chunks are gone, and may have them in memory.
func (a *Array) shrink(what string, change func(file *drx.Array) error) error {
	return a.reshape(what, change, a.reopenOrClose)
}

// reshape carries out a change that all procs have called by the same name, what. It makes the
// change on proc 0 between two commits, so that all procs see it in the log, and then calls then.
// After an error of proc 0 alone the array is unchanged; after a later one it is closed.
func (a *Array) reshape(what string, change func(file *drx.Array) error, then func() error) error {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agree(what, true, nil); err != nil {
		return err
	}
	if err := a.sync(); err != nil {
		return err
	}
	err := a.onLeader(what, func(group.Leader) error { return change(a.member.array) })
	if err != nil {
		return err
	}
	if err := a.sync(); err != nil {
		return a.closeAll(err)
	}
	if err := then(); err != nil {
		return err
	}
	return a.distribute(a.decomposition.Distribution().widened(a.member.array.Rank()))
}
