package transfer

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"drx/optionerr"
)

// withTemporary calls f with the name of a file in a new hidden folder beside dst, and removes the
// folder afterwards. It first removes hidden folders that killed exports have left.
func (o *exporter) withTemporary(dst string, f func(temp string) error) error {
	removeLeftovers(dst)
	temp, err := makeHidden(dst)
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			path.Path, path.Op = dst, "create" // the name that the user knows
		}
		return err
	}
	if o.Temporary != nil {
		o.Temporary(temp.name)
	}
	err = f(filepath.Join(temp.name, filepath.Base(dst)))
	if removeErr := temp.remove(); err == nil {
		err = removeErr
	}
	if err != nil {
		return publishedError{err, temp.name, filepath.Dir(dst)}
	}
	return nil
}

// A publishedError wraps an error about a file in the hidden folder. Its text has the folder that
// the user knows instead.
type publishedError struct {
	error
	temp, folder string
}

// Error implements error.
func (e publishedError) Error() string { return e.Rename(optionerr.Option.String) }

// Rename implements what the function Rename asks for.
func (e publishedError) Rename(name func(optionerr.Option) string) string {
	folder := strings.TrimPrefix(e.folder+string(filepath.Separator), "./")
	return strings.ReplaceAll(optionerr.Rename(e.error, name).Error(), e.temp+string(filepath.Separator), folder)
}

// Unwrap returns the error with the name of the hidden folder.
func (e publishedError) Unwrap() error { return e.error }

// publish moves all files of a hidden folder to the folder of dst, since a format may write
// several. dst comes last: where it exists, all files do. The others are linked rather than
// renamed, where the file system has links, so that the hidden folder still lists them if this
// process is killed in between; removeLeftover then removes them.
func publish(temp, dst string) (err error) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	main, folder := filepath.Base(dst), filepath.Dir(dst)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Compare(boolInt(a.Name() == main), boolInt(b.Name() == main))
	})
	for _, e := range entries {
		if err := syncTree(filepath.Join(temp, e.Name())); err != nil {
			return err
		}
		to := filepath.Join(folder, e.Name())
		if _, err := os.Lstat(to); err == nil {
			return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
		}
	}
	for _, e := range entries {
		from, to := filepath.Join(temp, e.Name()), filepath.Join(folder, e.Name())
		if e.Name() == main || os.Link(from, to) != nil {
			err = os.Rename(from, to)
		}
		if err != nil {
			return err
		}
		defer func() {
			if err != nil {
				_ = os.Remove(to) // the caller needs the first error
			}
		}()
	}
	return syncFolder(folder)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// syncTree makes the files below a name durable, with their names.
func syncTree(name string) error {
	return filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err == nil && e.IsDir():
			return syncFolder(path)
		case err != nil || !e.Type().IsRegular():
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// syncFolder makes the names of files in a folder durable. File systems that do not support syncing
// a folder return EINVAL or ENOTSUP, which is no error here.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
