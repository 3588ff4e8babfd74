package vfs

import (
	"errors"
	"io"
	"syscall"
)

const (
	seekData = 3
	seekHole = 4
)

// Data asks the file system where its holes are. The file's own offset, which seeking
// moves, is used by nothing else here.
func (f osFile) Data(off int64) (from, to int64, err error) {
	if from, err = f.Seek(off, seekData); err == nil {
		to, err = f.Seek(from, seekHole)
	}
	if errors.Is(err, syscall.ENXIO) {
		err = io.EOF
	}
	return from, to, err
}
