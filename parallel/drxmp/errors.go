package drxmp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"drx"
	"drx/parallel/par"
)

// errReplaced is returned if the files were replaced while they were opened.
var errReplaced = errors.New("the files were replaced")

func init() {
	par.Register(drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrSize, drx.ErrClosed, drx.ErrReadOnly,
		drx.ErrVersion, drx.ErrCorrupt, drx.ErrIncomplete, fs.ErrInvalid, errReplaced,
		context.Canceled, context.DeadlineExceeded)
}

// errorf prefixes an error with the name of the array and the operation.
func errorf(name, op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", name, op, err)
}
