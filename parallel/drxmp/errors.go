package drxmp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"drx"
	"drx/parallel/par"
)

// errReplaced says that the files were replaced while they were opened.
var errReplaced = errors.New("the files were replaced")

func init() {
	par.Register(drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrSize, drx.ErrClosed, drx.ErrReadOnly,
		drx.ErrVersion, drx.ErrCorrupt, drx.ErrIncomplete, fs.ErrInvalid, errReplaced,
		context.Canceled, context.DeadlineExceeded)
}

// errorf puts the name of an array and the operation before an error.
func errorf(name, op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", name, op, err)
}
