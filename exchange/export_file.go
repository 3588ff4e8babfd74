package exchange

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// withTemporary calls f with the name of a file in a hidden folder beside dst, which is removed afterwards.
func (o *exporter) withTemporary(dst string, f func(temp string) error) error {
	temp := filepath.Join(filepath.Dir(dst), fmt.Sprintf(".%s.%s", filepath.Base(dst), rand.Text()[:10]))
	if err := os.Mkdir(temp, 0o777); err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			path.Path, path.Op = dst, "create" // the name that the user knows
		}
		return err
	}
	if o.Temporary != nil {
		o.Temporary(temp)
	}
	err := f(filepath.Join(temp, filepath.Base(dst)))
	if removeErr := os.RemoveAll(temp); err == nil {
		err = removeErr
	}
	if err != nil {
		return rename(err, temp, filepath.Dir(dst))
	}
	return nil
}

// rename takes the temporary folder out of the text of an error.
func rename(err error, temp, folder string) error {
	text := strings.ReplaceAll(err.Error(), temp+string(filepath.Separator), strings.TrimPrefix(folder+string(filepath.Separator), "./"))
	return renamedError{err, text}
}

// A renamedError is an error with another text.
type renamedError struct {
	error
	text string
}

// Error implements error.
func (e renamedError) Error() string { return e.text }

// Unwrap returns the error with its own text.
func (e renamedError) Unwrap() error { return e.error }

// publish moves all files of a temporary folder to the folder of dst, dst itself last: a format may write several.
func publish(temp, dst string) error {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	main := filepath.Base(dst)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Compare(boolInt(a.Name() == main), boolInt(b.Name() == main))
	})
	for _, e := range entries {
		if err := syncTree(filepath.Join(temp, e.Name())); err != nil {
			return err
		}
		to := filepath.Join(filepath.Dir(dst), e.Name())
		if _, err := os.Lstat(to); err == nil {
			return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
		}
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(temp, e.Name()), filepath.Join(filepath.Dir(dst), e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// syncTree makes the files below a name durable.
func syncTree(name string) error {
	return filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
