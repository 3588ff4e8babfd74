package call

import (
	"errors"
	"io/fs"
	"os"

	"drx/internal/vfs"
)

// Open opens a file for one proc, with flags that par.CheckFlag accepts. If all procs open the
// file, one of them does so before the others: then the file is created and truncated once, and
// flags mean the same in all implementations.
func Open(files vfs.FS, name string, flag int) (vfs.File, error) {
	var f vfs.File
	var err error
	if flag&os.O_CREATE != 0 {
		f, err = files.Create(name)
	}
	if flag&os.O_CREATE == 0 || (flag&os.O_EXCL == 0 && errors.Is(err, fs.ErrExist)) {
		f, err = files.Open(name, flag&os.O_RDWR != 0)
	}
	if err == nil && flag&os.O_TRUNC != 0 {
		if err = f.Truncate(0); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
