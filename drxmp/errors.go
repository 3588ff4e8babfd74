package drxmp

import (
	"io/fs"

	"drx"
	"drx/par"
)

func init() {
	par.Register(drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrSize, drx.ErrClosed, drx.ErrReadOnly,
		drx.ErrVersion, drx.ErrCorrupt, drx.ErrIncomplete, fs.ErrInvalid, errReplaced)
}
